//! What is counted: kinds of requests, each for objects that are unlike.

use std::time::Duration;

use bytes::Bytes;
use http::{Method, Request, header::CONTENT_TYPE};
use kubemerge_server::{ApiServer, Clock};
use serde_json::{Value, json};

use crate::{custom, pod};

/// How many objects a row has, and so how many requests it can do.
pub(crate) const MAX_REQUESTS: usize = 400;

/// One kind of requests.
pub(crate) struct Row {
    pub(crate) name: &'static str,
    kind: &'static Kind,
    operation: Operation,
}

#[derive(Clone, Copy)]
enum Operation {
    Create,
    Update,
    Patch {
        content_type: &'static str,
        patch: fn(usize) -> Value,
    },
    Delete,
    /// An apply that creates the object.
    ApplyNew,
    /// An apply of a changed configuration by its only manager.
    ApplyChanged,
}

/// The objects of a row. They are the same in every run.
pub(crate) struct Kind {
    pub(crate) collection: &'static str,
    pub(crate) object: fn(usize) -> Value,
    /// Changes that an update and an apply make.
    pub(crate) change: fn(usize, &mut Value),
}

const STRATEGIC: &str = "application/strategic-merge-patch+json";
const MERGE: &str = "application/merge-patch+json";
const APPLY: &str = "application/apply-patch+yaml";
const JSON: &str = "application/json";

const POD_STRATEGIC: Operation = Operation::Patch { content_type: STRATEGIC, patch: pod::strategic_patch };
const POD_MERGE: Operation = Operation::Patch { content_type: MERGE, patch: pod::merge_patch };
const CUSTOM_MERGE: Operation = Operation::Patch { content_type: MERGE, patch: custom::merge_patch };

impl Row {
    pub(crate) const ALL: &[Row] = &[
        Row { name: "pod: create", kind: &pod::KIND, operation: Operation::Create },
        Row { name: "pod: update", kind: &pod::KIND, operation: Operation::Update },
        Row { name: "pod: strategic merge patch", kind: &pod::KIND, operation: POD_STRATEGIC },
        Row { name: "pod: merge patch", kind: &pod::KIND, operation: POD_MERGE },
        Row { name: "pod: apply, new", kind: &pod::KIND, operation: Operation::ApplyNew },
        Row { name: "pod: apply, changed", kind: &pod::KIND, operation: Operation::ApplyChanged },
        Row { name: "pod: delete", kind: &pod::KIND, operation: Operation::Delete },
        Row { name: "custom resource: create", kind: &custom::KIND, operation: Operation::Create },
        Row { name: "custom resource: update", kind: &custom::KIND, operation: Operation::Update },
        Row { name: "custom resource: merge patch", kind: &custom::KIND, operation: CUSTOM_MERGE },
        Row { name: "custom resource: delete", kind: &custom::KIND, operation: Operation::Delete },
        Row { name: "custom resource: apply, new", kind: &custom::KIND, operation: Operation::ApplyNew },
        Row {
            name: "custom resource: apply, changed",
            kind: &custom::KIND,
            operation: Operation::ApplyChanged,
        },
    ];

    pub(crate) fn named(name: &str) -> Option<&'static Row> {
        Row::ALL.iter().find(|row| row.name == name)
    }

    /// Bytes of an object as a client writes it.
    pub(crate) fn mean_size(&self) -> usize {
        let size = |at| (self.kind.object)(at).to_string().len();
        (0..MAX_REQUESTS).map(size).sum::<usize>() / MAX_REQUESTS
    }

    /// Sets all objects up and sends `requests` requests.
    ///
    /// All requests are made, whether they are sent or not, so that the number of requests is all that differs.
    pub(crate) async fn run(&self, requests: usize) {
        let clock = Clock::fixed(1_800_000_000);
        let server = ApiServer::builder().deterministic().clock(clock.clone()).crds([custom::definition()]);
        let server = server.build().expect("a server");
        let mut prepared = Vec::new();
        for at in 0..MAX_REQUESTS {
            prepared.push(self.prepare(&server, at).await);
        }
        // Writes in the second of the set-up would leave entries of owners with the same time.
        clock.advance(Duration::from_hours(1));
        for request in prepared.into_iter().take(requests) {
            send(&server, request).await;
        }
    }

    /// The request for an object, which is created before unless the request does so.
    async fn prepare(&self, server: &ApiServer, at: usize) -> Request<Bytes> {
        let object = (self.kind.object)(at);
        let name = object["metadata"]["name"].as_str().unwrap_or_default();
        let path = format!("{}/{name}", self.kind.collection);
        let create = request(Method::POST, self.kind.collection, JSON, &object);
        let apply = |object: &Value| {
            request(Method::PATCH, &format!("{path}?fieldManager=controller"), APPLY, object)
        };
        match self.operation {
            Operation::Create => create,
            Operation::Update => {
                let answer = send(server, create).await;
                let mut stored = serde_json::from_slice(&answer).expect("an object");
                (self.kind.change)(at, &mut stored);
                request(Method::PUT, &path, JSON, &stored)
            }
            Operation::Patch { content_type, patch } => {
                send(server, create).await;
                request(Method::PATCH, &path, content_type, &patch(at))
            }
            Operation::Delete => {
                send(server, create).await;
                request(Method::DELETE, &path, JSON, &json!({}))
            }
            Operation::ApplyNew => apply(&object),
            Operation::ApplyChanged => {
                send(server, apply(&object)).await;
                let mut object = object;
                (self.kind.change)(at, &mut object);
                apply(&object)
            }
        }
    }
}

/// Sorted and without spaces, as kubectl writes what it has read.
fn request(method: Method, path: &str, content_type: &str, body: &Value) -> Request<Bytes> {
    let request = Request::builder().method(method).uri(path).header(CONTENT_TYPE, content_type);
    request.body(Bytes::from(body.to_string())).expect("a request")
}

/// The body of the answer; only the set-up reads it as JSON.
async fn send(server: &ApiServer, request: Request<Bytes>) -> Bytes {
    let response = server.handle(request).await;
    let body = response.body().as_bytes().cloned().unwrap_or_default();
    assert!(response.status().is_success(), "{}: {}", response.status(), String::from_utf8_lossy(&body));
    body
}
