//! The objects that kube-apiserver creates when it starts: what clients expect of every cluster.

use serde_json::{Value, json};

use crate::protocol::address_range::AddressRange;

/// An address of documentation: no client reaches the server by its Endpoints.
const SERVER_ADDRESS: &str = "192.0.2.1";
const SERVER_PORT: u16 = 6443;

/// The objects, in the order in which kube-apiserver creates them; namespaces come first and are not among them.
pub(crate) fn objects(now: &str, range: AddressRange) -> Vec<Value> {
    vec![
        service_range(now, range),
        priority_class(
            "system-node-critical",
            2_000_001_000,
            "Used for system critical pods that must not be moved from their current node.",
        ),
        priority_class(
            "system-cluster-critical",
            2_000_000_000,
            "Used for system critical pods that must run in the cluster, but can be moved to another node if necessary.",
        ),
        service(&range.first().to_string()),
        endpoints(),
        endpoint_slice(),
        component("scheduler", Err(10259)),
        component("controller-manager", Err(10257)),
        component("etcd-0", Ok(())),
    ]
}

/// A part of the control plane, of which kube-apiserver alone finds only its store; the others are asked at their port.
fn component(name: &str, health: Result<(), u16>) -> Value {
    let condition = match health {
        Ok(()) => json!({"type": "Healthy", "status": "True", "message": "ok"}),
        Err(port) => {
            let message = format!(
                "Get \"https://127.0.0.1:{port}/healthz\": dial tcp 127.0.0.1:{port}: connect: connection refused"
            );
            json!({"type": "Healthy", "status": "False", "message": message})
        }
    };
    json!({"apiVersion": "v1", "kind": "ComponentStatus", "metadata": {"name": name}, "conditions": [condition]})
}

fn service_range(now: &str, range: AddressRange) -> Value {
    json!({"apiVersion": "networking.k8s.io/v1", "kind": "ServiceCIDR", "metadata": {"name": "kubernetes"},
        "spec": {"cidrs": [range.to_string()]},
        "status": {"conditions": [{"type": "Ready", "status": "True", "reason": "", "lastTransitionTime": now,
            "message": "Kubernetes default Service CIDR is ready"}]}})
}

fn priority_class(name: &str, value: i64, description: &str) -> Value {
    json!({"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": name},
        "value": value, "description": description, "preemptionPolicy": "PreemptLowerPriority"})
}

/// The Service of the server itself, which has the first address.
fn service(address: &str) -> Value {
    json!({"apiVersion": "v1", "kind": "Service",
        "metadata": {"name": "kubernetes", "namespace": "default",
            "labels": {"component": "apiserver", "provider": "kubernetes"}},
        "spec": {"type": "ClusterIP", "clusterIP": address, "clusterIPs": [address],
            "ipFamilies": ["IPv4"], "ipFamilyPolicy": "SingleStack", "internalTrafficPolicy": "Cluster",
            "sessionAffinity": "None",
            "ports": [{"name": "https", "port": 443, "protocol": "TCP", "targetPort": SERVER_PORT}]},
        "status": {"loadBalancer": {}}})
}

fn endpoints() -> Value {
    json!({"apiVersion": "v1", "kind": "Endpoints",
        "metadata": {"name": "kubernetes", "namespace": "default",
            "labels": {"endpointslice.kubernetes.io/skip-mirror": "true"}},
        "subsets": [{"addresses": [{"ip": SERVER_ADDRESS}],
            "ports": [{"name": "https", "port": SERVER_PORT, "protocol": "TCP"}]}]})
}

fn endpoint_slice() -> Value {
    json!({"apiVersion": "discovery.k8s.io/v1", "kind": "EndpointSlice", "addressType": "IPv4",
        "metadata": {"name": "kubernetes", "namespace": "default",
            "labels": {"kubernetes.io/service-name": "kubernetes"}},
        "endpoints": [{"addresses": [SERVER_ADDRESS], "conditions": {"ready": true}}],
        "ports": [{"name": "https", "port": SERVER_PORT, "protocol": "TCP"}]})
}
