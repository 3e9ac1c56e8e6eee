//! Where a definition says that `/scale` finds its numbers.

use serde_json::Value as Json;

use super::check::WrittenPart;
use crate::{
    field::BadValue,
    field_error::FieldError,
    tree::{Map, Value},
};

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
    pub fn read(scale: &Json) -> ScalePaths {
        ScalePaths {
            spec_replicas: text(scale, "specReplicasPath").to_string(),
            status_replicas: text(scale, "statusReplicasPath").to_string(),
            label_selector: Some(text(scale, "labelSelectorPath").to_string()),
        }
    }
}

/// What a version of a definition says about `/scale`, if it has it.
pub fn of_version(version: &Json) -> Option<&Json> {
    version.pointer("/subresources/scale").filter(|scale| !scale.is_null())
}

/// The names of a path.
pub fn names(path: &str) -> Vec<&str> {
    path.strip_prefix('.').unwrap_or(path).split('.').collect()
}

fn text<'v>(scale: &'v Json, name: &str) -> &'v str {
    scale.get(name).and_then(Json::as_str).unwrap_or_default()
}

/// Validates the numbers and the selector of an object; a write to the status leaves the spec alone.
pub(super) fn validate(object: &Map<'_>, paths: &ScalePaths, part: WrittenPart) -> Vec<FieldError> {
    let mut errors = Vec::new();
    if part == WrittenPart::Main {
        errors.extend(check_replicas(object, &paths.spec_replicas));
    }
    errors.extend(check_replicas(object, &paths.status_replicas));
    if let Some(path) = paths.label_selector.as_deref().filter(|path| !path.is_empty()) {
        let wrong = find(object, path).and_then(|value| match value {
            Ok(Value::Str(_)) => None,
            Ok(other) => Some(wrong_type(path, other, "string")),
            Err(detail) => Some(detail),
        });
        errors.extend(wrong.map(|detail| FieldError::invalid_as(path, BadValue::from(""), &detail)));
    }
    errors
}

fn check_replicas(object: &Map<'_>, path: &str) -> Option<FieldError> {
    let (number, detail) = match find(object, path)? {
        Err(detail) => (0, detail),
        Ok(value) => match value.as_int() {
            None => (0, wrong_type(path, value, "int64")),
            Some(number) if number < 0 => (number, "should be a non-negative integer".to_string()),
            // Replicas are int32 in the type Scale.
            Some(number) if number > i32::MAX.into() => {
                (number, format!("should be less than or equal to {}", i32::MAX))
            }
            Some(_) => return None,
        },
    };
    Some(FieldError::invalid_as(path, BadValue::from(number), &detail))
}

/// The value at a path; an error if something on the way is no map.
fn find<'v>(object: &'v Map<'v>, path: &str) -> Option<Result<&'v Value<'v>, String>> {
    let names = names(path);
    let (last, before) = names.split_last()?;
    let mut map = object;
    for name in before {
        map = match map.get(name)? {
            Value::Map(map) => map,
            // Null on the way is as good as absent.
            Value::Null => return None,
            other => return Some(Err(wrong_type(path, other, "map[string]interface {}"))),
        };
    }
    map.get(last).map(Ok)
}

fn wrong_type(path: &str, value: &Value<'_>, wanted: &str) -> String {
    let (text, found) = match value {
        Value::Null | Value::Omitted(_) => ("<nil>".to_string(), "<nil>"),
        Value::Bool(_) => (value.to_text(), "bool"),
        Value::Int(_) => (value.to_text(), "int64"),
        Value::Float(_) => (value.to_text(), "float64"),
        Value::Str(text) => ((*text).to_string(), "string"),
        Value::List(_) => (value.to_text(), "[]interface {}"),
        Value::Map(_) => (value.to_text(), "map[string]interface {}"),
    };
    format!("{path} accessor error: {text} is of the type {found}, expected {wanted}")
}
