//! The corpus as HTTP PATCH: every apply case about an object of a kind that the server has gives the recorded result,
//! with defaults beside it, or the recorded error.
//!
//! Other cases use schemas made for one rule, which no server serves, custom resources, which have no strategic merge in
//! Kubernetes, or documents that are no objects of their kind. The counts are exact: they change with the corpus.

use std::collections::BTreeMap;

use bytes::Bytes;
use http::Request;
use kubemerge::Dialect;
use kubemerge_server::{ApiServer, Validation};
use kubemerge_test_support::corpus::{Case, cases};
use serde_json::{Value, json};

use Outcome::{Merged, NoObject, NoResult, NotServed, Refused};

use crate::server::support::{Answer, send};

/// The kinds of the corpus that the server has, and where it serves them.
const SERVED: [(&str, &str); 6] = [
    ("v1/Pod", "/api/v1/namespaces/default/pods"),
    ("v1/Service", "/api/v1/namespaces/default/services"),
    ("apps/v1/Deployment", "/apis/apps/v1/namespaces/default/deployments"),
    ("apps/v1/ControllerRevision", "/apis/apps/v1/namespaces/default/controllerrevisions"),
    ("batch/v1/Job", "/apis/batch/v1/namespaces/default/jobs"),
    ("policy/v1/PodDisruptionBudget", "/apis/policy/v1/namespaces/default/poddisruptionbudgets"),
];

/// The result of a case.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Outcome {
    /// The answer has what was recorded.
    Merged,
    /// The error is the recorded one.
    Refused,
    /// The server serves no such kind, or with other rules.
    NotServed,
    /// The live document is no object of its kind.
    NoObject,
    /// The result is no object of its kind, has fields that the kind does not have, or is another object.
    NoResult,
}

#[tokio::test]
async fn upstream_cases_answer_over_http() {
    let counts = [(Merged, 62), (Refused, 6), (NotServed, 341), (NoObject, 1), (NoResult, 8)];
    check(Dialect::Upstream, &counts).await;
}

#[tokio::test]
async fn spec_cases_answer_over_http() {
    let counts = [(Merged, 34), (Refused, 2), (NotServed, 405), (NoObject, 1), (NoResult, 3)];
    check(Dialect::Spec, &counts).await;
}

async fn check(dialect: Dialect, expected: &[(Outcome, usize)]) {
    let mut counts: BTreeMap<Outcome, usize> = BTreeMap::new();
    let empty =
        ApiServer::builder().validation(Validation::Off).deterministic().dialect(dialect).build().unwrap();
    for case in cases("apply").expect("the corpus can be read") {
        let Some(answer) = case.get(dialect.name()) else { continue };
        let outcome = run(&case, &serde_json::from_str(answer).unwrap(), &empty).await;
        *counts.entry(outcome).or_default() += 1;
    }
    assert_eq!(counts.into_iter().collect::<Vec<_>>(), expected);
}

async fn run(case: &Case, expected: &Value, empty: &ApiServer) -> Outcome {
    let kind = case.get("type").unwrap_or_default();
    let served = SERVED.iter().find(|(name, _)| *name == kind);
    let Some((name, collection)) = served.filter(|_| is_own_schema(case)) else { return NotServed };
    let server = empty.fork();
    let live = object(name, case.document("original"));
    if live.is_none_or(|live| server.set(live).is_err()) {
        return NoObject;
    }
    let body = case.document("patch");
    // Only this endpoint writes the status.
    let is_status = serde_json::from_str::<Value>(body).is_ok_and(|patch| patch.get("status").is_some());
    let path = format!("{collection}/case{}", if is_status { "/status" } else { "" });
    let strict = patch(&server.fork(), &format!("{path}?fieldValidation=Strict"), body).await;
    let answer = patch(&server, &path, body).await;
    if let Some(fault) = expected["error"]["kind"].as_str() {
        assert!(answer.code >= 400, "{}: {answer:?}", case.place);
        let cause = &answer.body["details"]["causes"][0]["reason"];
        assert!(cause == fault, "{}: wanted {fault}, got {answer:?}", case.place);
        return Refused;
    }
    match (answer.code, object(name, &expected["result"].to_string())) {
        // Either it does not decode at all, or it has fields that the kind does not have.
        (422, _) | (_, None) => NoResult,
        (200, Some(_)) if strict.code != 200 => NoResult,
        (200, Some(wanted)) => {
            let stored = without_added_tolerations(answer.body);
            assert!(has(&stored, &wanted), "{}:\nwanted {wanted}\ngot {stored}", case.place);
            Merged
        }
        _ => panic!("{}: {answer:?}", case.place),
    }
}

/// An object without the tolerations that admission adds to every pod.
fn without_added_tolerations(mut object: Value) -> Value {
    if let Some(Value::Array(tolerations)) = object.pointer_mut("/spec/tolerations") {
        tolerations
            .retain(|one| !one["key"].as_str().is_some_and(|key| key.starts_with("node.kubernetes.io/")));
    }
    object
}

/// Whether an object has all values of another one. Defaults come beside them, and empty values are not written.
fn has(object: &Value, wanted: &Value) -> bool {
    let is_empty = |value: &Value| matches!(value, Value::Null) || *value == json!({}) || *value == json!([]);
    match (object, wanted) {
        (object, wanted) if is_empty(object) => is_empty(wanted),
        (Value::Object(object), Value::Object(wanted)) => wanted
            .iter()
            .all(|(name, wanted)| object.get(name).map_or(is_empty(wanted), |value| has(value, wanted))),
        (Value::Array(items), Value::Array(wanted)) => {
            items.len() == wanted.len() && items.iter().zip(wanted).all(|(item, wanted)| has(item, wanted))
        }
        _ => object == wanted,
    }
}

/// Whether the rules of the case are those of the server.
fn is_own_schema(case: &Case) -> bool {
    case.get("overlay").is_none() && case.get("schema").is_none()
}

/// A document of a case as an object of its kind.
fn object(name: &str, document: &str) -> Option<Value> {
    let mut object: Value = serde_json::from_str(document).ok()?;
    let (api_version, kind) = name.rsplit_once('/')?;
    let members = object.as_object_mut()?;
    members.insert("apiVersion".to_owned(), api_version.into());
    members.insert("kind".to_owned(), kind.into());
    let metadata = members.entry("metadata").or_insert_with(|| json!({})).as_object_mut()?;
    metadata.insert("name".to_owned(), "case".into());
    metadata.insert("namespace".to_owned(), "default".into());
    Some(object)
}

async fn patch(server: &ApiServer, path: &str, body: &str) -> Answer {
    let request = Request::patch(path)
        .header("content-type", "application/strategic-merge-patch+json")
        .body(Bytes::copy_from_slice(body.as_bytes()))
        .unwrap();
    send(server, request).await
}
