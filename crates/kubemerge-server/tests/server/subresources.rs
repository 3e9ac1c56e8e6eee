//! Scale, eviction, binding, token, log, reviews.

use k8s_openapi::api::{apps::v1::Deployment, core::v1::Pod};
use kube::{
    Api,
    api::{EvictParams, Patch, PatchParams},
};
use kubemerge_server::ApiServer;
use serde_json::{Value, json};

use crate::server::support::*;

async fn with_deployment() -> ApiServer {
    let server = server();
    assert_eq!(ask(&server, "POST", DEPLOYMENTS, deployment("web")).await.code, 201);
    server
}

#[tokio::test]
async fn a_scale_shows_replicas_and_selector() {
    let server = with_deployment().await;
    let deployments: Api<Deployment> = Api::default_namespaced(server.client());
    let scale = deployments.get_scale("web").await.unwrap();
    assert_eq!(scale.spec.unwrap().replicas, Some(1));
    assert_eq!(scale.status.unwrap().selector.as_deref(), Some("app=web"));
}

#[tokio::test]
async fn a_patched_scale_changes_the_object() {
    let server = with_deployment().await;
    let deployments: Api<Deployment> = Api::default_namespaced(server.client());
    let patched = deployments
        .patch_scale("web", &PatchParams::default(), &Patch::Merge(json!({"spec": {"replicas": 5}})))
        .await
        .unwrap();
    assert_eq!(patched.spec.unwrap().replicas, Some(5));
    let after = deployments.get("web").await.unwrap();
    assert_eq!((after.spec.replicas, after.metadata.generation), (Some(5), Some(2)));
}

#[tokio::test]
async fn a_scale_passes_its_version_through() {
    let server = with_deployment().await;
    let path = format!("{DEPLOYMENTS}/web/scale");
    let mut scale = get(&server, &path).await.body;
    scale["spec"]["replicas"] = json!(2);
    assert_eq!(ask(&server, "PUT", &path, scale.clone()).await.code, 200);
    assert_eq!(ask(&server, "PUT", &path, scale).await.code, 409);
}

#[tokio::test]
async fn a_scale_of_another_uid_is_a_conflict() {
    let server = with_deployment().await;
    let path = format!("{DEPLOYMENTS}/web/scale");
    let mut scale = get(&server, &path).await.body;
    scale["metadata"]["resourceVersion"] = Value::Null;
    scale["metadata"]["uid"] = json!("other");
    assert_eq!(ask(&server, "PUT", &path, scale).await.code, 409);
}

#[tokio::test]
async fn negative_replicas_are_refused() {
    let server = with_deployment().await;
    let (path, merge) = (format!("{DEPLOYMENTS}/web/scale"), "application/merge-patch+json");
    let negative = json!({"spec": {"replicas": -1}});
    let refused = ask_as(&server, "PATCH", &path, ("content-type", merge), negative).await;
    assert_eq!(
        refused.message(),
        "Scale.autoscaling \"web\" is invalid: spec.replicas: Invalid value: -1: must be greater than or equal to 0"
    );
}

