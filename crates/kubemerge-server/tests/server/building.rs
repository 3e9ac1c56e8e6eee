//! Servers that are put together: what they begin with, and why they cannot.

use kubemerge_server::{ApiServer, Builder};
use serde_json::{Value, json};

use crate::server::support::*;

fn refusal(builder: Builder) -> (String, Option<String>) {
    let error = builder.build().err().expect("the server is not built");
    (error.to_string(), error.object().map(str::to_string))
}

#[test]
fn errors_name_the_object() {
    let thing =
        json!({"apiVersion": "x.io/v1", "kind": "Thing", "metadata": {"namespace": "a", "name": "b"}});
    let (text, object) = refusal(ApiServer::builder().objects([config_map("a"), thing]));
    assert_eq!(
        text,
        r#"Thing a/b: no kind "Thing" is served in "x.io/v1"; a custom resource needs its definition"#
    );
    assert_eq!(object.as_deref(), Some("Thing a/b"));
    let nameless = json!({"apiVersion": "v1", "kind": "ConfigMap"});
    let (text, _) = refusal(ApiServer::builder().objects_from("maps.yaml", [nameless]));
    assert_eq!(text, "ConfigMap without name in maps.yaml: metadata.name is missing");
    let (text, _) = refusal(ApiServer::builder().objects([json!({"data": {}})]));
    assert!(text.starts_with("an object without kind without name: no kind"), "{text}");
    let definition = json!({"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": "things.x.io"}, "spec": {"group": "x.io"}});
    let (text, _) = refusal(ApiServer::builder().crds([definition]));
    assert!(text.starts_with("CustomResourceDefinition things.x.io: "), "{text}");
    let (_, object) = refusal(ApiServer::builder().kubernetes("1.2"));
    assert_eq!(object, None);
}

#[test]
fn no_object_is_given_twice() {
    let mut same = config_map("a");
    same["metadata"]["namespace"] = json!("default");
    let (text, _) = refusal(ApiServer::builder().objects([config_map("a"), config_map("b"), same.clone()]));
    assert_eq!(text, "ConfigMap default/a: the object is given twice");
    let builder = ApiServer::builder().objects_from("one.yaml", [config_map("a")]);
    let (text, _) = refusal(builder.objects_from("two.yaml", [same]));
    assert_eq!(text, "ConfigMap default/a in two.yaml: the object is given twice, first in one.yaml");
    let scaler = |version: &str| {
        json!({"apiVersion": format!("autoscaling/{version}"), "kind": "HorizontalPodAutoscaler",
            "metadata": {"name": "h"}})
    };
    let (text, _) = refusal(ApiServer::builder().objects([scaler("v1"), scaler("v2")]));
    assert_eq!(text, "HorizontalPodAutoscaler h: the object is given twice", "versions share their objects");
}

#[tokio::test]
async fn what_the_server_makes_itself_can_be_given() {
    let namespace = |name: &str| json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name, "labels": {"own": "1"}}});
    let mut map = config_map("a");
    map["metadata"]["namespace"] = json!("team");
    let server =
        ApiServer::builder().objects([map, namespace("team"), namespace("default")]).build().unwrap();
    for name in ["team", "default"] {
        let found = get(&server, &format!("/api/v1/namespaces/{name}")).await;
        assert_eq!(found.body["metadata"]["labels"]["own"], "1", "{name}");
    }
}

#[tokio::test]
async fn a_namespace_of_a_cluster_scoped_object_is_ignored() {
    let node = json!({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n", "namespace": "x"}});
    let server = ApiServer::builder().objects([node]).build().unwrap();
    let found = get(&server, "/api/v1/nodes/n").await;
    assert_eq!((found.code, &found.body["metadata"]["namespace"]), (200, &Value::Null));
}

#[tokio::test]
async fn what_is_loaded_is_complete() {
    let secret =
        json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s"}, "stringData": {"a": "hi"}});
    let namespace = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "n"}});
    let mut failed = pod("failed");
    failed["status"] = json!({"phase": "Failed"});
    let damaged =
        json!({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "d"}, "spec": [5]});
    let server = ApiServer::builder()
        .objects([secret, namespace, pod("new"), failed, deployment("web"), damaged])
        .build()
        .unwrap();
    let found = async |path: &str| get(&server, path).await.body;
    let secret = found("/api/v1/namespaces/default/secrets/s").await;
    assert_eq!(
        (&secret["data"]["a"], &secret["stringData"], &secret["type"]),
        (&json!("aGk="), &Value::Null, &json!("Opaque"))
    );
    let namespace = found("/api/v1/namespaces/n").await;
    assert_eq!(
        (&namespace["status"]["phase"], &namespace["spec"]["finalizers"][0]),
        (&json!("Active"), &json!("kubernetes"))
    );
    assert_eq!(found(&format!("{PODS}/new")).await["status"]["phase"], "Pending");
    assert_eq!(found(&format!("{PODS}/failed")).await["status"]["phase"], "Failed");
    let loaded = found(&format!("{DEPLOYMENTS}/web")).await;
    let created = ask(&server, "POST", DEPLOYMENTS, deployment("other")).await.body;
    assert_eq!(loaded["spec"]["strategy"], created["spec"]["strategy"]);
    assert_eq!(found(&format!("{DEPLOYMENTS}/d")).await["spec"], json!([5]), "no check runs");
}

#[tokio::test]
async fn objects_satisfy_the_document_of_their_kind() {
    let kind = json!([{"group": "g.io", "version": "v1", "kind": "Shape"}]);
    let size = json!({"type": "integer", "minimum": 1});
    let spec = json!({"type": "object", "required": ["size"], "properties": {"size": size}});
    let document = json!({"swagger": "2.0", "definitions": {"io.g.v1.Spec": spec, "io.g.v1.Shape": {"type": "object",
        "properties": {"spec": {"$ref": "#/definitions/io.g.v1.Spec"}}, "x-kubernetes-group-version-kind": kind}}});
    let scope = kubemerge_server::Scope::Namespaced;
    let server =
        ApiServer::builder().openapi(document).kind("g.io/v1", "Shape", "shapes", scope).build().unwrap();
    let path = "/apis/g.io/v1/namespaces/default/shapes";
    let shape = |spec: Value| json!({"apiVersion": "g.io/v1", "kind": "Shape", "metadata": {"name": "a"}, "spec": spec});
    for (spec, text) in [
        (json!({}), "spec.size: Required value"),
        (
            json!({"size": 0}),
            "spec.size: Invalid value: 0: spec.size in body should be greater than or equal to 1",
        ),
    ] {
        let refused = ask(&server, "POST", path, shape(spec)).await;
        assert_eq!(
            (refused.code, refused.message()),
            (422, &*format!("Shape.g.io \"a\" is invalid: {text}"))
        );
    }
    assert_eq!(ask(&server, "POST", path, shape(json!({"size": 1}))).await.code, 201);
}
