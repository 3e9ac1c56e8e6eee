//! Bodies in protobuf are stored as the same objects in JSON are.

use std::collections::HashMap;

use base64::{Engine, engine::general_purpose::STANDARD};
use bytes::Bytes;
use http::Request;
use kubemerge_server::{ApiServer, Validation};
use serde_json::Value;

use crate::server::support::*;

/// Objects of every kind that Kubernetes encoded both ways: a line with version, kind and filling, a line with
/// protobuf and a line with JSON.
const BODIES: &str = include_str!("../../src/protocol/protobuf/bodies.txt");

/// Kinds with rules that always hold, which the recorded values break in either encoding.
const REFUSED: [&str; 7] = [
    "v1 Binding",
    "v1 Pod",
    "v1 Service",
    "apiextensions.k8s.io/v1 CustomResourceDefinition",
    "authorization.k8s.io/v1 LocalSubjectAccessReview",
    "authorization.k8s.io/v1 SelfSubjectAccessReview",
    "authorization.k8s.io/v1 SubjectAccessReview",
];

#[tokio::test]
async fn every_kind_is_stored_as_from_json() {
    // Without validation, since the objects have any values.
    let server =
        || ApiServer::builder().deterministic().alpha_and_beta().validation(Validation::Off).build().unwrap();
    let (binary, text) = (server(), server());
    let paths = paths(&binary).await;
    let lines: Vec<&str> = BODIES.lines().collect();
    let mut stored = 0;
    for [name, protobuf, json] in lines.as_chunks().0 {
        let Some(kind) = name.strip_suffix(" full") else { continue };
        let Some(path) = paths.get(kind) else { continue };
        let protobuf = STANDARD.decode(protobuf).unwrap();
        let found = post(&binary, path, "application/vnd.kubernetes.protobuf", protobuf.into()).await;
        let wanted = post(&text, path, "application/json", json.as_bytes().into()).await;
        assert_eq!((found.code, &found.body), (wanted.code, &wanted.body), "{kind}");
        assert_eq!(found.warnings(), wanted.warnings(), "{kind}");
        assert!(!found.warnings().concat().contains("unknown field"), "{kind} {:?}", found.warnings());
        assert_eq!(found.code == 201, !REFUSED.contains(&kind), "{kind} {found:?}");
        stored += usize::from(found.code == 201);
    }
    assert!(stored > 80, "only {stored} kinds were stored");
}

async fn post(server: &ApiServer, path: &str, content_type: &str, body: Bytes) -> Answer {
    let request = Request::builder().method("POST").uri(path).header("content-type", content_type);
    send(server, request.body(body).unwrap()).await
}

/// Where objects are created, by version and kind.
async fn paths(server: &ApiServer) -> HashMap<String, String> {
    let groups = get(server, "/apis").await.body["groups"].take();
    let versions = groups.as_array().unwrap().iter().flat_map(|group| group["versions"].as_array().unwrap());
    let versions = versions.filter_map(|version| version["groupVersion"].as_str());
    let mut paths = HashMap::new();
    for version in versions.chain(["v1"]) {
        let root = if version == "v1" { "/api/v1".to_string() } else { format!("/apis/{version}") };
        let resources = get(server, &root).await.body["resources"].take();
        for resource in resources.as_array().unwrap().iter().filter(|resource| is_created(resource)) {
            let namespace = if resource["namespaced"] == true { "/namespaces/default" } else { "" };
            let (kind, name) = (resource["kind"].as_str().unwrap(), resource["name"].as_str().unwrap());
            // Several versions of a kind have one name: none stays.
            paths.insert(format!("{version} {kind}"), format!("{root}{namespace}/{name}?dryRun=All"));
        }
    }
    paths
}

fn is_created(resource: &Value) -> bool {
    let is_subresource = resource["name"].as_str().unwrap().contains('/');
    !is_subresource && resource["verbs"].as_array().unwrap().contains(&"create".into())
}
