//! `kubemerge skew`: the same change with two clients and two servers of different versions.

use std::path::{Path, PathBuf};

use clap::Args;
use kubemerge::{
    Dialect, Error, OnConflict, Patch, RuleSource, Schema, Target, Tests, Versions, apply, diff, three_way,
};
use kubemerge_schema::Type;
use kubemerge_strategic::directive::{RETAIN_KEYS, SET_ELEMENT_ORDER};
use serde::Serialize;
use serde_json::{Value, json};

use crate::args::{Format, SchemaOptions};
use crate::input::Inputs;
use crate::load::{self, Manifest, match_objects, only_in, type_of, unmatched_warning};
use crate::output::Stdout;
use crate::render::facts;
use crate::report::{Failure, Notice, Outcome, Result, Severity, sanitize};

#[derive(Debug, Args)]
#[command(after_help = "\
A side is VERSION[/DIALECT][-DIRECTIVE]...: a Kubernetes version, its dialect, and directives that
it does not support (retainKeys, setElementOrder). A client does not send a directive that it does
not support; a server ignores it.
Of many objects, those of the same kind and name are compared.
Without --current the client sends the patch from OLD to NEW, and NEW is the wanted result. With it the
client sends the three-way patch of kubectl apply, and its result in the dialect spec is wanted.

Exits 1 if the result of some pair of client and server is not as wanted.

Examples:
  kubemerge skew old.yaml new.yaml --client 1.25 --server 1.37
  kubemerge skew old.yaml new.yaml --client 1.37 --server 1.37/spec
  kubemerge skew old.yaml new.yaml --client 1.37 --server 1.37-setElementOrder")]
pub(crate) struct SkewArgs {
    /// Old object, which is also the live one, or many of them: a file, a folder or -
    #[arg(value_name = "OLD")]
    old: PathBuf,
    /// New object, or many
    #[arg(value_name = "NEW")]
    new: PathBuf,
    /// Live object, or many [default: OLD]
    #[arg(long, value_name = "LIVE")]
    current: Option<PathBuf>,
    /// Visit folders inside folders
    #[arg(long, short = 'R')]
    recursive: bool,
    /// Version of one side
    #[arg(long, value_name = "V")]
    client: String,
    /// Version of the other side
    #[arg(long, value_name = "V")]
    server: String,
    /// Output format
    #[arg(long, short, value_enum, default_value_t)]
    output: Format,
    /// OpenAPI document or CustomResourceDefinition added to the schema of both sides; repeatable
    #[arg(long, value_name = "FILE")]
    schema: Vec<PathBuf>,
    /// File with your own merge rules for some fields (dialect spec only); repeatable
    #[arg(long, value_name = "FILE")]
    overlay: Vec<PathBuf>,
}

/// A version of Kubernetes, as a client or as a server.
struct Side {
    name: String,
    schema: Schema,
    /// The same version in the dialect `spec`, which says what a change is meant to do.
    spec: Schema,
    /// Directives that it does not support.
    unsupported: Vec<&'static str>,
}

/// The result of the change with one pair.
#[derive(Debug, Serialize)]
struct Answer {
    object: String,
    client: String,
    server: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    patch: Option<Value>,
    outcome: String,
    /// Differences between the new object and the result, as operations on it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    differences: Vec<Value>,
}

pub(crate) fn run(args: &SkewArgs, inputs: &mut Inputs) -> Result {
    let mut read = |word: &Path| inputs.read_one(word, args.recursive.into());
    let (old, new) = (read(&args.old)?, read(&args.new)?);
    let current = args.current.as_deref().map_or(Ok(Vec::new()), read)?;
    let (old, new) = (Manifest::some(&args.old, &old)?, Manifest::some(&args.new, &new)?);
    let sides =
        [Side::load(args, &args.client, inputs, &new)?, Side::load(args, &args.server, inputs, &new)?];
    let current = args.current.as_deref().map(|word| Manifest::some(word, &current)).transpose()?;
    let (changes, mut warnings) = changes(&old, &new, current.as_deref())?;
    let mut answers = Vec::new();
    for change in &changes {
        match answers_of(&sides, *change) {
            // One object without strategic patches does not stop the others.
            Err(Failure::Error(notice)) if changes.len() > 1 => {
                warnings.push(Notice { severity: Severity::Warning, ..*notice });
            }
            found => answers.extend(found?),
        }
    }
    warnings.iter().for_each(Notice::print);
    let mut out = Stdout::new();
    out.text(facts(args.output, &answers, |answers| text(answers)))?;
    out.finish()?;
    let wanted = answers.iter().all(|answer| answer.outcome == WANTED);
    Ok(if wanted { Outcome::Done } else { Outcome::Found })
}

