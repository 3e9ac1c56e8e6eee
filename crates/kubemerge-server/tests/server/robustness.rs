//! Strange input gets an answer, never a panic: the server runs inside the test process of a user.

use serde_json::{Value, json};

use crate::server::support::*;

/// Values where something else is expected.
fn strange() -> Vec<Value> {
    vec![
        json!(null),
        json!(true),
        json!(-1),
        json!(1e300),
        json!(i64::MAX),
        json!(""),
        json!("\u{0}\u{fffd}\"\\"),
        json!([]),
        json!([null]),
        json!([[1]]),
        json!([5, {"name": 5}]),
        json!({}),
        json!({"": null}),
        json!({"name": [], "metadata": 5, "spec": [], "items": {}}),
    ]
}

#[tokio::test]
async fn strange_bodies_are_answered() {
    let server = server();
    ask(&server, "POST", PODS, pod("p")).await;
    ask(&server, "POST", DEPLOYMENTS, deployment("d")).await;
    let places = [
        ("POST", CONFIG_MAPS.to_string()),
        ("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions".to_string()),
        ("POST", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews".to_string()),
        ("POST", "/api/v1/namespaces/default/serviceaccounts/x/token".to_string()),
        ("POST", format!("{PODS}/p/eviction?dryRun=All")),
        ("POST", format!("{PODS}/p/binding")),
        ("PUT", format!("{DEPLOYMENTS}/d/scale")),
        ("PUT", format!("{DEPLOYMENTS}/d/status")),
        ("PUT", format!("{PODS}/p/resize")),
        ("PUT", format!("{PODS}/p/ephemeralcontainers")),
        ("PUT", "/api/v1/namespaces/default/finalize".to_string()),
        ("DELETE", format!("{PODS}/none")),
    ];
    for (method, path) in &places {
        for value in strange() {
            for body in [
                value.clone(),
                json!({"metadata": value}),
                json!({"metadata": {"name": "n", "labels": value}}),
                json!({"metadata": {"name": "n", "ownerReferences": value, "finalizers": value}}),
                json!({"metadata": {"name": "n"}, "spec": value}),
                json!({"metadata": {"name": "n"}, "spec": {"names": value, "versions": value, "containers": value}}),
                json!({"metadata": {"name": "n"}, "status": value, "target": value, "deleteOptions": value}),
                json!({"preconditions": value, "dryRun": value, "gracePeriodSeconds": value}),
            ] {
                let answer = ask(&server, method, path, body.clone()).await;
                assert!((200..=501).contains(&answer.code), "{method} {path} {body}: {answer:?}");
            }
        }
    }
}

#[tokio::test]
async fn strange_patches_are_answered() {
    let server = server();
    ask(&server, "POST", PODS, pod("p")).await;
    ask(&server, "POST", DEPLOYMENTS, deployment("d")).await;
    for path in [format!("{PODS}/p"), format!("{PODS}/p/status"), format!("{DEPLOYMENTS}/d/scale")] {
        for content_type in ["json", "merge", "strategic-merge"] {
            let header = format!("application/{content_type}-patch+json");
            for value in strange() {
                for body in [
                    value.clone(),
                    json!({"metadata": value, "spec": value}),
                    json!({"spec": {"containers": value, "$setElementOrder/containers": value, "replicas": value}}),
                    json!([{"op": "replace", "path": "/metadata", "value": value}]),
                    json!([{"op": "add", "path": "/spec/containers/0", "value": value}]),
                    json!([{"op": "replace", "path": "", "value": value}]),
                ] {
                    let answer = ask_as(
                        &server,
                        "PATCH",
                        &format!("{path}?dryRun=All"),
                        ("content-type", &header),
                        body.clone(),
                    )
                    .await;
                    assert!((200..=500).contains(&answer.code), "{header} {path} {body}: {answer:?}");
                }
            }
        }
    }
}

#[tokio::test]
async fn strange_queries_and_paths_are_answered() {
    let server = server();
    ask(&server, "POST", PODS, pod("p")).await;
    for query in [
        "limit=-1",
        "limit=x",
        "limit=99999999999999999999",
        "continue=e30",
        "continue=%00",
        "labelSelector=%ff",
        "labelSelector=a%20in%20((((",
        "fieldSelector=%5C",
        "resourceVersion=99999999999999999999999",
        "watch=true&timeoutSeconds=-5&resourceVersion=99999",
        "timeoutSeconds=x",
        "dryRun=%20",
        "=&&&=x&%",
        "pretty=true&includeObject=None",
    ] {
        let request =
            http::Request::builder().uri(format!("{PODS}?{query}")).body(bytes::Bytes::new()).unwrap();
        let response = server.handle(request).await;
        assert!(response.status().as_u16() >= 200, "{query}");
    }
    let answer = ask(&server, "DELETE", &format!("{PODS}?watch=true&labelSelector=a%3Db"), Value::Null).await;
    assert_eq!(answer.code, 200, "a deletion is no watch");
    for path in
        ["//", "/api//v1///pods", "/api/v1/namespaces/%2F/pods/%2e%2e", "/openapi/v3//", "/apis/%00/v1/x"]
    {
        assert!(get(&server, path).await.code >= 200, "{path}");
    }
}

#[tokio::test]
async fn very_many_parts_are_answered() {
    let server = server();
    let many = |each: fn(usize) -> Value| Value::Array((0..20_000).map(each).collect());
    let owners = many(|at| json!({"apiVersion": "v1", "kind": "Pod", "name": "p", "uid": at.to_string()}));
    let finalizers = many(|at| json!(format!("x.io/f{at}")));
    let mut map = config_map("a");
    map["metadata"]["ownerReferences"] = owners;
    map["metadata"]["finalizers"] = finalizers;
    assert_eq!(ask(&server, "POST", CONFIG_MAPS, map).await.code, 201);
    let mut stored = get(&server, &format!("{CONFIG_MAPS}/a")).await.body;
    assert_eq!(ask(&server, "DELETE", &format!("{CONFIG_MAPS}/a"), Value::Null).await.code, 200);
    stored["metadata"]["resourceVersion"] = json!("");
    stored["metadata"]["ownerReferences"].as_array_mut().unwrap().rotate_left(1);
    stored["metadata"]["finalizers"].as_array_mut().unwrap().rotate_left(1);
    assert_eq!(ask(&server, "PUT", &format!("{CONFIG_MAPS}/a"), stored).await.code, 200);
    let mut map = config_map("b");
    let controller = |at| json!({"apiVersion": "v1", "kind": "Pod", "name": "p", "uid": format!("{at}"), "controller": true});
    map["metadata"]["ownerReferences"] = many(controller);
    assert_eq!(ask(&server, "POST", CONFIG_MAPS, map).await.code, 422);
}

/// An object with very many members of its own making beside those it needs.
fn with_many(mut object: Value) -> Value {
    for at in 0..60_000 {
        object[format!("x{at}")] = json!(1);
    }
    object
}

#[tokio::test]
async fn very_many_unknown_fields_are_dropped() {
    let server = server();
    let answer = ask(&server, "POST", CONFIG_MAPS, with_many(config_map("a"))).await;
    assert_eq!((answer.code, &answer.body["data"]), (201, &json!({"a": "1"})));
    let mut map = config_map("b");
    map["metadata"] = with_many(map["metadata"].take());
    let answer = ask(&server, "POST", CONFIG_MAPS, map).await;
    assert_eq!((answer.code, &answer.body["metadata"]["x1"]), (201, &Value::Null));
}

/// A definition of custom objects with a status and a schema.
fn definition(plural: &str, kind: &str, schema: Value) -> Value {
    json!({"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": format!("{plural}.example.io")},
        "spec": {"group": "example.io", "scope": "Cluster", "names": {"plural": plural, "kind": kind},
            "versions": [{"name": "v1", "served": true, "storage": true, "subresources": {"status": {}},
                "schema": {"openAPIV3Schema": schema}}]}})
}

