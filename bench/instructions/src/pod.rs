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
fn dice(at: usize) -> Rng {
    Rng::with_seed(at as u64)
}

fn word(dice: &mut Rng) -> &'static str {
    PARTS[dice.usize(..PARTS.len())]
}

fn object(at: usize) -> Value {
    let dice = &mut dice(at);
    let app = word(dice);
    let mut labels = Map::new();
    labels.insert("app".into(), app.into());
    labels.insert("tier".into(), TIERS[dice.usize(..TIERS.len())].into());
    for _ in 0..dice.usize(1..4) {
        labels.insert(format!("example.com/{}-{}", word(dice), dice.u8(..)), word(dice).into());
    }
    let volumes: Vec<Value> = (0..dice.usize(2..4)).map(|number| volume(dice, number)).collect();
    let containers: Vec<Value> =
        (0..dice.usize(1..3)).map(|number| container(dice, number, &volumes)).collect();
    let seconds = dice.u32(10..3600);
    json!({
        "apiVersion": "v1", "kind": "Pod",
        "metadata": {
            "name": format!("{app}-{at:04}"), "namespace": "default", "labels": labels,
            "annotations": {"example.com/owner": format!("team-{}", dice.u8(..)), "example.com/revision": at.to_string()},
        },
        "spec": {
            "containers": containers, "volumes": volumes,
            "nodeSelector": {"example.com/pool": format!("{}-{}", word(dice), dice.u8(..))},
            "securityContext": {"runAsUser": dice.u32(1000..60000), "fsGroup": dice.u32(1000..60000)},
            "terminationGracePeriodSeconds": dice.u32(5..120),
            "tolerations": [{"key": "node.kubernetes.io/not-ready", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": seconds}],
        },
    })
}

fn volume(dice: &mut Rng, number: usize) -> Value {
    let name = format!("{}-{number}", word(dice));
    match dice.u8(..3) {
        0 => json!({"name": name, "emptyDir": {"sizeLimit": format!("{}Mi", dice.u16(16..900))}}),
        1 => {
            json!({"name": name, "configMap": {"name": format!("{name}-settings"), "items": [{"key": "main.conf", "path": format!("{}.conf", word(dice))}]}})
        }
        _ => json!({"name": name, "secret": {"secretName": format!("{name}-{}", dice.u16(..))}}),
    }
}

fn container(dice: &mut Rng, number: usize, volumes: &[Value]) -> Value {
    let name = format!("{}-{number}", word(dice));
    let port = dice.u16(1024..30000);
    let variables: Vec<Value> = (0..dice.usize(3..9)).map(|number| variable(dice, number)).collect();
    let mounts: Vec<Value> = volumes
        .iter()
        .map(|volume| json!({"name": volume["name"], "mountPath": format!("/srv/{}/{}", word(dice), volume["name"].as_str().unwrap_or_default())}))
        .collect();
    let mut ports = vec![json!({"name": "http", "containerPort": port})];
    if dice.bool() {
        ports.push(json!({"name": "metrics", "containerPort": dice.u16(30000..60000), "protocol": "TCP"}));
    }
    json!({
        "name": name, "image": image(dice),
        "args": [format!("--listen=:{port}"), format!("--log-level={}", dice.u8(..9))],
        "env": variables, "ports": ports, "volumeMounts": mounts,
        "resources": {
            "requests": {"cpu": format!("{}m", dice.u16(10..500)), "memory": format!("{}Mi", dice.u16(16..256))},
            "limits": {"cpu": format!("{}m", dice.u16(500..4000)), "memory": format!("{}Mi", dice.u16(256..4000))},
        },
        "readinessProbe": {"httpGet": {"path": format!("/{}/ready", word(dice)), "port": "http"}, "periodSeconds": dice.u8(1..60)},
        "livenessProbe": {"tcpSocket": {"port": port}, "initialDelaySeconds": dice.u8(1..60), "failureThreshold": dice.u8(1..9)},
    })
}

fn image(dice: &mut Rng) -> String {
    format!("images.example.com/{}/{}:{}.{}", word(dice), word(dice), dice.u8(..20), dice.u8(..))
}

fn variable(dice: &mut Rng, number: usize) -> Value {
    let name = format!("{}_{number}", word(dice).to_uppercase());
    match dice.u8(..4) {
        0 => {
            json!({"name": name, "valueFrom": {"secretKeyRef": {"name": format!("{}-keys", word(dice)), "key": word(dice)}}})
        }
        1 => json!({"name": name, "valueFrom": {"fieldRef": {"fieldPath": "status.podIP"}}}),
        _ => json!({"name": name, "value": format!("{:x}", dice.u64(..))}),
    }
}

/// A new image, a new label and another annotation: what an update of a pod may change.
fn change(at: usize, pod: &mut Value) {
    let dice = &mut dice(at + 1_000_000);
    pod["spec"]["containers"][0]["image"] = image(dice).into();
    pod["metadata"]["labels"][format!("example.com/{}", word(dice))] = word(dice).into();
    pod["metadata"]["annotations"]["example.com/revision"] = (at + 1).to_string().into();
}

pub(crate) fn strategic_patch(at: usize) -> Value {
    let dice = &mut dice(at + 2_000_000);
    let pod = object(at);
    let container = &pod["spec"]["containers"][0]["name"];
    let label = format!("example.com/{}", word(dice));
    json!({
        "metadata": {"labels": {label: word(dice)}},
        "spec": {"containers": [{"name": container, "image": image(dice)}]},
    })
}

pub(crate) fn merge_patch(at: usize) -> Value {
    let dice = &mut dice(at + 3_000_000);
    let annotation = format!("example.com/{}", word(dice));
    json!({
        "metadata": {"labels": {"tier": null}, "annotations": {annotation: format!("{:x}", dice.u64(..))}},
        "spec": {"activeDeadlineSeconds": dice.u32(100..100_000)},
    })
}
