//! What the schema of a definition may say: the structural rules, and those of the list and map extensions.

use serde_json::{Value, json};

use super::{default, junctor, rules, structural::Structural};
use crate::field_error::{FieldError, is_enough};

/// Keywords that no definition may use.
const FORBIDDEN: &[&str] =
    &["$ref", "id", "$schema", "patternProperties", "dependencies", "additionalItems", "definitions"];

/// The types a value may have.
const TYPES: [&str; 6] = ["array", "boolean", "integer", "number", "object", "string"];

/// Where in a schema a node stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Level {
    Root,
    Field,
    Item,
}

/// What the names on the way to a field may take: every node has its path in complaints.
const LONGEST_PATH: usize = 16 * 1024;

/// The most that names take on the way to any field.
fn longest_path(schema: &Value) -> usize {
    let members = schema.as_object().into_iter().flatten();
    let nested = members.map(|(name, value)| name.len() + 1 + longest_path(value));
    let listed = schema.as_array().into_iter().flatten().map(|value| 4 + longest_path(value));
    nested.chain(listed).max().unwrap_or_default()
}

/// Checks the schema of a version.
pub fn check(schema: &Value, path: &str, errors: &mut Vec<FieldError>) {
    let before = errors.len();
    if longest_path(schema) > LONGEST_PATH {
        let why = format!("the names on the way to a field may take {LONGEST_PATH} bytes");
        errors.push(FieldError::forbidden(path, &why));
        return;
    }
    node(schema, Level::Root, path, errors);
    junctor::check_completeness(schema, path, errors);
    errors[before..].sort_by_cached_key(ToString::to_string);
    if errors.len() > before {
        return;
    }
    match Structural::compile(schema) {
        Ok(compiled) => default::check(&compiled, path, errors),
        Err(why) => errors.push(FieldError::invalid(path, &json!(""), &why)),
    }
}

fn node(schema: &Value, level: Level, path: &str, errors: &mut Vec<FieldError>) {
    if is_enough(errors) {
        return;
    }
    for keyword in FORBIDDEN.iter().filter(|keyword| schema.get(**keyword).is_some()) {
        errors
            .push(FieldError::forbidden(format!("{path}.{keyword}"), &format!("{keyword} is not supported")));
    }
    if schema.get("uniqueItems") == Some(&json!(true)) {
        let why = "uniqueItems cannot be set to true since the runtime complexity becomes quadratic";
        errors.push(FieldError::forbidden(format!("{path}.uniqueItems"), why));
    }
    check_type(schema, level, path, errors);
    check_extensions(schema, path, errors);
    check_own_fields(schema, level, path, errors);
    check_additional(schema, level, path, errors);
    check_list(schema, path, errors);
    check_map_type(schema, path, errors);
    check_pattern(schema, path, errors);
    junctor::check(schema, path, errors);
    rules::check_syntax(schema, path, errors);
    for (name, property) in schema.get("properties").and_then(Value::as_object).into_iter().flatten() {
        node(property, Level::Field, &format!("{path}.properties[{name}]"), errors);
    }
    if let Some(items) = schema.get("items").filter(|items| items.is_object()) {
        node(items, Level::Item, &format!("{path}.items"), errors);
    }
    if let Some(additional) = schema.get("additionalProperties").filter(|one| one.is_object()) {
        node(additional, Level::Field, &format!("{path}.additionalProperties"), errors);
    }
}

fn flag(schema: &Value, key: &str) -> bool {
    schema.get(key).and_then(Value::as_bool).unwrap_or(false)
}

fn text<'v>(schema: &'v Value, key: &str) -> &'v str {
    schema.get(key).and_then(Value::as_str).unwrap_or_default()
}

fn check_type(schema: &Value, level: Level, path: &str, errors: &mut Vec<FieldError>) {
    let (kind, field) = (text(schema, "type"), format!("{path}.type"));
    let free =
        flag(schema, "x-kubernetes-int-or-string") || flag(schema, "x-kubernetes-preserve-unknown-fields");
    if kind.is_empty() && !free {
        errors.push(FieldError::required(
            field.clone(),
            match level {
                Level::Root => "must not be empty at the root",
                Level::Item => "must not be empty for specified array items",
                Level::Field => "must not be empty for specified object fields",
            },
        ));
    }
    if level == Level::Root && !kind.is_empty() && kind != "object" {
        errors.push(FieldError::invalid(field.clone(), &json!(kind), "must be object at the root"));
    }
    if !kind.is_empty() && !TYPES.contains(&kind) {
        errors.push(FieldError::not_supported(field.clone(), &json!(kind), &TYPES.map(str::to_string)));
    }
    if schema.get("items").is_some_and(Value::is_array) {
        let why = "items must be a schema object and not an array";
        errors.push(FieldError::forbidden(format!("{path}.items"), why));
    }
    if kind == "array" && schema.get("items").is_none_or(Value::is_null) {
        errors.push(FieldError::required(format!("{path}.items"), "must be specified"));
    }
    if kind == "null" {
        let why = "type cannot be set to null, use nullable as an alternative";
        errors.push(FieldError::forbidden(field.clone(), why));
    }
    if flag(schema, "x-kubernetes-embedded-resource") && kind != "object" {
        let why = "must be object if x-kubernetes-embedded-resource is true";
        errors.push(if kind.is_empty() {
            FieldError::required(field, why)
        } else {
            FieldError::invalid(field, &json!(kind), why)
        });
    }
    if level == Level::Root && flag(schema, "nullable") {
        errors.push(FieldError::forbidden(format!("{path}.nullable"), "nullable cannot be true at the root"));
    }
}

