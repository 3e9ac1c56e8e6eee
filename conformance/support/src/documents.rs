//! Kubernetes objects of known shape and size, as an API server would store them: compact, members sorted.

use serde_json::{Value, json};

/// A Deployment of about 3 KB.
pub fn deployment() -> Vec<u8> {
    let mut object = json!({
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": metadata("web", 4),
        "spec": {
            "progressDeadlineSeconds": 600,
            "replicas": 3,
            "revisionHistoryLimit": 10,
            "selector": {"matchLabels": {"app": "web"}},
            "strategy": {"rollingUpdate": {"maxSurge": "25%", "maxUnavailable": "25%"}, "type": "RollingUpdate"},
            "template": {
                "metadata": {"labels": {"app": "web", "tier": "frontend"}},
                "spec": pod_spec(vec![container("web", 5)]),
            },
        },
        "status": {
            "availableReplicas": 3,
            "conditions": [condition("Available"), condition("Progressing")],
            "observedGeneration": 7,
            "readyReplicas": 3,
            "replicas": 3,
            "updatedReplicas": 3,
        },
    });
    object["spec"]["template"]["metadata"]["creationTimestamp"] = Value::Null;
    bytes(&object)
}

/// A Pod of about 15 KB: three containers, a status, two field managers.
pub fn pod() -> Vec<u8> {
    let containers = ["proxy", "sidecar", "web"].map(|name| container(name, 36));
    bytes(&pod_of(containers.to_vec()))
}

/// A Pod whose first container has `variables` variables.
pub fn pod_with_env(variables: usize) -> Vec<u8> {
    bytes(&pod_of(vec![container("web", variables)]))
}

/// A ConfigMap with `keys` keys.
pub fn config_map(keys: usize) -> Vec<u8> {
    let data = (0..keys).map(|n| (format!("key-{n:05}"), json!(format!("value of the key number {n}"))));
    let data: serde_json::Map<String, Value> = data.collect();
    bytes(&json!({
        "apiVersion": "v1",
        "data": data,
        "kind": "ConfigMap",
        "metadata": {"name": "settings", "namespace": "default"},
    }))
}

fn bytes(object: &Value) -> Vec<u8> {
    object.to_string().into_bytes()
}

fn pod_of(containers: Vec<Value>) -> Value {
    let statuses: Vec<Value> = containers.iter().map(container_status).collect();
    json!({
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": metadata("web-7d4b9c6f5-x2x7p", 40),
        "spec": pod_spec(containers),
        "status": {
            "conditions": (["Initialized", "Ready", "ContainersReady", "PodScheduled"].map(condition)),
            "containerStatuses": statuses,
            "hostIP": "10.0.12.7",
            "phase": "Running",
            "podIP": "10.244.3.19",
            "podIPs": [{"ip": "10.244.3.19"}],
            "qosClass": "Burstable",
            "startTime": "2024-05-01T10:00:00Z",
        },
    })
}

fn metadata(name: &str, managed_containers: usize) -> Value {
    json!({
        "annotations": {"example.com/owner": "team-a", "example.com/revision": "7"},
        "creationTimestamp": "2024-05-01T10:00:00Z",
        "generation": 7,
        "labels": {"app": "web", "pod-template-hash": "7d4b9c6f5", "tier": "frontend"},
        "managedFields": [managed_fields("kubectl-client-side-apply", managed_containers)],
        "name": name,
        "namespace": "default",
        "resourceVersion": "123456789",
        "uid": "3f2a8c1e-5b7d-4e9f-8a6b-1c2d3e4f5a6b",
    })
}

fn managed_fields(manager: &str, containers: usize) -> Value {
    let fields = (0..containers).map(|n| {
        let fields =
            json!({".": {}, "f:image": {}, "f:imagePullPolicy": {}, "f:name": {}, "f:resources": {}});
        (format!("k:{{\"name\":\"container-{n}\"}}"), fields)
    });
    let fields: serde_json::Map<String, Value> = fields.collect();
    json!({
        "apiVersion": "apps/v1",
        "fieldsType": "FieldsV1",
        "fieldsV1": {"f:metadata": {"f:labels": {".": {}, "f:app": {}}}, "f:spec": {"f:containers": fields}},
        "manager": manager,
        "operation": "Update",
        "time": "2024-05-01T10:00:00Z",
    })
}

fn pod_spec(containers: Vec<Value>) -> Value {
    json!({
        "containers": containers,
        "dnsPolicy": "ClusterFirst",
        "restartPolicy": "Always",
        "schedulerName": "default-scheduler",
        "securityContext": {"fsGroup": 2000, "runAsNonRoot": true},
        "serviceAccount": "web",
        "serviceAccountName": "web",
        "terminationGracePeriodSeconds": 30,
        "tolerations": [{"effect": "NoExecute", "key": "node.kubernetes.io/not-ready", "operator": "Exists"}],
        "volumes": [
            {"configMap": {"defaultMode": 420, "name": "settings"}, "name": "settings"},
            {"emptyDir": {}, "name": "cache"},
        ],
    })
}

fn container(name: &str, variables: usize) -> Value {
    let env: Vec<Value> = (0..variables)
        .map(|n| json!({"name": format!("APP_VAR_{n:05}"), "value": format!("value-{n}")}))
        .collect();
    let probe = |path: &str| {
        json!({
            "failureThreshold": 3,
            "httpGet": {"path": path, "port": 8080, "scheme": "HTTP"},
            "periodSeconds": 10,
            "successThreshold": 1,
            "timeoutSeconds": 1,
        })
    };
    json!({
        "args": ["--listen=:8080", "--log-level=info"],
        "env": env,
        "image": format!("registry.example.com/team/{name}:1.2.3"),
        "imagePullPolicy": "IfNotPresent",
        "livenessProbe": probe("/healthz"),
        "name": name,
        "ports": [{"containerPort": 8080, "name": "http", "protocol": "TCP"}],
        "readinessProbe": probe("/ready"),
        "resources": {"limits": {"cpu": "500m", "memory": "256Mi"}, "requests": {"cpu": "100m", "memory": "64Mi"}},
        "terminationMessagePath": "/dev/termination-log",
        "terminationMessagePolicy": "File",
        "volumeMounts": [{"mountPath": "/etc/settings", "name": "settings", "readOnly": true}],
    })
}

fn condition(kind: &str) -> Value {
    json!({
        "lastTransitionTime": "2024-05-01T10:00:05Z",
        "message": format!("the condition {kind} was observed by the controller"),
        "reason": "Observed",
        "status": "True",
        "type": kind,
    })
}

fn container_status(container: &Value) -> Value {
    json!({
        "containerID": "containerd://4f6b2c8e1d3a5978b0c2e4f6a8d0b2c4e6f8a0b2c4d6e8f0a2b4c6d8e0f2a4b6",
        "image": container["image"],
        "imageID": "registry.example.com/team/web@sha256:9b2c4d6e8f0a1b3c5d7e9f1a2b4c6d8e0f2a4b6c8d0e2f4a6b8c0d2e4f6a8b0c",
        "lastState": {},
        "name": container["name"],
        "ready": true,
        "restartCount": 0,
        "started": true,
        "state": {"running": {"startedAt": "2024-05-01T10:00:04Z"}},
    })
}
