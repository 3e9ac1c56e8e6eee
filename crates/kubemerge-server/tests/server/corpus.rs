//! The corpus as HTTP PATCH: every apply case about a kind that the server has gives the answer of the engine.
//!
//! Most cases use schemas made for one rule, which no server serves, or custom resources, which have no strategic
//! merge in Kubernetes; they are counted. So are cases whose documents are no valid objects of their kind.

use std::collections::BTreeMap;

use bytes::Bytes;
use http::Request;
use kubemerge::Dialect;
use kubemerge_server::{ApiServer, Validation};
use kubemerge_test_support::corpus::{Case, cases};
use serde_json::{Value, json};

use crate::server::support::{Answer, ask, get, send};

/// The kinds of the corpus that the server has, and where it serves them.
const SERVED: [(&str, &str); 6] = [
    ("v1/Pod", "/api/v1/namespaces/default/pods"),
    ("v1/Service", "/api/v1/namespaces/default/services"),
    ("apps/v1/Deployment", "/apis/apps/v1/namespaces/default/deployments"),
    ("apps/v1/ControllerRevision", "/apis/apps/v1/namespaces/default/controllerrevisions"),
    ("batch/v1/Job", "/apis/batch/v1/namespaces/default/jobs"),
    ("policy/v1/PodDisruptionBudget", "/apis/policy/v1/namespaces/default/poddisruptionbudgets"),
];

/// What came of a case.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Outcome {
    Agrees,
    /// Its kind is not served, or its documents are no valid objects.
    CannotBeExpressed,
}

#[tokio::test]
async fn upstream_cases_answer_over_http() {
    check(Dialect::Upstream).await;
}

#[tokio::test]
async fn spec_cases_answer_over_http() {
    check(Dialect::Spec).await;
}

async fn check(dialect: Dialect) {
    let mut counts: BTreeMap<Outcome, usize> = BTreeMap::new();
    for case in cases("apply").expect("the corpus can be read") {
        let Some(expected) = case.get(dialect.name()) else { continue };
        let expected = serde_json::from_str(expected).unwrap();
        let outcome = run(&case, &expected, || {
            ApiServer::builder().validation(Validation::Off).deterministic().dialect(dialect).build().unwrap()
        });
        *counts.entry(outcome.await).or_default() += 1;
    }
    println!("{}: {counts:?}", dialect.name());
    assert!(counts[&Outcome::Agrees] >= 20, "{counts:?}");
}

async fn run(case: &Case, expected: &Value, server: impl Fn() -> ApiServer) -> Outcome {
    let kind = case.get("type").unwrap_or_default();
    let served = SERVED.iter().find(|(name, _)| *name == kind);
    let Some((name, path)) = served.filter(|_| is_own_schema(case)) else {
        return Outcome::CannotBeExpressed;
    };
    let Some(live) = object(name, case.document("original")) else { return Outcome::CannotBeExpressed };
    let patched = server();
    if patched.set(live.clone()).is_err() {
        return Outcome::CannotBeExpressed;
    }
    let answer = patch(&patched, path, case.document("patch")).await;
    if let Some(fault) = expected["error"]["kind"].as_str() {
        assert!(answer.code >= 400, "{}: {answer:?}", case.place);
        let cause = &answer.body["details"]["causes"][0]["reason"];
        assert!(cause == fault, "{}: wanted {fault}, got {answer:?}", case.place);
        return Outcome::Agrees;
    }
    let wanted = object(name, &expected["result"].to_string());
    match (answer.code, wanted) {
        // The merge is right and its result is no valid object, or it is another object.
        (422, _) | (_, None) => Outcome::CannotBeExpressed,
        (200, Some(mut wanted)) => {
            // An update fills in the same defaults.
            let (updated, path) = (server(), format!("{path}/case"));
            updated.set(live).unwrap();
            let before = get(&updated, &path).await.body;
            wanted["metadata"]["resourceVersion"] = before["metadata"]["resourceVersion"].clone();
            let stored = ask(&updated, "PUT", &path, wanted).await;
            assert_eq!(content(answer.body), content(stored.body), "{}", case.place);
            Outcome::Agrees
        }
        _ => panic!("{}: {answer:?}", case.place),
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
    let request = Request::patch(format!("{path}/case"))
        .header("content-type", "application/strategic-merge-patch+json")
        .body(Bytes::copy_from_slice(body.as_bytes()))
        .unwrap();
    send(server, request).await
}

/// The object without what differs from write to write.
fn content(mut object: Value) -> Value {
    if let Some(metadata) = object["metadata"].as_object_mut() {
        for field in ["uid", "resourceVersion", "creationTimestamp", "generation", "managedFields"] {
            metadata.remove(field);
        }
    }
    object
}
