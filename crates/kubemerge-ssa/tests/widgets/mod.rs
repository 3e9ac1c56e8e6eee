//! A custom resource with every type of list and map, and random objects of it.

use kubemerge_schema::{Dialect, Schema, SchemaBuilder};
use proptest::prelude::*;
use serde_json::{Value as Json, json};

/// The schema of the widgets.
pub(crate) fn schema() -> Schema {
    let schema = json!({"type": "object", "properties": {
        "spec": {"type": "object", "properties": {
            "a": {"type": "string"},
            "m": {"type": "object", "additionalProperties": {"type": "string"}},
            "s": {"type": "array", "items": {"type": "string"}, "x-kubernetes-list-type": "set"},
            "l": {"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k"],
                "items": {"type": "object", "required": ["k"], "properties": {
                    "k": {"type": "string"}, "v": {"type": "string"}}}},
            "x": {"type": "array", "items": {"type": "string"}},
            "o": {"x-kubernetes-preserve-unknown-fields": true},
        }},
    }});
    let definition = json!({"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": "widgets.example.com"},
        "spec": {"group": "example.com", "scope": "Namespaced",
            "names": {"kind": "Widget", "plural": "widgets", "singular": "widget", "listKind": "WidgetList"},
            "versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": schema}}]}});
    let builder = SchemaBuilder::new().custom_resource_definition(&definition).unwrap();
    builder.compile(Dialect::Upstream).unwrap()
}

/// A random widget.
pub(crate) fn object() -> impl Strategy<Value = Json> {
    let text = || "[abc]";
    let map = prop::option::of(prop::collection::btree_map("[abc]", text(), 0..3));
    let set = prop::option::of(prop::collection::btree_set(text(), 0..4));
    let items = prop::option::of(prop::collection::btree_map(text(), prop::option::of(text()), 0..4));
    let list = prop::option::of(prop::collection::vec(text(), 0..3));
    let any = prop_oneof![
        Just(json!(null)),
        Just(json!({})),
        Just(json!({"p": {"q": 1}})),
        Just(json!([1])),
        Just(json!(1))
    ];
    (prop::option::of(text()), map, set, items, list, any).prop_map(|(a, m, s, l, x, o)| {
        let items: Option<Vec<Json>> =
            l.map(|items| items.iter().map(|(k, v)| json!({"k": k, "v": v})).collect());
        json!({"apiVersion": "example.com/v1", "kind": "Widget",
            "spec": {"a": a, "m": m, "s": s, "l": items, "x": x, "o": o}})
    })
}
