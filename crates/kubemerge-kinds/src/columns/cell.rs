//! Cells that are more than the value at a path.

use serde_json::{Value, json};

use super::event;
use crate::{columns::column::age, label_selector::LabelSelector, timestamp::Timestamp};

/// The cell of a computed column; none if the column is a plain path.
pub fn computed(path: &str, object: &Value, now: Timestamp) -> Option<Value> {
    if let Some(pointer) = path.strip_prefix('?') {
        return Some(json!(text(object, pointer).unwrap_or("<unknown>")));
    }
    let name = path.strip_prefix('=')?;
    let found = workload(name, object).or_else(|| timed(name, object, now));
    if let Some(found) = found.or_else(|| event::cell(name, object, now)) {
        return Some(json!(found));
    }
    Some(match name {
        pointer if pointer.starts_with('/') => json!(text(object, pointer).unwrap_or("<none>")),
        "suspend" => json!(go_bool(&object["spec"]["suspend"])),
        "active-jobs" => json!(list(object, "/status/active").count()),
        "scale-metrics" => json!(or_none(scale_metrics(object))),
        "least-pods" => json!(object.pointer("/spec/minReplicas").map_or("<unset>".into(), Value::to_string)),
        "volume-modes" => json!(short_modes(object, "/spec/accessModes")),
        "claim" => json!(claim(object)),
        "reclaim-policy" => json!(text(object, "/reclaimPolicy").unwrap_or("Delete")),
        "binding-mode" => json!(text(object, "/volumeBindingMode").unwrap_or("Immediate")),
        "expansion" => json!(object["allowVolumeExpansion"] == json!(true)),
        "global-default" => json!(object["globalDefault"] == json!(true)),
        "internal-ip" => json!(or_none(node_address(object, "InternalIP"))),
        "node-external-ip" => json!(or_none(node_address(object, "ExternalIP"))),
        "readiness-gates" => json!(readiness_gates(object)),
        "slice-ports" => json!(or_unset(slice_ports(object))),
        "slice-addresses" => json!(or_unset(slice_addresses(object))),
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
        "access-modes" => json!(short_modes(object, "/status/accessModes")),
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

/// Cells that tell what a workload runs, and what an object leads to.
fn workload(name: &str, object: &Value) -> Option<String> {
    Some(match name {
        "containers" => containers(object, "name"),
        "images" => containers(object, "image"),
        "selector" => or_none(selector_text(&object["spec"]["selector"])),
        "class-parameters" => or_none(kind_and_name(&object["spec"]["parameters"])),
        "scale-target" => kind_and_name(&object["spec"]["scaleTargetRef"]),
        _ => return None,
    })
}

/// Cells that tell how long ago something was.
fn timed(name: &str, object: &Value, now: Timestamp) -> Option<String> {
    let moment = |pointer: &str| text(object, pointer).and_then(Timestamp::parse);
    Some(match name {
        "last-schedule" => {
            moment("/status/lastScheduleTime").map_or("<none>".into(), |then| age(now.since(then)))
        }
        "job-duration" => match (moment("/status/startTime"), moment("/status/completionTime")) {
            (None, _) => String::new(),
            (Some(start), end) => age(end.unwrap_or(now).since(start)),
        },
        _ => return None,
    })
}

fn kind_and_name(reference: &Value) -> String {
    match (word(&reference["kind"]), word(&reference["name"])) {
        ("", "") => String::new(),
        (kind, name) => format!("{kind}/{name}"),
    }
}

/// A member of every container of the pods that a workload makes.
fn containers(workload: &Value, member: &str) -> String {
    let places = ["/spec/template/spec/containers", "/spec/jobTemplate/spec/template/spec/containers"];
    let containers = places.iter().flat_map(|place| list(workload, place));
    containers.map(|container| word(&container[member])).collect::<Vec<_>>().join(",")
}

fn go_bool(value: &Value) -> &'static str {
    match value.as_bool() {
        Some(true) => "True",
        Some(false) => "False",
        None => "<unset>",
    }
}

/// What an autoscaler aims at; what it has measured is only known for resources.
fn scale_metrics(scaler: &Value) -> String {
    let metrics = list(scaler, "/spec/metrics").map(|metric| {
        let name = word(&metric["resource"]["name"]);
        let target = &metric["resource"]["target"];
        let current = list(scaler, "/status/currentMetrics").find(|one| one["resource"]["name"] == name);
        let current = current.map_or(&Value::Null, |one| &one["resource"]["current"]);
        match (&target["averageUtilization"], &target["averageValue"]) {
            (Value::Number(wanted), _) => {
                let now = current["averageUtilization"].as_i64().map(|percent| format!("{percent}%"));
                format!("{name}: {}/{wanted}%", now.unwrap_or("<unknown>".into()))
            }
            (_, Value::String(wanted)) => {
                format!("{name}: {}/{wanted}", current["averageValue"].as_str().unwrap_or("<unknown>"))
            }
            _ => "<unknown>".to_string(),
        }
    });
    metrics.collect::<Vec<_>>().join(", ")
}

fn claim(volume: &Value) -> String {
    match text(volume, "/spec/claimRef/name") {
        Some(name) => format!("{}/{name}", word(&volume["spec"]["claimRef"]["namespace"])),
        None => String::new(),
    }
}

fn node_address(node: &Value, kind: &str) -> String {
    let address = list(node, "/status/addresses").find(|one| one["type"] == kind);
    address.map(|one| word(&one["address"]).to_string()).unwrap_or_default()
}

fn readiness_gates(pod: &Value) -> String {
    let wanted = list(pod, "/spec/readinessGates").count();
    let holds = |gate: &&Value| {
        list(pod, "/status/conditions")
            .any(|one| one["type"] == gate["conditionType"] && one["status"] == "True")
    };
    let open = list(pod, "/spec/readinessGates").filter(holds).count();
    if wanted == 0 { "<none>".into() } else { format!("{open}/{wanted}") }
}

fn slice_ports(slice: &Value) -> String {
    list(slice, "/ports").map(|port| port["port"].to_string()).collect::<Vec<_>>().join(",")
}

/// The first addresses, and how many more there are.
fn slice_addresses(slice: &Value) -> String {
    let all: Vec<&str> = list(slice, "/endpoints")
        .flat_map(|endpoint| list(endpoint, "/addresses"))
        .filter_map(Value::as_str)
        .collect();
    let shown = all.iter().take(3).copied().collect::<Vec<_>>().join(",");
    if all.len() > 3 { format!("{shown} + {} more...", all.len() - 3) } else { shown }
}

fn or_unset(text: String) -> String {
    if text.is_empty() { "<unset>".into() } else { text }
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

pub(super) fn text<'v>(object: &'v Value, pointer: &str) -> Option<&'v str> {
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

fn short_modes(volume: &Value, pointer: &str) -> String {
    let short = |mode: &str| match mode {
        "ReadWriteOnce" => "RWO".to_string(),
        "ReadOnlyMany" => "ROX".to_string(),
        "ReadWriteMany" => "RWX".to_string(),
        "ReadWriteOncePod" => "RWOP".to_string(),
        other => other.to_string(),
    };
    let modes = list(volume, pointer).filter_map(Value::as_str);
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
pub fn selector_text(selector: &Value) -> String {
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
            assert_eq!(computed(path, &object, Timestamp::at(0)), Some(json!(cell)), "{path} {object}");
        }
    }

    #[test]
    fn wide_cells_tell_more() {
        let now = Timestamp::parse("2026-01-01T01:00:00Z").unwrap();
        let template =
            json!({"spec": {"containers": [{"name": "a", "image": "i:1"}, {"name": "b", "image": "j"}]}});
        let event = json!({"regarding": {"kind": "Pod", "name": "p"}, "note": "hi\n", "reportingController": "c",
            "deprecatedLastTimestamp": "2026-01-01T00:59:30Z", "series": {"count": 4}});
        let scaler = json!({"spec": {"metrics": [{"type": "Resource", "resource": {"name": "cpu", "target":
            {"averageUtilization": 50}}}]}, "status": {"currentMetrics": [{"resource": {"name": "cpu", "current":
            {"averageUtilization": 20}}}]}});
        for (path, object, cell) in [
            ("=containers", json!({"spec": {"template": template}}), "a,b"),
            ("=images", json!({"spec": {"jobTemplate": {"spec": {"template": template}}}}), "i:1,j"),
            ("=/spec/nodeName", json!({}), "<none>"),
            ("?/status/nodeInfo/osImage", json!({}), "<unknown>"),
            ("=event-object", event.clone(), "pod/p"),
            ("=event-message", event.clone(), "hi"),
            ("=event-source", event.clone(), "c"),
            ("=event-count", event.clone(), "4"),
            ("=last-seen", event, "30s"),
            ("=last-schedule", json!({}), "<none>"),
            ("=job-duration", json!({"status": {"startTime": "2026-01-01T00:50:00Z"}}), "10m"),
            ("=scale-metrics", scaler, "cpu: 20%/50%"),
            ("=least-pods", json!({}), "<unset>"),
            ("=suspend", json!({"spec": {"suspend": false}}), "False"),
            ("=claim", json!({"spec": {"claimRef": {"name": "c", "namespace": "n"}}}), "n/c"),
            (
                "=slice-addresses",
                json!({"endpoints": [{"addresses": ["1", "2"]}, {"addresses": ["3", "4"]}]}),
                "1,2,3 + 1 more...",
            ),
            ("=readiness-gates", json!({"spec": {"readinessGates": [{"conditionType": "x"}]}}), "0/1"),
        ] {
            assert_eq!(computed(path, &object, now), Some(json!(cell)), "{path} {object}");
        }
    }
}
