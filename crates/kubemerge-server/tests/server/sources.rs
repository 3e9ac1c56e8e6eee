//! Whatever a schema comes from: its kinds are served, merged and validated alike.

use kubemerge_schema::{Dialect, Overlay, OverlayRule};
use kubemerge_server::ApiServer;
use serde_json::{Value, json};

use crate::server::support::*;

const STRATEGIC: (&str, &str) = ("content-type", "application/strategic-merge-patch+json");
const SHAPES: &str = "/apis/g.io/v1/namespaces/default/shapes";

fn definition() -> Value {
    let parts = json!({"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"],
        "items": {"type": "object", "required": ["name"], "properties": {"name": {"type": "string"}, "size": {"type": "integer"}}}});
    json!({"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": "shapes.g.io"},
        "spec": {"group": "g.io", "scope": "Namespaced", "names": {"plural": "shapes", "kind": "Shape"},
            "versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": {"type": "object",
                "properties": {"spec": {"type": "object", "required": ["city"], "properties": {
                    "city": {"type": "string"}, "color": {"type": "string", "default": "red"}, "parts": parts}}}}}}]}})
}

fn shape(spec: Value) -> Value {
    json!({"apiVersion": "g.io/v1", "kind": "Shape", "metadata": {"name": "a"}, "spec": spec})
}

#[tokio::test]
async fn a_definition_given_as_a_schema_is_a_definition() {
    let given_twice = ApiServer::builder().openapi(definition()).crds([definition()]);
    for builder in
        [ApiServer::builder().openapi(definition()), ApiServer::builder().crds([definition()]), given_twice]
    {
        let server = builder.build().unwrap();
        let path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/shapes.g.io";
        assert_eq!(get(&server, path).await.code, 200);
        let refused = ask(&server, "POST", SHAPES, shape(json!({"city": 7}))).await;
        assert_eq!(refused.code, 422);
        let created = ask(&server, "POST", SHAPES, shape(json!({"city": "x", "none": 1}))).await;
        assert_eq!((created.code, &created.body["spec"]), (201, &json!({"city": "x", "color": "red"})));
        let patched =
            ask_as(&server, "PATCH", &format!("{SHAPES}/a"), STRATEGIC, json!({"spec": {"city": "y"}})).await;
        assert_eq!(patched.code, 415);
    }
    let mut other = definition();
    other["spec"]["scope"] = json!("Cluster");
    let error = ApiServer::builder().openapi(other).crds([definition()]).build().err().unwrap();
    assert!(error.to_string().contains("another definition of that name"), "{error}");
}

/// A document with one kind, whose PATCH takes these types.
fn document(consumes: &Value) -> Value {
    let operation = |action: &str| {
        json!({"x-kubernetes-action": action,
        "x-kubernetes-group-version-kind": {"group": "g.io", "version": "v1", "kind": "Shape"}})
    };
    let mut patch = operation("patch");
    patch["consumes"] = consumes.clone();
    let parts = json!({"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"],
        "x-kubernetes-patch-strategy": "merge", "x-kubernetes-patch-merge-key": "name",
        "items": {"type": "object", "properties": {"name": {"type": "string"}, "size": {"type": "integer"}}}});
    let spec = json!({"type": "object", "required": ["parts"], "properties": {"parts": parts}});
    json!({"swagger": "2.0", "info": {"title": "Shapes", "version": "v1.30.0"},
        "paths": {
            "/apis/g.io/v1/namespaces/{namespace}/shapes": {"get": operation("list"), "post": operation("post")},
            "/apis/g.io/v1/namespaces/{namespace}/shapes/{name}": {"get": operation("get"), "patch": patch},
        },
        "definitions": {"io.g.v1.Shape": {"type": "object", "properties": {
            "apiVersion": {"type": "string"}, "kind": {"type": "string"}, "metadata": {"type": "object"}, "spec": spec},
            "x-kubernetes-group-version-kind": [{"group": "g.io", "version": "v1", "kind": "Shape"}]}}})
}

