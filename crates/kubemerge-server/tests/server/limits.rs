//! What one request may cost: sizes of stored objects as kube-apiserver and etcd have them, defaults, panics.

use kubemerge_server::{ApiServer, CreateRequest, Failure, ListRequest, On, Scope, ServeOptions};
use serde_json::{Value, json};

use crate::server::{http::exchange, support::*};

const BLOBS: &str = "/apis/example.com/v1/namespaces/default/blobs";

fn with_blobs() -> kubemerge_server::Builder {
    ApiServer::builder().deterministic().kind("example.com/v1", "Blob", "blobs", Scope::Namespaced)
}

fn blob(name: &str, bytes: usize) -> Value {
    json!({"apiVersion": "example.com/v1", "kind": "Blob", "metadata": {"name": name}, "data": "x".repeat(bytes)})
}

#[tokio::test]
async fn objects_have_the_size_limits_of_etcd() {
    let server = with_blobs().build().unwrap();
    assert_eq!(ask(&server, "POST", BLOBS, blob("fits", 1_500_000)).await.code, 201);
    let large = ask(&server, "POST", BLOBS, blob("large", 1_600_000)).await;
    assert_eq!((large.code, large.message()), (500, "etcdserver: request is too large"));
    assert_eq!(large.body.get("reason"), None);
    let larger = ask(&server, "POST", BLOBS, blob("larger", 2_200_000)).await;
    let start = "rpc error: code = ResourceExhausted desc = trying to send message larger than max (2200";
    assert!(larger.code == 500 && larger.message().starts_with(start), "{larger:?}");
    assert!(larger.message().ends_with(" vs. 2097152)"), "{larger:?}");
    assert_eq!(ask(&server, "POST", BLOBS, blob("body", 3_145_728)).await.code, 413);
}

#[tokio::test]
async fn patches_do_not_let_an_object_grow_for_ever() {
    let server = with_blobs().build().unwrap();
    ask(&server, "POST", BLOBS, blob("b", 1)).await;
    let path = format!("{BLOBS}/b");
    let merge = ("content-type", "application/merge-patch+json");
    let mut codes = Vec::new();
    for part in ["p1", "p2", "p3"] {
        let patch = json!({ part: "x".repeat(700_000) });
        codes.push(ask_as(&server, "PATCH", &path, merge, patch).await.code);
    }
    assert_eq!(codes, [200, 200, 500]);
    // What is there can still be changed and deleted.
    assert_eq!(ask_as(&server, "PATCH", &path, merge, json!({"p1": null})).await.code, 200);
    assert_eq!(ask(&server, "DELETE", &path, Value::Null).await.code, 200);
}

#[tokio::test]
async fn the_limit_of_objects_can_be_chosen() {
    let server = with_blobs().max_request_bytes(10_000).build().unwrap();
    assert_eq!(ask(&server, "POST", BLOBS, blob("small", 9_000)).await.code, 201);
    assert_eq!(ask(&server, "POST", BLOBS, blob("large", 11_000)).await.code, 500);
    let server = with_blobs().max_request_bytes(3_000_000).build().unwrap();
    assert_eq!(ask(&server, "POST", BLOBS, blob("large", 2_500_000)).await.code, 201);
}

#[tokio::test]
async fn defaults_cannot_make_an_object_too_large() {
    let server = server();
    let item = json!({"type": "object", "properties": {
        "text": {"type": "string", "default": "x".repeat(20_000)}}});
    let schema = json!({"type": "object", "properties": {"list": {"type": "array", "items": item}}});
    let definition = json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": "bombs.example.com"},
        "spec": {"group": "example.com", "scope": "Namespaced", "names": {"plural": "bombs", "kind": "Bomb"},
            "versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": schema}}]}});
    let definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
    assert_eq!(ask(&server, "POST", definitions, definition).await.code, 201);
    let bomb = |count: usize| {
        json!({"apiVersion": "example.com/v1", "kind": "Bomb", "metadata": {"name": format!("b{count}")},
            "list": vec![json!({}); count]})
    };
    let bombs = "/apis/example.com/v1/namespaces/default/bombs";
    assert_eq!(ask(&server, "POST", bombs, bomb(10)).await.code, 201);
    let refused = ask(&server, "POST", bombs, bomb(100_000)).await;
    assert_eq!((refused.code, refused.message()), (500, "etcdserver: request is too large"));
}

