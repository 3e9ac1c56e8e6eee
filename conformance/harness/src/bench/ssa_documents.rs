//! Objects of the shapes that structured-merge-diff's own benchmarks have.

use serde_json::{Map, Value, json};

/// A shape: its name, version, kind and object.
pub(crate) struct Shape {
    pub(crate) name: &'static str,
    pub(crate) version: &'static str,
    pub(crate) kind: &'static str,
    pub(crate) object: Value,
}

/// Every shape, small ones first.
pub(crate) fn shapes() -> Vec<Shape> {
    let shape = |name, version, kind, object| Shape { name, version, kind, object };
    vec![
        shape("Pod", "v1", "Pod", pod()),
        shape("Node", "v1", "Node", node()),
        shape("Endpoints", "v1", "Endpoints", endpoints()),
        shape("CRD", "apiextensions.k8s.io/v1", "CustomResourceDefinition", definition()),
        shape("custom resource", "example.com/v1", "Import", import()),
    ]
}

fn labels(prefix: &str, count: usize) -> Value {
    let entry = |n: usize| (format!("{prefix}.example.com/label-{n}"), json!(format!("value-{n}")));
    Value::Object((0..count).map(entry).collect::<Map<String, Value>>())
}

/// About 3 KB, 95 scalars.
pub(crate) fn pod() -> Value {
    let container = |n: usize| {
        json!({
            "name": format!("container-{n}"),
            "image": format!("registry.example.com/team/service-{n}:1.2.{n}"),
            "args": ["--verbose", "--port=8080"],
            "env": (0..5).map(|k| json!({"name": format!("VARIABLE_{k}"), "value": format!("value {k}")}))
                .collect::<Vec<_>>(),
            "ports": [{"containerPort": 8080 + n, "protocol": "TCP", "name": "http"},
                {"containerPort": 9090 + n, "protocol": "TCP", "name": "metrics"}],
            "resources": {"limits": {"cpu": "1", "memory": "1Gi"}, "requests": {"cpu": "500m", "memory": "512Mi"}},
            "livenessProbe": {"httpGet": {"path": "/healthz", "port": 8080, "scheme": "HTTP"},
                "failureThreshold": 3, "periodSeconds": 10, "successThreshold": 1, "timeoutSeconds": 1},
            "volumeMounts": [{"mountPath": "/data", "name": "data"}, {"mountPath": "/config", "name": "config"}],
            "imagePullPolicy": "IfNotPresent", "terminationMessagePath": "/dev/termination-log",
        })
    };
    json!({
        "apiVersion": "v1", "kind": "Pod",
        "metadata": {"name": "service-0", "namespace": "team", "labels": labels("app", 5),
            "annotations": labels("note", 3)},
        "spec": {
            "containers": [container(0), container(1)],
            "volumes": [{"name": "data", "emptyDir": {}}, {"name": "config", "configMap": {"name": "config"}}],
            "nodeSelector": {"pool": "a"}, "restartPolicy": "Always", "serviceAccountName": "service",
            "dnsPolicy": "ClusterFirst", "schedulerName": "default-scheduler",
            "tolerations": [{"key": "a", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 300}],
        },
    })
}

/// About 11 KB, 220 scalars.
fn node() -> Value {
    let image = |n: usize| {
        json!({"names": [format!("registry.example.com/image-{n}@sha256:{n:064}"),
            format!("registry.example.com/image-{n}:latest")], "sizeBytes": 1_000_000 + n})
    };
    let condition = |name: &str| {
        json!({"type": name, "status": "False", "reason": "Fine", "message": "nothing is wrong with the node",
            "lastHeartbeatTime": "2026-01-01T00:00:00Z", "lastTransitionTime": "2026-01-01T00:00:00Z"})
    };
    let conditions = ["MemoryPressure", "DiskPressure", "PIDPressure", "Ready"].map(condition);
    json!({
        "apiVersion": "v1", "kind": "Node",
        "metadata": {"name": "node-0", "labels": labels("node", 20), "annotations": labels("note", 8)},
        "spec": {"podCIDR": "10.0.0.0/24", "podCIDRs": ["10.0.0.0/24"], "providerID": "example:///zone/node-0",
            "taints": [{"effect": "NoSchedule", "key": "dedicated", "value": "team"}]},
        "status": {
            "addresses": [{"type": "InternalIP", "address": "10.0.0.1"}, {"type": "Hostname", "address": "node-0"}],
            "allocatable": {"cpu": "4", "memory": "16Gi", "pods": "110"},
            "capacity": {"cpu": "4", "memory": "16Gi", "pods": "110"},
            "conditions": conditions,
            "images": (0..45).map(image).collect::<Vec<_>>(),
            "nodeInfo": {"architecture": "amd64", "bootID": "b", "containerRuntimeVersion": "c", "kernelVersion": "k",
                "kubeProxyVersion": "p", "kubeletVersion": "v", "machineID": "m", "operatingSystem": "linux",
                "osImage": "o", "systemUUID": "s"},
        },
    })
}

/// About 190 KB, 6,000 scalars, one atomic list.
fn endpoints() -> Value {
    let address = |n: usize| {
        json!({"ip": format!("10.{}.{}.{}", n / 65_536, n / 256 % 256, n % 256), "nodeName": format!("node-{n}"),
            "targetRef": {"kind": "Pod", "name": format!("pod-{n}"), "namespace": "team", "uid": format!("{n:036}")}})
    };
    json!({
        "apiVersion": "v1", "kind": "Endpoints", "metadata": {"name": "service", "namespace": "team"},
        "subsets": [{"addresses": (0..1_000).map(address).collect::<Vec<_>>(),
            "ports": [{"name": "http", "port": 80, "protocol": "TCP"}]}],
    })
}

/// About 15 KB of nested schemas.
fn definition() -> Value {
    let leaf = |n: usize| json!({"type": "string", "description": format!("what field {n} is for")});
    let group = |n: usize| {
        let properties: Map<String, Value> =
            (0..12).map(|k| (format!("field{k}"), leaf(n * 12 + k))).collect();
        json!({"type": "object", "properties": properties, "required": ["field0"]})
    };
    let properties: Map<String, Value> = (0..12).map(|n| (format!("group{n}"), group(n))).collect();
    json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": "widgets.example.com", "labels": labels("app", 3)},
        "spec": {
            "group": "example.com", "scope": "Namespaced",
            "names": {"kind": "Widget", "listKind": "WidgetList", "plural": "widgets", "singular": "widget"},
            "versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": {
                "type": "object", "properties": {"spec": {"type": "object", "properties": properties}}}}}],
        },
    })
}

/// About 380 KB, 2,400 scalars, deeply nested maps without schema.
fn import() -> Value {
    fn nested(depth: usize, number: usize) -> Value {
        if depth == 0 {
            return json!({"id": format!("{number:0120}"), "size": number, "enabled": true});
        }
        json!({"item": nested(depth - 1, number), "name": format!("level-{depth}-{number}")})
    }
    let parts: Map<String, Value> = (0..130).map(|n| (format!("part-{n}"), nested(16, n))).collect();
    json!({"apiVersion": "example.com/v1", "kind": "Import", "metadata": {"name": "import"}, "spec": {"parts": parts}})
}
