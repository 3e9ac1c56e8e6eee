//! Configurations that server-side apply refuses or never finishes: each apply changes the object again.

use kubemerge_yaml::YamlDocument;
use serde_json::Value;

use super::collect::{Draft, Findings};
use super::rule::{MANAGED_FIELDS, NEVER_CONVERGES};
use super::subject::LintObject;
use crate::finding::Location;

/// Finds managedFields, and fields that the API server does not store as they are written.
pub(super) fn check(document: &YamlDocument<'_>, object: &LintObject<'_>, findings: &mut Findings) {
    let entries = object.value.get("metadata").and_then(|metadata| metadata.get("managedFields"));
    if entries.is_some_and(|entries| !entries.is_null()) {
        let draft = Draft::new(MANAGED_FIELDS, "the configuration has metadata.managedFields");
        findings.add(draft, || Location::of(document, &object.path("metadata.managedFields")));
    }
    if object.kind == "Secret" && object.api_version == "v1" && object.value.get("stringData").is_some() {
        let draft = Draft::new(NEVER_CONVERGES, "stringData is stored as data");
        findings.add(draft, || Location::of(document, &object.path("stringData")));
    }
}

/// Compares an object with the text that the API server would store of it.
pub(super) fn compare(
    document: &YamlDocument<'_>,
    object: &LintObject<'_>,
    text: &str,
    stored: &str,
    findings: &mut Findings,
) {
    let (Ok(given), Ok(stored)) = (serde_json::from_str(text), serde_json::from_str(stored)) else { return };
    let mut other_forms = Vec::new();
    collect(&given, &stored, &mut String::new(), &mut other_forms);
    for (path, given, stored) in other_forms {
        let draft = Draft::new(NEVER_CONVERGES, format!("{path}: {given} is stored as {stored}"));
        findings.add(draft, || Location::of(document, &object.path(&path)));
    }
}

/// Scalars that are stored in another form, such as a quantity; with their paths.
fn collect(given: &Value, stored: &Value, path: &mut String, found: &mut Vec<(String, Value, Value)>) {
    let length = path.len();
    match (given, stored) {
        (Value::Object(given), Value::Object(stored)) => {
            for (name, value) in given {
                let Some(stored) = stored.get(name) else { continue };
                match name.contains(['.', '[', ']']) {
                    true => path.push_str(&format!("[{name}]")),
                    false if path.is_empty() => path.push_str(name),
                    false => path.push_str(&format!(".{name}")),
                }
                collect(value, stored, path, found);
                path.truncate(length);
            }
        }
        (Value::Array(given), Value::Array(stored)) if given.len() == stored.len() => {
            for (at, (value, stored)) in given.iter().zip(stored).enumerate() {
                path.push_str(&format!("[{at}]"));
                collect(value, stored, path, found);
                path.truncate(length);
            }
        }
        // Other texts and numbers for the same value; what is replaced by something else is not meant here.
        (Value::String(_) | Value::Number(_), Value::String(_)) if given != stored => {
            found.push((path.clone(), given.clone(), stored.clone()));
        }
        _ => {}
    }
}
