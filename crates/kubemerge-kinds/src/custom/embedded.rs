//! Objects inside of objects: `x-kubernetes-embedded-resource`.
//!
//! Their metadata is that of any object, so what it does not have is dropped, and the rest is validated.

use serde_json::{Map, Value};

use super::{
    list_type::child,
    structural::{Additional, Structural},
};
use crate::{
    document_path::DocumentPath,
    field_error::FieldError,
    format::dns1035_label,
    meta::{NameRule, Scope},
};

/// What the fields of metadata may hold.
#[derive(Clone, Copy)]
enum MetaField {
    Text,
    Number,
    Texts,
    TextMap,
    Objects,
}

const METADATA: [(&str, MetaField); 15] = [
    ("annotations", MetaField::TextMap),
    ("creationTimestamp", MetaField::Text),
    ("deletionGracePeriodSeconds", MetaField::Number),
    ("deletionTimestamp", MetaField::Text),
    ("finalizers", MetaField::Texts),
    ("generateName", MetaField::Text),
    ("generation", MetaField::Number),
    ("labels", MetaField::TextMap),
    ("managedFields", MetaField::Objects),
    ("name", MetaField::Text),
    ("namespace", MetaField::Text),
    ("ownerReferences", MetaField::Objects),
    ("resourceVersion", MetaField::Text),
    ("selfLink", MetaField::Text),
    ("uid", MetaField::Text),
];

/// Brings the types and the metadata of embedded objects into the form that Go has them in; answers what was dropped,
/// or what cannot be decoded.
pub fn coerce(value: &mut Value, schema: &Structural) -> Result<Vec<String>, FieldError> {
    let mut dropped = Vec::new();
    coerce_value(value, schema, "", &mut dropped)?;
    Ok(dropped)
}

fn coerce_value(
    value: &mut Value,
    schema: &Structural,
    path: &str,
    dropped: &mut Vec<String>,
) -> Result<(), FieldError> {
    match value {
        Value::Object(map) => {
            if schema.embedded {
                coerce_head(map, path, dropped)?;
            }
            for (name, value) in map.iter_mut() {
                match (schema.properties.get(name), &schema.additional) {
                    (Some(property), _) => coerce_value(value, property, &child(path, name), dropped)?,
                    (None, Additional::Schema(values)) => {
                        coerce_value(value, values, &format!("{path}[{name}]"), dropped)?;
                    }
                    _ => {}
                }
            }
        }
        Value::Array(list) => {
            let Some(items) = schema.items.as_deref() else { return Ok(()) };
            for (at, item) in list.iter_mut().enumerate() {
                coerce_value(item, items, &format!("{path}[{at}]"), dropped)?;
            }
        }
        _ => {}
    }
    Ok(())
}

fn coerce_head(
    map: &mut Map<String, Value>,
    path: &str,
    dropped: &mut Vec<String>,
) -> Result<(), FieldError> {
    for name in ["apiVersion", "kind"] {
        if let Some(value) = map.get(name).filter(|value| !value.is_string()) {
            return Err(FieldError::invalid(child(path, name), value, "must be a string"));
        }
    }
    let Some(metadata) = map.get_mut("metadata") else { return Ok(()) };
    let place = child(path, "metadata");
    // Errors show the metadata as it was given.
    let given = metadata.clone();
    match metadata {
        Value::Object(fields) => coerce_metadata(fields, &place, dropped)
            .map_err(|detail| FieldError::invalid(place, &given, &detail)),
        // Go decodes null into an empty struct and writes that.
        Value::Null => {
            *metadata = Value::Object(Map::new());
            Ok(())
        }
        other => {
            let found = go_name(other);
            let detail = format!("json: cannot unmarshal {found} into Go value of type v1.ObjectMeta");
            Err(FieldError::invalid(place, &given, &detail))
        }
    }
}

/// Keeps what metadata has; an error says which field holds something else.
fn coerce_metadata(
    fields: &mut Map<String, Value>,
    place: &str,
    dropped: &mut Vec<String>,
) -> Result<(), String> {
    let kind = |name: &str| METADATA.iter().find(|(known, _)| *known == name).map(|(_, kind)| *kind);
    let root = DocumentPath::Field(&DocumentPath::Root, place);
    for (name, value) in fields.iter() {
        match kind(name) {
            None => DocumentPath::Field(&root, name).note(dropped),
            Some(kind) => check_field(name, value, kind)?,
        }
    }
    // Go leaves empty fields out when it writes the struct again.
    fields.retain(|name, value| kind(name).is_some() && !is_empty(value));
    Ok(())
}

