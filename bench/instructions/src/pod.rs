//! Pods of about 2 KB. No two have the same spec: names, images, variables, ports, volumes, resources and probes differ,
//! and so does how many there are of them.

use fastrand::Rng;
use serde_json::{Map, Value, json};

use crate::row::Kind;

pub(crate) const KIND: Kind = Kind { collection: "/api/v1/namespaces/default/pods", object, change };

const PARTS: [&str; 12] = [
    "web", "cache", "queue", "billing", "search", "mailer", "report", "proxy", "index", "ledger", "media",
    "audit",
];
const TIERS: [&str; 4] = ["frontend", "backend", "batch", "edge"];

/// The same number gives the same pod.
fn rng(at: usize) -> Rng {
    Rng::with_seed(at as u64)
}

fn word(rng: &mut Rng) -> &'static str {
    PARTS[rng.usize(..PARTS.len())]
}

fn object(at: usize) -> Value {
    let rng = &mut rng(at);
    let app = word(rng);
    let mut labels = Map::new();
    labels.insert("app".into(), app.into());
    labels.insert("tier".into(), TIERS[rng.usize(..TIERS.len())].into());
    for _ in 0..rng.usize(1..4) {
        labels.insert(format!("example.com/{}-{}", word(rng), rng.u8(..)), word(rng).into());
    }
    let volumes: Vec<Value> = (0..rng.usize(2..4)).map(|number| volume(rng, number)).collect();
    let containers: Vec<Value> =
        (0..rng.usize(1..3)).map(|number| container(rng, number, &volumes)).collect();
    let seconds = rng.u32(10..3600);
    json!({
        "apiVersion": "v1", "kind": "Pod",
        "metadata": {
            "name": format!("{app}-{at:04}"), "namespace": "default", "labels": labels,
            "annotations": {"example.com/owner": format!("team-{}", rng.u8(..)), "example.com/revision": at.to_string()},
        },
        "spec": {
            "containers": containers, "volumes": volumes,
            "nodeSelector": {"example.com/pool": format!("{}-{}", word(rng), rng.u8(..))},
            "securityContext": {"runAsUser": rng.u32(1000..60000), "fsGroup": rng.u32(1000..60000)},
            "terminationGracePeriodSeconds": rng.u32(5..120),
            "tolerations": [{"key": "node.kubernetes.io/not-ready", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": seconds}],
        },
    })
}

fn volume(rng: &mut Rng, number: usize) -> Value {
    let name = format!("{}-{number}", word(rng));
    match rng.u8(..3) {
        0 => json!({"name": name, "emptyDir": {"sizeLimit": format!("{}Mi", rng.u16(16..900))}}),
        1 => {
            json!({"name": name, "configMap": {"name": format!("{name}-settings"), "items": [{"key": "main.conf", "path": format!("{}.conf", word(rng))}]}})
        }
        _ => json!({"name": name, "secret": {"secretName": format!("{name}-{}", rng.u16(..))}}),
    }
}

fn container(rng: &mut Rng, number: usize, volumes: &[Value]) -> Value {
    let name = format!("{}-{number}", word(rng));
    let port = rng.u16(1024..30000);
    let variables: Vec<Value> = (0..rng.usize(3..9)).map(|number| variable(rng, number)).collect();
    let mounts: Vec<Value> = volumes
        .iter()
        .map(|volume| json!({"name": volume["name"], "mountPath": format!("/srv/{}/{}", word(rng), volume["name"].as_str().unwrap_or_default())}))
        .collect();
    let mut ports = vec![json!({"name": "http", "containerPort": port})];
    if rng.bool() {
        ports.push(json!({"name": "metrics", "containerPort": rng.u16(30000..60000), "protocol": "TCP"}));
    }
    json!({
        "name": name, "image": image(rng),
        "args": [format!("--listen=:{port}"), format!("--log-level={}", rng.u8(..9))],
        "env": variables, "ports": ports, "volumeMounts": mounts,
        "resources": {
            "requests": {"cpu": format!("{}m", rng.u16(10..500)), "memory": format!("{}Mi", rng.u16(16..256))},
            "limits": {"cpu": format!("{}m", rng.u16(500..4000)), "memory": format!("{}Mi", rng.u16(256..4000))},
        },
        "readinessProbe": {"httpGet": {"path": format!("/{}/ready", word(rng)), "port": "http"}, "periodSeconds": rng.u8(1..60)},
        "livenessProbe": {"tcpSocket": {"port": port}, "initialDelaySeconds": rng.u8(1..60), "failureThreshold": rng.u8(1..9)},
    })
}

fn image(rng: &mut Rng) -> String {
    format!("images.example.com/{}/{}:{}.{}", word(rng), word(rng), rng.u8(..20), rng.u8(..))
}

fn variable(rng: &mut Rng, number: usize) -> Value {
    let name = format!("{}_{number}", word(rng).to_uppercase());
    match rng.u8(..4) {
        0 => {
            json!({"name": name, "valueFrom": {"secretKeyRef": {"name": format!("{}-keys", word(rng)), "key": word(rng)}}})
        }
        1 => json!({"name": name, "valueFrom": {"fieldRef": {"fieldPath": "status.podIP"}}}),
        _ => json!({"name": name, "value": format!("{:x}", rng.u64(..))}),
    }
}

/// A new image, a new label and another annotation: what an update of a pod may change.
fn change(at: usize, pod: &mut Value) {
    let rng = &mut rng(at + 1_000_000);
    pod["spec"]["containers"][0]["image"] = image(rng).into();
    pod["metadata"]["labels"][format!("example.com/{}", word(rng))] = word(rng).into();
    pod["metadata"]["annotations"]["example.com/revision"] = (at + 1).to_string().into();
}

pub(crate) fn strategic_patch(at: usize) -> Value {
    let rng = &mut rng(at + 2_000_000);
    let pod = object(at);
    let container = &pod["spec"]["containers"][0]["name"];
    let label = format!("example.com/{}", word(rng));
    json!({
        "metadata": {"labels": {label: word(rng)}},
        "spec": {"containers": [{"name": container, "image": image(rng)}]},
    })
}

pub(crate) fn merge_patch(at: usize) -> Value {
    let rng = &mut rng(at + 3_000_000);
    let annotation = format!("example.com/{}", word(rng));
    json!({
        "metadata": {"labels": {"tier": null}, "annotations": {annotation: format!("{:x}", rng.u64(..))}},
        "spec": {"activeDeadlineSeconds": rng.u32(100..100_000)},
    })
}
