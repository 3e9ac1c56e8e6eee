//! Laws over objects that Kubernetes accepts, as they are and with random changes: `admit` accepts the former, what it
//! answers is a fixed point, and an update that changes nothing is accepted and changes nothing.
//! `KUBEMERGE_SEED` repeats a run.

use std::fs;
use std::path::Path;

use fastrand::Rng;
use kubemerge_kinds::{BuiltinKind, Refusal, admit, admit_update};
use kubemerge_schema::{Dialect, Schema};
use kubemerge_test_support::seed;
use serde_json::{Value, json};

const FOLDERS: [&str; 2] = ["../../conformance/api/objects", "../../conformance/kinds"];
const CHANGES_PER_OBJECT: usize = 15;

fn schema() -> Schema {
    Schema::builtin("1.37", Dialect::Upstream).unwrap()
}

/// The objects of all files, of kinds that have rules.
fn objects(schema: &Schema) -> Vec<Value> {
    let mut objects = Vec::new();
    for folder in FOLDERS {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
        let mut paths: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
        paths.sort();
        for path in paths.iter().filter(|path| path.extension().is_some_and(|ending| ending == "yaml")) {
            let bytes = fs::read(path).unwrap();
            let documents = kubemerge_yaml::parse(&bytes, &kubemerge_yaml::Options::default()).unwrap();
            for document in documents {
                match serde_json::from_slice(&document.to_json().unwrap()).unwrap() {
                    Value::Array(items) => objects.extend(items),
                    object => objects.push(object),
                }
            }
        }
    }
    objects.retain(|object| {
        let text = |name: &str| object[name].as_str().unwrap_or_default().to_owned();
        // Reviews are answered and never stored, so there is nothing to update.
        !text("kind").ends_with("Review")
            && BuiltinKind::find(schema, &text("apiVersion"), &text("kind"))
                .is_some_and(BuiltinKind::has_rules)
    });
    assert!(objects.len() > 150, "only {} objects were found", objects.len());
    objects
}

/// Kubernetes adds these keys to the selectors of every new object, as admit does.
fn grows(stored: &str) -> bool {
    stored.contains("atchLabelKeys")
}

/// Kubernetes refuses repeated addresses of a node when it is updated, not when it is created.
fn is_checked_on_updates_only(refusal: &Refusal) -> bool {
    let errors = refusal.field_errors();
    !errors.is_empty() && errors.iter().all(|error| error.field.starts_with("status.addresses"))
}

fn check_laws(schema: &Schema, stored: &str, text: &str) {
    if grows(stored) {
        return;
    }
    assert_eq!(admit(schema, stored).ok().as_deref(), Some(stored), "{text}");
    let unchanged = admit_update(schema, stored, stored);
    if unchanged.as_ref().is_err_and(is_checked_on_updates_only) {
        return;
    }
    assert_eq!(unchanged.ok().as_deref(), Some(stored), "an update of {text} without changes");
}

#[test]
fn objects_that_kubernetes_accepts_are_accepted() {
    let schema = schema();
    for object in objects(&schema) {
        let text = object.to_string();
        match admit(&schema, &text) {
            Ok(stored) => check_laws(&schema, &stored, &text),
            Err(refusal) => panic!("{refusal}: {text}"),
        }
    }
}

#[test]
fn changed_objects_obey_the_laws() {
    let schema = schema();
    let mut rng = seed::rng();
    for object in objects(&schema) {
        for _ in 0..CHANGES_PER_OBJECT {
            let mut changed = object.clone();
            change(&mut changed, &mut rng);
            if !changed.is_object() {
                continue;
            }
            // The rules of a kind are asked, not how kinds are told.
            changed["apiVersion"] = object["apiVersion"].clone();
            changed["kind"] = object["kind"].clone();
            let text = changed.to_string();
            if let Ok(stored) = admit(&schema, &text) {
                check_laws(&schema, &stored, &text);
            }
            let _ = admit_update(&schema, &object.to_string(), &text);
        }
    }
}

/// Goes down to a random place and changes the value there.
fn change(value: &mut Value, rng: &mut Rng) {
    let stops = rng.usize(..5) == 0;
    match value {
        Value::Object(map) if !map.is_empty() && !stops => {
            let place = rng.usize(..map.len());
            let name = map.keys().nth(place).cloned().unwrap_or_default();
            if rng.usize(..8) == 0 {
                map.remove(&name);
            } else if let Some(inner) = map.get_mut(&name) {
                change(inner, rng);
            }
        }
        Value::Array(list) if !list.is_empty() && !stops => {
            let place = rng.usize(..list.len());
            match rng.usize(..8) {
                0 => drop(list.remove(place)),
                1 => list.push(list[place].clone()),
                _ => change(&mut list[place], rng),
            }
        }
        other => *other = odd_value(rng),
    }
}

fn odd_value(rng: &mut Rng) -> Value {
    let values = [
        json!(null),
        json!(""),
        json!("a"),
        json!("a.b"),
        json!("example.com/x"),
        json!("true == false"),
        json!(0),
        json!(1),
        json!(-1),
        json!(true),
        json!([]),
        json!({}),
        json!("1Gi"),
        json!("2024-01-02T03:04:05Z"),
        json!(["*"]),
    ];
    values[rng.usize(..values.len())].clone()
}