async fn with_budget(allowed: i64) -> ApiServer {
    let server = server();
    ask(&server, "POST", PODS, pod("p")).await;
    let ready = json!({"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]});
    let mut running = get(&server, &format!("{PODS}/p")).await.body;
    running["status"] = ready;
    assert_eq!(ask(&server, "PUT", &format!("{PODS}/p/status"), running).await.code, 200);
    let budget = json!({"apiVersion": "policy/v1", "kind": "PodDisruptionBudget",
        "metadata": {"name": "b", "namespace": "default"}, "spec": {"selector": {"matchLabels": {"app": "p"}}},
        "status": {"disruptionsAllowed": allowed, "observedGeneration": 1, "currentHealthy": 1,
            "desiredHealthy": 1, "expectedPods": 1}});
    server.set(budget).unwrap();
    server
}

#[tokio::test]
async fn an_eviction_that_violates_a_budget_is_refused() {
    let server = with_budget(0).await;
    let pods: Api<Pod> = Api::default_namespaced(server.client());
    let refused = status(pods.evict("p", &EvictParams::default()).await);
    assert_eq!((refused.code, refused.reason.as_str()), (429, "TooManyRequests"));
    assert_eq!(refused.message, "Cannot evict pod as it would violate the pod's disruption budget.");
}

#[tokio::test]
async fn a_refused_eviction_has_no_time_to_retry_after() {
    let server = with_budget(0).await;
    let eviction = json!({"metadata": {"name": "p"}});
    let refused = ask(&server, "POST", &format!("{PODS}/p/eviction"), eviction).await;
    assert!(refused.headers.get("retry-after").is_none());
}

#[tokio::test]
async fn an_eviction_uses_up_the_budget() {
    let server = with_budget(1).await;
    let pods: Api<Pod> = Api::default_namespaced(server.client());
    pods.evict("p", &EvictParams::default()).await.unwrap();
    assert_eq!(get(&server, &format!("{PODS}/p")).await.code, 404);
    let budget = server.get("policy/v1", "PodDisruptionBudget", "default", "b").unwrap();
    assert_eq!(budget["status"]["disruptionsAllowed"], 0);
    assert!(budget["status"]["disruptedPods"]["p"].is_string());
}

#[tokio::test]
async fn an_eviction_names_the_pod_in_the_path() {
    let server = with_budget(1).await;
    let other = ask(&server, "POST", &format!("{PODS}/q/eviction"), json!({"metadata": {"name": "x"}})).await;
    assert_eq!(other.code, 400);
}

const BINDINGS: &str = "/api/v1/namespaces/default/bindings";

fn binding(name: &str) -> Value {
    json!({"metadata": {"name": name, "annotations": {"a": "b"}}, "target": {"kind": "Node", "name": "n1"}})
}

#[tokio::test]
async fn a_binding_assigns_a_pod_to_a_node() {
    let server = server();
    ask(&server, "POST", PODS, pod("p")).await;
    assert_eq!(ask(&server, "POST", &format!("{PODS}/p/binding"), binding("p")).await.code, 201);
    let bound = get(&server, &format!("{PODS}/p")).await.body;
    assert_eq!(
        (&bound["spec"]["nodeName"], &bound["metadata"]["annotations"]["a"]),
        (&json!("n1"), &json!("b"))
    );
    assert_eq!(bound["status"]["conditions"][0]["type"], "PodScheduled");
}

#[tokio::test]
async fn a_pod_is_bound_once() {
    let server = server();
    ask(&server, "POST", PODS, pod("p")).await;
    let path = format!("{PODS}/p/binding");
    ask(&server, "POST", &path, binding("p")).await;
    let again = ask(&server, "POST", &path, binding("p")).await;
    assert_eq!(again.code, 409);
    assert!(again.message().ends_with("pod p is already assigned to node \"n1\""));
}

#[tokio::test]
async fn a_binding_can_be_posted_to_its_collection() {
    let server = server();
    ask(&server, "POST", PODS, pod("q")).await;
    assert_eq!(ask(&server, "POST", BINDINGS, binding("q")).await.code, 201);
    assert_eq!(get(&server, &format!("{PODS}/q")).await.body["spec"]["nodeName"], "n1");
    assert!(server.counts().iter().all(|(kind, _)| kind != "bindings"), "nothing is stored");
}

#[tokio::test]
async fn a_binding_of_a_missing_pod_is_not_found() {
    let answer = ask(&server(), "POST", BINDINGS, binding("none")).await;
    assert_eq!((answer.code, answer.message()), (404, "pods \"none\" not found"));
}

#[tokio::test]
async fn the_log_of_a_container_is_what_the_test_has_set() {
    let server = server();
    ask(&server, "POST", PODS, pod("p")).await;
    server.set_pod_log("default", "p", "nginx", "hello\n");
    assert_eq!(get(&server, &format!("{PODS}/p/log?container=nginx")).await.body, "hello\n");
}

#[tokio::test]
async fn the_log_of_an_unknown_container_is_refused() {
    let server = server();
    ask(&server, "POST", PODS, pod("p")).await;
    assert_eq!(get(&server, &format!("{PODS}/p/log?container=x")).await.code, 400);
}

#[tokio::test]
async fn a_log_of_one_of_several_containers_needs_its_name() {
    let server = server();
    ask(&server, "POST", PODS, pod("p")).await;
    assert!(
        get(&server, &format!("{PODS}/p/log")).await.message().contains("choose one of: [nginx sidecar]")
    );
}

#[tokio::test]
async fn init_containers_have_logs_too() {
    let server = server();
    let mut other = pod("other");
    other["spec"]["initContainers"] = json!([{"name": "first", "image": "i"}]);
    ask(&server, "POST", PODS, other).await;
    assert_eq!(get(&server, &format!("{PODS}/other/log?container=first")).await.code, 200);
}

#[tokio::test]
async fn a_token_request_is_answered_with_a_token() {
    let server = server();
    let accounts = "/api/v1/namespaces/default/serviceaccounts";
    ask(&server, "POST", accounts, json!({"metadata": {"name": "sa"}})).await;
    let token =
        ask(&server, "POST", &format!("{accounts}/sa/token"), json!({"spec": {"audiences": []}})).await;
    assert_eq!((token.code, token.body["status"]["token"].is_string()), (201, true));
}

#[tokio::test]
async fn access_reviews_allow_everything() {
    let path = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";
    let review = ask(&server(), "POST", path, json!({"spec": {"resourceAttributes": {"verb": "get"}}})).await;
    assert_eq!((review.code, &review.body["status"]["allowed"]), (201, &json!(true)));
}

#[tokio::test]
async fn exec_is_not_implemented() {
    let server = server();
    ask(&server, "POST", PODS, pod("p")).await;
    assert_eq!(get(&server, &format!("{PODS}/p/exec")).await.code, 501);
}

#[tokio::test]
async fn namespaces_are_finalized() {
    let server = server();
    ask(&server, "POST", "/api/v1/namespaces", json!({"metadata": {"name": "n"}})).await;
    let mut namespace = get(&server, "/api/v1/namespaces/n").await.body;
    namespace["spec"]["finalizers"] = json!(["kubernetes", "x.io/y"]);
    let after = ask(&server, "PUT", "/api/v1/namespaces/n", namespace.clone()).await.body;
    assert_eq!(after["spec"]["finalizers"], json!(["kubernetes"]), "not through the main endpoint");
    // As in Kubernetes, the client came to own what it wanted to change.
    namespace["metadata"]["resourceVersion"] = after["metadata"]["resourceVersion"].clone();
    let after = ask(&server, "PUT", "/api/v1/namespaces/n/finalize", namespace).await.body;
    assert_eq!(after["spec"]["finalizers"], json!(["kubernetes", "x.io/y"]));
}
