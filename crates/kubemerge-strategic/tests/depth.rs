//! Deep documents and deep patches: no stack is too small, no level is scanned twice.

use kubemerge_schema::{Dialect, Schema, SchemaBuilder};
use kubemerge_strategic::apply;
use kubemerge_value::{Arena, Canonical, Document, to_canonical};
use serde_json::json;

fn on_small_thread(test: impl FnOnce() + Send + 'static) {
    std::thread::Builder::new().stack_size(2 * 1024 * 1024).spawn(test).unwrap().join().unwrap();
}

/// A type that holds itself, as a map and as an item of a keyed list.
fn schema(dialect: Dialect) -> Schema {
    let node = json!({"$ref": "#/components/schemas/Node"});
    SchemaBuilder::new()
        .document(&json!({"openapi": "3.0.0", "components": {"schemas": {"Node": {
            "type": "object",
            "properties": {
                "name": {"type": "string"},
                "child": {"allOf": [node]},
                "items": {
                    "type": "array",
                    "items": node,
                    "x-kubernetes-patch-strategy": "merge",
                    "x-kubernetes-patch-merge-key": "name",
                },
            },
        }}}}))
        .unwrap()
        .compile(dialect)
        .unwrap()
}

/// A document nested `levels` deep through one of the two fields, with a value at its bottom.
fn nested(opening: &str, closing: &str, levels: usize, bottom: &str) -> Vec<u8> {
    format!("{}{bottom}{}", opening.repeat(levels), closing.repeat(levels)).into_bytes()
}

fn check(opening: &'static str, closing: &'static str, levels: usize) {
    on_small_thread(move || {
        for dialect in [Dialect::Upstream, Dialect::Spec] {
            let schema = schema(dialect);
            let ty = schema.definition("Node").unwrap();
            let live = nested(opening, closing, levels, r#"{"name":"x","value":1}"#);
            let patch = nested(opening, closing, levels, r#"{"name":"x","value":2}"#);
            let (live, patch) = (Document::check(&live).unwrap(), Document::check(&patch).unwrap());
            let canonical = Canonical::from_bytes(live.as_bytes()).unwrap();
            let wanted = Canonical::from_bytes(patch.as_bytes()).unwrap();
            for live in [live.node(), canonical.node()] {
                let arena = Arena::new();
                let result = apply(ty, live, patch.node(), &arena).unwrap();
                assert!(to_canonical(result) == wanted);
            }
        }
    });
}

#[test]
fn maps_nested_to_the_limit() {
    check(r#"{"child":"#, "}", 9_999);
}

#[test]
fn keyed_lists_nested_to_the_limit() {
    check(r#"{"name":"x","items":["#, "]}", 4_999);
}