/// An object before and after the change, and on the server.
#[derive(Clone, Copy)]
struct SkewedObject<'m, 's> {
    old: &'m Manifest<'s>,
    new: &'m Manifest<'s>,
    live: &'m Manifest<'s>,
}

impl<'m> SkewedObject<'m, '_> {
    /// Whether there is nothing to change.
    fn is_unchanged(self) -> bool {
        self.new.is_same(self.old) && self.new.is_same(self.live)
    }

    /// The inputs of a three-way patch; none where nothing else has changed the object.
    fn versions(self) -> Option<Versions<'m, Vec<u8>>> {
        let SkewedObject { old, new, live } = self;
        let is_own = !std::ptr::eq(old, live);
        is_own.then_some(Versions { original: &old.json, modified: &new.json, current: &live.json })
    }
}

/// The only objects, whatever they are, or those of the same kind and name; and warnings about the others.
fn changes<'m, 's>(
    old: &'m [Manifest<'s>],
    new: &'m [Manifest<'s>],
    current: Option<&'m [Manifest<'s>]>,
) -> Result<(Vec<SkewedObject<'m, 's>>, Vec<Notice>)> {
    match (old, new, current) {
        ([old], [new], None) => return Ok((vec![SkewedObject { old, new, live: old }], Vec::new())),
        ([old], [new], Some([live])) => return Ok((vec![SkewedObject { old, new, live }], Vec::new())),
        _ => {}
    }
    let live =
        current.map(|current| match_objects(new, current).map(|found| (current, found))).transpose()?;
    let before = match_objects(new, old)?;
    let mut warnings: Vec<Notice> = only_in(old, &before).map(unmatched_warning).collect();
    let mut changes = Vec::new();
    for (at, (new, before)) in new.iter().zip(before).enumerate() {
        let old = before.map(|before| &old[before]);
        let live = match &live {
            Some((current, found)) => found[at].map(|at| &current[at]),
            None => old,
        };
        match (old, live) {
            (Some(old), Some(live)) => changes.push(SkewedObject { old, new, live }),
            _ => warnings.push(unmatched_warning(new)),
        }
    }
    Ok((changes, warnings))
}

const WANTED: &str = "as wanted";

impl Side {
    fn load(args: &SkewArgs, word: &str, inputs: &mut Inputs, objects: &[Manifest<'_>]) -> Result<Side> {
        let mut parts = word.split('-');
        let first = parts.next().unwrap_or_default();
        let (version, dialect) = match first.split_once('/') {
            None | Some((_, "upstream")) => (first.trim_end_matches("/upstream"), Dialect::Upstream),
            Some((version, "spec")) => (version, Dialect::Spec),
            Some((_, "kustomize")) => {
                return Err(bad_side(word, "the dialect kustomize only applies patches").into());
            }
            Some((_, other)) => return Err(bad_side(word, &format!("there is no dialect {other}")).into()),
        };
        // Several directives may be missing, as in clients before 1.6.
        // A version contains no dash, so the rest are directives.
        let unsupported = parts.map(|name| directive(word, name)).collect::<Result<Vec<_>>>()?;
        let options = SchemaOptions {
            kubernetes: Some(version.to_owned()),
            schema: args.schema.clone(),
            // In `upstream` overlays do nothing, and each side would warn about them.
            overlay: if dialect == Dialect::Spec { args.overlay.clone() } else { Vec::new() },
        };
        let schemas = load::schemas_beside(&options, inputs, objects)?;
        let (schema, spec) = (schemas.compile(dialect)?, schemas.compile(Dialect::Spec)?);
        Ok(Side { name: word.to_owned(), schema, spec, unsupported })
    }

    /// The patch without the directives that this side does not support.
    fn supported(&self, patch: &Value) -> Value {
        match patch {
            Value::Object(members) => {
                let is_known =
                    |name: &str| !self.unsupported.iter().any(|unsupported| name.starts_with(unsupported));
                let known = members.iter().filter(|(name, _)| is_known(name));
                known.map(|(name, value)| (name.clone(), self.supported(value))).collect()
            }
            Value::Array(items) => items.iter().map(|item| self.supported(item)).collect(),
            other => other.clone(),
        }
    }
}

fn directive(word: &str, name: &str) -> Result<&'static str> {
    match name {
        "retainKeys" => Ok(RETAIN_KEYS),
        "setElementOrder" => Ok(SET_ELEMENT_ORDER),
        other => Err(bad_side(word, &format!("{other:?} is no directive that a side can lack")).into()),
    }
}

fn bad_side(word: &str, fault: &str) -> Notice {
    Notice::error(format!("{word}: {fault}")).help("write e.g. 1.30, 1.37/spec or 1.37-setElementOrder")
}

