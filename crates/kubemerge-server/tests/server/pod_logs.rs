//! `pods/log` with all its options.

use std::time::Duration;

use http_body_util::BodyExt;
use k8s_openapi::api::core::v1::Pod;
use kube::api::{Api, LogParams};
use kubemerge_server::{ApiServer, Body};
use serde_json::{Value, json};

use crate::server::support::{PODS, ask, get, pod, status};

/// A pod whose log has one line at the start, one 10 seconds later, and one now, after 20.
fn with_log() -> ApiServer {
    let server = ApiServer::builder().deterministic().objects([pod("web")]).build().unwrap();
    for (at, line) in ["one\n", "two\n", "three\n"].into_iter().enumerate() {
        if at > 0 {
            server.advance(Duration::from_secs(10));
        }
        server.append_pod_log("default", "web", "nginx", line);
    }
    server
}

async fn text(server: &ApiServer, query: &str) -> String {
    let answer = get(server, &format!("{PODS}/web/log?container=nginx{query}")).await;
    assert_eq!(answer.code, 200, "{query}: {}", answer.body);
    answer.body.as_str().unwrap_or_default().to_string()
}

#[tokio::test]
async fn options_select_lines() {
    let server = with_log();
    for (query, wanted) in [
        ("", "one\ntwo\nthree\n"),
        ("&tailLines=2", "two\nthree\n"),
        ("&tailLines=0", ""),
        ("&tailLines=99", "one\ntwo\nthree\n"),
        ("&sinceSeconds=10", "two\nthree\n"),
        ("&sinceSeconds=1", "three\n"),
        ("&sinceTime=2026-01-01T00:00:05Z", "two\nthree\n"),
        ("&sinceSeconds=15&tailLines=3", "two\nthree\n"),
        ("&limitBytes=5", "one\nt"),
        ("&tailLines=1&timestamps=true", "2026-01-01T00:00:20.000000000Z three\n"),
        ("&timestamps=true&limitBytes=12", "2026-01-01T0"),
    ] {
        assert_eq!(text(&server, query).await, wanted, "{query}");
    }
}

#[tokio::test]
async fn the_log_of_the_container_before_is_another() {
    let server = with_log();
    let missing = get(&server, &format!("{PODS}/web/log?container=nginx&previous=true")).await;
    assert_eq!(missing.code, 400);
    assert_eq!(missing.message(), "previous terminated container \"nginx\" in pod \"web\" not found");
    server.set_previous_pod_log("default", "web", "nginx", "crashed\nbadly\n");
    assert_eq!(text(&server, "&previous=true&tailLines=1").await, "badly\n");
}

#[tokio::test]
async fn wrong_options_are_refused_as_kubernetes_does() {
    let server = with_log();
    for (query, field, message) in [
        ("tailLines=-1", "tailLines", "Invalid value: -1: must be greater than or equal to 0"),
        ("limitBytes=0", "limitBytes", "Invalid value: 0: must be greater than 0"),
        ("sinceSeconds=0", "sinceSeconds", "Invalid value: 0: must be greater than 0"),
    ] {
        let answer = get(&server, &format!("{PODS}/web/log?container=nginx&{query}")).await;
        assert_eq!(answer.code, 422, "{query}");
        assert_eq!(answer.message(), format!("PodLogOptions \"web\" is invalid: {field}: {message}"));
    }
    let both = "sinceSeconds=1&sinceTime=2026-01-01T00:00:05Z";
    let both = get(&server, &format!("{PODS}/web/log?container=nginx&{both}")).await;
    let text = "PodLogOptions \"web\" is invalid: []: Forbidden: at most one of `sinceTime` or `sinceSeconds` may be specified";
    assert_eq!(both.message(), text);
    let time = get(&server, &format!("{PODS}/web/log?container=nginx&sinceTime=yesterday")).await;
    assert_eq!(time.code, 400);
}

async fn follow(server: &ApiServer, query: &str) -> Body {
    let uri = format!("{PODS}/web/log?container=nginx&follow=true{query}");
    let request = http::Request::get(uri).body(bytes::Bytes::new()).unwrap();
    server.handle(request).await.into_body()
}

async fn next(body: &mut Body) -> Option<String> {
    let frame = tokio::time::timeout(Duration::from_mins(1), body.frame()).await.expect("something comes");
    Some(String::from_utf8(frame?.unwrap().into_data().unwrap().to_vec()).unwrap())
}

#[tokio::test]
async fn a_log_that_is_followed_goes_on() {
    let server = with_log();
    let mut log = follow(&server, "&tailLines=1").await;
    assert_eq!(next(&mut log).await.as_deref(), Some("three\n"));
    server.append_pod_log("default", "web", "nginx", "four\nfive\n");
    assert_eq!(next(&mut log).await.as_deref(), Some("four\n"));
    assert_eq!(next(&mut log).await.as_deref(), Some("five\n"));
    server.set_pod_log("default", "web", "nginx", "again\n");
    assert_eq!(next(&mut log).await.as_deref(), Some("again\n"), "a new log begins");
    server.end_pod_log("default", "web", "nginx");
    assert_eq!(next(&mut log).await, None);
}

#[tokio::test]
async fn a_log_that_is_followed_ends_with_its_limit_and_with_its_pod() {
    let server = with_log();
    let mut limited = follow(&server, "&limitBytes=6").await;
    assert_eq!(next(&mut limited).await.as_deref(), Some("one\n"));
    assert_eq!(next(&mut limited).await.as_deref(), Some("tw"));
    assert_eq!(next(&mut limited).await, None);
    let mut log = follow(&server, "&tailLines=0").await;
    let merge = ("content-type", "application/merge-patch+json");
    let finished = json!({"status": {"phase": "Succeeded"}});
    crate::server::support::ask_as(&server, "PATCH", &format!("{PODS}/web/status"), merge, finished).await;
    assert_eq!(next(&mut log).await, None);
    ask(&server, "DELETE", &format!("{PODS}/web"), Value::Null).await;
}

#[tokio::test]
async fn kube_reads_logs() {
    let server = with_log();
    let pods: Api<Pod> = Api::default_namespaced(server.client());
    let params = LogParams { container: Some("nginx".into()), tail_lines: Some(1), ..LogParams::default() };
    assert_eq!(pods.logs("web", &params).await.unwrap(), "three\n");
    let nameless = status(pods.logs("web", &LogParams::default()).await);
    assert_eq!(nameless.code, 400);
}
