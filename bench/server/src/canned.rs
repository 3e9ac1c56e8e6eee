//! A service that answers the same bytes, whatever is asked: the floor for any server in process.

use std::convert::Infallible;

use bytes::Bytes;
use http::{Method, Request, Response};
use http_body_util::{BodyExt, Full};
use kube5::client::Body;
use serde_json::{Value, json};

/// What the server would answer about a pod.
fn answer(at: usize) -> Value {
    let mut pod = crate::pod(&format!("pod-{at:04}"), at);
    pod["metadata"]["uid"] = json!("00000000-0000-4000-8000-000000000000");
    pod["metadata"]["resourceVersion"] = json!("12345");
    pod["metadata"]["creationTimestamp"] = json!("2026-01-01T00:00:00Z");
    pod["metadata"]["generation"] = json!(1);
    pod["status"] = json!({"phase": "Pending"});
    pod
}

pub(crate) fn client() -> kube5::Client {
    let one = Bytes::from(answer(0).to_string());
    let list = |items: Vec<Value>| {
        let list = json!({"apiVersion": "v1", "kind": "PodList", "metadata": {"resourceVersion": "1"}, "items": items});
        Bytes::from(list.to_string())
    };
    let all = list((0..crate::OBJECTS).map(answer).collect());
    let some = list((0..crate::OBJECTS).filter(|at| at % 10 == 3).map(answer).collect());
    let service = tower::service_fn(move |request: Request<Body>| {
        let bytes = match (request.method(), request.uri().path().ends_with("pods"), request.uri().query()) {
            (&Method::GET, true, Some(query)) if query.contains("labelSelector") => some.clone(),
            (&Method::GET, true, _) => all.clone(),
            _ => one.clone(),
        };
        async move {
            drop(request.into_body().collect().await);
            Ok::<_, Infallible>(Response::new(Full::new(bytes)))
        }
    });
    kube5::Client::new(service, "default")
}
