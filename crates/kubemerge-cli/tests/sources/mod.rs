//! One document means the same wherever it is given: to the library, to the bindings, to the command, and to servers, as
//! `-f`, as `--schema`, or in Rust. Every entry point answers every question; the answers are compared.

mod command;
mod engine;
mod given;
mod server;

use std::{collections::BTreeSet, fs, path::Path};

use kubemerge_bindings::Engine;
use kubemerge_schema::Dialect;
use serde_json::{Value, json};

use self::{
    command::TheCommand,
    engine::{Bindings, Library},
    given::{Source, sources},
    server::{AServer, Given},
};

/// Reason and field of what is wrong with an object.
type Causes = BTreeSet<(String, String)>;

/// Rule and message of what the linter finds.
type Findings = BTreeSet<(String, String)>;

/// Who applies the object of a source, and who applies its configuration then.
const MANAGERS: [&str; 2] = ["one", "two"];

/// What an entry point answers about one source.
trait EntryPoint {
    fn name(&self) -> &'static str;

    /// The spec that is stored of the object; none where it is not told.
    fn stored(&mut self, _: &Source) -> Option<Value> {
        None
    }

    /// Why the result of a merge patch is refused.
    fn refused(&mut self, source: &Source, change: &Value) -> Causes;

    /// The spec that a strategic merge patch results in.
    fn merged(&mut self, source: &Source, dialect: Dialect) -> Value;

    /// The spec after a manager has applied the object and another one its configuration.
    fn applied(&mut self, source: &Source, config: &Value) -> Value;

    /// What the linter finds in the result of a merge patch; none where there is no linter.
    fn linted(&mut self, _: &Source, _: &Value) -> Option<Findings> {
        None
    }

    /// Whether a strategic merge patch is taken, rather than refused because of its type.
    fn takes_strategic(&mut self, source: &Source, dialect: Dialect) -> bool;
}

fn word(dialect: Dialect) -> &'static str {
    match dialect {
        Dialect::Spec => "spec",
        _ => "upstream",
    }
}

/// Reason and field of each cause of a list.
fn causes(list: &Value) -> Causes {
    let text = |cause: &Value, name: &str| cause[name].as_str().unwrap_or_default().to_owned();
    list.as_array().into_iter().flatten().map(|cause| (text(cause, "reason"), text(cause, "field"))).collect()
}

/// The parts of a spec that the sources are about: a server adds what it allocates and its defaults.
fn content(spec: &Value) -> Value {
    let containers = |list: &Value| -> Value {
        let texts = |one: &Value| json!([one["name"], one["image"]]);
        list.as_array().into_iter().flatten().map(texts).collect()
    };
    match spec.pointer("/spec/containers") {
        Some(list) => containers(list),
        None => spec.clone(),
    }
}

/// The same without the default of the sources, which only servers fill in.
fn without_default(spec: &Value) -> Value {
    let mut content = content(spec);
    content.as_object_mut().map(|spec| spec.remove("color"));
    content
}

#[test]
fn every_source_means_the_same_to_every_entry_point() {
    for source in sources() {
        let folder = std::env::temp_dir().join(format!(
            "kubemerge-sources-{}-{}",
            std::process::id(),
            source.name.replace(' ', "-")
        ));
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("schema.json"), source.document.to_string()).unwrap();
        fs::write(folder.join("object.json"), source.object.to_string()).unwrap();
        let overlay = source.overlay.clone().unwrap_or_default();
        fs::write(folder.join("overlay.json"), overlay.to_string()).unwrap();
        compare(&source, &mut entry_points(&source, &folder));
        fs::remove_dir_all(&folder).unwrap();
    }
}

fn entry_points(source: &Source, folder: &Path) -> Vec<Box<dyn EntryPoint>> {
    // Objects are what `-f` and `crds` take, and only definitions are objects.
    let servers: &[Given] = if source.is_definition() {
        &[Given::Schema, Given::OpenApi, Given::File, Given::Crds]
    } else {
        &[Given::Schema, Given::OpenApi]
    };
    let server = |given: &Given| -> Box<dyn EntryPoint> { Box::new(AServer::new(*given, folder)) };
    let mut all: Vec<Box<dyn EntryPoint>> =
        vec![Box::new(Library), Box::new(Bindings(Engine::new())), Box::new(TheCommand(folder.to_owned()))];
    all.extend(servers.iter().map(server));
    all
}

/// What is said where a strategic merge patch is refused because of its type.
const NOT_SUPPORTED: &str = "strategic merge patch format is not supported";

/// Asks all entry points all questions; the library answers first.
fn compare(source: &Source, entry_points: &mut [Box<dyn EntryPoint>]) {
    let name = source.name;
    let stored = Library.stored(source).unwrap();
    let applied = source.config.as_ref().map(|config| (config, Library.applied(source, config)));
    let refused: Vec<Causes> = source.wrong.iter().map(|change| Library.refused(source, change)).collect();
    // A CEL rule is what definitions have, and repeated keys are what they check.
    let is_refused = |(change, causes): &(&Value, &Causes)| !causes.is_empty() || may_pass(source, change);
    assert!(source.wrong.iter().zip(&refused).all(|one| is_refused(&one)), "{name}: {refused:?}");
    for entry_point in entry_points {
        let who = entry_point.name();
        if let Some(answer) = entry_point.stored(source) {
            assert_eq!(content(&answer), content(&stored), "{name}, stored by {who}");
        }
        for (change, causes) in source.wrong.iter().zip(&refused) {
            assert_eq!(&entry_point.refused(source, change), causes, "{name}, {change} refused by {who}");
            if let Some(findings) = entry_point.linted(source, change) {
                assert_eq!(
                    Some(findings),
                    Library.linted(source, change),
                    "{name}, {change} linted by {who}"
                );
            }
        }
        for dialect in source.dialects {
            let expected = without_default(&Library.merged(source, *dialect));
            let merged = without_default(&entry_point.merged(source, *dialect));
            assert_eq!(merged, expected, "{name}, merged by {who} in {dialect:?}");
        }
        if let Some((config, applied)) = &applied {
            let answer = entry_point.applied(source, config);
            assert_eq!(without_default(&answer), without_default(applied), "{name}, applied by {who}");
        }
        for dialect in [Dialect::Upstream, Dialect::Spec] {
            let wanted = source.dialects.contains(&dialect);
            let taken = entry_point.takes_strategic(source, dialect);
            assert_eq!(taken, wanted, "{name}, a strategic patch to {who} in {dialect:?}");
        }
    }
}

fn may_pass(source: &Source, change: &Value) -> bool {
    let spec = &change["spec"];
    !source.is_definition() && (spec["city"] == "Nowhere" || spec["parts"][1]["name"] == "a")
}
