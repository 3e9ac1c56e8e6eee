//! Documents to race on: the shapes that clusters are full of, and two that are too big.

use serde_json::{Map, Value, json};

/// A document, a small patch for it, and how it is laid out.
pub(super) struct Race {
    pub(super) name: &'static str,
    pub(super) type_name: &'static str,
    pub(super) live: Value,
    pub(super) patch: Value,
}

/// The races of the table.
pub(super) fn races() -> Vec<Race> {
    let image = json!({ "spec": { "containers": [{ "name": "app", "image": "registry.example/app:v2" }] } });
    vec![
        Race {
            name: "deployment, image",
            type_name: "apps/v1/Deployment",
            live: deployment(),
            patch: json!({ "spec": { "template": image.clone() } }),
        },
        Race { name: "pod, image", type_name: "v1/Pod", live: pod(), patch: image.clone() },
        Race {
            name: "pod with 10,000 variables, image",
            type_name: "v1/Pod",
            live: pod_with_variables(10_000),
            patch: image,
        },
        Race {
            name: "pod with 10,000 variables, one of them",
            type_name: "v1/Pod",
            live: pod_with_variables(10_000),
            patch: json!({ "spec": { "containers": [{ "name": "app", "env": [{ "name": "APP_VAR_05000", "value": "new" }] }] } }),
        },
        Race {
            name: "config map of 1 MB, one key",
            type_name: "v1/ConfigMap",
            live: config_map(23_000),
            patch: json!({ "data": { "key-11500": "new" } }),
        },
    ]
}

fn metadata(name: &str, labels: usize) -> Value {
    let labels: Map<String, Value> =
        (0..labels).map(|at| (format!("app.example.com/label-{at}"), json!(format!("value-{at}")))).collect();
    json!({
        "name": name, "namespace": "production", "uid": "6f1c6c1e-3a1f-4a5a-9f43-0d2f5e3c7b11",
        "resourceVersion": "184467", "creationTimestamp": "2026-01-02T03:04:05Z", "labels": labels,
    })
}

fn container(name: &str, variables: usize) -> Value {
    let env: Vec<Value> = (0..variables)
        .map(|at| json!({ "name": format!("APP_VAR_{at:05}"), "value": format!("value of {at}") }))
        .collect();
    json!({
        "name": name, "image": "registry.example/app:v1", "imagePullPolicy": "IfNotPresent",
        "args": ["--listen", "0.0.0.0:8080", "--log-level", "info"], "env": env,
        "ports": [{ "name": "http", "containerPort": 8080, "protocol": "TCP" }, { "name": "metrics", "containerPort": 9090, "protocol": "TCP" }],
        "resources": { "limits": { "cpu": "2", "memory": "1Gi" }, "requests": { "cpu": "500m", "memory": "256Mi" } },
        "livenessProbe": { "httpGet": { "path": "/healthz", "port": "http" }, "periodSeconds": 10, "failureThreshold": 3 },
        "readinessProbe": { "httpGet": { "path": "/ready", "port": "http" }, "periodSeconds": 5 },
        "volumeMounts": [{ "name": "config", "mountPath": "/etc/app", "readOnly": true }, { "name": "data", "mountPath": "/data" }],
        "terminationMessagePath": "/dev/termination-log", "terminationMessagePolicy": "File",
    })
}

fn pod_spec(containers: Vec<Value>) -> Value {
    json!({
        "containers": containers, "restartPolicy": "Always", "serviceAccountName": "app", "schedulerName": "default-scheduler",
        "terminationGracePeriodSeconds": 30, "dnsPolicy": "ClusterFirst", "securityContext": { "runAsNonRoot": true, "fsGroup": 1000 },
        "tolerations": [{ "key": "node.kubernetes.io/not-ready", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 300 }],
        "volumes": [{ "name": "config", "configMap": { "name": "app", "defaultMode": 420 } }, { "name": "data", "emptyDir": {} }],
    })
}

fn deployment() -> Value {
    json!({
        "apiVersion": "apps/v1", "kind": "Deployment", "metadata": metadata("app", 16),
        "spec": {
            "replicas": 3, "revisionHistoryLimit": 10, "progressDeadlineSeconds": 600,
            "selector": { "matchLabels": { "app": "app" } },
            "strategy": { "type": "RollingUpdate", "rollingUpdate": { "maxSurge": "25%", "maxUnavailable": "25%" } },
            "template": { "metadata": { "labels": { "app": "app" } }, "spec": pod_spec(vec![container("app", 10)]) },
        },
        "status": { "replicas": 3, "readyReplicas": 3, "availableReplicas": 3, "observedGeneration": 7, "conditions": [
            { "type": "Available", "status": "True", "reason": "MinimumReplicasAvailable", "lastTransitionTime": "2026-01-02T03:04:05Z", "message": "Deployment has minimum availability." },
            { "type": "Progressing", "status": "True", "reason": "NewReplicaSetAvailable", "lastTransitionTime": "2026-01-02T03:04:05Z", "message": "ReplicaSet \"app-7d4b9c6f5d\" has successfully progressed." }] },
    })
}