#[tokio::test]
async fn kinds_of_documents_are_served_merged_and_validated() {
    let merge = "application/merge-patch+json";
    for (consumes, code) in [(json!([merge, STRATEGIC.1]), 200), (json!([merge]), 415)] {
        let server = ApiServer::builder().openapi(document(&consumes)).build().unwrap();
        assert_eq!(ask(&server, "POST", SHAPES, shape(json!({}))).await.code, 422);
        let parts = json!({"parts": [{"name": "a", "size": 1}, {"name": "b", "size": 2}]});
        assert_eq!(ask(&server, "POST", SHAPES, shape(parts)).await.code, 201);
        let change = json!({"spec": {"parts": [{"name": "b", "size": 3}]}});
        let patched = ask_as(&server, "PATCH", &format!("{SHAPES}/a"), STRATEGIC, change).await;
        assert_eq!(patched.code, code);
        if code == 200 {
            let parts = json!([{"name": "a", "size": 1}, {"name": "b", "size": 3}]);
            assert_eq!(patched.body["spec"]["parts"], parts);
        }
        // The document has no action `delete`.
        assert_eq!(ask(&server, "DELETE", &format!("{SHAPES}/a"), json!({})).await.code, 405);
    }
}

#[tokio::test]
async fn kinds_of_documents_get_its_defaults() {
    let mut given = document(&json!(["application/merge-patch+json"]));
    given["definitions"]["io.g.v1.Shape"]["properties"]["spec"]["properties"]["color"] =
        json!({"type": "string", "default": "red"});
    let server = ApiServer::builder().openapi(given).build().unwrap();
    let created = ask(&server, "POST", SHAPES, shape(json!({"parts": [], "none": 1}))).await;
    assert_eq!((created.code, &created.body["spec"]), (201, &json!({"parts": [], "color": "red"})));
}

#[tokio::test]
async fn what_a_document_changes_and_what_is_not_served_is_said() {
    let mut given = document(&json!([]));
    let server = ApiServer::builder().openapi(given.clone()).build().unwrap();
    assert_eq!(server.notes(), [""; 0]);
    given["paths"] = json!({});
    given["definitions"]["io.g.v1.ShapeList"] = json!({"type": "object", "x-kubernetes-group-version-kind": [{"group": "g.io", "version": "v1", "kind": "ShapeList"}]});
    given["definitions"]["io.k8s.api.core.v1.Pod"] = json!({"type": "object", "x-kubernetes-group-version-kind": [{"group": "", "version": "v1", "kind": "Pod"}]});
    let server = ApiServer::builder().openapi(given).build().unwrap();
    assert_eq!(
        server.notes(),
        [
            "v1 Pod merges as the given document says, and keeps the defaults and validation of Kubernetes 1.37",
            "g.io/v1 Shape and 1 more are not served: no paths of the given document with x-kubernetes-action and \
             x-kubernetes-group-version-kind",
        ]
    );
}

/// A definition whose parts merge only by what the design documents say.
fn with_patch_strategy() -> Value {
    let mut given = definition();
    let parts = &mut given["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"]["properties"]
        ["parts"];
    *parts = json!({"type": "array", "x-kubernetes-patch-strategy": "merge", "x-kubernetes-patch-merge-key": "name",
        "items": {"type": "object", "properties": {"name": {"type": "string"}, "size": {"type": "integer"}}}});
    given
}

/// What a strategic merge patch makes of two parts.
async fn merged(server: &ApiServer) -> Value {
    let two = json!([{"name": "a", "size": 1}, {"name": "b", "size": 2}]);
    let created = ask(server, "POST", SHAPES, shape(json!({"city": "x", "parts": two}))).await;
    assert_eq!(created.code, 201, "{}", created.body);
    let change = json!({"spec": {"parts": [{"name": "b", "size": 3}]}});
    ask_as(server, "PATCH", &format!("{SHAPES}/a"), STRATEGIC, change).await.body["spec"]["parts"].clone()
}

