//! What documents are accepted, and what is said about those that are not.

use kubemerge_schema::{Dialect, LoadError, LoadErrorKind, SchemaBuilder};
use serde_json::{Value, json};

fn load_v3(schemas: Value) -> Result<SchemaBuilder, LoadError> {
    SchemaBuilder::new().openapi_v3(&json!({"openapi": "3.0.0", "components": {"schemas": schemas}}))
}

#[track_caller]
fn refused(result: Result<SchemaBuilder, LoadError>, kind: LoadErrorKind, text: &str) {
    let error = result.expect_err("the document must be refused");
    assert_eq!((error.kind(), error.to_string().as_str()), (kind, text));
}

#[test]
fn empty_documents_are_refused() {
    let v2 = SchemaBuilder::new().openapi_v2(&Value::Null);
    refused(v2, LoadErrorKind::Malformed, "the document has no definitions");
    let v3 = SchemaBuilder::new().openapi_v3(&json!({"openapi": "3.0.0"}));
    refused(v3, LoadErrorKind::Malformed, "the document has no components.schemas");
    refused(load_v3(json!({})), LoadErrorKind::Malformed, "components.schemas: the document defines nothing");
    let text = "components.schemas[A]: expected an object, found a list";
    refused(load_v3(json!({"A": []})), LoadErrorKind::Malformed, text);
    let text = "components.schemas[A].properties: expected an object, found a number";
    refused(load_v3(json!({"A": {"properties": 1}})), LoadErrorKind::Malformed, text);
}

#[test]
fn other_documents_are_refused() {
    for (document, found) in
        [(json!(null), "nothing"), (json!([]), "a list"), (json!({"kind": "Pod"}), "an object")]
    {
        let text = format!("expected an OpenAPI document or a CustomResourceDefinition, found {found}");
        refused(SchemaBuilder::new().document(&document), LoadErrorKind::Malformed, &text);
    }
}

#[test]
fn references_must_lead_somewhere() {
    refused(
        load_v3(json!({"A": {"properties": {"b": {"$ref": "#/components/schemas/B"}}}})),
        LoadErrorKind::UnresolvedReference,
        "components.schemas[A].properties[b]: nothing is defined under the name \"B\" \
         (references resolve within one document; add the definition to it)",
    );
    refused(
        load_v3(json!({"A": {"items": {"$ref": "other.json"}}})),
        LoadErrorKind::UnresolvedReference,
        "components.schemas[A].items: the reference \"other.json\" does not start with #/components/schemas/ \
         (references resolve within one document; add the definition to it)",
    );
    let circle = json!({"A": {"$ref": "#/components/schemas/B"}, "B": {"allOf": [{"$ref": "#/components/schemas/A"}]}});
    refused(
        load_v3(circle),
        LoadErrorKind::CircularReference,
        "components.schemas[A]: the reference leads only to itself \
         (a recursive type needs a property or items between the references)",
    );
}

#[test]
fn recursive_types_are_legal() {
    let tree = json!({"A": {"type": "object", "properties": {
        "left": {"$ref": "#/components/schemas/A"},
        "all": {"type": "array", "items": {"$ref": "#/components/schemas/A"}},
    }}});
    let schema = load_v3(tree).unwrap().compile(Dialect::Spec).unwrap();
    let mut ty = schema.definition("A").unwrap();
    for _ in 0..1000 {
        ty = ty.map_field("left").unwrap().value.list_field("all").unwrap().item;
    }
    assert_eq!(ty.definition_name(), Some("A"));
}

#[test]
fn kinds_are_found_in_both_forms() {
    let schema = load_v3(json!({
        "io.k8s.One": {"type": "object", "x-kubernetes-group-version-kind": {"group": "", "version": "v1", "kind": "One"}},
        "io.k8s.Two": {"type": "object", "x-kubernetes-group-version-kind": [
            {"group": "g", "version": "v1", "kind": "Two"}, {"group": "h", "version": "v1", "kind": "Two"},
        ]},
        "a.Same": {"type": "object"}, "b.Same": {"type": "object"},
    }));
    let schema = schema.unwrap().compile(Dialect::Upstream).unwrap();
    let name = |api_version, kind| schema.type_of(api_version, kind).and_then(|ty| ty.definition_name());
    assert_eq!(name("v1", "One"), Some("io.k8s.One"));
    assert_eq!(name("g/v1", "Two"), Some("io.k8s.Two"));
    assert_eq!(name("h/v1", "Two"), Some("io.k8s.Two"));
    assert_eq!(name("v1", "Two"), None);
    assert!(schema.definition("One").is_some());
    assert!(schema.definition("Same").is_none(), "two definitions end in Same");
    assert!(schema.definition("b.Same").is_some());
}

#[test]
fn nesting_is_bounded() {
    let nested = |levels: usize| {
        let wrap = |inner, _| json!({"type": "array", "items": inner});
        load_v3(json!({"A": (0..levels).fold(json!({"type": "string"}), wrap)}))
    };
    _ = nested(127).unwrap();
    assert_eq!(nested(128).unwrap_err().kind(), LoadErrorKind::TooLarge);
    assert_eq!(nested(1000).unwrap_err().kind(), LoadErrorKind::TooLarge);
}

#[test]
fn long_chains_of_references_are_refused() {
    let link =
        |index: usize| (format!("D{index}"), json!({"$ref": format!("#/components/schemas/D{}", index + 1)}));
    let mut chain: serde_json::Map<_, _> = (0..10_000).map(link).collect();
    chain.insert("D10000".into(), json!({"type": "string"}));
    assert_eq!(load_v3(Value::Object(chain)).unwrap_err().kind(), LoadErrorKind::TooLarge);
}
