//! What is given: documents about kinds, objects of these kinds, and what is asked about them.

use kubemerge_schema::Dialect;
use serde_json::{Value, json};

/// A document, an object of its kind, and changes of that object.
#[derive(Clone)]
pub(super) struct Source {
    pub(super) name: &'static str,
    pub(super) document: Value,
    /// Rules of the caller for its fields, which only the dialect `spec` follows.
    pub(super) overlay: Option<Value>,
    pub(super) object: Value,
    /// The field with its content.
    pub(super) part: &'static str,
    /// Where the object is created.
    pub(super) path: &'static str,
    /// Merge patches whose results are refused, in this dialect.
    pub(super) wrong: Vec<Value>,
    pub(super) judge: Dialect,
    pub(super) strategic: Value,
    /// The dialects in which a server takes strategic merge patches of the kind.
    pub(super) dialects: &'static [Dialect],
    /// What a second manager applies; none where the document lacks fields that a server fills in, which no manager can own.
    pub(super) config: Option<Value>,
}

impl Source {
    pub(super) fn is_definition(&self) -> bool {
        self.document["kind"] == "CustomResourceDefinition"
    }
}

const BOTH: &[Dialect] = &[Dialect::Upstream, Dialect::Spec];

pub(super) fn sources() -> Vec<Source> {
    let shapes = "/apis/g.io/v1/namespaces/default/shapes";
    let object = json!({"apiVersion": "g.io/v1", "kind": "Shape", "metadata": {"name": "a", "namespace": "default"},
        "spec": {"size": 1, "parts": [{"name": "a", "size": 1}, {"name": "b", "size": 2}]}});
    let config = |spec: &Value| {
        let mut config = object.clone();
        config["spec"] = spec.clone();
        config
    };
    let wrong = [
        json!({"size": null}),
        json!({"size": 0}),
        json!({"color": "blue"}),
        json!({"city": 7}),
        json!({"city": "Nowhere"}),
        json!({"port": true}),
        json!({"parts": [{"name": "a"}, {"name": "a"}]}),
        json!({"parts": [{"size": 1}]}),
        json!({"color": "blue", "size": -1, "born": "yesterday"}),
    ];
    let shape = |name, document, dialects| Source {
        name,
        document,
        overlay: None,
        object: object.clone(),
        part: "spec",
        path: shapes,
        wrong: wrong.iter().map(|spec| json!({"spec": spec})).collect(),
        judge: Dialect::Upstream,
        strategic: json!({"spec": {"parts": [{"name": "b", "size": 3}]}}),
        dialects,
        config: Some(config(&json!({"parts": [{"name": "c", "size": 3}]}))),
    };
    let definition = shape("definition", definition(), &[Dialect::Spec]);
    let container = |name: &str| json!({"name": name, "image": "a"});
    let pods = |containers: Value| json!({"template": {"spec": {"containers": containers}}});
    let template = Source {
        name: "document about a built-in kind",
        document: about_pod_templates(),
        overlay: None,
        object: json!({"apiVersion": "v1", "kind": "PodTemplate", "metadata": {"name": "a", "namespace": "default"},
            "template": {"spec": {"containers": [container("a"), container("b")]}}}),
        part: "template",
        path: "/api/v1/namespaces/default/podtemplates",
        wrong: vec![
            pods(json!([])),
            pods(json!([{"name": "a", "image": "a", "imagePullPolicy": "Perhaps"}])),
            json!({"metadata": {"labels": {"bad key!": "a"}}}),
        ],
        // The document has no merge key: the list is replaced.
        judge: Dialect::Upstream,
        strategic: pods(json!([{"name": "b", "image": "c"}])),
        dialects: BOTH,
        config: None,
    };
    // Without the overlay the list has no key.
    let overlay = Source {
        name: "definition with an overlay",
        overlay: Some(json!({"rules": [{"kind": "g.io/v1/Shape", "path": "spec.tags", "keys": ["name"]}]})),
        object: config(&json!({"size": 1, "tags": [{"name": "a", "size": 1}, {"name": "b", "size": 2}]})),
        strategic: json!({"spec": {"tags": [{"name": "b", "size": 3}]}}),
        config: Some(config(&json!({"tags": [{"name": "c"}]}))),
        ..definition.clone()
    };
    let union = Source {
        name: "definition with a union",
        object: config(&json!({"size": 1, "account": "User", "user": "eve"})),
        wrong: [json!({"group": "dev"}), json!({"account": "Group"})]
            .map(|spec| json!({"spec": spec}))
            .into(),
        judge: Dialect::Spec,
        strategic: json!({"spec": {"account": "Group", "group": "dev"}}),
        config: Some(config(&json!({"group": "dev"}))),
        ..definition.clone()
    };
    vec![
        definition,
        overlay,
        union,
        shape("OpenAPI v2", openapi("swagger"), BOTH),
        shape("OpenAPI v3", openapi("openapi"), BOTH),
        shape("OpenAPI v2 of a cluster", of_a_cluster(openapi("swagger")), &[Dialect::Spec]),
        shape("OpenAPI v3 of a cluster", of_a_cluster(openapi("openapi")), &[Dialect::Spec]),
        template,
    ]
}

