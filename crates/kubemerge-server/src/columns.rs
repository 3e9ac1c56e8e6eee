//! The columns of built-in kinds in tables.
//!
//! A column takes its cells from a path, or is computed here under a name that begins with `=`.

use serde_json::{Value, json};

use crate::{catalog::Resource, selector::LabelSelector, table::Column};

type Sketch = (&'static str, &'static str, &'static str);

/// Columns between Name and Age: title, type, path.
const KINDS: &[(&str, &str, &[Sketch])] = &[
    (
        "",
        "Pod",
        &[
            ("Ready", "string", "=pod-ready"),
            ("Status", "string", "=pod-status"),
            ("Restarts", "integer", "=restarts"),
        ],
    ),
    ("", "ConfigMap", &[("Data", "integer", "=data-count")]),
    ("", "Secret", &[("Type", "string", ".type"), ("Data", "integer", "=data-count")]),
    ("", "Namespace", &[("Status", "string", ".status.phase")]),
    ("", "Node", &[("Status", "string", "=node-status")]),
    (
        "",
        "Service",
        &[
            ("Type", "string", ".spec.type"),
            ("Cluster-IP", "string", "=cluster-ip"),
            ("Port(s)", "string", "=ports"),
        ],
    ),
    (
        "apps",
        "Deployment",
        &[
            ("Ready", "string", "=ready-replicas"),
            ("Up-to-date", "integer", "=.status.updatedReplicas"),
            ("Available", "integer", "=.status.availableReplicas"),
        ],
    ),
    (
        "apps",
        "ReplicaSet",
        &[
            ("Desired", "integer", "=.spec.replicas"),
            ("Current", "integer", "=.status.replicas"),
            ("Ready", "integer", "=.status.readyReplicas"),
        ],
    ),
    ("apps", "StatefulSet", &[("Ready", "string", "=ready-replicas")]),
    (
        "apps",
        "DaemonSet",
        &[
            ("Desired", "integer", "=.status.desiredNumberScheduled"),
            ("Current", "integer", "=.status.currentNumberScheduled"),
            ("Ready", "integer", "=.status.numberReady"),
        ],
    ),
    ("batch", "Job", &[("Status", "string", "=job-status"), ("Completions", "string", "=completions")]),
    (
        "batch",
        "CronJob",
        &[("Schedule", "string", ".spec.schedule"), ("Suspend", "boolean", ".spec.suspend")],
    ),
    ("coordination.k8s.io", "Lease", &[("Holder", "string", ".spec.holderIdentity")]),
    ("apiextensions.k8s.io", "CustomResourceDefinition", &[]),
];

/// The columns of a built-in kind.
pub(crate) fn of(resource: &Resource) -> Vec<Column> {
    let own = KINDS.iter().find(|(group, kind, _)| *group == resource.group && *kind == resource.kind);
    let own = own.map_or(&[][..], |(_, _, columns)| columns);
    let mut columns = vec![Column::name()];
    columns.extend(own.iter().map(|(name, kind, path)| Column {
        name: name.to_string(),
        kind: kind.to_string(),
        format: String::new(),
        description: String::new(),
        priority: 0,
        path: path.to_string(),
    }));
    if resource.kind == "CustomResourceDefinition" {
        let mut created = Column::age();
        created.name = "Created At".into();
        created.path = "=created-at".into();
        columns.push(created);
    } else {
        columns.push(Column::age());
    }
    columns
}

/// The cell of a computed column; none if the column is a plain path.
pub(crate) fn computed(path: &str, object: &Value) -> Option<Value> {
    let name = path.strip_prefix('=')?;
    Some(match name {
        "pod-ready" => json!(pod_ready(object)),
        "pod-status" => json!(pod_status(object)),
        "restarts" => {
            json!(statuses(object).map(|one| one["restartCount"].as_i64().unwrap_or(0)).sum::<i64>())
        }
        "data-count" => json!(count(&object["data"]) + count(&object["binaryData"])),
        "node-status" => json!(node_status(object)),
        "cluster-ip" => json!(object.pointer("/spec/clusterIP").and_then(Value::as_str).unwrap_or("<none>")),
        "ports" => json!(ports(object)),
        "ready-replicas" => {
            json!(format!("{}/{}", number(object, "/status/readyReplicas"), number(object, "/spec/replicas")))
        }
        "job-status" => json!(job_status(object)),
        "completions" => {
            let wanted = object.pointer("/spec/completions").and_then(Value::as_i64).unwrap_or(1);
            json!(format!("{}/{wanted}", number(object, "/status/succeeded")))
        }
        "created-at" => object.pointer("/metadata/creationTimestamp").cloned().unwrap_or_default(),
        pointer => json!(number(object, &pointer.replace('.', "/"))),
    })
}

fn number(object: &Value, pointer: &str) -> i64 {
    object.pointer(pointer).and_then(Value::as_i64).unwrap_or(0)
}

fn count(value: &Value) -> usize {
    value.as_object().map_or(0, serde_json::Map::len)
}

fn statuses(pod: &Value) -> impl Iterator<Item = &Value> {
    pod.pointer("/status/containerStatuses").and_then(Value::as_array).into_iter().flatten()
}

fn pod_ready(pod: &Value) -> String {
    let total = pod.pointer("/spec/containers").and_then(Value::as_array).map_or(0, Vec::len);
    let ready = statuses(pod).filter(|one| one["ready"] == json!(true)).count();
    format!("{ready}/{total}")
}

fn pod_status(pod: &Value) -> String {
    if pod.pointer("/metadata/deletionTimestamp").is_some() {
        return "Terminating".into();
    }
    let waiting = statuses(pod).find_map(|one| one.pointer("/state/waiting/reason").and_then(Value::as_str));
    let reason = pod.pointer("/status/reason").and_then(Value::as_str);
    let phase = pod.pointer("/status/phase").and_then(Value::as_str);
    waiting.or(reason).or(phase).unwrap_or("Unknown").to_string()
}

fn node_status(node: &Value) -> &'static str {
    let conditions = node.pointer("/status/conditions").and_then(Value::as_array).into_iter().flatten();
    match conditions.filter(|one| one["type"] == "Ready").map(|one| one["status"] == "True").next() {
        Some(true) => "Ready",
        Some(false) => "NotReady",
        None => "Unknown",
    }
}

