//! Defaults that differ between versions. The expectations are what `pkg/apis` of Kubernetes 1.25.16 and 1.30.14 answers.

use kubemerge_kinds::BuiltinKind;
use kubemerge_kinds::tree::Arena;
use kubemerge_schema::{Dialect, Schema};
use serde_json::{Value, json};

/// The value at a pointer of an object after its defaults were set.
fn defaulted(version: &str, object: &Value, pointer: &str) -> Value {
    let schema = Schema::builtin(version, Dialect::Upstream).unwrap();
    let text = |name: &str| object[name].as_str().unwrap();
    let kind = BuiltinKind::find(&schema, text("apiVersion"), text("kind")).unwrap();
    let (arena, given) = (Arena::new(), object.to_string());
    let mut tree = kind.decode(&arena, &given).unwrap().object;
    kind.default(&mut tree);
    let stored: Value = serde_json::from_str(&tree.to_text()).unwrap();
    stored.pointer(pointer).cloned().unwrap_or_default()
}

#[test]
fn defaults_are_those_of_the_version() {
    let template = json!({"spec": {"hostNetwork": true, "containers": [{"name": "a", "image": "a",
        "ports": [{"containerPort": 80}]}]}});
    let workload = |api_version: &str, kind: &str| json!({"apiVersion": api_version, "kind": kind, "metadata": {"name": "a"}, "spec": {"template": template}});
    let service = json!({"apiVersion": "v1", "kind": "Service", "metadata": {"name": "a"},
        "spec": {"externalIPs": ["192.0.2.1"], "ports": [{"port": 80}]}});
    let balancer = json!({"apiVersion": "v1", "kind": "Service", "metadata": {"name": "a"},
        "spec": {"type": "LoadBalancer", "ports": [{"port": 80}]},
        "status": {"loadBalancer": {"ingress": [{"ip": "192.0.2.1"}]}}});
    let (job, set) = (workload("batch/v1", "Job"), workload("apps/v1", "StatefulSet"));
    let retained = json!({"whenDeleted": "Retain", "whenScaled": "Retain"});
    let port = "/spec/template/spec/containers/0/ports/0/hostPort";
    let mode = "/status/loadBalancer/ingress/0/ipMode";
    let cases = [
        (&job, "/spec/podReplacementPolicy", Value::Null, json!("TerminatingOrFailed")),
        (&job, "/spec/manualSelector", Value::Null, json!(false)),
        (&job, port, json!(80), Value::Null),
        (&set, "/spec/persistentVolumeClaimRetentionPolicy", Value::Null, retained),
        (&service, "/spec/externalTrafficPolicy", Value::Null, json!("Cluster")),
        (&balancer, mode, Value::Null, json!("VIP")),
    ];
    for (object, pointer, before, since) in cases {
        assert_eq!(defaulted("1.25", object, pointer), before, "1.25 {pointer}");
        assert_eq!(defaulted("1.30", object, pointer), since, "1.30 {pointer}");
    }
}
