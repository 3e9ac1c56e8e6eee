//! The three schema loaders never panic, whatever document they are given, and what they load can be asked.
#![no_main]

use kubemerge_schema::{Dialect, SchemaBuilder};
use libfuzzer_sys::fuzz_target;
use serde_json::{Value, json};

fuzz_target!(|data: &[u8]| {
    let Some((choice, text)) = data.split_first() else { return };
    let Ok(schema) = serde_json::from_slice::<Value>(text) else { return };
    let document = match choice % 4 {
        0 => json!({"openapi": "3.0.0", "components": {"schemas": {"A": schema}}}),
        1 => json!({"swagger": "2.0", "definitions": {"A": schema}}),
        2 => json!({
            "apiVersion": "apiextensions.k8s.io/v1",
            "kind": "CustomResourceDefinition",
            "metadata": {"name": "as.example.com"},
            "spec": {
                "group": "example.com",
                "names": {"kind": "A", "plural": "as"},
                "scope": "Namespaced",
                "versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": schema}}],
            },
        }),
        _ => schema,
    };
    for dialect in [Dialect::Upstream, Dialect::Spec] {
        let Ok(builder) = SchemaBuilder::new().document(&document) else { return };
        let Ok(schema) = builder.compile(dialect) else { return };
        if let Some(ty) = schema.definition("A").or_else(|| schema.type_of("example.com/v1", "A")) {
            let _ = (ty.map_field("a").is_ok(), ty.list_field("a").is_ok());
        }
    }
});
