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
    ("", "Node", &[("Status", "string", "=node-status"), ("Roles", "string", "=node-roles")]),
    (
        "",
        "PersistentVolumeClaim",
        &[
            ("Status", "string", ".status.phase"),
            ("Volume", "string", ".spec.volumeName"),
            ("Capacity", "string", ".status.capacity.storage"),
            ("Access Modes", "string", "=access-modes"),
            ("StorageClass", "string", ".spec.storageClassName"),
        ],
    ),
    ("", "ServiceAccount", &[("Secrets", "integer", "=secrets")]),
    (
        "",
        "Service",
        &[
            ("Type", "string", ".spec.type"),
            ("Cluster-IP", "string", "=cluster-ip"),
            ("External-IP", "string", "=external-ip"),
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
            ("Up-to-date", "integer", "=.status.updatedNumberScheduled"),
            ("Available", "integer", "=.status.numberAvailable"),
            ("Node Selector", "string", "=node-selector"),
        ],
    ),
    ("batch", "Job", &[("Status", "string", "=job-status"), ("Completions", "string", "=completions")]),
    (
        "batch",
        "CronJob",
        &[("Schedule", "string", ".spec.schedule"), ("Suspend", "boolean", ".spec.suspend")],
    ),
    (
        "networking.k8s.io",
        "Ingress",
        &[
            ("Class", "string", "=ingress-class"),
            ("Hosts", "string", "=ingress-hosts"),
            ("Address", "string", "=load-balancer"),
            ("Ports", "string", "=ingress-ports"),
        ],
    ),
    ("networking.k8s.io", "NetworkPolicy", &[("Pod-Selector", "string", "=pod-selector")]),
    (
        "policy",
        "PodDisruptionBudget",
        &[
            ("Min Available", "string", "=min-available"),
            ("Max Unavailable", "string", "=max-unavailable"),
            ("Allowed Disruptions", "integer", "=.status.disruptionsAllowed"),
        ],
    ),
    ("rbac.authorization.k8s.io", "RoleBinding", &[("Role", "string", "=role")]),
    ("rbac.authorization.k8s.io", "ClusterRoleBinding", &[("Role", "string", "=role")]),
    ("coordination.k8s.io", "Lease", &[("Holder", "string", ".spec.holderIdentity")]),
    ("apiextensions.k8s.io", "CustomResourceDefinition", &[]),
];

/// The columns of a built-in kind.
pub(crate) fn of(resource: &Resource) -> Vec<Column> {
    let own = KINDS.iter().find(|(group, kind, _)| *group == resource.group && *kind == resource.kind);
    let own = own.map_or(&[][..], |(_, _, columns)| columns);
    let mut columns = vec![Column::name()];
    columns.extend(own.iter().map(|(name, kind, path)| Column::new(name, kind, "", path)));
    if matches!(resource.kind.as_str(), "CustomResourceDefinition" | "Role" | "ClusterRole") {
        let mut created = Column::age();
        created.name = "Created At".into();
        created.path = "=created-at".into();
        columns.push(created);
    } else {
        columns.push(Column::age());
    }
    if resource.group.is_empty() && resource.kind == "Node" {
        columns.push(Column::new("Version", "string", "", ".status.nodeInfo.kubeletVersion"));
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
        "external-ip" => json!(external_ip(object)),
        "ports" => json!(ports(object)),
        "node-roles" => json!(node_roles(object)),
        "node-selector" => json!(or_none(labels_text(object.pointer("/spec/template/spec/nodeSelector")))),
        "pod-selector" => json!(or_none(selector_text(&object["spec"]["podSelector"]))),
        "access-modes" => json!(access_modes(object)),
        "secrets" => json!(object["secrets"].as_array().map_or(0, Vec::len)),
        "ingress-class" => json!(text(object, "/spec/ingressClassName").unwrap_or("<none>")),
        "ingress-hosts" => json!(ingress_hosts(object)),
        "ingress-ports" => json!(if object.pointer("/spec/tls").is_some() { "80, 443" } else { "80" }),
        "load-balancer" => json!(load_balancer(object).join(",")),
        "min-available" => json!(or_not_applicable(&object["spec"]["minAvailable"])),
        "max-unavailable" => json!(or_not_applicable(&object["spec"]["maxUnavailable"])),
        "role" => json!(format!("{}/{}", word(&object["roleRef"]["kind"]), word(&object["roleRef"]["name"]))),
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

fn node_status(node: &Value) -> String {
    let ready = list(node, "/status/conditions").find(|one| one["type"] == "Ready");
    let status = match ready.map(|one| one["status"] == "True") {
        Some(true) => "Ready",
        Some(false) => "NotReady",
        None => "Unknown",
    };
    let cordoned = node.pointer("/spec/unschedulable") == Some(&json!(true));
    format!("{status}{}", if cordoned { ",SchedulingDisabled" } else { "" })
}

fn node_roles(node: &Value) -> String {
    let labels = node.pointer("/metadata/labels").and_then(Value::as_object).into_iter().flatten();
    let roles: Vec<&str> = labels
        .filter_map(|(key, value)| match key.strip_prefix("node-role.kubernetes.io/") {
            Some(role) => Some(role),
            None => (key == "kubernetes.io/role").then_some(value.as_str()?),
        })
        .filter(|role| !role.is_empty())
        .collect();
    or_none(roles.join(","))
}

fn text<'v>(object: &'v Value, pointer: &str) -> Option<&'v str> {
    object.pointer(pointer).and_then(Value::as_str).filter(|text| !text.is_empty())
}