fn check_extensions(schema: &Value, path: &str, errors: &mut Vec<FieldError>) {
    let preserve = "x-kubernetes-preserve-unknown-fields";
    if schema.get(preserve) == Some(&json!(false)) {
        let field = format!("{path}.{preserve}");
        errors.push(FieldError::invalid(field, &json!(false), "must be true or undefined"));
    }
    for other in [preserve, "x-kubernetes-embedded-resource"] {
        if flag(schema, "x-kubernetes-int-or-string") && flag(schema, other) {
            let why = "must be false if x-kubernetes-int-or-string is true";
            errors.push(FieldError::invalid(format!("{path}.{other}"), &json!(true), why));
        }
    }
    if flag(schema, "x-kubernetes-embedded-resource") {
        let has_properties =
            schema.get("properties").and_then(Value::as_object).is_some_and(|map| !map.is_empty());
        if !has_properties && !flag(schema, preserve) {
            let why = "must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields";
            errors.push(FieldError::required(format!("{path}.properties"), why));
        }
        if schema.get("additionalProperties").is_some_and(|additional| !additional.is_null()) {
            let why = "must not be used if x-kubernetes-embedded-resource is set";
            errors.push(FieldError::forbidden(format!("{path}.additionalProperties"), why));
        }
    }
}

/// Type and metadata of an object are known: a schema may hardly say anything about them.
fn check_own_fields(schema: &Value, level: Level, path: &str, errors: &mut Vec<FieldError>) {
    if level != Level::Root && !flag(schema, "x-kubernetes-embedded-resource") {
        return;
    }
    for (name, wanted) in [("kind", "string"), ("apiVersion", "string"), ("metadata", "object")] {
        let Some(own) = schema.get("properties").and_then(|properties| properties.get(name)) else {
            continue;
        };
        let field = format!("{path}.properties[{name}]");
        if text(own, "type") != wanted {
            let why = format!("must be {wanted}");
            errors.push(FieldError::invalid(format!("{field}.type"), &json!(text(own, "type")), &why));
        }
        if name == "metadata" && level == Level::Root && !speaks_of_names(own) {
            let why = "must not specify anything other than name and generateName, but metadata is implicitly specified";
            errors.push(FieldError::forbidden(field, why));
        }
    }
}

/// Whether a schema for metadata restricts the name at most.
fn speaks_of_names(metadata: &Value) -> bool {
    let members = metadata.as_object().into_iter().flatten();
    members.into_iter().all(|(keyword, value)| match keyword.as_str() {
        "type" | "default" => true,
        "properties" => value
            .as_object()
            .is_some_and(|map| map.keys().all(|name| matches!(name.as_str(), "name" | "generateName"))),
        _ => value.is_null(),
    })
}

fn check_additional(schema: &Value, level: Level, path: &str, errors: &mut Vec<FieldError>) {
    let Some(additional) = schema.get("additionalProperties").filter(|one| !one.is_null()) else { return };
    let field = format!("{path}.additionalProperties");
    if level == Level::Root {
        errors.push(FieldError::forbidden(field.clone(), "must not be used at the root"));
    }
    if schema.get("properties").is_some() && *additional != json!(true) {
        let why = "additionalProperties and properties are mutual exclusive";
        errors.push(FieldError::forbidden(field, why));
    }
}

fn check_list(schema: &Value, path: &str, errors: &mut Vec<FieldError>) {
    let list_type = text(schema, "x-kubernetes-list-type");
    let keys: Vec<&str> = schema
        .get("x-kubernetes-list-map-keys")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    if !list_type.is_empty() {
        if text(schema, "type") != "array" {
            let why = "must be array if x-kubernetes-list-type is specified";
            errors.push(FieldError::invalid(format!("{path}.type"), &json!(text(schema, "type")), why));
        }
        if !matches!(list_type, "atomic" | "set" | "map") {
            let supported = ["atomic", "map", "set"].map(str::to_string);
            let field = format!("{path}.x-kubernetes-list-type");
            errors.push(FieldError::not_supported(field, &json!(list_type), &supported));
        }
    }
    if !keys.is_empty() && list_type != "map" {
        let why = "must be map if x-kubernetes-list-map-keys is non-empty";
        let field = format!("{path}.x-kubernetes-list-type");
        errors.push(if list_type.is_empty() {
            FieldError::required(field, why)
        } else {
            FieldError::invalid(field, &json!(list_type), why)
        });
    }
    match list_type {
        "map" => check_list_map(schema, &keys, path, errors),
        "set" => check_list_set(schema, path, errors),
        _ => {}
    }
}

