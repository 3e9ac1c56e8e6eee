//! Objects to begin with: from texts in YAML or JSON, and definitions of kinds that have none.

use kubemerge_value::yaml;
use serde_json::{Value, json};

use crate::catalog::{Scope, split_api_version};

/// The objects of a text; lists are taken apart.
pub(crate) fn documents(text: &str) -> Result<Vec<Value>, String> {
    let parsed =
        yaml::parse(text.as_bytes(), &yaml::Options::default()).map_err(|error| error.to_string())?;
    let mut objects = Vec::new();
    for document in parsed {
        let json = document.to_json().map_err(|error| error.to_string())?;
        let value: Value = serde_json::from_slice(&json).map_err(|error| error.to_string())?;
        match value {
            Value::Null => {}
            mut list if is_list(&list) => {
                objects.extend(list["items"].as_array_mut().map(std::mem::take).unwrap_or_default());
            }
            object => objects.push(object),
        }
    }
    Ok(objects)
}

/// The only document of a text; as in Kubernetes, the last of repeated keys counts.
pub(crate) fn one_document(text: &str) -> Result<Value, String> {
    let options = yaml::Options { duplicate_keys: yaml::DuplicateKeys::LastWins, ..yaml::Options::default() };
    let parsed = yaml::parse(text.as_bytes(), &options).map_err(|error| error.to_string())?;
    let first = parsed.first().ok_or_else(|| "the request has no body".to_string())?;
    let json = first.to_json().map_err(|error| error.to_string())?;
    serde_json::from_slice(&json).map_err(|error| error.to_string())
}

fn is_list(value: &Value) -> bool {
    let kind = value.get("kind").and_then(Value::as_str).unwrap_or_default();
    kind.ends_with("List") && value.get("items").is_some_and(Value::is_array)
}

/// The definition of a kind without a schema.
pub(crate) fn schemaless(api_version: &str, kind: &str, plural: &str, scope: Scope) -> Value {
    let (group, version) = split_api_version(api_version);
    let scope = match scope {
        Scope::Namespaced => "Namespaced",
        Scope::Cluster => "Cluster",
    };
    json!({"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": format!("{plural}.{group}")},
        "spec": {"group": group, "scope": scope, "names": {"plural": plural, "kind": kind},
            "versions": [{"name": version, "served": true, "storage": true, "schema": {"openAPIV3Schema": {
                "type": "object", "x-kubernetes-preserve-unknown-fields": true}}}]}})
}
