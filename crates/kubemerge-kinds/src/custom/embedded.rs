//! Objects inside of objects: `x-kubernetes-embedded-resource`.
//!
//! Their metadata is that of any object, so what it does not have is dropped, and the rest is validated.

use kubemerge_schema::{Additional, ValueType};
use kubemerge_value::deep;

use super::list_type::child;
use crate::{
    document_path::DocumentPath,
    field::BadValue,
    field_error::FieldError,
    format::dns1035_label,
    meta::{
        NameRule, Scope,
        fields::{MetadataField, MetadataShape},
    },
    tree::{Arena, Map, Value, ValueRef},
};

/// Brings the types and the metadata of embedded objects into the form that Go has them in; answers what was dropped,
/// or what cannot be decoded.
pub fn coerce(object: &mut Map<'_>, schema: ValueType<'_>) -> Result<Vec<String>, FieldError> {
    let mut dropped = Vec::new();
    coerce_map(object, schema, "", &mut dropped)?;
    Ok(dropped)
}

fn coerce_map(
    map: &mut Map<'_>,
    schema: ValueType<'_>,
    path: &str,
    dropped: &mut Vec<String>,
) -> Result<(), FieldError> {
    if schema.is_embedded() {
        coerce_head(map, path, dropped)?;
    }
    for (name, value) in map.iter_mut() {
        match (schema.property(name), schema.additional()) {
            (Some(property), _) => coerce_value(value, property, &child(path, name), dropped)?,
            (None, Additional::Schema(values)) => {
                coerce_value(value, values, &format!("{path}[{name}]"), dropped)?;
            }
            _ => {}
        }
    }
    Ok(())
}

fn coerce_value(
    value: &mut Value<'_>,
    schema: ValueType<'_>,
    path: &str,
    dropped: &mut Vec<String>,
) -> Result<(), FieldError> {
    deep(|| match (value, schema.items()) {
        (Value::Map(map), _) => coerce_map(map, schema, path, dropped),
        (Value::List(list), Some(items)) => list
            .iter_mut()
            .enumerate()
            .try_for_each(|(at, item)| coerce_value(item, items, &format!("{path}[{at}]"), dropped)),
        _ => Ok(()),
    })
}

fn coerce_head(map: &mut Map<'_>, path: &str, dropped: &mut Vec<String>) -> Result<(), FieldError> {
    for name in ["apiVersion", "kind"] {
        if let Some(value) = map.get(name).filter(|value| value.as_str().is_none()) {
            return Err(FieldError::invalid_as(child(path, name), value.into(), "must be a string"));
        }
    }
    let arena = map.arena();
    let Some(metadata) = map.get_mut("metadata") else { return Ok(()) };
    let place = child(path, "metadata");
    let coerced = match metadata {
        Value::Map(fields) => coerce_metadata(fields, &place, dropped),
        // Go decodes null into an empty struct and writes that.
        Value::Null => {
            *metadata = Value::Map(Map::new_in(arena));
            Ok(())
        }
        _ => {
            let found = go_name(metadata);
            Err(format!("json: cannot unmarshal {found} into Go value of type v1.ObjectMeta"))
        }
    };
    coerced.map_err(|detail| FieldError::invalid_as(place, BadValue::from(&*metadata), &detail))
}

/// Keeps what metadata has; an error says which field holds something else, and then nothing is changed.
fn coerce_metadata(fields: &mut Map<'_>, place: &str, dropped: &mut Vec<String>) -> Result<(), String> {
    let kind = |name: &str| MetadataField::of_bytes(name.as_bytes()).map(MetadataField::shape);
    let root = DocumentPath::Field(&DocumentPath::Root, place);
    for (name, value) in fields.iter() {
        match kind(name) {
            None => DocumentPath::Field(&root, name).note(dropped),
            Some(kind) => check_field(name, value, kind)?,
        }
    }
    // Go leaves empty fields out when it writes the struct again.
    fields.retain(|name, value| kind(name).is_some() && !value.is_empty());
    Ok(())
}

