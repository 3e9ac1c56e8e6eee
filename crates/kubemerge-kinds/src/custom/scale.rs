//! Where a definition says that `/scale` finds its numbers.

use serde_json::{Value, json};

use crate::field_error::FieldError;

/// Paths of names with a dot before each; Kubernetes knows nothing else here, no lists and no escapes.
#[derive(Clone, Debug)]
pub struct ScalePaths {
    /// How many replicas are wanted.
    pub spec_replicas: String,
    /// How many replicas there are.
    pub status_replicas: String,
    /// None for built-in kinds, which have a selector of their own in `spec.selector`.
    pub label_selector: Option<String>,
}

impl ScalePaths {
    /// Reads `subresources.scale`.
    pub fn read(scale: &Value) -> ScalePaths {
        ScalePaths {
            spec_replicas: text(scale, "specReplicasPath").to_string(),
            status_replicas: text(scale, "statusReplicasPath").to_string(),
            label_selector: Some(text(scale, "labelSelectorPath").to_string()),
        }
    }
}

/// What a version of a definition says about `/scale`, if it has it.
pub fn of_version(version: &Value) -> Option<&Value> {
    version.pointer("/subresources/scale").filter(|scale| !scale.is_null())
}

/// Each path must lead below the part of the object that it belongs to.
pub fn check(scale: &Value, field: &str, errors: &mut Vec<FieldError>) {
    for (name, parts, why) in [
        ("specReplicasPath", &[".spec."][..], "should be a json path under .spec"),
        ("statusReplicasPath", &[".status."], "should be a json path under .status"),
        ("labelSelectorPath", &[".spec.", ".status."], "should be a json path under either .spec or .status"),
    ] {
        let (path, field) = (text(scale, name), format!("{field}.{name}"));
        if path.is_empty() {
            if name != "labelSelectorPath" {
                errors.push(FieldError::required(field, ""));
            }
        } else if !path.starts_with('.') {
            let why = "must be a simple json path starting with .";
            errors.push(FieldError::invalid(field, &json!(path), why));
        } else if !parts.iter().any(|part| path.starts_with(part)) {
            errors.push(FieldError::invalid(field, &json!(path), why));
        }
    }
}

/// The names of a path.
pub fn names(path: &str) -> Vec<&str> {
    path.strip_prefix('.').unwrap_or(path).split('.').collect()
}

fn text<'v>(scale: &'v Value, name: &str) -> &'v str {
    scale.get(name).and_then(Value::as_str).unwrap_or_default()
}
