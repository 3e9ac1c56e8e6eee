//! Random definitions, and random custom resources of them.

use serde_json::{Map, Value, json};

use super::kinds::{Kind, Subresource};
use super::rules::add_rules;
use crate::rng::Rng;

/// Depth of the schemas of random definitions.
const MAX_DEPTH: usize = 3;

/// A definition with a random structural schema, and its kind with two objects.
#[derive(Clone)]
pub(crate) struct Custom {
    pub(crate) definition: Value,
    pub(crate) schema: Value,
    pub(crate) kind: Kind,
}

/// Makes the definition with this number.
pub(crate) fn random(run: &str, number: usize, rng: &mut Rng) -> Custom {
    let singular = format!("k{run}n{number}");
    // Names of a run are its own, so that two runs on one server do not meet.
    let (plural, kind) = (format!("{singular}s"), singular.to_uppercase());
    let mut spec = object_schema(MAX_DEPTH, rng);
    if rng.chance(50) {
        add_rules(&mut spec, 15, rng);
    }
    let properties =
        json!({"spec": spec, "status": {"type": "object", "properties": {"ready": {"type": "boolean"}}}});
    let schema = json!({"type": "object", "properties": properties});
    let definition = json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": format!("{plural}.conformance.example.com")},
        "spec": {
            "group": "conformance.example.com",
            "scope": "Namespaced",
            "names": {"plural": plural, "singular": singular, "kind": kind},
            "versions": [{"name": "v1", "served": true, "storage": true, "subresources": {"status": {}},
                "schema": {"openAPIV3Schema": schema}}],
        },
    });
    let verbs = ["create", "delete", "get", "list", "patch", "update", "watch"];
    let api_version = "conformance.example.com/v1".to_string();
    let object = |name: &str, spec: Value| json!({"apiVersion": api_version, "kind": kind, "metadata": {"name": name}, "spec": spec});
    let objects =
        vec![object("minimal", json!({})), object("complete", valid(&schema["properties"]["spec"], rng))];
    let status = Subresource {
        name: "status".to_string(),
        kind: kind.clone(),
        verbs: ["get", "patch", "update"].map(str::to_string).to_vec(),
    };
    let kind = Kind {
        api_version: api_version.clone(),
        kind: kind.clone(),
        plural,
        namespaced: true,
        verbs: verbs.map(str::to_string).to_vec(),
        subresources: vec![status],
        objects,
    };
    Custom { definition, schema, kind }
}

fn object_schema(depth: usize, rng: &mut Rng) -> Value {
    let mut properties = Map::new();
    for name in ["a", "b", "c", "d", "e"].iter().take(2 + rng.below(4)) {
        properties.insert((*name).to_string(), any_schema(depth - 1, rng));
    }
    let mut schema = json!({"type": "object", "properties": properties});
    if rng.chance(15) {
        schema["x-kubernetes-preserve-unknown-fields"] = json!(true);
    }
    if rng.chance(15) {
        schema["required"] = json!(["a"]);
    }
    schema
}

fn any_schema(depth: usize, rng: &mut Rng) -> Value {
    let mut schema = match rng.below(if depth == 0 { 6 } else { 11 }) {
        0 => string_schema(rng),
        1 => json!({"type": "string", "enum": ["red", "green"]}),
        2 => json!({"type": "integer", "minimum": 0, "maximum": 10}),
        3 => json!({"type": "number", "multipleOf": 0.5}),
        4 => json!({"type": "boolean"}),
        5 => json!({"x-kubernetes-int-or-string": true}),
        6 => json!({"type": "array", "items": any_schema(depth - 1, rng), "maxItems": 3}),
        7 => list_map(rng),
        8 => {
            json!({"type": "object", "additionalProperties": any_schema(depth - 1, rng), "x-kubernetes-map-type": rng.pick(&["granular", "atomic"])})
        }
        9 => list_set(),
        _ => object_schema(depth, rng),
    };
    if rng.chance(15) {
        schema["nullable"] = json!(true);
    }
    if rng.chance(15) && !valid(&schema, rng).is_null() {
        schema["default"] = valid(&schema, rng);
    }
    schema
}

fn string_schema(rng: &mut Rng) -> Value {
    match rng.below(5) {
        0 => json!({"type": "string", "minLength": 1, "maxLength": 8}),
        1 => json!({"type": "string", "pattern": "^[a-z]+$"}),
        2 => json!({"type": "string", "format": "date-time"}),
        3 => json!({"type": "string", "format": "ipv4"}),
        _ => json!({"type": "string"}),
    }
}

fn list_set() -> Value {
    json!({"type": "array", "items": {"type": "string"}, "x-kubernetes-list-type": "set"})
}

fn list_map(rng: &mut Rng) -> Value {
    let mut items = json!({"type": "object", "required": ["name"], "properties": {"name": {"type": "string"}, "value": {"type": "integer"}}});
    if rng.chance(50) {
        // A key may be missing in an item if it has a default.
        items["properties"]["protocol"] = json!({"type": "string", "default": "TCP"});
        return json!({"type": "array", "items": items, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name", "protocol"]});
    }
    json!({"type": "array", "items": items, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"]})
}

/// A value that the schema allows.
pub(crate) fn valid(schema: &Value, rng: &mut Rng) -> Value {
    if let Some(choices) = schema["enum"].as_array() {
        return rng.pick(choices).clone();
    }
    match schema["type"].as_str().unwrap_or_default() {
        "object" => valid_object(schema, rng),
        "array" if schema["x-kubernetes-list-type"] == "map" => {
            json!([{"name": "a", "value": 1}, {"name": "b"}])
        }
        "array" if schema["x-kubernetes-list-type"] == "set" => json!(["a", "b", "c"][..=rng.below(3)]),
        "array" => (0..rng.below(3)).map(|_| valid(&schema["items"], rng)).collect(),
        "integer" => json!(rng.below(10)),
        // Multiples of a half, which the schema asks for.
        "number" => json!(rng.below(20) as f64 / 2.0 + 0.5),
        "boolean" => json!(rng.chance(50)),
        "string" => match schema["format"].as_str().unwrap_or_default() {
            "date-time" => json!("2026-01-02T03:04:05Z"),
            "ipv4" => json!("10.0.0.1"),
            _ => json!(["a", "web", "abc"][rng.below(3)]),
        },
        _ => [json!(80), json!("http")][rng.below(2)].clone(),
    }
}

fn valid_object(schema: &Value, rng: &mut Rng) -> Value {
    let mut map = Map::new();
    for (name, property) in schema["properties"].as_object().into_iter().flatten() {
        if rng.chance(70)
            || schema["required"].as_array().is_some_and(|names| names.iter().any(|known| known == name))
        {
            map.insert(name.clone(), valid(property, rng));
        }
    }
    if let Some(values) = schema.get("additionalProperties") {
        map.insert("k".to_string(), valid(values, rng));
    }
    Value::Object(map)
}