fn spec_schema(int_or_string: &Value) -> Value {
    let parts = json!({"type": "array", "x-kubernetes-patch-strategy": "merge", "x-kubernetes-patch-merge-key": "name",
        "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"],
        "items": {"type": "object", "required": ["name"],
            "properties": {"name": {"type": "string"}, "size": {"type": "integer"}}}});
    json!({"type": "object", "required": ["size"], "properties": {
        "size": {"type": "integer", "minimum": 1}, "city": {"type": "string"},
        "color": {"type": "string", "enum": ["red", "green"], "default": "red"},
        "born": {"type": "string", "format": "date-time"}, "port": int_or_string, "parts": parts,
        "tags": {"type": "array", "items": {"type": "object",
            "properties": {"name": {"type": "string"}, "size": {"type": "integer"}}}}}})
}

fn definition() -> Value {
    let mut spec = spec_schema(&json!({"x-kubernetes-int-or-string": true}));
    spec["x-kubernetes-validations"] =
        json!([{"rule": "!has(self.city) || self.city != 'Nowhere'", "message": "go somewhere"}]);
    for field in ["account", "user", "group"] {
        spec["properties"][field] = json!({"type": "string"});
    }
    spec["x-kubernetes-unions"] =
        json!([{"discriminator": "account", "fields-to-discriminateBy": {"user": "User", "group": "Group"}}]);
    json!({"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": "shapes.g.io"},
        "spec": {"group": "g.io", "scope": "Namespaced",
            "names": {"plural": "shapes", "singular": "shape", "kind": "Shape", "listKind": "ShapeList"},
            "versions": [{"name": "v1", "served": true, "storage": true,
                "schema": {"openAPIV3Schema": {"type": "object", "properties": {"spec": spec}}}}]}})
}

/// The same kind in an OpenAPI document.
fn openapi(syntax: &str) -> Value {
    let kind = json!({"group": "g.io", "version": "v1", "kind": "Shape"});
    let operation =
        |action: &str| json!({"x-kubernetes-action": action, "x-kubernetes-group-version-kind": kind});
    let paths = json!({
        "/apis/g.io/v1/namespaces/{namespace}/shapes": {"get": operation("list"), "post": operation("post")},
        "/apis/g.io/v1/namespaces/{namespace}/shapes/{name}":
            {"get": operation("get"), "put": operation("put"), "patch": operation("patch")},
    });
    let of = |spec: Value| {
        json!({"io.g.v1.Shape": {"type": "object", "x-kubernetes-group-version-kind": [kind], "properties": {
            "apiVersion": {"type": "string"}, "kind": {"type": "string"}, "metadata": {"type": "object"}, "spec": spec}}})
    };
    let info = json!({"title": "Shapes", "version": "v1"});
    if syntax == "swagger" {
        let spec = spec_schema(&json!({"type": "string", "format": "int-or-string"}));
        json!({"swagger": "2.0", "info": info, "paths": paths, "definitions": of(spec)})
    } else {
        let spec = spec_schema(&json!({"x-kubernetes-int-or-string": true}));
        json!({"openapi": "3.0.0", "info": info, "paths": paths, "components": {"schemas": of(spec)}})
    }
}

/// The same document as clusters have it for custom resources: strategic merge patches are not among what PATCH consumes.
fn of_a_cluster(mut document: Value) -> Value {
    let types =
        ["application/json-patch+json", "application/merge-patch+json", "application/apply-patch+yaml"];
    let is_v2 = document["swagger"].is_string();
    let patch = &mut document["paths"]["/apis/g.io/v1/namespaces/{namespace}/shapes/{name}"]["patch"];
    if is_v2 {
        patch["consumes"] = json!(types);
    } else {
        let content: serde_json::Map<_, _> =
            types.map(|name| (name.to_owned(), json!({}))).into_iter().collect();
        patch["requestBody"] = json!({"content": content});
    }
    document
}

/// A document of a version of Kubernetes, with less about pod templates than it has.
fn about_pod_templates() -> Value {
    let object = |properties: Value| json!({"type": "object", "properties": properties});
    let text = json!({"type": "string"});
    let container = object(json!({"name": text, "image": text, "imagePullPolicy": text}));
    let template =
        object(json!({"spec": object(json!({"containers": {"type": "array", "items": container}}))}));
    let mut kind = object(
        json!({"apiVersion": text, "kind": text, "metadata": {"type": "object"}, "template": template}),
    );
    kind["x-kubernetes-group-version-kind"] = json!([{"group": "", "version": "v1", "kind": "PodTemplate"}]);
    json!({"swagger": "2.0", "info": {"title": "Kubernetes", "version": "v1.30.2"}, "paths": {},
        "definitions": {"io.k8s.api.core.v1.PodTemplate": kind}})
}
