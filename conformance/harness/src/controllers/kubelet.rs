//! A stand-in for the kubelet: one node whose pods become ready as soon as they are scheduled.

use std::time::Duration;

use serde_json::{Value, json};

use crate::connection::{Connection, Endpoint};

/// The name of the node.
const NODE: &str = "node-1";
/// How often it looks for something to do.
const INTERVAL: Duration = Duration::from_millis(100);
/// After this many rounds it tells that it is alive; controllers wait for 40 seconds.
const ROUNDS_PER_HEARTBEAT: u64 = 50;

/// Registers the node and takes care of its pods, for ever. A server that is not there is asked again.
pub(crate) async fn run(endpoint: Endpoint) {
    let mut server = Connection::new(endpoint);
    while !register(&mut server).await {
        tokio::time::sleep(INTERVAL).await;
    }
    for round in 0_u64.. {
        if round % ROUNDS_PER_HEARTBEAT == 0 {
            renew_lease(&mut server).await;
        }
        for pod in pods(&mut server).await {
            take_care_of(&mut server, &pod).await;
        }
        tokio::time::sleep(INTERVAL).await;
    }
}

async fn pods(server: &mut Connection) -> Vec<Value> {
    let answer = server.ask("GET", "/api/v1/pods", &Value::Null).await;
    let list = answer.map(|answer| answer.json()).unwrap_or_default();
    list["items"].as_array().cloned().unwrap_or_default()
}

/// Sends a request; what it was answered is seen in the next round.
async fn send(server: &mut Connection, method: &str, path: &str, body: &Value) {
    drop(server.ask(method, path, body).await);
}

/// Whether the node is known and ready now.
async fn register(server: &mut Connection) -> bool {
    let node = json!({"apiVersion": "v1", "kind": "Node", "metadata": {"name": NODE,
        "labels": {"kubernetes.io/hostname": NODE, "kubernetes.io/os": "linux"}}});
    send(server, "POST", "/api/v1/nodes", &node).await;
    let now = now();
    let ready = json!({"type": "Ready", "status": "True", "reason": "KubeletReady",
        "message": "a stand-in", "lastHeartbeatTime": now, "lastTransitionTime": now});
    let room = json!({"cpu": "16", "memory": "64Gi", "pods": "500"});
    let status = json!({"status": {"capacity": room, "allocatable": room, "conditions": [ready],
        "addresses": [{"type": "InternalIP", "address": "10.1.0.1"}]}});
    let patched = server.ask("PATCH", &format!("/api/v1/nodes/{NODE}/status"), &status).await;
    patched.is_ok_and(|answer| answer.status == 200)
}

/// The lease by which the node lifecycle controller sees that the node is alive.
async fn renew_lease(server: &mut Connection) {
    let path = "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases";
    let renewed = format!("{}.000000Z", now().trim_end_matches('Z'));
    let spec = json!({"holderIdentity": NODE, "leaseDurationSeconds": 40, "renewTime": renewed});
    let renewed = server.ask("PATCH", &format!("{path}/{NODE}"), &json!({"spec": spec})).await;
    if renewed.is_ok_and(|answer| answer.status == 200) {
        return;
    }
    let lease = json!({"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": {"name": NODE}, "spec": spec});
    send(server, "POST", path, &lease).await;
}

async fn take_care_of(server: &mut Connection, pod: &Value) {
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
