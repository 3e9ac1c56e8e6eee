//! The schema of a custom resource as its OpenAPI document shows it.

use serde_json::{Value, json};

use super::{
    definitions::{group_version_kind, list},
    endpoint::custom_definition,
    operation::meta,
    syntax::Syntax,
};
use crate::catalog::Resource;
use crate::protocol::json::Members;

/// The definitions of a custom resource and of its list, with their names.
pub(super) fn definitions(resource: &Resource, syntax: Syntax) -> [(String, Value); 2] {
    let name = custom_definition(resource);
    let list = list(&name, resource, syntax);
    [(name.clone(), object(resource, syntax)), (format!("{name}List"), list)].map(|(name, mut schema)| {
        add_selectable_fields(resource, &mut schema);
        (name, schema)
    })
}

fn object(resource: &Resource, syntax: Syntax) -> Value {
    let given = resource.custom().map(|version| &version.open_api).filter(|schema| schema.is_object());
    let mut schema = given.cloned().unwrap_or_else(|| json!({"type": "object"}));
    // Without a schema the properties would be all that clients believe to be allowed.
    if given.is_some() {
        unfold(&mut schema, syntax);
        add_object_properties(&mut schema, syntax);
    }
    schema.set_member("x-kubernetes-group-version-kind", group_version_kind(resource, &resource.kind));
    schema
}

/// Writes out what extensions mean, for clients that do not know them.
fn unfold(schema: &mut Value, syntax: Syntax) {
    let Value::Object(map) = schema else { return };
    for child in map.get_mut("properties").and_then(Value::as_object_mut).into_iter().flatten() {
        unfold(child.1, syntax);
    }
    for name in ["items", "additionalProperties"] {
        if let Some(child) = map.get_mut(name) {
            unfold(child, syntax);
        }
    }
    let is_set = |name: &str| map.get(name) == Some(&Value::Bool(true));
    let (is_embedded, is_int_or_string) =
        (is_set("x-kubernetes-embedded-resource"), is_set("x-kubernetes-int-or-string"));
    if is_int_or_string && syntax == Syntax::V3 && !map.contains_key("allOf") {
        map.entry("anyOf").or_insert_with(|| json!([{"type": "integer"}, {"type": "string"}]));
    }
    if is_embedded {
        add_object_properties(schema, syntax);
        require(schema, &["kind", "apiVersion"]);
    }
}

fn add_object_properties(schema: &mut Value, syntax: Syntax) {
    let reference = json!({"$ref": syntax.reference(&meta("ObjectMeta"))});
    let metadata = match syntax {
        Syntax::V2 => reference,
        Syntax::V3 => json!({"allOf": [reference]}),
    };
    let text = json!({"type": "string"});
    for (name, property) in [("apiVersion", &text), ("kind", &text), ("metadata", &metadata)] {
        schema.member_mut("properties").set_member(name, property.clone());
    }
}

fn require(schema: &mut Value, names: &[&str]) {
    let mut required = schema["required"].as_array().cloned().unwrap_or_default();
    for name in names {
        if !required.iter().any(|one| one == name) {
            required.push(json!(name));
        }
    }
    schema["required"] = required.into();
}

fn add_selectable_fields(resource: &Resource, schema: &mut Value) {
    let fields = &resource.selectable.fields;
    let fields: Vec<Value> = fields.iter().map(|(path, _)| json!({"fieldPath": path})).collect();
    if !fields.is_empty() {
        schema["x-kubernetes-selectable-fields"] = fields.into();
    }
}
