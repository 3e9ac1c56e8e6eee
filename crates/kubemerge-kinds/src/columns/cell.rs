//! Cells that are more than the value at a path.

use serde_json::{Value, json};

use super::read::{labels_text, list, number, or_none, selector_text, text, word};
use super::{autoscaler, control, event, pod, storage};
use crate::{columns::column::age, timestamp::Timestamp};

/// The cell of a column of a built-in kind; none if the column is a plain path.
pub fn computed(path: &str, object: &Value, now: Timestamp) -> Option<Value> {
    let first = path.chars().next()?;
    let pointer = path.get(first.len_utf8()..)?;
    let or = |other: &str| json!(text(object, pointer).unwrap_or(other));
    Some(match first {
        '~' => or(""),
        '?' => or("<unknown>"),
        '!' => or("<unset>"),
        // A path has a slash; a name of a computed cell has none.
        '=' if pointer.starts_with('/') => or("<none>"),
        '=' => return Some(named(pointer, object, now)),
        '#' => json!(number(object, pointer)),
        '%' => object.pointer(pointer).cloned().unwrap_or_else(|| json!("<none>")),
        '&' => json!(object.pointer(pointer) == Some(&json!(true))),
        '*' => json!(list(object, pointer).count()),
        ',' => json!(list(object, pointer).map(word).collect::<Vec<_>>().join(",")),
        _ => return None,
    })
}

fn named(name: &str, object: &Value, now: Timestamp) -> Value {
    let texts = [workload, network, timed, pod::cell, event::cell];
    // Every group of cells answers for its own names, so the order does not matter.
    let found = texts.iter().find_map(|cell| cell(name, object, now).map(Value::from));
    let found = found.or_else(|| storage::cell(name, object)).or_else(|| control::cell(name, object, now));
    found.unwrap_or_else(|| match name {
        "name" => json!(word(&object["metadata"]["name"])),
        "created-at" => object.pointer("/metadata/creationTimestamp").cloned().unwrap_or_default(),
        "event-count" => json!(event::count(object)),
        "data-count" => json!(count(&object["data"]) + count(&object["binaryData"])),
        "secret-count" => json!(count(&object["data"])),
        _ => Value::Null,
    })
}

/// Cells that tell what a workload runs.
fn workload(name: &str, object: &Value, _now: Timestamp) -> Option<String> {
    Some(match name {
        "containers" => containers(object, "name"),
        "images" => containers(object, "image"),
        "selector" => or_none(selector_text(&object["spec"]["selector"])),
        "selector-or-nothing" => selector_text(&object["spec"]["selector"]),
        "job-template-selector" => control::job_template_selector(object),
        "template-labels" => or_none(labels_text(object.pointer("/template/metadata/labels"))),
        "node-selector" => or_none(labels_text(object.pointer("/spec/template/spec/nodeSelector"))),
        "suspend" => go_bool(&object["spec"]["suspend"]).into(),
        "scale-target" => {
            let target = &object["spec"]["scaleTargetRef"];
            format!("{}/{}", word(&target["kind"]), word(&target["name"]))
        }
        "scale-metrics" => autoscaler::metrics(object),
        "least-pods" => object.pointer("/spec/minReplicas").map_or("<unset>".into(), Value::to_string),
        "min-available" => or_not_applicable(&object["spec"]["minAvailable"]),
        "max-unavailable" => or_not_applicable(&object["spec"]["maxUnavailable"]),
        "ready-replicas" => {
            format!("{}/{}", number(object, "/status/readyReplicas"), number(object, "/spec/replicas"))
        }
        "job-status" => job_status(object),
        "completions" => completions(object),
        "role" => format!("{}/{}", word(&object["roleRef"]["kind"]), word(&object["roleRef"]["name"])),
        _ => return None,
    })
}