/// The items of a set are compared as a whole.
fn check_list_set(schema: &Value, path: &str, errors: &mut Vec<FieldError>) {
    let Some(items) = schema.get("items") else { return };
    let (keyword, is_atomic) = match text(items, "type") {
        "array" => ("x-kubernetes-list-type", matches!(text(items, "x-kubernetes-list-type"), "" | "atomic")),
        "object" => ("x-kubernetes-map-type", text(items, "x-kubernetes-map-type") == "atomic"),
        _ => return,
    };
    if !is_atomic {
        let why = "must be atomic as item of a list with x-kubernetes-list-type=set";
        errors.push(FieldError::invalid(
            format!("{path}.items.{keyword}"),
            &json!(text(items, keyword)),
            why,
        ));
    }
}

fn check_list_map(schema: &Value, keys: &[&str], path: &str, errors: &mut Vec<FieldError>) {
    let keys_field = format!("{path}.x-kubernetes-list-map-keys");
    if keys.is_empty() {
        let why = "must not be empty if x-kubernetes-list-type is map";
        errors.push(FieldError::required(keys_field.clone(), why));
    }
    let Some(items) = schema.get("items") else { return };
    if text(items, "type") != "object" {
        let why = "must be object if parent array's x-kubernetes-list-type is map";
        errors.push(FieldError::invalid(format!("{path}.items.type"), &json!(text(items, "type")), why));
    }
    let required: Vec<&str> = items
        .get("required")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    for (at, key) in keys.iter().enumerate() {
        let property = items.get("properties").and_then(|properties| properties.get(key));
        let Some(property) = property else {
            let why = "entries must all be names of item properties";
            errors.push(FieldError::invalid(format!("{keys_field}[{at}]"), &json!(key), why));
            continue;
        };
        if matches!(text(property, "type"), "array" | "object") {
            let why = "must be a scalar type if parent array's x-kubernetes-list-type is map";
            let field = format!("{path}.items.properties[{key}].type");
            errors.push(FieldError::invalid(field, &json!(text(property, "type")), why));
        }
        if property.get("default").is_none() && !required.contains(key) {
            let why = "this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property";
            errors.push(FieldError::required(format!("{path}.items.properties[{key}].default"), why));
        }
        if keys[..at].contains(key) {
            let why = "must not contain duplicate entries";
            errors.push(FieldError::invalid(format!("{keys_field}[{at}]"), &json!(key), why));
        }
    }
}

fn check_map_type(schema: &Value, path: &str, errors: &mut Vec<FieldError>) {
    let map_type = text(schema, "x-kubernetes-map-type");
    if map_type.is_empty() {
        return;
    }
    if text(schema, "type") != "object" {
        let why = "must be object if x-kubernetes-map-type is specified";
        errors.push(FieldError::invalid(format!("{path}.type"), &json!(text(schema, "type")), why));
    }
    if !matches!(map_type, "atomic" | "granular") {
        let supported = ["atomic".to_string(), "granular".to_string()];
        let field = format!("{path}.x-kubernetes-map-type");
        errors.push(FieldError::not_supported(field, &json!(map_type), &supported));
    }
}

fn check_pattern(schema: &Value, path: &str, errors: &mut Vec<FieldError>) {
    let pattern = text(schema, "pattern");
    if let Err(error) = regex::Regex::new(pattern) {
        let why = format!("must be a valid regular expression, but isn't: {error}");
        errors.push(FieldError::invalid(format!("{path}.pattern"), &json!(pattern), &why));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn complaints(schema: Value) -> Vec<String> {
        let mut errors = Vec::new();
        check(&schema, "s", &mut errors);
        errors.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn endless_names_are_refused_once() {
        let deep = json!({"type": "object", "properties": {"n".repeat(LONGEST_PATH): {"type": "string"}}});
        let text = "s: Forbidden: the names on the way to a field may take 16384 bytes";
        assert_eq!(complaints(deep), [text]);
    }

    #[test]
    fn a_structural_schema_passes() {
        let schema = json!({"type": "object", "properties": {
            "spec": {"type": "object", "x-kubernetes-preserve-unknown-fields": true},
            "ports": {"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["p", "q"],
                "items": {"type": "object", "required": ["p"], "properties": {
                    "p": {"type": "integer"}, "q": {"type": "string", "default": "TCP"}}}},
            "either": {"x-kubernetes-int-or-string": true, "anyOf": [{"type": "integer"}, {"type": "string"}]},
        }});
        assert_eq!(complaints(schema), [""; 0]);
    }

    #[test]
    fn faults_are_named() {
        assert_eq!(
            complaints(json!({"properties": {"a": {"type": "array"}, "b": {}}})),
            [
                "s.properties[a].items: Required value: must be specified",
                "s.properties[b].type: Required value: must not be empty for specified object fields",
                "s.type: Required value: must not be empty at the root",
            ]
        );
        assert_eq!(
            complaints(json!({"type": "object", "properties": {"l": {"type": "array",
                "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k"],
                "items": {"type": "object", "properties": {"k": {"type": "string"}}}}}}))
            .len(),
            1
        );
    }
}