#[tokio::test]
async fn health_is_answered_beside_a_request_that_takes_long() {
    let server = server();
    let (release, released) = std::sync::mpsc::channel::<()>();
    let (started, mut starts) = tokio::sync::mpsc::unbounded_channel();
    let released = std::sync::Mutex::new(released);
    let wait = move |_: &CreateRequest| -> Option<Result<Value, Failure>> {
        started.send(()).unwrap();
        released
            .lock()
            .unwrap()
            .recv_timeout(std::time::Duration::from_mins(1))
            .expect("health was answered");
        None
    };
    server.intercept(On::any().resource("customresourcedefinitions").instead(wait));
    // All of it is on one thread: a request that is carried out there keeps the others waiting.
    let serving = server.serve(ServeOptions::default()).await.unwrap();
    let address = serving.address();
    let long = tokio::spawn(async move {
        let path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
        let head = format!("POST {path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n");
        exchange(address, &format!("{head}content-length: 2\r\n\r\n{{}}")).await
    });
    starts.recv().await.unwrap();
    for path in ["/healthz", "/readyz", PODS] {
        let request = format!("GET {path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n");
        assert!(exchange(address, &request).await.starts_with("HTTP/1.1 200"), "{path}");
    }
    assert!(!long.is_finished());
    release.send(()).unwrap();
    assert!(long.await.unwrap().starts_with("HTTP/1.1 4"));
}

/// A definition with a schema of its own.
fn definition(schema: Value) -> Value {
    json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": "bombs.example.com"},
        "spec": {"group": "example.com", "scope": "Namespaced", "names": {"plural": "bombs", "kind": "Bomb"},
            "versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": schema}}]}})
}

#[tokio::test]
async fn patterns_of_a_definition_have_a_limit_together() {
    let definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
    let properties = |pattern: &dyn Fn(usize) -> String| {
        let properties =
            (0..100).map(|at| (format!("p{at}"), json!({"type": "string", "pattern": pattern(at)})));
        json!({"type": "object", "properties": properties.collect::<serde_json::Map<_, _>>()})
    };
    let refused =
        ask(&server(), "POST", definitions, definition(properties(&|at| format!(r"\pL{{1,{at}}}N")))).await;
    assert_eq!(refused.code, 422);
    assert!(
        refused.message().contains("must not take more than 16 MiB when they are compiled"),
        "{refused:?}"
    );
    let rule = |at: usize| json!({"rule": format!(r"!self.p0.matches('\\pL{{1,90}}{at}')")});
    let mut rules = json!({"type": "object", "properties": {"p0": {"type": "string", "maxLength": 10}}});
    rules["x-kubernetes-validations"] = (0..50).map(rule).collect();
    let refused = ask(&server(), "POST", definitions, definition(rules)).await;
    assert_eq!(refused.code, 422);
    assert!(refused.message().contains("take too much memory when they are compiled"), "{refused:?}");
    // Equal ones count once, and usual ones hardly.
    for pattern in [&|_: usize| r"\pL{1,20}N".to_owned() as String, &|at| format!("^[a-z]{{1,{at}}}x$")]
        as [&dyn Fn(usize) -> String; 2]
    {
        let created =
            ask(&server(), "POST", definitions, definition(properties(&|at| pattern(at + 1)))).await;
        assert_eq!(created.code, 201, "{created:?}");
    }
}

fn defect(_: &ListRequest) -> Option<Result<Value, Failure>> {
    panic!("a defect")
}

#[tokio::test]
async fn a_panic_costs_one_answer() {
    let server = server();
    server.intercept(On::any().resource("pods").instead(defect));
    let (lines, log) = std::sync::mpsc::channel();
    let options = ServeOptions::default().error_log(move |line| drop(lines.send(line.to_owned())));
    let serving = server.serve(options).await.unwrap();
    let ask = async |path: &str| {
        let request = format!("GET {path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n");
        exchange(serving.address(), &request).await
    };
    let answer = ask(PODS).await;
    assert!(answer.starts_with("HTTP/1.1 500") && answer.contains("caused apiserver to panic"), "{answer}");
    assert_eq!(log.recv().unwrap(), format!("the server panicked while it answered GET {PODS}"));
    assert!(ask(CONFIG_MAPS).await.starts_with("HTTP/1.1 200"));
    assert!(ask("/metrics").await.contains("kubemerge_panics_total 1\n"));
}
