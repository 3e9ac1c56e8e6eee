//! Strategic merge through the façade: types by name, the forms of documents, errors and their statuses.

use kubemerge::{Canonical, Dialect, Patch, PatchType, RuleSource, Schema, SchemaBuilder, Typed, apply};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

fn schema(dialect: Dialect) -> Schema {
    Schema::builtin("1.37", dialect).unwrap()
}

const DEPLOYMENT: &str = r#"{"apiVersion":"apps/v1","kind":"Deployment","spec":{"template":{"spec":{"containers":[{"image":"a","name":"web"},{"image":"l","name":"log"}]}}}}"#;
const PATCH: &str = r#"{"spec":{"template":{"spec":{"containers":[{"name":"web","image":"b"}]}}}}"#;
const RESULT: &str = r#"{"apiVersion":"apps/v1","kind":"Deployment","spec":{"template":{"spec":{"containers":[{"image":"b","name":"web"},{"image":"l","name":"log"}]}}}}"#;

#[test]
fn every_form_gives_the_same() {
    for dialect in [Dialect::Upstream, Dialect::Spec] {
        let schema = schema(dialect);
        let patch = Patch::strategic(PATCH).unwrap();
        assert_eq!(apply(&schema, DEPLOYMENT, &patch).unwrap(), RESULT);
        assert_eq!(apply(&schema, DEPLOYMENT.as_bytes(), &patch).unwrap(), RESULT.as_bytes());
        let canonical = Canonical::from_bytes(DEPLOYMENT.as_bytes()).unwrap();
        assert_eq!(apply(&schema, &canonical, &patch).unwrap().as_bytes(), RESULT.as_bytes());
        let value: Value = serde_json::from_str(DEPLOYMENT).unwrap();
        assert_eq!(apply(&schema, &value, &patch).unwrap().to_string(), RESULT);
        let ty = schema.type_of("apps/v1", "Deployment").unwrap();
        assert_eq!(apply(ty, DEPLOYMENT, &patch).unwrap(), RESULT);
    }
}

/// A type of a program, such as k8s-openapi has for every kind.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Pod {
    api_version: String,
    kind: String,
    spec: PodSpec,
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct PodSpec {
    containers: Vec<Container>,
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Container {
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    image: Option<String>,
}

#[test]
fn typed_objects() {
    let pod = |containers: Value| -> Pod {
        serde_json::from_value(json!({"apiVersion": "v1", "kind": "Pod", "spec": {"containers": containers}}))
            .unwrap()
    };
    let live = pod(json!([{"name": "a", "image": "1"}, {"name": "b", "image": "2"}]));
    let body = json!({"spec": {"containers": [{"name": "b", "image": "3"}]}});
    let patch = Patch::serialize(PatchType::Strategic, &body).unwrap();
    let result = apply(&schema(Dialect::Upstream), &Typed(&live), &patch).unwrap();
    assert_eq!(result, pod(json!([{"name": "a", "image": "1"}, {"name": "b", "image": "3"}])));
    let patch = Patch::merge(r#"{"spec":{"containers":"none"}}"#).unwrap();
    let error = apply(RuleSource::None, &Typed(&live), &patch).unwrap_err();
    assert_eq!((error.kind().name(), error.http_status()), ("typed-object", 422));
    assert!(error.message().starts_with("invalid type: string \"none\""), "{error}");
}

#[test]
fn errors_have_the_statuses_of_their_dialect() {
    let pod = r#"{"apiVersion":"v1","kind":"Pod","spec":{"containers":[{"name":"a"}]}}"#;
    let upstream = "map: map[image:x] does not contain declared merge key: name";
    let spec = "item has none of the merge keys [name]";
    for (dialect, message, status) in [(Dialect::Upstream, upstream, 500), (Dialect::Spec, spec, 400)] {
        let patch = Patch::strategic(r#"{"spec":{"containers":[{"image":"x"}]}}"#).unwrap();
        let error = apply(&schema(dialect), pod, &patch).unwrap_err();
        assert_eq!((error.path(), error.message()), ("spec.containers[0]", message));
        assert_eq!((error.kind().name(), error.http_status()), ("missing-merge-key", status));
    }
}

#[test]
fn faults_of_the_live_object_are_not_blamed_on_the_client() {
    let pod = r#"{"apiVersion":"v1","kind":"Pod","spec":{"containers":[{"image":"x"}]}}"#;
    let patch = Patch::strategic(r#"{"spec":{"containers":[{"name":"a"}]}}"#).unwrap();
    for dialect in [Dialect::Upstream, Dialect::Spec] {
        let error = apply(&schema(dialect), pod, &patch).unwrap_err();
        assert_eq!((error.kind().name(), error.http_status()), ("missing-merge-key", 500));
    }
}

#[test]
fn types_without_a_schema_are_refused_with_the_cure() {
    let schema = schema(Dialect::Upstream);
    let guide = RuleSource::from(&schema);
    for (guide, live, hint) in [
        (
            guide,
            r#"{"apiVersion":"v1","kind":"Pot"}"#,
            "the schema has no Pot of v1: load its OpenAPI document or its custom resource definition, or use a merge patch",
        ),
        (guide, "{}", "the object has no apiVersion and kind: add them, or name the type"),
        (RuleSource::None, "{}", "strategic merge needs a schema: give one, or use a merge patch"),
    ] {
        let error = apply(guide, live, &Patch::strategic("{}").unwrap()).unwrap_err();
        assert_eq!(error.to_string(), format!("strategic merge patch format is not supported ({hint})"));
        assert_eq!((error.kind().name(), error.http_status()), ("unsupported-type", 400));
    }
}

#[test]
fn custom_resources_merge_by_their_lists_in_spec_only() {
    let part = json!({"type": "object", "properties": {"id": {"type": "string"}, "size": {"type": "integer"}}, "required": ["id"]});
    let parts = json!({"type": "array", "items": part, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["id"]});
    let definition = json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": "widgets.example.com"},
        "spec": {"group": "example.com", "scope": "Namespaced", "names": {"plural": "widgets", "kind": "Widget"},
            "versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema":
                {"type": "object", "properties": {"parts": parts}}}}]},
    });
    let builder = SchemaBuilder::new().document(&definition).unwrap();
    let live = r#"{"apiVersion":"example.com/v1","kind":"Widget","parts":[{"id":"a"},{"id":"b"}]}"#;
    let patch = Patch::strategic(r#"{"parts":[{"id":"b","size":1}]}"#).unwrap();
    let merged = apply(&builder.compile(Dialect::Spec).unwrap(), live, &patch).unwrap();
    assert_eq!(
        merged,
        r#"{"apiVersion":"example.com/v1","kind":"Widget","parts":[{"id":"a"},{"id":"b","size":1}]}"#
    );
    let error = apply(&builder.compile(Dialect::Upstream).unwrap(), live, &patch).unwrap_err();
    assert_eq!(
        error.hint(),
        Some("Widget of example.com/v1 is a custom resource: use a merge patch, or the dialect `spec`")
    );
}
