//! Servers that share an etcd are one API server.

use std::{sync::Arc, time::Duration};

use bytes::Bytes;
use http::Request;
use http_body_util::BodyExt;
use kubemerge_server::ApiServer;
use serde_json::{Value, json};

use crate::stores::etcd::{Etcd, Stores, prefix, shared};

const MAPS: &str = "/api/v1/namespaces/default/configmaps";
const SERVICES: &str = "/api/v1/namespaces/default/services";

/// Two servers over one etcd.
struct Replicas {
    one: ApiServer,
    two: ApiServer,
    // Last, so that it ends after them.
    _etcd: Arc<Etcd>,
}

fn replicas(test: &str) -> Option<Replicas> {
    let etcd = shared(test)?;
    let prefix = prefix(test);
    let server = || ApiServer::builder().store(etcd.open(&prefix)).build().unwrap();
    Some(Replicas { one: server(), two: server(), _etcd: etcd.clone() })
}

async fn ask(server: &ApiServer, method: &str, path: &str, body: Value) -> (u16, Value) {
    let body = if body.is_null() { Bytes::new() } else { body.to_string().into() };
    let request = Request::builder().method(method).uri(path).header("content-type", "application/json");
    let answer = server.handle(request.body(body).unwrap()).await;
    let code = answer.status().as_u16();
    let bytes = answer.into_body().collect().await.unwrap().to_bytes();
    (code, serde_json::from_slice(&bytes).unwrap_or_default())
}

async fn created(server: &ApiServer, path: &str, body: Value) -> Value {
    let (code, body) = ask(server, "POST", path, body).await;
    assert_eq!(code, 201, "{body}");
    body
}

async fn found(server: &ApiServer, path: &str) -> Value {
    let (code, body) = ask(server, "GET", path, Value::Null).await;
    assert_eq!(code, 200, "{body}");
    body
}

async fn is_gone(server: &ApiServer, path: &str) -> bool {
    ask(server, "GET", path, Value::Null).await.0 == 404
}

fn map(name: &str) -> Value {
    json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": {"a": "1"}})
}

#[tokio::test(flavor = "multi_thread")]
async fn a_write_through_one_is_read_through_the_other() {
    let Some(Replicas { one, two, _etcd }) = replicas("reading") else { return };
    for number in 0..20 {
        let name = format!("map-{number}");
        let object = created(&one, MAPS, map(&name)).await;
        assert_eq!(found(&two, &format!("{MAPS}/{name}")).await, object);
        let (code, _) = ask(&two, "DELETE", &format!("{MAPS}/{name}"), Value::Null).await;
        assert_eq!(code, 200);
        assert!(is_gone(&one, &format!("{MAPS}/{name}")).await);
    }
    let (code, _) = ask(&one, "POST", MAPS, map("twice")).await;
    let (again, _) = ask(&two, "POST", MAPS, map("twice")).await;
    assert_eq!((code, again), (201, 409));
}

// A runtime with one thread: the calls of etcd run elsewhere.
#[tokio::test]
async fn watches_see_the_writes_of_the_other() {
    let Some(Replicas { one, two, _etcd }) = replicas("watches") else { return };
    let version = found(&two, MAPS).await["metadata"]["resourceVersion"].as_str().unwrap().to_string();
    let path = format!("{MAPS}?watch=true&resourceVersion={version}");
    let request = Request::builder().uri(path).body(Bytes::new()).unwrap();
    let mut events = two.handle(request).await.into_body();
    for name in ["a", "b"] {
        let object = created(&one, MAPS, map(name)).await;
        let line = events.frame().await.unwrap().unwrap().into_data().unwrap();
        let event: Value = serde_json::from_slice(&line).unwrap();
        assert_eq!((&event["type"], &event["object"]), (&json!("ADDED"), &object));
    }
}

fn definition() -> Value {
    json!({"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": "kiosks.example.com"},
        "spec": {"group": "example.com", "scope": "Namespaced", "names": {"plural": "kiosks", "kind": "Kiosk"},
            "versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": {
                "type": "object", "properties": {"spec": {"type": "object", "properties": {
                    "size": {"type": "integer"}}}}}}}]}})
}