fn ports(service: &Value) -> String {
    let ports = service.pointer("/spec/ports").and_then(Value::as_array).into_iter().flatten();
    let texts: Vec<String> = ports
        .map(|port| {
            let protocol = port["protocol"].as_str().unwrap_or("TCP");
            match port["nodePort"].as_i64() {
                Some(node_port) => format!("{}:{node_port}/{protocol}", port["port"]),
                None => format!("{}/{protocol}", port["port"]),
            }
        })
        .collect();
    if texts.is_empty() { "<none>".into() } else { texts.join(",") }
}

fn job_status(job: &Value) -> &'static str {
    let conditions = job.pointer("/status/conditions").and_then(Value::as_array).into_iter().flatten();
    let holds = conditions.filter(|one| one["status"] == "True").find_map(|one| one["type"].as_str());
    match holds {
        Some("Complete") => "Complete",
        Some("Failed") => "Failed",
        Some("Suspended") => "Suspended",
        _ => "Running",
    }
}

/// The label selector of a workload as a string, for scale.
pub(crate) fn selector_text(selector: &Value) -> String {
    let parsed = if selector.get("matchLabels").is_some() || selector.get("matchExpressions").is_some() {
        LabelSelector::from_object(selector)
    } else {
        Some(LabelSelector::from_map(selector))
    };
    parsed.map(|selector| selector.to_string()).unwrap_or_default()
}