fn check_field(name: &str, value: &Value<'_>, kind: MetadataShape) -> Result<(), String> {
    let wrong = |value: &Value<'_>, type_name: &str| {
        let found = go_name(value);
        Err(format!(
            "json: cannot unmarshal {found} into Go struct field ObjectMeta.{name} of type {type_name}"
        ))
    };
    match (kind, value) {
        (_, Value::Null) => Ok(()),
        (MetadataShape::Text, Value::Str(_)) => Ok(()),
        (MetadataShape::Text, other) => wrong(other, "string"),
        (MetadataShape::Number, Value::Int(_)) => Ok(()),
        (MetadataShape::Number, other) => wrong(other, "int64"),
        (MetadataShape::Texts, Value::List(list)) => match list.iter().find(|item| item.as_str().is_none()) {
            Some(item) => wrong(item, "string"),
            None => Ok(()),
        },
        (MetadataShape::Texts, other) => wrong(other, "[]string"),
        (MetadataShape::TextMap, Value::Map(map)) => {
            match map.iter().find(|(_, item)| item.as_str().is_none()) {
                Some((_, item)) => wrong(item, "string"),
                None => Ok(()),
            }
        }
        (MetadataShape::TextMap, other) => wrong(other, "map[string]string"),
        (MetadataShape::List, Value::List(_)) => Ok(()),
        (MetadataShape::List, other) => wrong(
            other,
            if name == "managedFields" { "[]v1.ManagedFieldsEntry" } else { "[]v1.OwnerReference" },
        ),
    }
}

fn go_name(value: &Value<'_>) -> &'static str {
    match value {
        Value::Null | Value::Omitted(_) => "null",
        Value::Bool(_) => "bool",
        Value::Int(_) | Value::Float(_) => "number",
        Value::Str(_) => "string",
        Value::List(_) => "array",
        Value::Map(_) => "object",
    }
}

/// Validates the types and the metadata of embedded objects.
pub(super) fn validate(object: &Map<'_>, schema: ValueType<'_>) -> Vec<FieldError> {
    let mut errors = Vec::new();
    validate_value(object.into(), schema, "", &mut errors);
    errors
}

fn validate_value(value: ValueRef<'_>, schema: ValueType<'_>, path: &str, errors: &mut Vec<FieldError>) {
    deep(|| match value {
        ValueRef::Map(map) => {
            if schema.is_embedded() {
                validate_head(map, path, errors);
            }
            for (name, value) in map.iter() {
                match (schema.property(name), schema.additional()) {
                    (Some(property), _) => validate_value(value.into(), property, &child(path, name), errors),
                    (None, Additional::Schema(values)) => {
                        validate_value(value.into(), values, &format!("{path}[{name}]"), errors);
                    }
                    _ => {}
                }
            }
        }
        ValueRef::List(list) => {
            let Some(items) = schema.items() else { return };
            for (at, item) in list.iter().enumerate() {
                validate_value(item.into(), items, &format!("{path}[{at}]"), errors);
            }
        }
        _ => {}
    });
}

fn validate_head(map: &Map<'_>, path: &str, errors: &mut Vec<FieldError>) {
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
                let error = |detail: String| FieldError::invalid_as(child(path, name), value.into(), &detail);
                errors.extend(problem.map(error));
            }
        }
    }
    if let Some(metadata) = map.map("metadata") {
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
fn metadata_errors(metadata: &Map<'_>, path: &str) -> Vec<FieldError> {
    // Which scope an unknown kind has cannot be known; either is accepted.
    let scope = if metadata.has("namespace") { Scope::Namespaced } else { Scope::Cluster };
    let rule = NameRule::PathSegment;
    let has_name = metadata.get("name").is_some_and(|name| name.as_str() != Some(""));
    if has_name {
        return super::metadata::validate(metadata, scope, rule, path);
    }
    let arena = Arena::new();
    let mut named = metadata.copy_in(&arena);
    // Upstream's way to let a missing name pass.
    named.set("name", "fakename");
    super::metadata::validate(&named, scope, rule, path)
}