#[tokio::test(flavor = "multi_thread")]
async fn definitions_of_one_are_served_by_the_other() {
    let Some(Replicas { one, two, _etcd }) = replicas("definitions") else { return };
    let definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
    let kiosks = "/apis/example.com/v1/namespaces/default/kiosks";
    created(&one, definitions, definition()).await;
    // With the next request: nothing has to be waited for.
    let kiosk = json!({"apiVersion": "example.com/v1", "kind": "Kiosk", "metadata": {"name": "k"},
        "spec": {"size": 1, "unknown": true}});
    let object = created(&two, kiosks, kiosk).await;
    assert_eq!(object["spec"], json!({"size": 1}), "pruned by the schema");
    let request = Request::builder().uri(format!("{kiosks}?watch=true")).body(Bytes::new()).unwrap();
    let mut events = two.handle(request).await.into_body();
    ask(&one, "DELETE", &format!("{definitions}/kiosks.example.com"), Value::Null).await;
    assert_eq!(ask(&two, "GET", kiosks, Value::Null).await.0, 404);
    // The watch of the other server ends with its resource, although that server was asked nothing.
    let end = tokio::time::timeout(Duration::from_mins(1), async { while events.frame().await.is_some() {} });
    assert!(end.await.is_ok());
}

#[tokio::test(flavor = "multi_thread")]
async fn garbage_is_collected_whoever_deletes_the_owner() {
    let Some(Replicas { one, two, _etcd }) = replicas("garbage") else { return };
    let owner = created(&one, MAPS, map("owner")).await;
    let mut dependent = map("dependent");
    dependent["metadata"]["ownerReferences"] =
        json!([{"apiVersion": "v1", "kind": "ConfigMap", "name": "owner", "uid": owner["metadata"]["uid"]}]);
    created(&two, MAPS, dependent).await;
    ask(&one, "DELETE", &format!("{MAPS}/owner"), Value::Null).await;
    assert!(is_gone(&two, &format!("{MAPS}/dependent")).await);
    // A namespace that one server empties while the other fills it ends empty or refuses.
    created(&one, "/api/v1/namespaces", json!({"metadata": {"name": "short"}})).await;
    let fill = async {
        for number in 0..50 {
            let path = "/api/v1/namespaces/short/configmaps";
            let (code, body) = ask(&two, "POST", path, map(&format!("m-{number}"))).await;
            if code != 201 {
                assert!(code == 403 || code == 404, "{body}");
                return;
            }
        }
    };
    let end = ask(&one, "DELETE", "/api/v1/namespaces/short", Value::Null);
    let ((), _) = tokio::join!(fill, end);
    let rest = found(&one, "/api/v1/configmaps?fieldSelector=metadata.namespace%3Dshort").await;
    assert!(is_gone(&two, "/api/v1/namespaces/short").await);
    assert_eq!(rest["items"], json!([]));
}

#[tokio::test(flavor = "multi_thread")]
async fn addresses_and_ports_are_given_once() {
    let Some(Replicas { one, two, _etcd }) = replicas("addresses") else { return };
    let service = |name: &str, spec: Value| {
        let mut service =
            json!({"apiVersion": "v1", "kind": "Service", "metadata": {"name": name}, "spec": spec});
        service["spec"]["ports"] = json!([{"port": 80}]);
        service
    };
    // Both want the same address at the same time: one of them gets it.
    for number in 0..10 {
        let spec = json!({"clusterIP": format!("10.0.0.{}", 20 + number)});
        let (first, second) = tokio::join!(
            ask(&one, "POST", SERVICES, service(&format!("a-{number}"), spec.clone())),
            ask(&two, "POST", SERVICES, service(&format!("b-{number}"), spec.clone())),
        );
        let mut codes = [first.0, second.0];
        codes.sort_unstable();
        assert_eq!(codes, [201, 422], "{} {}", first.1, second.1);
    }
    let mut ports = std::collections::BTreeSet::new();
    for number in 0..10 {
        let spec = json!({"type": "NodePort"});
        let (first, second) = tokio::join!(
            ask(&one, "POST", SERVICES, service(&format!("c-{number}"), spec.clone())),
            ask(&two, "POST", SERVICES, service(&format!("d-{number}"), spec.clone())),
        );
        for (code, body) in [first, second] {
            assert_eq!(code, 201, "{body}");
            assert!(ports.insert(body["spec"]["ports"][0]["nodePort"].as_i64()), "{body}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_whole_state_is_replaced_for_all() {
    let Some(Replicas { one, two, _etcd }) = replicas("replacing") else { return };
    created(&one, MAPS, map("kept")).await;
    let snapshot = one.snapshot();
    created(&two, MAPS, map("dropped")).await;
    one.restore(&snapshot, kubemerge_server::Restore::EndWatches).unwrap();
    assert!(is_gone(&two, &format!("{MAPS}/dropped")).await);
    found(&two, &format!("{MAPS}/kept")).await;
    created(&two, MAPS, map("new")).await;
    found(&one, &format!("{MAPS}/new")).await;
}
