//! Patches of three types, through `kube::Client` and as plain requests.

use k8s_openapi::api::{apps::v1::Deployment, core::v1::Pod};
use kube::{
    Api,
    api::{Patch, PatchParams, PostParams},
};
use kubemerge_server::{ApiServer, Validation};
use serde_json::{Value, json};

use crate::server::support::*;

const JSON: &str = "application/json-patch+json";
const MERGE: &str = "application/merge-patch+json";
const STRATEGIC: &str = "application/strategic-merge-patch+json";

async fn patch(server: &ApiServer, path: &str, content_type: &str, body: Value) -> Answer {
    ask_as(server, "PATCH", path, ("content-type", content_type), body).await
}

/// The example of the design document on schema-driven merge.
#[tokio::test]
async fn patching_only_nginx_keeps_the_sidecar() {
    let server = ApiServer::builder().build().unwrap();
    let pods: Api<Pod> = Api::default_namespaced(server.client());
    pods.create(&PostParams::default(), &serde_json::from_value(pod("web")).unwrap()).await.unwrap();
    let change = json!({"spec": {"containers": [{"name": "nginx", "image": "nginx:1.21"}]}});
    let patched = pods.patch("web", &PatchParams::default(), &Patch::Strategic(change)).await.unwrap();
    let images: Vec<_> =
        patched.spec.unwrap().containers.into_iter().map(|c| (c.name, c.image.unwrap())).collect();
    assert_eq!(images, [("nginx".into(), "nginx:1.21".into()), ("sidecar".into(), "sidecar:v1".into())]);
}

#[tokio::test]
async fn directives_act_and_are_never_stored() {
    // The API server lets no patch change the containers of a pod; how it merges is the question here.
    let server = ApiServer::builder().validation(Validation::Off).build().unwrap();
    ask(&server, "POST", PODS, pod("p")).await;
    let path = format!("{PODS}/p");
    let change = json!({"spec": {
        "$setElementOrder/containers": [{"name": "sidecar"}, {"name": "nginx"}],
        "containers": [{"name": "nginx", "env": [{"name": "A", "value": "1"}]}],
        "$retainKeys": ["containers", "restartPolicy"],
    }});
    let patched = patch(&server, &path, STRATEGIC, change).await;
    assert_eq!(patched.code, 200, "{:?}", patched.body);
    let names: Vec<&Value> =
        patched.body["spec"]["containers"].as_array().unwrap().iter().map(|one| &one["name"]).collect();
    assert_eq!(names, ["sidecar", "nginx"]);
    let change = json!({"spec": {"containers": [{"name": "sidecar", "$patch": "delete"}]}});
    let patched = patch(&server, &path, STRATEGIC, change).await.body;
    assert_eq!(patched["spec"]["containers"].as_array().unwrap().len(), 1);
    assert_eq!(patched["spec"]["containers"][0]["image"], "nginx:1.14", "the rest of the item is kept");
    assert!(!patched.to_string().contains('$'));
}

#[tokio::test]
async fn a_patch_without_effect_writes_nothing() {
    let server = server();
    let created = ask(&server, "POST", PODS, pod("p")).await.body;
    let revision = server.revision();
    let path = format!("{PODS}/p");
    let change = json!({"spec": {"containers": [{"name": "nginx", "image": "nginx:1.14"}]}});
    assert_eq!(patch(&server, &path, STRATEGIC, change).await.body, created);
    assert_eq!(
        patch(&server, &path, MERGE, json!({"metadata": {"labels": {"gone": null}}})).await.body,
        created
    );
    assert_eq!(server.revision(), revision);
}

#[tokio::test]
async fn a_merge_patch_changes_the_object() {
    let server = server();
    ask(&server, "POST", DEPLOYMENTS, deployment("web")).await;
    let deployments: Api<Deployment> = Api::default_namespaced(server.client());
    let merge = Patch::Merge(json!({"spec": {"replicas": 4, "paused": true}}));
    let merged = deployments.patch("web", &PatchParams::default(), &merge).await.unwrap();
    assert_eq!((merged.spec.replicas, merged.metadata.generation), (Some(4), Some(2)));
}