/// A pod of 15 KB.
pub(super) fn pod() -> Value {
    let names = ["app", "proxy", "agent"];
    let containers = vec![container("app", 40), container("proxy", 25), container("agent", 25)];
    let mut metadata = metadata("app-7d4b9c6f5d-x2x9z", 32);
    metadata["managedFields"] = (0..6).map(managed_fields).collect();
    let conditions: Vec<Value> =
        ["Initialized", "Ready", "ContainersReady", "PodScheduled"].into_iter().map(condition).collect();
    let statuses: Vec<Value> = names.into_iter().map(container_status).collect();
    json!({
        "apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": pod_spec(containers),
        "status": {
            "phase": "Running", "podIP": "10.1.2.3", "hostIP": "192.168.1.10", "qosClass": "Burstable",
            "conditions": conditions, "containerStatuses": statuses,
        },
    })
}

fn condition(name: &str) -> Value {
    json!({ "type": name, "status": "True", "lastTransitionTime": "2026-01-02T03:04:05Z", "lastProbeTime": null })
}

fn container_status(name: &str) -> Value {
    json!({
        "name": name, "ready": true, "restartCount": 0, "started": true, "image": "registry.example/app:v1",
        "containerID": "containerd://0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
        "state": { "running": { "startedAt": "2026-01-02T03:04:05Z" } },
    })
}

fn managed_fields(at: usize) -> Value {
    let fields: Map<String, Value> = (0..24).map(|field| (format!("f:field{field}"), json!({}))).collect();
    json!({
        "manager": format!("controller-{at}"), "operation": "Update", "apiVersion": "v1", "time": "2026-01-02T03:04:05Z",
        "fieldsType": "FieldsV1", "fieldsV1": { "f:metadata": { "f:labels": fields.clone() }, "f:spec": { "f:containers": fields } },
    })
}

/// A pod with `count` variables in its one container.
pub(super) fn pod_with_variables(count: usize) -> Value {
    json!({ "apiVersion": "v1", "kind": "Pod", "metadata": metadata("big", 4), "spec": pod_spec(vec![container("app", count)]) })
}

/// A config map with `keys` keys.
pub(super) fn config_map(keys: usize) -> Value {
    let data: Map<String, Value> = (0..keys)
        .map(|at| (format!("key-{at:05}"), json!(format!("value number {at:05} of the map"))))
        .collect();
    json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata("big", 4), "data": data })
}

/// How the text of a document is laid out.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Layout {
    /// Sorted members, no blanks: as a store keeps it.
    Compact,
    /// Members as Go structs have them, no blanks: as the API server sends it.
    StructOrder,
    /// Sorted members, two blanks a level: as a person reads it.
    Pretty,
}

/// The text of a document.
pub(super) fn text(value: &Value, layout: Layout) -> String {
    match layout {
        Layout::Compact => value.to_string(),
        Layout::Pretty => serde_json::to_string_pretty(value).expect("values can be written"),
        Layout::StructOrder => {
            let mut out = String::new();
            in_struct_order(value, &mut out);
            out
        }
    }
}

/// Names that structs begin with; the others follow in reverse order, which is as unsorted as can be.
const FIRST: &[&str] = &["kind", "apiVersion", "name", "metadata", "spec", "status"];

fn in_struct_order(value: &Value, out: &mut String) {
    match value {
        Value::Object(members) => {
            let mut keys: Vec<&String> = members.keys().rev().collect();
            keys.sort_by_key(|key| FIRST.iter().position(|first| first == key).unwrap_or(FIRST.len()));
            out.push('{');
            for (at, key) in keys.into_iter().enumerate() {
                out.push_str(if at == 0 { "" } else { "," });
                out.push_str(&Value::from(key.as_str()).to_string());
                out.push(':');
                in_struct_order(&members[key], out);
            }
            out.push('}');
        }
        Value::Array(items) => {
            out.push('[');
            for (at, item) in items.iter().enumerate() {
                out.push_str(if at == 0 { "" } else { "," });
                in_struct_order(item, out);
            }
            out.push(']');
        }
        scalar => out.push_str(&scalar.to_string()),
    }
}