fn list<'v>(object: &'v Value, pointer: &str) -> impl Iterator<Item = &'v Value> {
    object.pointer(pointer).and_then(Value::as_array).into_iter().flatten()
}

fn word(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn or_none(text: String) -> String {
    if text.is_empty() { "<none>".into() } else { text }
}

fn or_not_applicable(value: &Value) -> String {
    match value {
        Value::Null => "N/A".into(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

fn labels_text(labels: Option<&Value>) -> String {
    let labels = labels.and_then(Value::as_object).into_iter().flatten();
    labels.map(|(key, value)| format!("{key}={}", word(value))).collect::<Vec<_>>().join(",")
}

fn load_balancer(object: &Value) -> Vec<&str> {
    let addresses = list(object, "/status/loadBalancer/ingress");
    addresses.filter_map(|one| one["ip"].as_str().or(one["hostname"].as_str())).collect()
}

/// The addresses by which a service is reached from outside.
fn external_ip(service: &Value) -> String {
    let own: Vec<&str> = list(service, "/spec/externalIPs").filter_map(Value::as_str).collect();
    match text(service, "/spec/type") {
        Some("ExternalName") => text(service, "/spec/externalName").unwrap_or_default().to_string(),
        Some("LoadBalancer") => {
            let all = [load_balancer(service), own].concat();
            if all.is_empty() { "<pending>".into() } else { all.join(",") }
        }
        _ => or_none(own.join(",")),
    }
}

fn access_modes(claim: &Value) -> String {
    let short = |mode: &str| match mode {
        "ReadWriteOnce" => "RWO".to_string(),
        "ReadOnlyMany" => "ROX".to_string(),
        "ReadWriteMany" => "RWX".to_string(),
        "ReadWriteOncePod" => "RWOP".to_string(),
        other => other.to_string(),
    };
    let modes = list(claim, "/status/accessModes").filter_map(Value::as_str);
    modes.map(short).collect::<Vec<_>>().join(",")
}

fn ingress_hosts(ingress: &Value) -> String {
    let hosts: Vec<&str> = list(ingress, "/spec/rules")
        .filter_map(|rule| rule["host"].as_str())
        .filter(|host| !host.is_empty())
        .collect();
    if hosts.is_empty() { "*".into() } else { hosts.join(",") }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_read_as_kubectl_users_know_them() {
        let service = |kind: &str| json!({"spec": {"type": kind, "externalName": "x.io"}});
        let labels = json!({"node-role.kubernetes.io/worker": "", "node-role.kubernetes.io/control-plane": "", "a": "b"});
        for (path, object, cell) in [
            ("=external-ip", service("ClusterIP"), "<none>"),
            ("=external-ip", service("LoadBalancer"), "<pending>"),
            ("=external-ip", service("ExternalName"), "x.io"),
            (
                "=external-ip",
                json!({"spec": {"type": "LoadBalancer", "externalIPs": ["1.1.1.1"]},
                "status": {"loadBalancer": {"ingress": [{"ip": "2.2.2.2"}, {"hostname": "lb"}]}}}),
                "2.2.2.2,lb,1.1.1.1",
            ),
            ("=node-roles", json!({"metadata": {"labels": labels}}), "control-plane,worker"),
            ("=node-roles", json!({}), "<none>"),
            ("=node-status", json!({"spec": {"unschedulable": true}}), "Unknown,SchedulingDisabled"),
            (
                "=access-modes",
                json!({"status": {"accessModes": ["ReadWriteOnce", "ReadOnlyMany"]}}),
                "RWO,ROX",
            ),
            ("=ingress-hosts", json!({"spec": {"rules": [{"host": "a.b"}, {}]}}), "a.b"),
            ("=ingress-hosts", json!({}), "*"),
            ("=ingress-ports", json!({"spec": {"tls": []}}), "80, 443"),
            ("=min-available", json!({"spec": {"minAvailable": 1}}), "1"),
            ("=max-unavailable", json!({"spec": {}}), "N/A"),
            ("=role", json!({"roleRef": {"kind": "Role", "name": "r"}}), "Role/r"),
            ("=pod-selector", json!({"spec": {"podSelector": {"matchLabels": {"a": "b"}}}}), "a=b"),
            ("=pod-selector", json!({"spec": {"podSelector": {}}}), "<none>"),
            ("=node-selector", json!({"spec": {"template": {"spec": {"nodeSelector": {"a": "b"}}}}}), "a=b"),
        ] {
            assert_eq!(computed(path, &object), Some(json!(cell)), "{path} {object}");
        }
    }
}