#[tokio::test]
async fn a_json_patch_sees_the_resource_version() {
    let server = server();
    let created = ask(&server, "POST", DEPLOYMENTS, deployment("web")).await.body;
    let operations = json!([
        {"op": "test", "path": "/metadata/resourceVersion", "value": created["metadata"]["resourceVersion"]},
        {"op": "replace", "path": "/spec/replicas", "value": 5},
        {"op": "add", "path": "/metadata/labels", "value": {"a": "b"}},
    ]);
    let patched = patch(&server, &format!("{DEPLOYMENTS}/web"), JSON, operations).await;
    assert_eq!((patched.code, &patched.body["spec"]["replicas"]), (200, &json!(5)), "{:?}", patched.body);
}

#[tokio::test]
async fn a_json_patch_whose_test_fails_is_invalid() {
    let server = server();
    ask(&server, "POST", DEPLOYMENTS, deployment("web")).await;
    let operations = json!([{"op": "test", "path": "/spec/replicas", "value": 100}]);
    let failed = patch(&server, &format!("{DEPLOYMENTS}/web"), JSON, operations).await;
    assert_eq!((failed.code, failed.body["reason"].as_str()), (422, Some("Invalid")));
    assert_eq!(failed.message(), "the server rejected our request due to an error in our request");
    assert!(failed.body["details"]["causes"][0]["message"].as_str().unwrap().contains("/spec/replicas"));
}

#[tokio::test]
async fn a_json_patch_has_at_most_10000_operations() {
    let server = server();
    ask(&server, "POST", DEPLOYMENTS, deployment("web")).await;
    let many = Value::Array(vec![json!({"op": "test", "path": "/kind", "value": "Deployment"}); 10_001]);
    let many = patch(&server, &format!("{DEPLOYMENTS}/web"), JSON, many).await;
    assert_eq!(many.code, 413);
    assert_eq!(
        many.message(),
        "Request entity too large: The allowed maximum operations in a JSON patch is 10000, got 10001"
    );
}

#[tokio::test]
async fn a_json_patch_is_a_list() {
    let server = server();
    ask(&server, "POST", DEPLOYMENTS, deployment("web")).await;
    assert_eq!(patch(&server, &format!("{DEPLOYMENTS}/web"), JSON, json!({"op": "test"})).await.code, 400);
}

#[tokio::test]
async fn only_a_patch_that_names_a_version_conflicts() {
    let server = server();
    ask(&server, "POST", DEPLOYMENTS, deployment("web")).await;
    let path = format!("{DEPLOYMENTS}/web");
    let pinned = json!({"metadata": {"resourceVersion": "1"}, "spec": {"replicas": 2}});
    for content_type in [MERGE, STRATEGIC] {
        let refused = patch(&server, &path, content_type, pinned.clone()).await;
        assert_eq!((refused.code, refused.body["reason"].as_str()), (409, Some("Conflict")));
    }
    let current =
        json!({"metadata": {"resourceVersion": server.revision().to_string()}, "spec": {"replicas": 2}});
    let dry = patch(&server, &format!("{path}?dryRun=All"), STRATEGIC, current).await;
    assert_eq!((dry.code, &dry.body["spec"]["replicas"]), (200, &json!(2)));
    assert_eq!(get(&server, &path).await.body["spec"]["replicas"], 1);
}

