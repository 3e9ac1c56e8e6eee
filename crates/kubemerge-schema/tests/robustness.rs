//! Hostile documents: nothing panics, nothing takes time that grows with the square of the size.

use fastrand::Rng;
use kubemerge_schema::{Dialect, Overlay, SchemaBuilder, Type, changes, check};
use kubemerge_test_support::seed;
use serde_json::{Value, json};

fn samples() -> Vec<Value> {
    let schema = json!({
        "type": "object",
        "required": ["name"],
        "properties": {
            "name": {"type": "string", "default": ""},
            "list": {
                "type": "array",
                "items": {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]},
                "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"],
                "x-kubernetes-patch-strategy": "merge", "x-kubernetes-patch-merge-key": "name",
            },
            "whole": {
                "type": "object", "x-kubernetes-embedded-resource": true,
                "x-kubernetes-preserve-unknown-fields": true, "properties": {"metadata": {"type": "object"}},
            },
            "either": {"x-kubernetes-int-or-string": true, "anyOf": [{"type": "integer"}, {"type": "string"}]},
            "map": {"type": "object", "additionalProperties": {"type": "string"}, "x-kubernetes-map-type": "atomic"},
        },
        "x-kubernetes-group-version-kind": [{"group": "", "version": "v1", "kind": "A"}],
        "x-kubernetes-unions": [{"discriminator": "name", "fields-to-discriminateBy": {"map": "Map"}}],
    });
    let mut linked = schema.clone();
    linked["properties"]["self"] = json!({"allOf": [{"$ref": "#/components/schemas/A"}], "default": {}});
    let mut linked_v2 = schema.clone();
    linked_v2["properties"]["self"] =
        json!({"$ref": "#/definitions/A", "x-kubernetes-patch-strategy": "replace"});
    vec![
        json!({"openapi": "3.0.0", "components": {"schemas": {"A": linked, "B": {"$ref": "#/components/schemas/A"}}}}),
        json!({"swagger": "2.0", "definitions": {"A": linked_v2, "B": {"$ref": "#/definitions/A"}}}),
        json!({
            "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
            "spec": {
                "group": "g.example", "scope": "Namespaced", "names": {"kind": "A", "plural": "as"},
                "versions": [{"name": "v1", "served": true, "schema": {"openAPIV3Schema": schema}}],
            },
        }),
    ]
}

/// Replaces one value somewhere in the document.
fn spoil(value: &mut Value, rng: &mut Rng) {
    let children = match value {
        Value::Array(items) => items.len(),
        Value::Object(members) => members.len(),
        _ => 0,
    };
    if children == 0 || rng.usize(..6) == 0 {
        let texts = [
            "",
            "map",
            "set",
            "merge,replace",
            "#/definitions/B",
            "#/components/schemas/B",
            "array",
            "object",
        ];
        *value = match rng.usize(..8) {
            0 => Value::Null,
            1 => json!(true),
            2 => json!(-1),
            3 => json!([]),
            4 => json!({}),
            5 => json!([{"type": "string"}, {}]),
            _ => json!(texts[rng.usize(..texts.len())]),
        };
        return;
    }
    let chosen = rng.usize(..children);
    match value {
        Value::Array(items) => spoil(&mut items[chosen], rng),
        Value::Object(members) => {
            if let Some(member) = members.values_mut().nth(chosen) {
                spoil(member, rng);
            }
        }
        _ => {}
    }
}

/// Asks for every field, a few levels down.
fn walk(ty: Type<'_>, depth: usize) {
    let names: Vec<String> =
        ty.fields().map(|field| field.name.to_owned()).chain(["nothing".to_owned()]).collect();
    for name in names {
        let map = ty.map_field(&name);
        let list = ty.list_field(&name);
        let below = map.iter().map(|rule| rule.value).chain(list.iter().map(|rule| rule.item));
        if depth > 0 {
            below.for_each(|below| walk(below, depth - 1));
        }
        if !ty.is_untyped() {
            let _ = ty.explain(&name).map(|explanation| explanation.sentence());
        }
    }
    let _ = ty.name();
}

#[test]
fn spoiled_documents_never_panic() {
    let mut rng = seed::rng();
    let mut loaded = 0;
    for round in 0..3_000 {
        let mut document = samples().swap_remove(round % 3);
        for _ in 0..=rng.usize(..4) {
            spoil(&mut document, &mut rng);
        }
        check::document(&document);
        let _ = Overlay::read(&document);
        let Ok(builder) = SchemaBuilder::new().document(&document) else { continue };
        loaded += 1;
        let [upstream, spec] =
            [Dialect::Upstream, Dialect::Spec].map(|dialect| builder.compile(dialect).unwrap());
        for schema in [&upstream, &spec] {
            schema.definitions().for_each(|definition| walk(definition.ty(), 3));
            _ = SchemaBuilder::new().document(&schema.export()).unwrap();
        }
        changes(&upstream, &spec);
    }
    assert!(loaded > 500, "too few documents load to mean anything: {loaded}");
}

/// Time that grows with the square of the size would take minutes here.
fn handle(document: &Value) {
    check::document(document);
    if let Ok(builder) = SchemaBuilder::new().document(document) {
        builder.compile(Dialect::Spec).unwrap();
    }
}

fn v2(definitions: Value) -> Value {
    json!({"swagger": "2.0", "definitions": definitions})
}

#[test]
fn wide_documents_take_linear_time() {
    let count = 50_000;
    let names: Vec<String> = (0..count).map(|index| format!("field{index}")).collect();
    let properties: serde_json::Map<String, Value> =
        names.iter().map(|name| (name.clone(), json!({"type": "string"}))).collect();
    let list = json!({
        "type": "array",
        "items": {"type": "object", "properties": properties, "required": names},
        "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": names,
        "x-kubernetes-patch-strategy": "merge", "x-kubernetes-patch-merge-key": names.join(","),
    });
    handle(&v2(json!({"A": {"type": "object", "properties": {"list": list}}})));
    let definitions: serde_json::Map<String, Value> =
        names.iter().map(|name| (name.clone(), json!({"$ref": "#/definitions/field0"}))).collect();
    handle(&v2(Value::Object(definitions)));
}

#[test]
fn many_findings_are_cut_off() {
    let bad = json!({"type": "string", "x-kubernetes-list-type": "bag"});
    let long = "x".repeat(10_000);
    let properties: serde_json::Map<String, Value> =
        (0..5_000).map(|index| (format!("{long}{index}"), bad.clone())).collect();
    let findings = check::document(&v2(json!({"A": {"type": "object", "properties": properties}})));
    assert!(findings.len() <= 1_000);
    assert!(findings.iter().map(|finding| finding.path.len()).sum::<usize>() < 2 << 20);
}
