//! What the tests share: a server, plain requests, small objects.

use std::time::Duration;

use bytes::Bytes;
use http::Request;
use http_body_util::BodyExt;
use kube::core::Status;
use kubemerge_server::{ApiServer, Body};
use serde_json::{Value, json};

pub(crate) fn server() -> ApiServer {
    ApiServer::builder().deterministic().build().unwrap()
}

/// The answer to a plain request.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) code: u16,
    pub(crate) body: Value,
    pub(crate) headers: http::HeaderMap,
}

impl Answer {
    pub(crate) fn message(&self) -> &str {
        self.body["message"].as_str().unwrap_or_default()
    }

    pub(crate) fn warnings(&self) -> Vec<String> {
        let all = self.headers.get_all("warning").iter();
        all.map(|value| value.to_str().unwrap().trim_start_matches("299 - ").to_string()).collect()
    }
}

pub(crate) async fn send(server: &ApiServer, request: Request<Bytes>) -> Answer {
    let response = server.handle(request).await;
    let (parts, body) = response.into_parts();
    let bytes = body.collect().await.unwrap().to_bytes();
    let body = serde_json::from_slice(&bytes)
        .unwrap_or_else(|_| Value::String(String::from_utf8_lossy(&bytes).into_owned()));
    Answer { code: parts.status.as_u16(), body, headers: parts.headers }
}

/// A request with a JSON body, or none for null.
pub(crate) async fn ask(server: &ApiServer, method: &str, path: &str, body: Value) -> Answer {
    ask_as(server, method, path, ("content-type", "application/json"), body).await
}

pub(crate) async fn ask_as(
    server: &ApiServer,
    method: &str,
    path: &str,
    (header, value): (&str, &str),
    body: Value,
) -> Answer {
    let bytes = if body.is_null() { Bytes::new() } else { body.to_string().into() };
    let request = Request::builder().method(method).uri(path).header(header, value).body(bytes).unwrap();
    send(server, request).await
}

pub(crate) async fn get(server: &ApiServer, path: &str) -> Answer {
    ask(server, "GET", path, Value::Null).await
}

pub(crate) fn config_map(name: &str) -> Value {
    json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": {"a": "1"}})
}

pub(crate) const CONFIG_MAPS: &str = "/api/v1/namespaces/default/configmaps";

pub(crate) fn pod(name: &str) -> Value {
    json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "labels": {"app": name}},
        "spec": {"containers": [{"name": "nginx", "image": "nginx:1.14"}, {"name": "sidecar", "image": "sidecar:v1"}]}})
}

pub(crate) const PODS: &str = "/api/v1/namespaces/default/pods";

pub(crate) fn deployment(name: &str) -> Value {
    json!({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": name},
        "spec": {"replicas": 1, "selector": {"matchLabels": {"app": name}}, "template": {
            "metadata": {"labels": {"app": name}}, "spec": {"containers": [{"name": "c", "image": "i:1"}]}}}})
}

pub(crate) const DEPLOYMENTS: &str = "/apis/apps/v1/namespaces/default/deployments";

/// The Status inside of a client's error.
pub(crate) fn status<T: std::fmt::Debug>(result: Result<T, kube::Error>) -> Box<Status> {
    match result.unwrap_err() {
        kube::Error::Api(status) => status,
        other => panic!("not an API error: {other}"),
    }
}

/// An open watch, read line by line.
pub(crate) struct Watch(Body, Vec<u8>);

impl Watch {
    pub(crate) async fn open(server: &ApiServer, path: &str) -> Watch {
        Watch::open_as(server, path, "application/json").await
    }

    pub(crate) async fn open_as(server: &ApiServer, path: &str, accept: &str) -> Watch {
        let request = http::Request::builder().uri(path).header("accept", accept).body(Bytes::new()).unwrap();
        let response = server.handle(request).await;
        assert_eq!(response.status(), 200, "{path}");
        Watch(response.into_body(), Vec::new())
    }

    /// The next event; none at the end of the stream.
    pub(crate) async fn next(&mut self) -> Option<Value> {
        loop {
            if let Some(end) = self.1.iter().position(|byte| *byte == b'\n') {
                let line: Vec<u8> = self.1.drain(..=end).collect();
                return Some(serde_json::from_slice(&line).unwrap());
            }
            let frame = self.0.frame().await?.unwrap();
            self.1.extend_from_slice(&frame.into_data().unwrap());
        }
    }

    /// The next event as `TYPE name`.
    pub(crate) async fn line(&mut self) -> String {
        let event = tokio::time::timeout(Duration::from_mins(1), self.next()).await.expect("an event comes");
        let event = event.expect("the watch goes on");
        let name = event["object"]["metadata"]["name"].as_str().unwrap_or_default();
        format!("{} {name}", event["type"].as_str().unwrap()).trim_end().to_string()
    }

    pub(crate) async fn is_silent(&mut self) -> bool {
        tokio::time::timeout(Duration::from_millis(50), self.next()).await.is_err()
    }
}