#[tokio::test]
async fn server_owned_fields_survive_patches() {
    let server = server();
    let created = ask(&server, "POST", DEPLOYMENTS, deployment("web")).await.body;
    let path = format!("{DEPLOYMENTS}/web");
    let change = json!({"metadata": {"creationTimestamp": null, "uid": null, "generation": 99}, "status": {"replicas": 9}});
    let patched = patch(&server, &path, MERGE, change).await.body;
    assert_eq!(patched, created);
    let renamed = patch(&server, &path, MERGE, json!({"metadata": {"name": "other"}})).await;
    let text = "the name of the object (other) does not match the name on the URL (web)";
    assert_eq!((renamed.code, renamed.message()), (400, text));
    let status =
        patch(&server, &format!("{path}/status"), MERGE, json!({"status": {"replicas": 9}, "spec": null}))
            .await;
    assert_eq!(status.body["status"]["replicas"], 9);
    assert_eq!(status.body["spec"], created["spec"]);
}

#[tokio::test]
async fn unknown_fields_in_a_patch() {
    let server = server();
    ask(&server, "POST", DEPLOYMENTS, deployment("web")).await;
    let path = format!("{DEPLOYMENTS}/web");
    let change = json!({"spec": {"foo": 1}});
    let warned = patch(&server, &path, MERGE, change.clone()).await;
    assert_eq!(warned.warnings(), ["\"unknown field \\\"spec.foo\\\"\""]);
    let strict = patch(&server, &format!("{path}?fieldValidation=Strict"), STRATEGIC, change).await;
    assert_eq!((strict.code, strict.body["reason"].as_str()), (422, Some("Invalid")));
    assert!(strict.message().starts_with(" \"\" is invalid: patch: Invalid value: "), "{}", strict.message());
    assert!(strict.message().ends_with(": strict decoding error: unknown field \"spec.foo\""));
}

#[tokio::test]
async fn faults_of_strategic_patches_have_the_api_servers_texts() {
    let server = server();
    ask(&server, "POST", PODS, pod("p")).await;
    let path = format!("{PODS}/p");
    for (change, code, text) in [
        (json!({"spec": {"containers": [{"image": "x"}]}}), 500, "does not contain declared merge key: name"),
        (json!({"spec": {"$patch": "nonsense"}}), 500, "unknown patch type: nonsense"),
        (json!({"spec": {"$retainKeys": 5}}), 400, "invalid patch format of retainKeys"),
    ] {
        let refused = patch(&server, &path, STRATEGIC, change).await;
        assert_eq!(refused.code, code, "{:?}", refused.body);
        assert!(refused.message().contains(text), "{}", refused.message());
        assert_eq!(refused.body["details"]["causes"].as_array().map(Vec::len), Some(1));
    }
    assert_eq!(patch(&server, &path, MERGE, json!([1])).await.code, 400);
    assert_eq!(patch(&server, &format!("{path}x"), MERGE, json!({})).await.code, 404);
}

#[tokio::test]
async fn other_content_types_are_refused() {
    let server = server();
    ask(&server, "POST", PODS, pod("p")).await;
    let path = format!("{PODS}/p");
    let plain = patch(&server, &path, "application/json", json!({})).await;
    assert_eq!((plain.code, plain.body["reason"].as_str()), (415, Some("UnsupportedMediaType")));
    let apply =
        patch(&server, &format!("{path}?fieldManager=m"), "application/apply-patch+yaml", json!({})).await;
    assert_eq!((apply.code, apply.message()), (400, "invalid object type: /, Kind="));
    assert_eq!(patch(&server, &format!("{path}?force=true"), MERGE, json!({})).await.code, 422);
}

/// kube-apiserver's answer, also for an object that does not exist.
#[tokio::test]
async fn a_patch_has_a_body() {
    let server = server();
    let types = ["merge-patch+json", "strategic-merge-patch+json", "json-patch+json"];
    for (patch_type, body) in types.into_iter().flat_map(|one| [(one, ""), (one, " \n")]) {
        let request = http::Request::builder()
            .method("PATCH")
            .uri(format!("{DEPLOYMENTS}/missing"))
            .header("content-type", format!("application/{patch_type}"))
            .body(bytes::Bytes::from(body))
            .unwrap();
        let answer = send(&server, request).await;
        assert_eq!((answer.code, answer.message()), (400, "invalid JSON patch"), "{patch_type}");
    }
}