/// Cells of nodes, and of kinds that lead to addresses.
fn network(name: &str, object: &Value, _now: Timestamp) -> Option<String> {
    Some(match name {
        "internal-ip" => or_none(node_address(object, "InternalIP")),
        "node-external-ip" => or_none(node_address(object, "ExternalIP")),
        "node-status" => node_status(object),
        "node-roles" => node_roles(object),
        "kernel-version" => kernel_version(object),
        "slice-ports" => slice_ports(object),
        "slice-addresses" => slice_addresses(object),
        "endpoints" => endpoints(object),
        "cluster-ip" => text(object, "/spec/clusterIPs/0").unwrap_or("<none>").into(),
        "external-ip" => external_ip(object),
        "ports" => ports(object),
        "pod-selector" => or_none(selector_text(&object["spec"]["podSelector"])),
        "ingress-hosts" => ingress_hosts(object),
        // kubectl does not look at rules: TLS is assumed to be on 443.
        "ingress-ports" if list(object, "/spec/tls").next().is_some() => "80, 443".into(),
        "ingress-ports" => "80".into(),
        "load-balancer" => load_balancer(object).join(","),
        "class-parameters" => class_parameters(object),
        "parent-ref" => parent_ref(object),
        _ => return None,
    })
}

fn kernel_version(node: &Value) -> String {
    let version = text(node, "/status/nodeInfo/kernelVersion").unwrap_or("<unknown>");
    match text(node, "/status/nodeInfo/architecture") {
        Some(architecture) => format!("{version} ({architecture})"),
        None => version.to_string(),
    }
}

fn completions(job: &Value) -> String {
    let succeeded = number(job, "/status/succeeded");
    let parallelism = number(job, "/spec/parallelism");
    match job.pointer("/spec/completions").and_then(Value::as_i64) {
        Some(wanted) => format!("{succeeded}/{wanted}"),
        // A job without completions is done when any of its pods succeeds.
        None if parallelism > 1 => format!("{succeeded}/1 of {parallelism}"),
        None => format!("{succeeded}/1"),
    }
}

fn class_parameters(class: &Value) -> String {
    let Some(parameters) = class.pointer("/spec/parameters") else { return "<none>".into() };
    let group = parameters["apiGroup"].as_str().map(|group| format!(".{group}")).unwrap_or_default();
    format!("{}{group}/{}", word(&parameters["kind"]), word(&parameters["name"]))
}

fn parent_ref(address: &Value) -> String {
    let Some(parent) = address.pointer("/spec/parentRef") else { return "<none>".into() };
    let resource = match word(&parent["group"]) {
        "" => word(&parent["resource"]).to_string(),
        group => format!("{}.{group}", word(&parent["resource"])),
    };
    let namespace = match word(&parent["namespace"]) {
        "" => String::new(),
        namespace => format!("/{namespace}"),
    };
    format!("{}{namespace}/{}", resource.to_lowercase(), word(&parent["name"]))
}

/// The first addresses with their ports, and how many more there are.
fn endpoints(endpoints: &Value) -> String {
    // No subsets and subsets without addresses are printed differently.
    if list(endpoints, "/subsets").next().is_none() {
        return "<none>".into();
    }
    let of_subset = |subset: &Value| -> Vec<String> {
        let addresses: Vec<&str> = list(subset, "/addresses").map(|one| word(&one["ip"])).collect();
        let ports: Vec<i64> = list(subset, "/ports").map(|port| number(port, "/port")).collect();
        if ports.is_empty() {
            return addresses.iter().map(|address| (*address).to_string()).collect();
        }
        // Upstream lists all addresses of the first port, then all of the next.
        let with_port = |port: i64| addresses.iter().map(move |address| host_port(address, port));
        ports.into_iter().flat_map(with_port).collect()
    };
    let all: Vec<String> = list(endpoints, "/subsets").flat_map(of_subset).collect();
    first_of(&all)
}

fn host_port(address: &str, port: i64) -> String {
    // Otherwise the port could not be told from the end of an IPv6 address.
    if address.contains(':') { format!("[{address}]:{port}") } else { format!("{address}:{port}") }
}

/// The first three, and how many more there are.
fn first_of(all: &[String]) -> String {
    const MAX_SHOWN: usize = 3;
    let shown = all.iter().take(MAX_SHOWN).cloned().collect::<Vec<_>>().join(",");
    if all.len() > MAX_SHOWN { format!("{shown} + {} more...", all.len() - MAX_SHOWN) } else { shown }
}

