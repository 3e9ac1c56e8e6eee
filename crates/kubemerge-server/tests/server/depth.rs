//! Every verb over bodies that are nested below and far above the limit, on a small stack: each ends with a result or an
//! error.

use bytes::Bytes;
use http::Request;
use kubemerge_server::ApiServer;
use serde_json::{Value, json};

use crate::server::support::*;

/// Levels of documents that the server takes, with those above and below them, and of those that it refuses.
const TAKEN: usize = 100;
const REFUSED: usize = 9_900;
/// A quarter of what a thread has by default.
const STACK: usize = 512 * 1024;
const WIDGETS: &str = "/apis/example.com/v1/namespaces/default/widgets";
const DEFINITIONS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const REVISIONS: &str = "/apis/apps/v1/namespaces/default/controllerrevisions";

fn nested(levels: usize, opening: &str, closing: &str, bottom: &str) -> String {
    let levels = levels / opening.matches(['{', '[']).count();
    format!("{}{bottom}{}", opening.repeat(levels), closing.repeat(levels))
}

fn object(api_version: &str, kind: &str, members: &str) -> String {
    format!(
        r#"{{"apiVersion":"{api_version}","kind":"{kind}","metadata":{{"name":"x","namespace":"default"}},{members}}}"#
    )
}

/// Where a body is sent, and the body with a value at its bottom.
fn bodies(levels: usize, bottom: &str) -> Vec<(&'static str, String)> {
    let maps = nested(levels, r#"{"a":"#, "}", bottom);
    let lists = nested(levels, "[", "]", bottom);
    let items = nested(levels, r#"[{"name":"a","a":"#, "}]", bottom);
    let schema = nested(levels, r#"{"type":"object","properties":{"a":"#, "}}", r#"{"type":"string"}"#);
    let definition = format!(
        r#"{{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{{"name":"x.example.com"}},"spec":{{"group":"example.com","names":{{"kind":"X","plural":"x"}},"scope":"Cluster","versions":[{{"name":"v1","served":true,"storage":true,"schema":{{"openAPIV3Schema":{schema}}}}}]}}}}"#
    );
    vec![
        (WIDGETS, object("example.com/v1", "Widget", &format!(r#""spec":{maps}"#))),
        (WIDGETS, object("example.com/v1", "Widget", &format!(r#""spec":{lists}"#))),
        (WIDGETS, object("example.com/v1", "Widget", &format!(r#""spec":{items}"#))),
        (CONFIG_MAPS, object("v1", "ConfigMap", &format!(r#""data":{maps}"#))),
        (PODS, object("v1", "Pod", &format!(r#""spec":{{"containers":{items},"other":{lists}}}"#))),
        (REVISIONS, object("apps/v1", "ControllerRevision", &format!(r#""revision":1,"data":{maps}"#))),
        (DEFINITIONS, definition),
    ]
}

fn with_widgets() -> ApiServer {
    let schema = json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true});
    let version =
        json!({"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": schema}});
    let definition = json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": "widgets.example.com"},
        "spec": {
            "group": "example.com", "scope": "Namespaced", "versions": [version],
            "names": {"kind": "Widget", "plural": "widgets"},
        },
    });
    ApiServer::builder().deterministic().crds([definition]).build().unwrap()
}

async fn send_text(server: &ApiServer, method: &str, path: &str, content_type: &str, body: &str) -> u16 {
    let body = Bytes::copy_from_slice(body.as_bytes());
    let request = Request::builder().method(method).uri(path).header("content-type", content_type);
    let answer = send(server, request.body(body).unwrap()).await;
    assert!((200..=501).contains(&answer.code), "{method} {path}: {}", answer.code);
    answer.code
}

fn on_small_thread<F: Future<Output = ()>>(test: impl FnOnce() -> F + Send + 'static) {
    let run = || tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(test());
    std::thread::Builder::new().stack_size(STACK).spawn(run).unwrap().join().unwrap();
}

async fn writes(server: &ApiServer, levels: usize) -> Vec<u16> {
    let mut codes = Vec::new();
    for ((collection, first), (_, second)) in bodies(levels, "1").into_iter().zip(bodies(levels, "2")) {
        let name = if collection == DEFINITIONS { "x.example.com" } else { "x" };
        let path = format!("{collection}/{name}");
        codes.push(send_text(server, "POST", collection, "application/json", &first).await);
        for content_type in ["strategic-merge-patch+json", "merge-patch+json"] {
            let content_type = format!("application/{content_type}");
            codes.push(send_text(server, "PATCH", &path, &content_type, &second).await);
        }
        let operation =
            format!(r#"[{{"op":"add","path":"/spec","value":{}}}]"#, nested(levels, "[", "]", "1"));
        codes.push(send_text(server, "PATCH", &path, "application/json-patch+json", &operation).await);
        let applied = format!("{path}?fieldManager=a&force=true");
        codes.push(send_text(server, "PATCH", &applied, "application/apply-patch+yaml", &second).await);
        codes.push(send_text(server, "PUT", &path, "application/json", &second).await);
        for read in [path.clone(), collection.to_string()] {
            codes.push(send_text(server, "GET", &read, "application/json", "").await);
        }
        codes.push(send_text(server, "DELETE", &path, "application/json", "").await);
    }
    codes
}

#[test]
fn every_verb_ends() {
    on_small_thread(|| async {
        // The first is a map without types.
        for (levels, code) in [(TAKEN, 201), (REFUSED, 400)] {
            let codes = writes(&with_widgets(), levels).await;
            assert_eq!(codes[0], code, "{codes:?}");
        }
    });
}

#[test]
fn bodies_of_reviews_end() {
    on_small_thread(|| async {
        let server = with_widgets();
        let body = json!({"kind": "SelfSubjectAccessReview", "apiVersion": "authorization.k8s.io/v1", "spec": Value::Null});
        let body = body.to_string().replace("null", &nested(REFUSED, r#"{"a":"#, "}", "1"));
        let path = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";
        send_text(&server, "POST", path, "application/json", &body).await;
        send_text(&server, "DELETE", PODS, "application/json", &nested(REFUSED, r#"{"a":"#, "}", "1")).await;
    });
}