/// The results of every pair for one object.
fn answers_of(sides: &[Side; 2], change: SkewedObject<'_, '_>) -> Result<Vec<Answer>> {
    // All four combinations: old and new clients talk to both servers during an upgrade.
    let pairs = sides.iter().flat_map(|client| sides.iter().map(move |server| (client, server)));
    pairs.map(|(client, server)| answer(client, server, change)).collect()
}

fn answer(client: &Side, server: &Side, change: SkewedObject<'_, '_>) -> Result<Answer> {
    let SkewedObject { new, live, .. } = change;
    let mut answer = Answer {
        object: new.identity.in_full(),
        client: client.name.clone(),
        server: server.name.clone(),
        patch: None,
        outcome: String::new(),
        differences: Vec::new(),
    };
    let kinds = type_of(&client.schema, new).and(type_of(&server.schema, live));
    if kinds.is_err() && change.is_unchanged() {
        return Ok(Answer { patch: Some(json!({})), outcome: WANTED.to_owned(), ..answer });
    }
    let wanted = wanted(client, change)?;
    let patch = match sent(type_of(&client.schema, new)?, change) {
        Ok(patch) => client.supported(&value(&patch.to_bytes(), new)?),
        Err(error) => return Ok(Answer { outcome: refused("client", &error), ..answer }),
    };
    // An old server does not refuse a directive that it does not know: it drops it.
    let received = server.supported(&patch).to_string();
    answer.patch = Some(patch);
    let ty = type_of(&server.schema, live)?;
    let result = Patch::strategic(&received).and_then(|patch| apply(ty, &live.json, &patch));
    match result {
        Err(error) => answer.outcome = refused("server", &error),
        Ok(result) => {
            let operations = diff(RuleSource::None, &wanted, &result, Target::Json(Tests::Without));
            let operations = operations.map_err(|error| new.fault(&error))?;
            let listed = value(&operations.to_bytes(), new)?;
            answer.differences = listed.as_array().cloned().unwrap_or_default();
            answer.outcome = if answer.differences.is_empty() { WANTED } else { "not as wanted" }.to_owned();
        }
    }
    Ok(answer)
}

/// The patch that a client makes: from the old object to the new one, or with a live object of its own the
/// three-way patch.
fn sent(ty: Type<'_>, change: SkewedObject<'_, '_>) -> std::result::Result<Patch<'static>, Error> {
    match change.versions() {
        None => diff(ty, &change.old.json, &change.new.json, Target::Strategic),
        Some(versions) => three_way(ty, &versions, OnConflict::Overwrite),
    }
}

/// The object that a correct change leads to: NEW, or with a live object of its own the result of the three-way
/// patch in the dialect `spec`.
fn wanted(client: &Side, change: SkewedObject<'_, '_>) -> Result<Vec<u8>> {
    let Some(versions) = change.versions() else { return Ok(change.new.json.clone()) };
    let ty = type_of(&client.spec, change.new)?;
    let merged = three_way(ty, &versions, OnConflict::Overwrite)
        .and_then(|patch| apply(ty, &change.live.json, &patch));
    merged.map_err(|error| change.live.fault(&error).into())
}

fn refused(side: &str, error: &Error) -> String {
    format!("the {side} refuses: {}", error.to_string().replace('\n', " "))
}

fn value(json: &[u8], object: &Manifest<'_>) -> Result<Value> {
    serde_json::from_slice(json).map_err(|error| Notice::error(format!("{}: {error}", object.title())).into())
}

fn text(answers: &[Answer]) -> String {
    let mut text = String::new();
    for of_object in answers.chunk_by(|one, other| one.object == other.object) {
        if of_object.len() < answers.len() {
            text.push_str(&format!("{}\n", sanitize(&of_object[0].object)));
        }
        of_object.iter().for_each(|answer| text.push_str(&lines(answer)));
    }
    text
}

fn lines(answer: &Answer) -> String {
    let mut text = String::new();
    text.push_str(&format!(
        "client {}, server {}: {}\n",
        answer.client,
        answer.server,
        sanitize(&answer.outcome)
    ));
    if let Some(patch) = &answer.patch {
        text.push_str(&format!("  patch {}\n", sanitize(&patch.to_string())));
    }
    for operation in &answer.differences {
        text.push_str(&format!("  {}\n", sanitize(&in_words(operation))));
    }
    text
}

/// A difference between the new object and the result.
fn in_words(operation: &Value) -> String {
    let part = |name: &str| operation.get(name).and_then(Value::as_str).unwrap_or_default();
    let value = operation.get("value").unwrap_or(&Value::Null);
    match part("op") {
        "remove" => format!("missing: {}", part("path")),
        "add" => format!("extra: {}: {value}", part("path")),
        "move" => format!("moved: {} to {}", part("from"), part("path")),
        _ => format!("changed: {}: {value}", part("path")),
    }
}
