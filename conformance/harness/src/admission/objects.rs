//! Valid objects to start from: `conformance/api/objects` and `conformance/kinds`.

use std::collections::BTreeMap;
use std::error::Error;
use std::fs;
use std::path::Path;

use kubemerge_kinds::BuiltinKind;
use kubemerge_schema::Schema;
use serde_json::{Value, json};

use super::options::Options;
use super::oracle::Oracle;
use crate::api::custom;
use crate::rng::Rng;

/// How many random definitions are compared with those in files.
const GENERATED_DEFINITIONS: usize = 400;

const FOLDERS: [&str; 2] = ["conformance/api/objects", "conformance/kinds"];

/// A valid object.
pub(super) struct Base {
    pub(super) kind: String,
    pub(super) object: Value,
    /// What Kubernetes makes of it, if it accepts it: what updates start from.
    pub(super) stored: Option<Value>,
}

/// Reads the objects of the wanted kinds that have rules; says which Kubernetes refuses.
pub(super) fn load(
    schema: &Schema,
    oracle: &mut Oracle,
    options: &Options,
) -> Result<Vec<Base>, Box<dyn Error>> {
    let mut objects = Vec::new();
    for folder in FOLDERS {
        read_folder(Path::new(folder), &mut objects)?;
    }
    // Two definitions do not have the rules that definitions can have.
    let mut rng = Rng::new(options.seed);
    objects.extend((0..GENERATED_DEFINITIONS).map(|number| custom::random("g", number, &mut rng).definition));
    let mut without_rules = BTreeMap::<String, usize>::new();
    objects.retain(|object| {
        let (api_version, kind) = (text(object, "apiVersion"), text(object, "kind"));
        let has_rules = BuiltinKind::find(schema, api_version, kind).is_some_and(BuiltinKind::has_rules);
        if !has_rules {
            *without_rules.entry(kind.to_owned()).or_default() += 1;
        }
        // Reviews are answered by an authorizer and never stored: there is nothing to compare but their errors, which
        // `conformance --api` does.
        has_rules && !kind.ends_with("Review") && options.wants(kind)
    });
    if options.kinds.is_empty() && !without_rules.is_empty() {
        let names: Vec<&str> = without_rules.keys().map(String::as_str).collect();
        println!("without rules: {}", names.join(" "));
    }
    let requests: Vec<Value> =
        objects.iter().map(|object| json!({"op": "create", "object": object})).collect();
    let answers = oracle.ask(&requests)?;
    let bases = objects.into_iter().zip(answers).map(|(object, answer)| base(object, &answer)).collect();
    let bases: Vec<Base> = bases;
    if bases.is_empty() { Err("no object of these kinds has rules".into()) } else { Ok(bases) }
}

fn base(object: Value, answer: &Value) -> Base {
    let kind = text(&object, "kind").to_owned();
    let stored = answer.get("object").filter(|_| answer["code"].as_u64().is_some_and(|code| code < 300));
    // Random rules are often refused.
    if stored.is_none() && kind != "CustomResourceDefinition" {
        println!("Kubernetes refuses {kind} {}: {}", object["metadata"]["name"], answer["status"]["message"]);
    }
    Base { kind, stored: stored.cloned(), object }
}

/// A random object: first a kind, then one of its objects.
pub(super) fn pick<'b>(bases: &'b [Base], rng: &mut Rng) -> &'b Base {
    let mut kinds: Vec<&str> = bases.iter().map(|base| base.kind.as_str()).collect();
    kinds.sort_unstable();
    kinds.dedup();
    let kind = *rng.pick(&kinds);
    let own: Vec<&Base> = bases.iter().filter(|base| base.kind == kind).collect();
    let place = rng.below(own.len());
    own[place]
}

fn read_folder(folder: &Path, objects: &mut Vec<Value>) -> Result<(), Box<dyn Error>> {
    let Ok(entries) = fs::read_dir(folder) else { return Ok(()) };
    let mut paths = entries.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>, std::io::Error>>()?;
    paths.sort();
    for path in paths {
        if path.is_dir() {
            read_folder(&path, objects)?;
        } else if path.extension().is_some_and(|extension| extension == "yaml") {
            read_file(&path, objects)?;
        }
    }
    Ok(())
}

fn read_file(path: &Path, objects: &mut Vec<Value>) -> Result<(), Box<dyn Error>> {
    let bytes = fs::read(path)?;
    for document in kubemerge_yaml::parse(&bytes, &kubemerge_yaml::Options::default())? {
        let value: Value = serde_json::from_slice(&document.to_json()?)?;
        match value {
            Value::Object(_) => objects.push(value),
            Value::Array(items) => objects.extend(items),
            _ => {}
        }
    }
    Ok(())
}

pub(super) fn text<'v>(value: &'v Value, name: &str) -> &'v str {
    value[name].as_str().unwrap_or_default()
}
