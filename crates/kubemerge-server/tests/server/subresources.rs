//! Scale, eviction, binding, token, log, reviews.

use k8s_openapi::api::{apps::v1::Deployment, core::v1::Pod};
use kube::{
    Api,
    api::{EvictParams, Patch, PatchParams},
};
use kubemerge_server::ApiServer;
use serde_json::{Value, json};

use crate::support::*;

async fn with_deployment() -> ApiServer {
    let server = server();
    assert_eq!(ask(&server, "POST", DEPLOYMENTS, deployment("web")).await.code, 201);
    server
}

#[tokio::test]
async fn scale_is_a_scale() {
    let server = with_deployment().await;
    let deployments: Api<Deployment> = Api::default_namespaced(server.client());
    let scale = deployments.get_scale("web").await.unwrap();
    assert_eq!(scale.spec.unwrap().replicas, Some(1));
    assert_eq!(scale.status.unwrap().selector.as_deref(), Some("app=web"));
    let patched = deployments
        .patch_scale("web", &PatchParams::default(), &Patch::Merge(json!({"spec": {"replicas": 5}})))
        .await
        .unwrap();
    assert_eq!(patched.spec.unwrap().replicas, Some(5));
    let after = deployments.get("web").await.unwrap();
    assert_eq!((after.spec.replicas, after.metadata.generation), (Some(5), Some(2)));
    let path = format!("{DEPLOYMENTS}/web/scale");
    let mut scale = get(&server, &path).await.body;
    scale["spec"]["replicas"] = json!(2);
    assert_eq!(ask(&server, "PUT", &path, scale.clone()).await.code, 200);
    assert_eq!(ask(&server, "PUT", &path, scale.clone()).await.code, 409, "the version is passed through");
    scale["metadata"]["resourceVersion"] = Value::Null;
    scale["metadata"]["uid"] = json!("other");
    assert_eq!(ask(&server, "PUT", &path, scale).await.code, 409);
    let negative = json!({"spec": {"replicas": -1}});
    let refused =
        ask_as(&server, "PATCH", &path, ("content-type", "application/merge-patch+json"), negative).await;
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
async fn evictions_ask_the_budget() {
    let server = with_budget(0).await;
    let pods: Api<Pod> = Api::default_namespaced(server.client());
    let refused = status(pods.evict("p", &EvictParams::default()).await);
    assert_eq!((refused.code, refused.reason.as_str()), (429, "TooManyRequests"));
    assert_eq!(refused.message, "Cannot evict pod as it would violate the pod's disruption budget.");
    let eviction = json!({"metadata": {"name": "p"}});
    let refused = ask(&server, "POST", &format!("{PODS}/p/eviction"), eviction).await;
    assert!(refused.headers.get("retry-after").is_none(), "nobody knows when");
    let server = with_budget(1).await;
    let pods: Api<Pod> = Api::default_namespaced(server.client());
    pods.evict("p", &EvictParams::default()).await.unwrap();
    assert_eq!(get(&server, &format!("{PODS}/p")).await.code, 404);
    let budget = server.get("policy/v1", "PodDisruptionBudget", "default", "b").unwrap();
    assert_eq!(budget["status"]["disruptionsAllowed"], 0);
    assert!(budget["status"]["disruptedPods"]["p"].is_string());
    let other = ask(&server, "POST", &format!("{PODS}/q/eviction"), json!({"metadata": {"name": "x"}})).await;
    assert_eq!(other.code, 400);
}

#[tokio::test]
async fn pods_are_bound_once() {
    let server = server();
    ask(&server, "POST", PODS, pod("p")).await;
    let binding = json!({"metadata": {"name": "p", "annotations": {"a": "b"}}, "target": {"kind": "Node", "name": "n1"}});
    let path = format!("{PODS}/p/binding");
    assert_eq!(ask(&server, "POST", &path, binding.clone()).await.code, 201);
    let bound = get(&server, &format!("{PODS}/p")).await.body;
    assert_eq!(
        (&bound["spec"]["nodeName"], &bound["metadata"]["annotations"]["a"]),
        (&json!("n1"), &json!("b"))
    );
    assert_eq!(bound["status"]["conditions"][0]["type"], "PodScheduled");
    let again = ask(&server, "POST", &path, binding).await;
    assert_eq!(again.code, 409);
    assert!(again.message().ends_with("pod p is already assigned to node \"n1\""));
    ask(&server, "POST", PODS, pod("q")).await;
    let bindings = "/api/v1/namespaces/default/bindings";
    let binding = |name: &str| json!({"metadata": {"name": name}, "target": {"name": "n1"}});
    assert_eq!(ask(&server, "POST", bindings, binding("q")).await.code, 201, "the older way");
    assert_eq!(get(&server, &format!("{PODS}/q")).await.body["spec"]["nodeName"], "n1");
    let answer = ask(&server, "POST", bindings, binding("none")).await;
    assert_eq!((answer.code, answer.message()), (404, "pods \"none\" not found"));
    assert!(server.counts().iter().all(|(kind, _)| kind != "bindings"), "nothing is stored");
}

#[tokio::test]
async fn logs_tokens_and_reviews() {
    let server = server();
    ask(&server, "POST", PODS, pod("p")).await;
    server.set_pod_log("default", "p", "nginx", "hello\n");
    assert_eq!(get(&server, &format!("{PODS}/p/log?container=nginx")).await.body, "hello\n");
    assert_eq!(get(&server, &format!("{PODS}/p/log?container=x")).await.code, 400);
    assert!(
        get(&server, &format!("{PODS}/p/log")).await.message().contains("choose one of: [nginx sidecar]")
    );
    let mut other = pod("other");
    other["spec"]["initContainers"] = json!([{"name": "first", "image": "i"}]);
    ask(&server, "POST", PODS, other).await;
    assert_eq!(get(&server, &format!("{PODS}/other/log?container=first")).await.code, 200);
    let accounts = "/api/v1/namespaces/default/serviceaccounts";
    ask(&server, "POST", accounts, json!({"metadata": {"name": "sa"}})).await;
    let token =
        ask(&server, "POST", &format!("{accounts}/sa/token"), json!({"spec": {"audiences": []}})).await;
    assert_eq!((token.code, token.body["status"]["token"].is_string()), (201, true));
    let path = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";
    let review = ask(&server, "POST", path, json!({"spec": {"resourceAttributes": {"verb": "get"}}})).await;
    assert_eq!((review.code, &review.body["status"]["allowed"]), (201, &json!(true)));
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
    let after = ask(&server, "PUT", "/api/v1/namespaces/n/finalize", namespace).await.body;
    assert_eq!(after["spec"]["finalizers"], json!(["kubernetes", "x.io/y"]));
}