/// Cells that tell how long ago something was.
fn timed(name: &str, object: &Value, now: Timestamp) -> Option<String> {
    let moment = |pointer: &str| text(object, pointer).and_then(Timestamp::parse);
    Some(match name {
        "age" => {
            moment("/metadata/creationTimestamp").map_or("<unknown>".into(), |then| age(now.since(then)))
        }
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

/// A member of every container of the pods that a workload makes.
fn containers(workload: &Value, member: &str) -> String {
    let places = [
        "/spec/template/spec/containers",
        "/spec/jobTemplate/spec/template/spec/containers",
        // A PodTemplate has no spec of its own.
        "/template/spec/containers",
    ];
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

fn node_address(node: &Value, kind: &str) -> String {
    let address = list(node, "/status/addresses").find(|one| one["type"] == kind);
    address.map(|one| word(&one["address"]).to_string()).unwrap_or_default()
}

fn slice_ports(slice: &Value) -> String {
    let number = |port: &Value| match (&port["port"], &port["name"]) {
        (Value::Number(number), _) => number.to_string(),
        (_, Value::String(name)) => name.clone(),
        _ => "*".into(),
    };
    or_unset(first_of(&list(slice, "/ports").map(number).collect::<Vec<_>>()))
}

fn slice_addresses(slice: &Value) -> String {
    let addresses = list(slice, "/endpoints").flat_map(|endpoint| list(endpoint, "/addresses"));
    or_unset(first_of(&addresses.map(|address| word(address).to_string()).collect::<Vec<_>>()))
}

fn or_unset(text: String) -> String {
    if text.is_empty() { "<unset>".into() } else { text }
}

fn count(value: &Value) -> usize {
    value.as_object().map_or(0, serde_json::Map::len)
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
            // The older label has the role as its value, the newer one in its key.
            Some(role) => Some(role),
            None => (key == "kubernetes.io/role").then_some(value.as_str()?),
        })
        .filter(|role| !role.is_empty())
        .collect();
    or_none(roles.join(","))
}

fn or_not_applicable(value: &Value) -> String {
    match value {
        Value::Null => "N/A".into(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// The addresses of a load balancer, each once.
fn load_balancer(object: &Value) -> Vec<&str> {
    let addresses = list(object, "/status/loadBalancer/ingress");
    let address = |one: &'_ Value| one["ip"].as_str().or(one["hostname"].as_str()).is_some();
    let mut all: Vec<&str> = addresses
        .filter(|one| address(one))
        .map(|one| if word(&one["ip"]).is_empty() { word(&one["hostname"]) } else { word(&one["ip"]) })
        .collect();
    // Upstream collects them in a sorted set.
    all.sort_unstable();
    all.dedup();
    all
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

/// The first hosts. Upstream: rules without a host count among those that are not shown.
fn ingress_hosts(ingress: &Value) -> String {
    const MAX_SHOWN: usize = 3;
    let rules: Vec<&str> = list(ingress, "/spec/rules").map(|rule| word(&rule["host"])).collect();
    let mut shown: Vec<&str> = Vec::new();
    let mut has_more = false;
    for host in &rules {
        has_more |= shown.len() == MAX_SHOWN;
        if !has_more && !host.is_empty() {
            shown.push(host);
        }
    }
    match (shown.is_empty(), has_more) {
        (true, _) => "*".into(),
        (false, true) => format!("{} + {} more...", shown.join(","), rules.len() - MAX_SHOWN),
        (false, false) => shown.join(","),
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

fn job_status(job: &Value) -> String {
    let has = |kind: &str| {
        list(job, "/status/conditions").any(|one| one["type"] == kind && one["status"] == "True")
    };
    let is_deleted = job.pointer("/metadata/deletionTimestamp").is_some();
    // The first of these that holds counts.
    let states = [
        // Upstream looks for the final conditions before those that announce them.
        ("Complete", has("Complete")),
        ("Failed", has("Failed")),
        ("Terminating", is_deleted),
        ("Suspended", has("Suspended")),
        ("FailureTarget", has("FailureTarget")),
        ("SuccessCriteriaMet", has("SuccessCriteriaMet")),
    ];
    states.iter().find(|(_, holds)| *holds).map_or("Running", |(state, _)| state).to_string()
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
                json!({"spec": {"volumeName": "v"}, "status": {"accessModes": ["ReadOnlyMany", "ReadWriteOnce"]}}),
                "RWO,ROX",
            ),
            ("=ingress-hosts", json!({"spec": {"rules": [{"host": "a.b"}, {}]}}), "a.b"),
            ("=ingress-hosts", json!({}), "*"),
            ("=ingress-ports", json!({"spec": {"tls": [{}]}}), "80, 443"),
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
