//! A stand-in for the kubelet: one node whose pods become ready as soon as they are scheduled.

use std::time::Duration;

use bytes::Bytes;
use http::Request;
use http_body_util::BodyExt;
use kubemerge_server::ApiServer;
use serde_json::{Value, json};

/// The name of the node.
const NODE: &str = "node-1";
/// How often it looks for something to do.
const INTERVAL: Duration = Duration::from_millis(100);
/// After this many rounds it tells that it is alive; controllers wait for 40 seconds.
const ROUNDS_PER_HEARTBEAT: u64 = 50;

/// Registers the node and takes care of its pods, for ever.
pub(super) async fn run(server: ApiServer) {
    register(&server).await;
    for round in 0_u64.. {
        if round % ROUNDS_PER_HEARTBEAT == 0 {
            renew_lease(&server).await;
        }
        for pod in server.dump().iter().filter(|object| object["kind"] == "Pod") {
            take_care_of(&server, pod).await;
        }
        tokio::time::sleep(INTERVAL).await;
    }
}

/// A request with a JSON body, or none for null; what it was answered is seen in the next round.
async fn send(server: &ApiServer, method: &str, path: &str, body: &Value) {
    let patch = method == "PATCH";
    let content_type = if patch { "application/merge-patch+json" } else { "application/json" };
    let bytes = if body.is_null() { Bytes::new() } else { Bytes::from(body.to_string()) };
    let request =
        Request::builder().method(method).uri(path).header("content-type", content_type).body(bytes);
    if let Ok(request) = request {
        drop(server.handle(request).await.into_body().collect().await);
    }
}

async fn register(server: &ApiServer) {
    let node = json!({"apiVersion": "v1", "kind": "Node", "metadata": {"name": NODE,
        "labels": {"kubernetes.io/hostname": NODE, "kubernetes.io/os": "linux"}}});
    send(server, "POST", "/api/v1/nodes", &node).await;
    let now = now();
    let ready = json!({"type": "Ready", "status": "True", "reason": "KubeletReady",
        "message": "a stand-in", "lastHeartbeatTime": now, "lastTransitionTime": now});
    let room = json!({"cpu": "16", "memory": "64Gi", "pods": "500"});
    let status = json!({"status": {"capacity": room, "allocatable": room, "conditions": [ready],
        "addresses": [{"type": "InternalIP", "address": "10.1.0.1"}]}});
    send(server, "PATCH", &format!("/api/v1/nodes/{NODE}/status"), &status).await;
}

/// What tells the node lifecycle controller that the node is alive.
async fn renew_lease(server: &ApiServer) {
    let path = "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases";
    let renewed = format!("{}.000000Z", now().trim_end_matches('Z'));
    let spec = json!({"holderIdentity": NODE, "leaseDurationSeconds": 40, "renewTime": renewed});
    if server.get("coordination.k8s.io/v1", "Lease", "kube-node-lease", NODE).is_some() {
        return send(server, "PATCH", &format!("{path}/{NODE}"), &json!({"spec": spec})).await;
    }
    let lease = json!({"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": {"name": NODE}, "spec": spec});
    send(server, "POST", path, &lease).await;
}

async fn take_care_of(server: &ApiServer, pod: &Value) {
    if pod["spec"]["nodeName"] != NODE {
        return;
    }
    let text = |pointer: &str| pod.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
    let path = format!("/api/v1/namespaces/{}/pods/{}", text("/metadata/namespace"), text("/metadata/name"));
    let phase = text("/status/phase");
    let is_of_job = text("/spec/restartPolicy") != "Always";
    if !pod["metadata"]["deletionTimestamp"].is_null() {
        send(server, "DELETE", &path, &json!({"gracePeriodSeconds": 0})).await;
    } else if phase == "Pending" {
        send(server, "PATCH", &format!("{path}/status"), &running(pod)).await;
    } else if phase == "Running" && is_of_job {
        send(server, "PATCH", &format!("{path}/status"), &succeeded(pod)).await;
    }
}

fn running(pod: &Value) -> Value {
    let now = now();
    status_of(pod, "Running", "True", &json!({"running": {"startedAt": now}}))
}

fn succeeded(pod: &Value) -> Value {
    let now = now();
    let ended =
        json!({"terminated": {"exitCode": 0, "reason": "Completed", "startedAt": now, "finishedAt": now}});
    status_of(pod, "Succeeded", "False", &ended)
}

/// The status of a pod all of whose containers are in one state.
fn status_of(pod: &Value, phase: &str, ready: &str, state: &Value) -> Value {
    let now = now();
    let condition =
        |kind: &str, status: &str| json!({"type": kind, "status": status, "lastTransitionTime": now});
    let containers = pod["spec"]["containers"].as_array().cloned().unwrap_or_default();
    let container = |one: &Value| {
        json!({"name": one["name"], "image": one["image"], "imageID": "", "restartCount": 0,
            "ready": ready == "True", "started": ready == "True", "state": state})
    };
    let conditions =
        [("PodScheduled", "True"), ("Initialized", "True"), ("ContainersReady", ready), ("Ready", ready)];
    json!({"status": {"phase": phase, "startTime": now, "podIP": "10.2.0.1", "podIPs": [{"ip": "10.2.0.1"}],
        "hostIP": "10.1.0.1", "hostIPs": [{"ip": "10.1.0.1"}],
        "conditions": conditions.map(|(kind, status)| condition(kind, status)),
        "containerStatuses": containers.iter().map(container).collect::<Vec<_>>()}})
}

/// The present time as Kubernetes writes it.
fn now() -> String {
    kubemerge_server::Clock::system().now().to_string()
}