#[tokio::test]
async fn very_many_fields_of_custom_objects_are_kept_or_pruned() {
    let server = server();
    let definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
    let free = json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true});
    for body in [definition("frees", "Free", free), definition("tights", "Tight", json!({"type": "object"}))]
    {
        assert_eq!(ask(&server, "POST", definitions, body).await.code, 201);
    }
    for (plural, kind, kept) in [("frees", "Free", json!(1)), ("tights", "Tight", Value::Null)] {
        let path = format!("/apis/example.io/v1/{plural}");
        let object = json!({"apiVersion": "example.io/v1", "kind": kind, "metadata": {"name": "a"}});
        let created = ask(&server, "POST", &path, with_many(object)).await;
        assert_eq!((created.code, &created.body["x1"]), (201, &kept));
        let merge = ("content-type", "application/merge-patch+json");
        let change = json!({"x1": 2, "x60000": 1, "status": {"ready": true}});
        let changed = ask_as(&server, "PATCH", &format!("{path}/a/status"), merge, change).await;
        assert_eq!((changed.code, &changed.body["x1"], &changed.body["x60000"]), (200, &kept, &Value::Null));
    }
}

#[tokio::test]
async fn very_many_objects_hold_back_their_namespace_and_their_definition() {
    let server = server();
    let definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
    let mut namespaced = definition("things", "Thing", json!({"type": "object"}));
    namespaced["spec"]["scope"] = json!("Namespaced");
    ask(&server, "POST", definitions, namespaced).await;
    ask(&server, "POST", "/api/v1/namespaces", json!({"metadata": {"name": "many"}})).await;
    let things = |namespace: &str| format!("/apis/example.io/v1/namespaces/{namespace}/things");
    for at in 0..4_000 {
        let finalizers = if at % 2 == 0 { json!(["x.io/f"]) } else { json!([]) };
        let thing = json!({"apiVersion": "example.io/v1", "kind": "Thing",
            "metadata": {"name": format!("t{at}"), "finalizers": finalizers}});
        let namespace = if at % 4 < 2 { "many" } else { "default" };
        assert_eq!(ask(&server, "POST", &things(namespace), thing).await.code, 201);
    }
    ask(&server, "DELETE", "/api/v1/namespaces/many", Value::Null).await;
    let left =
        async |namespace: &str| get(&server, &things(namespace)).await.body["items"].as_array().map(Vec::len);
    assert_eq!((left("many").await, left("default").await), (Some(1_000), Some(2_000)));
    ask(&server, "DELETE", &format!("{definitions}/things.example.io"), Value::Null).await;
    assert_eq!((left("many").await, left("default").await), (Some(1_000), Some(1_000)));
}