fn check_field(name: &str, value: &Value, kind: MetaField) -> Result<(), String> {
    let wrong = |value: &Value, type_name: &str| {
        let found = go_name(value);
        Err(format!(
            "json: cannot unmarshal {found} into Go struct field ObjectMeta.{name} of type {type_name}"
        ))
    };
    match (kind, value) {
        (_, Value::Null) => Ok(()),
        (MetaField::Text, Value::String(_)) => Ok(()),
        (MetaField::Text, other) => wrong(other, "string"),
        (MetaField::Number, Value::Number(number)) if number.is_i64() => Ok(()),
        (MetaField::Number, other) => wrong(other, "int64"),
        (MetaField::Texts, Value::Array(list)) => match list.iter().find(|item| !item.is_string()) {
            Some(item) => wrong(item, "string"),
            None => Ok(()),
        },
        (MetaField::Texts, other) => wrong(other, "[]string"),
        (MetaField::TextMap, Value::Object(map)) => match map.values().find(|item| !item.is_string()) {
            Some(item) => wrong(item, "string"),
            None => Ok(()),
        },
        (MetaField::TextMap, other) => wrong(other, "map[string]string"),
        (MetaField::Objects, Value::Array(_)) => Ok(()),
        (MetaField::Objects, other) => wrong(
            other,
            if name == "managedFields" { "[]v1.ManagedFieldsEntry" } else { "[]v1.OwnerReference" },
        ),
    }
}

fn go_name(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "bool",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Number(number) => number.as_i64() == Some(0),
        Value::String(text) => text.is_empty(),
        Value::Array(list) => list.is_empty(),
        Value::Object(map) => map.is_empty(),
        Value::Bool(_) => false,
    }
}

/// Validates the types and the metadata of embedded objects.
pub(super) fn validate(value: &Value, schema: &Structural) -> Vec<FieldError> {
    let mut errors = Vec::new();
    validate_value(value, schema, "", &mut errors);
    errors
}

fn validate_value(value: &Value, schema: &Structural, path: &str, errors: &mut Vec<FieldError>) {
    match value {
        Value::Object(map) => {
            if schema.embedded {
                validate_head(map, path, errors);
            }
            for (name, value) in map {
                match (schema.properties.get(name), &schema.additional) {
                    (Some(property), _) => validate_value(value, property, &child(path, name), errors),
                    (None, Additional::Schema(values)) => {
                        validate_value(value, values, &format!("{path}[{name}]"), errors);
                    }
                    _ => {}
                }
            }
        }
        Value::Array(list) => {
            let Some(items) = schema.items.as_deref() else { return };
            for (at, item) in list.iter().enumerate() {
                validate_value(item, items, &format!("{path}[{at}]"), errors);
            }
        }
        _ => {}
    }
}

fn validate_head(map: &Map<String, Value>, path: &str, errors: &mut Vec<FieldError>) {
    for name in ["apiVersion", "kind"] {
        match map.get(name) {
            None => errors.push(FieldError::required(child(path, name), "")),
            Some(value) => {
                let problem = match value.as_str() {
                    None => Some("must be a string".to_string()),
                    Some("") => Some("must not be empty".to_string()),
                    Some(text) if name == "kind" => kind_problem(text),
                    Some(text) => api_version_problem(text),
                };
                errors.extend(problem.map(|detail| FieldError::invalid(child(path, name), value, &detail)));
            }
        }
    }
    if let Some(Value::Object(metadata)) = map.get("metadata") {
        errors.extend(metadata_errors(metadata, &child(path, "metadata")));
    }
}

fn kind_problem(kind: &str) -> Option<String> {
    // Kinds have capitals, but are otherwise held to the rule of labels.
    let problems = dns1035_label(&kind.to_lowercase());
    let joined = problems.join(",");
    (!problems.is_empty()).then(|| format!("may have mixed case, but should otherwise match: {joined}"))
}

fn api_version_problem(text: &str) -> Option<String> {
    // Upstream only splits; what the parts are is not looked at.
    (text.matches('/').count() > 1).then(|| format!("unexpected GroupVersion string: {text}"))
}

/// What the API server says about the metadata of any object; a name may be missing.
fn metadata_errors(metadata: &Map<String, Value>, path: &str) -> Vec<FieldError> {
    let mut metadata = metadata.clone();
    if metadata.get("name").is_none_or(|name| name == "") {
        // Upstream's way to let a missing name pass.
        metadata.insert("name".to_string(), Value::from("fakename"));
    }
    // Which scope an unknown kind has cannot be known; either is accepted.
    let scope = if metadata.contains_key("namespace") { Scope::Namespaced } else { Scope::Cluster };
    super::metadata::validate(&Value::Object(metadata), scope, NameRule::PathSegment, path)
}
