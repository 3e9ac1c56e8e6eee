//! Any schema, put into each of the three kinds of document: loading, checking, compiling, walking and
//! exporting never panic, and what is exported loads again.
#![no_main]

use kubemerge_fuzz::answer::DIALECTS;
use kubemerge_schema::{Schema, SchemaBuilder, Type, changes, check};
use libfuzzer_sys::fuzz_target;
use serde_json::{Value, json};

fuzz_target!(|bytes: &[u8]| {
    let Ok(schema) = serde_json::from_slice::<Value>(bytes) else { return };
    for document in documents(&schema) {
        check::document(&document);
        let Ok(builder) = SchemaBuilder::new().document(&document) else { continue };
        let [upstream, spec] = DIALECTS.map(|dialect| builder.compile(dialect).unwrap());
        changes(&upstream, &spec);
        for schema in [upstream, spec] {
            schema.definitions().for_each(|definition| walk(definition.ty(), 3));
            load_again(&schema);
        }
    }
});

/// The schema as the whole document, and as a type of an OpenAPI v2 document, a v3 document and a CRD.
fn documents(schema: &Value) -> [Value; 4] {
    [
        schema.clone(),
        json!({"swagger": "2.0", "definitions": {"A": schema, "B": {"$ref": "#/definitions/A"}}}),
        json!({"openapi": "3.0.0", "components": {"schemas": {
            "A": schema, "B": {"allOf": [{"$ref": "#/components/schemas/A"}]},
        }}}),
        json!({
            "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
            "spec": {
                "group": "g.example", "scope": "Cluster", "names": {"kind": "A", "plural": "as"},
                "versions": [{"name": "v1", "served": true, "schema": {"openAPIV3Schema": schema}}],
            },
        }),
    ]
}

fn walk(ty: Type<'_>, depth: usize) {
    let names: Vec<String> = ty.fields().map(|field| field.name.to_owned()).chain(["x".to_owned()]).collect();
    for name in names {
        let (map, list) = (ty.map_field(&name), ty.list_field(&name));
        let below = map.iter().map(|rule| rule.value).chain(list.iter().map(|rule| rule.item));
        if depth > 0 {
            below.for_each(|below| walk(below, depth - 1));
        }
        let _ = ty.explain(&name).map(|explanation| explanation.sentence());
    }
    let _ = ty.name();
}

fn load_again(schema: &Schema) {
    let again = SchemaBuilder::new().document(&schema.export());
    again.expect("what is exported loads again");
}
