//! Tests of declared rules.

use kubemerge_schema::{Dialect, Schema, SchemaBuilder};
use serde_json::{Value, json};

use crate::{Refusal, admit, admit_update};

fn definition(spec: &Value) -> Value {
    json!({"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": "shapes.g.io"},
        "spec": {"group": "g.io", "scope": "Namespaced", "names": {"plural": "shapes", "kind": "Shape"},
            "versions": [{"name": "v1", "served": true, "storage": true, "subresources": {"status": {}},
                "schema": {"openAPIV3Schema": {"type": "object", "properties": {"spec": spec, "status": {"type": "object",
                    "x-kubernetes-preserve-unknown-fields": true}}}}}]}})
}

fn document(spec: &Value) -> Value {
    json!({"definitions": {
        "Shape": {"type": "object", "required": ["spec"],
            "properties": {"spec": {"$ref": "#/definitions/Spec"}, "metadata": {"type": "object"}},
            "x-kubernetes-group-version-kind": [{"group": "g.io", "version": "v1", "kind": "Shape"}]},
        "Spec": spec,
    }})
}

fn schema(document: &Value) -> Schema {
    SchemaBuilder::new().document(document).unwrap().compile(Dialect::Upstream).unwrap()
}

fn shape(spec: &Value) -> String {
    json!({"apiVersion": "g.io/v1", "kind": "Shape", "metadata": {"name": "a"}, "spec": spec}).to_string()
}

fn causes(refusal: &Refusal) -> Vec<String> {
    refusal.field_errors().iter().map(ToString::to_string).collect()
}

#[test]
fn definitions_and_documents_limit_the_values_of_their_kinds() {
    let spec = json!({"type": "object", "required": ["size"], "properties": {
        "size": {"type": "integer", "minimum": 1}, "color": {"type": "string", "enum": ["red"], "default": "red"},
        "either": {"x-kubernetes-int-or-string": true}, "port": {"type": "string", "format": "int-or-string"}}});
    for given in [definition(&spec), document(&spec)] {
        let schema = schema(&given);
        let stored = admit(&schema, &shape(&json!({"size": 1}))).unwrap();
        let stored: Value = serde_json::from_str(&stored).unwrap();
        assert_eq!(stored["spec"], json!({"size": 1, "color": "red"}));
        assert_eq!(causes(&admit(&schema, &shape(&json!({}))).unwrap_err()), ["spec.size: Required value"]);
        assert_eq!(
            causes(&admit(&schema, &shape(&json!({"size": 0, "color": "blue"}))).unwrap_err()),
            [
                "spec.color: Unsupported value: \"blue\": supported values: \"red\"",
                "spec.size: Invalid value: 0: spec.size in body should be greater than or equal to 1",
            ]
        );
        // What was wrong before and is unchanged passes; what is changed does not.
        let old = shape(&json!({"size": 0}));
        assert!(admit_update(&schema, &old, &shape(&json!({"size": 0, "either": 1}))).is_ok());
        assert!(admit_update(&schema, &old, &shape(&json!({"size": -1}))).is_err());
    }
}

#[test]
fn documents_refuse_other_types_and_say_it_in_their_own_way() {
    let spec = json!({"type": "object", "properties": {"size": {"type": "integer"},
        "port": {"$ref": "#/definitions/Port"}, "part": {"allOf": [{"$ref": "#/definitions/Part"}], "default": {}}}});
    let mut given = document(&spec);
    given["definitions"]["Port"] = json!({"type": "string", "format": "int-or-string"});
    given["definitions"]["Part"] =
        json!({"type": "object", "properties": {"a": {"type": "string", "default": "b"}}});
    let schema = schema(&given);
    assert!(matches!(admit(&schema, &shape(&json!({"size": "1"}))), Err(Refusal::Decode(_))));
    let stored = admit(&schema, &shape(&json!({"port": 80, "other": 1}))).unwrap();
    let stored: Value = serde_json::from_str(&stored).unwrap();
    assert_eq!(stored["spec"], json!({"port": 80, "part": {"a": "b"}}));
}

#[test]
fn a_definition_counts_before_a_document() {
    let (wide, narrow) = (json!({"type": "object"}), json!({"type": "object", "required": ["size"]}));
    let (definition, document) = (definition(&narrow), document(&wide));
    for order in [[&definition, &document], [&document, &definition]] {
        let builder =
            order.into_iter().fold(SchemaBuilder::new(), |builder, one| builder.document(one).unwrap());
        let schema = builder.compile(Dialect::Upstream).unwrap();
        assert!(schema.type_of("g.io/v1", "Shape").unwrap().is_custom_resource());
        assert!(admit(&schema, &shape(&json!({}))).is_err());
    }
}

#[test]
fn the_status_is_written_apart() {
    let schema = schema(&definition(&json!({"type": "object", "properties": {"size": {"type": "integer"}}})));
    let object = json!({"apiVersion": "g.io/v1", "kind": "Shape", "metadata": {"name": "a", "generation": 1},
        "spec": {"size": 1, "lost": 1}, "status": {"a": 1}});
    let stored: Value = serde_json::from_str(&admit(&schema, &object.to_string()).unwrap()).unwrap();
    assert_eq!((&stored["spec"], stored.get("status")), (&json!({"size": 1}), None));
    let mut new = object.clone();
    new["status"]["a"] = json!(2);
    new["spec"]["size"] = json!(2);
    let stored = admit_update(&schema, &object.to_string(), &new.to_string()).unwrap();
    let stored: Value = serde_json::from_str(&stored).unwrap();
    assert_eq!(
        (&stored["spec"], &stored["status"], &stored["metadata"]["generation"]),
        (&json!({"size": 2}), &json!({"a": 1}), &json!(2))
    );
}
