//! Random schemas: every kind of map and list that server-side apply knows, nested.

use serde_json::{Map, Value, json};

use crate::rng::Rng;

pub(crate) const GROUP: &str = "example.com";
pub(crate) const KIND: &str = "Widget";
pub(crate) const VERSIONS: [&str; 2] = ["v1", "v2"];

const OBJECT_META: &str = include_str!("../../../../../crates/kubemerge-schema/src/load/object_meta.json");
const FIELDS: [&str; 6] = ["a", "b", "c", "d", "e", "f"];

/// What a schema may say.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Style {
    /// References and patch metadata, as built-in kinds have them.
    OpenApi,
    /// Structural schemas, as custom resource definitions have them.
    Structural,
}

/// A document with the definitions of ObjectMeta and a custom resource definition in two versions.
pub(crate) fn custom_resource(rng: &mut Rng) -> Value {
    let mut document: Value = serde_json::from_str(OBJECT_META).expect("the file is JSON");
    let schema = json!({"type": "object", "properties": {
        "spec": structure(rng, Style::Structural, 3),
        "status": structure(rng, Style::Structural, 1),
    }});
    let version = |name: &&str| json!({"name": name, "served": true, "storage": *name == VERSIONS[0], "schema": {"openAPIV3Schema": schema}});
    document["definition"] = json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": format!("widgets.{GROUP}")},
        "spec": {
            "group": GROUP,
            "scope": "Namespaced",
            "names": {"kind": KIND, "plural": "widgets", "singular": "widget", "listKind": "WidgetList"},
            "versions": VERSIONS.iter().map(version).collect::<Vec<Value>>(),
        },
    });
    document
}

/// An OpenAPI v3 document with one kind in two versions that have one form.
pub(crate) fn document(rng: &mut Rng) -> Value {
    let mut document: Value = serde_json::from_str(OBJECT_META).expect("the file is JSON");
    let kinds: Vec<Value> =
        VERSIONS.iter().map(|version| json!({"group": GROUP, "version": version, "kind": KIND})).collect();
    let schemas = &mut document["components"]["schemas"];
    schemas["Part"] = structure(rng, Style::OpenApi, 1);
    schemas["Whole"] = json!({"type": "object", "x-kubernetes-map-type": "atomic",
        "properties": {"a": {"type": "string"}, "b": {"type": "integer"}}});
    schemas["Widget"] = json!({
        "type": "object",
        "properties": {
            "apiVersion": {"type": "string"},
            "kind": {"type": "string"},
            "metadata": {"$ref": "#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"},
            "spec": structure(rng, Style::OpenApi, 3),
            "status": structure(rng, Style::OpenApi, 1),
        },
        "x-kubernetes-group-version-kind": kinds,
    });
    document
}

fn structure(rng: &mut Rng, style: Style, depth: usize) -> Value {
    let mut properties = Map::new();
    for name in FIELDS.iter().take(2 + rng.below(5)) {
        properties.insert((*name).to_owned(), field(rng, style, depth));
    }
    let mut schema = json!({"type": "object", "properties": properties});
    if rng.chance(8) {
        schema["x-kubernetes-map-type"] = json!("atomic");
    }
    if rng.chance(8) {
        schema["x-kubernetes-preserve-unknown-fields"] = json!(true);
    }
    schema
}

fn field(rng: &mut Rng, style: Style, depth: usize) -> Value {
    if depth == 0 {
        return scalar(rng);
    }
    match rng.below(12) {
        0..=2 => scalar(rng),
        3 => structure(rng, style, depth - 1),
        4 => json!({"type": "object", "additionalProperties": field(rng, style, depth - 1)}),
        5 => {
            json!({"type": "array", "items": field(rng, style, depth - 1), "x-kubernetes-list-type": "atomic"})
        }
        6 => json!({"type": "array", "items": scalar(rng), "x-kubernetes-list-type": "set"}),
        7 | 8 => keyed(rng, style, depth),
        // Structural schemas have no references, but objects inside objects.
        9 if style == Style::OpenApi => reference(rng),
        9 => json!({"type": "object", "x-kubernetes-embedded-resource": true,
            "x-kubernetes-preserve-unknown-fields": true,
            "properties": {"a": scalar(rng), "metadata": {"type": "object"}}}),
        10 => json!({"x-kubernetes-preserve-unknown-fields": true}),
        _ => json!({"type": "object"}),
    }
}

fn scalar(rng: &mut Rng) -> Value {
    match rng.below(6) {
        0 | 1 => json!({"type": "string"}),
        2 => json!({"type": "integer"}),
        3 => json!({"type": "boolean"}),
        4 => json!({"type": "number"}),
        _ => json!({"type": "string", "format": "int-or-string"}),
    }
}

fn reference(rng: &mut Rng) -> Value {
    let target = rng.pick(&["Part", "Whole"]);
    let mut schema = json!({"allOf": [{"$ref": format!("#/components/schemas/{target}")}], "default": {}});
    match rng.below(6) {
        // What is written beside a reference overrides what it refers to.
        0 => schema["x-kubernetes-map-type"] = json!("atomic"),
        1 => schema["x-kubernetes-map-type"] = json!("granular"),
        _ => {}
    }
    schema
}

fn keyed(rng: &mut Rng, style: Style, depth: usize) -> Value {
    let mut item = structure(rng, style, depth - 1);
    let mut keys = vec!["k"];
    item["properties"]["k"] = scalar(rng);
    if rng.chance(40) {
        keys.push("j");
        item["properties"]["j"] = json!({"type": "string"});
        if rng.chance(60) {
            item["properties"]["j"]["default"] = json!("x");
        }
    }
    // The order of keys is the order of identities in `fieldsV1`.
    if rng.chance(50) {
        keys.reverse();
    }
    // Items that are atomic as a whole are rare, but they exist.
    if let Some(item) = item.as_object_mut().filter(|_| rng.chance(70)) {
        item.remove("x-kubernetes-map-type");
    }
    let properties = &item["properties"];
    // A structural schema must require keys that have no default.
    let required: Vec<&str> =
        keys.iter().copied().filter(|key| properties[*key].get("default").is_none()).collect();
    item["required"] = json!(required);
    // Lists that only have patch metadata are keyed as well, by the one key that it allows.
    if style == Style::OpenApi && keys.len() == 1 && rng.chance(20) {
        return json!({"type": "array", "items": item,
            "x-kubernetes-patch-strategy": "merge", "x-kubernetes-patch-merge-key": "k"});
    }
    json!({"type": "array", "items": item,
        "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": keys})
}