#[tokio::test]
async fn definitions_merge_by_what_they_say_in_spec() {
    let spec = || ApiServer::builder().dialect(Dialect::Spec);
    for builder in [spec().crds([with_patch_strategy()]), spec().openapi(with_patch_strategy())] {
        let server = builder.build().unwrap();
        assert_eq!(merged(&server).await, json!([{"name": "a", "size": 1}, {"name": "b", "size": 3}]));
    }
    // Created by a client.
    let server = spec().build().unwrap();
    let definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions?fieldValidation=Strict";
    assert_eq!(ask(&server, "POST", definitions, with_patch_strategy()).await.code, 201);
    assert_eq!(merged(&server).await, json!([{"name": "a", "size": 1}, {"name": "b", "size": 3}]));
    // In upstream nothing of the sort is kept.
    let server = ApiServer::builder().crds([with_patch_strategy()]).build().unwrap();
    let name = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/shapes.g.io";
    assert!(!get(&server, name).await.body.to_string().contains("patch-strategy"));
}

#[tokio::test]
async fn overlays_are_about_kinds_of_definitions_too() {
    let overlay = |kind: &str, path: &str| Overlay::new().rule(OverlayRule::kind(kind, path).keys(["name"]));
    let mut plain = definition();
    let spec = &mut plain["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"];
    spec["properties"]["parts"]["x-kubernetes-list-type"] = json!("atomic");
    spec["properties"]["parts"].as_object_mut().unwrap().remove("x-kubernetes-list-map-keys");
    let builder =
        |overlay| ApiServer::builder().dialect(Dialect::Spec).overlay(overlay).crds([plain.clone()]);
    let server = builder(overlay("g.io/v1/Shape", "spec.parts")).build().unwrap();
    assert_eq!(merged(&server).await, json!([{"name": "a", "size": 1}, {"name": "b", "size": 3}]));
    for (kind, path, words) in [
        ("g.io/v1/Shop", "spec.parts", "there is no such type in the schema"),
        ("g.io/v1/Shape", "spec.pieces", "pieces"),
    ] {
        let error = builder(overlay(kind, path)).build().err().unwrap().to_string();
        assert!(error.contains(words), "{error}");
    }
}

#[tokio::test]
async fn a_document_about_built_in_kinds_turns_no_rule_off() {
    // As a cluster writes it; the server publishes the same document.
    let mut swagger =
        get(&ApiServer::builder().kubernetes("1.30").build().unwrap(), "/openapi/v2").await.body;
    swagger["info"] = json!({"title": "Kubernetes", "version": "v1.30.2"});
    let server = ApiServer::builder().openapi(swagger).build().unwrap();
    assert_eq!(get(&server, "/version").await.body["minor"], "30");
    let map =
        json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}, "data": {"bad key!": ""}});
    assert_eq!(ask(&server, "POST", "/api/v1/namespaces/default/configmaps", map).await.code, 422);
    let pod = |containers: Value| {
        json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"},
        "spec": {"containers": containers}})
    };
    let pods = "/api/v1/namespaces/default/pods";
    assert_eq!(ask(&server, "POST", pods, pod(json!([]))).await.code, 422);
    let created = ask(&server, "POST", pods, pod(json!([{"name": "a", "image": "a"}]))).await;
    assert_eq!(
        (created.code, &created.body["spec"]["containers"][0]["imagePullPolicy"]),
        (201, &json!("Always"))
    );
    let change = json!({"spec": {"containers": [{"name": "a", "image": "b"}]}});
    let patched = ask_as(&server, "PATCH", &format!("{pods}/a"), STRATEGIC, change).await;
    let container = &patched.body["spec"]["containers"][0];
    assert_eq!(
        (patched.code, &container["image"], &container["imagePullPolicy"]),
        (200, &json!("b"), &json!("Always"))
    );
}
