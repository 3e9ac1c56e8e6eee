//! Tests of declared rules.

use kubemerge_schema::{Declared, Dialect, ListItems, Schema, SchemaBuilder};
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
fn types_of_documents_may_contain_themselves() {
    let reference = |name: &str| json!({"$ref": format!("#/definitions/{name}")});
    let spec = json!({"type": "object", "properties": {
        "size": {"type": "integer", "maximum": 5}, "part": reference("Spec"),
        "filled": {"allOf": [reference("Spec")], "default": {}}, "loop": reference("Loop")}});
    let mut given = document(&spec);
    // Alternatives of a value that are the value's own type again.
    given["definitions"]["Loop"] = json!({"maxProperties": 0, "anyOf": [reference("Loop"), reference("Loop"), {"not": reference("Loop")}]});
    let schema = schema(&given);
    let stored = admit(&schema, &shape(&json!({"part": {"part": {"size": 5}}}))).unwrap();
    let stored: Value = serde_json::from_str(&stored).unwrap();
    assert_eq!(
        stored["spec"],
        json!({"filled": {}, "part": {"filled": {}, "part": {"filled": {}, "size": 5}}}),
        "a default in a default of its own type would never end"
    );
    assert_eq!(
        causes(&admit(&schema, &shape(&json!({"part": {"part": {"size": 6}}}))).unwrap_err()),
        [
            "spec.part.part.size: Invalid value: 6: spec.part.part.size in body should be less than or equal to 5"
        ]
    );
    let refused = admit(&schema, &shape(&json!({"loop": {"a": 1}}))).unwrap_err();
    assert!(causes(&refused).contains(&"spec.loop: Too many: 1: must have at most 0 items".to_owned()));
}

#[test]
fn every_column_is_read_by_the_same_nodes() {
    let spec = json!({"type": "object", "properties": {"list": {"type": "array", "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["k"], "items": {"type": "object", "required": ["k"], "properties": {
            "k": {"type": "string", "default": "a"}}}}}});
    let schema = schema(&definition(&spec));
    let Some(Declared::Definition { ty: Some(ty), .. }) = schema.declared("g.io/v1", "Shape") else {
        panic!("the definition is known")
    };
    let values = ty.values().property("spec").and_then(|spec| spec.property("list")).unwrap();
    assert_eq!(values.list_map_keys().collect::<Vec<_>>(), ["k"]);
    assert_eq!(values.items().unwrap().property("k").unwrap().default(), Some(&json!("a")));
    assert_eq!(values.items().unwrap().required().collect::<Vec<_>>(), ["k"]);
    // What is implied for owners is not written, and rules see the names alone.
    assert!(ty.values().property("metadata").is_none());
    let metadata = ty.values().property_in_rules("metadata").unwrap();
    assert_eq!(metadata.properties().map(|(name, _)| name).collect::<Vec<_>>(), ["generateName", "name"]);
    let root = schema.type_of("g.io/v1", "Shape").unwrap();
    assert!(root.field("metadata").unwrap().ty.field("labels").is_some());
    let owned = schema.ownership_of("g.io/v1", "Shape").unwrap().map().unwrap().field("spec").unwrap();
    let owned = owned.map().unwrap().field("list").unwrap().list().unwrap();
    assert!(matches!(owned.items, ListItems::Keyed([key]) if key.default == Some(json!("a"))));
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
