//! The cells of nodes, and of kinds that lead to addresses.

use serde_json::{Value, json};

use super::read::{list, number, or_none, part, selector_text, text, word};

pub(crate) fn internal_ip(node: &Value) -> String {
    or_none(node_address(node, "InternalIP"))
}

pub(crate) fn node_external_ip(node: &Value) -> String {
    or_none(node_address(node, "ExternalIP"))
}

fn node_address(node: &Value, kind: &str) -> String {
    let address = list(node, "/status/addresses").find(|one| one["type"] == kind);
    address.map(|one| word(&one["address"]).to_string()).unwrap_or_default()
}

pub(crate) fn node_status(node: &Value) -> String {
    let ready = list(node, "/status/conditions").find(|one| one["type"] == "Ready");
    let status = match ready.map(|one| one["status"] == "True") {
        Some(true) => "Ready",
        Some(false) => "NotReady",
        None => "Unknown",
    };
    let cordoned = node.pointer("/spec/unschedulable") == Some(&json!(true));
    format!("{status}{}", if cordoned { ",SchedulingDisabled" } else { "" })
}

pub(crate) fn node_roles(node: &Value) -> String {
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

pub(crate) fn kernel_version(node: &Value) -> String {
    let version = text(node, "/status/nodeInfo/kernelVersion").unwrap_or("<unknown>");
    match text(node, "/status/nodeInfo/architecture") {
        Some(architecture) => format!("{version} ({architecture})"),
        None => version.to_string(),
    }
}

pub(crate) fn slice_ports(slice: &Value) -> String {
    let number = |port: &Value| match (&port["port"], &port["name"]) {
        (Value::Number(number), _) => number.to_string(),
        (_, Value::String(name)) => name.clone(),
        _ => "*".into(),
    };
    or_unset(first_of(&list(slice, "/ports").map(number).collect::<Vec<_>>()))
}

pub(crate) fn slice_addresses(slice: &Value) -> String {
    let addresses = list(slice, "/endpoints").flat_map(|endpoint| list(endpoint, "/addresses"));
    or_unset(first_of(&addresses.map(|address| word(address).to_string()).collect::<Vec<_>>()))
}

fn or_unset(text: String) -> String {
    if text.is_empty() { "<unset>".into() } else { text }
}

/// The first addresses with their ports, and how many more there are.
pub(crate) fn endpoints(endpoints: &Value) -> String {
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

/// The addresses by which a service is reached from outside.
pub(crate) fn external_ip(service: &Value) -> String {
    let own: Vec<&str> = list(service, "/spec/externalIPs").filter_map(Value::as_str).collect();
    match text(service, "/spec/type") {
        Some("ExternalName") => text(service, "/spec/externalName").unwrap_or_default().to_string(),
        Some("LoadBalancer") => {
            let all = [balancer_addresses(service), own].concat();
            if all.is_empty() { "<pending>".into() } else { all.join(",") }
        }
        _ => or_none(own.join(",")),
    }
}

pub(crate) fn ports(service: &Value) -> String {
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

pub(crate) fn pod_selector(policy: &Value) -> String {
    or_none(selector_text(part(policy, "/spec/podSelector")))
}

/// The first hosts. Upstream: rules without a host count among those that are not shown.
pub(crate) fn ingress_hosts(ingress: &Value) -> String {
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

/// kubectl does not look at rules: TLS is assumed to be on 443.
pub(crate) fn ingress_ports(ingress: &Value) -> String {
    let has_tls = list(ingress, "/spec/tls").next().is_some();
    if has_tls { "80, 443".into() } else { "80".into() }
}

pub(crate) fn load_balancer(ingress: &Value) -> String {
    balancer_addresses(ingress).join(",")
}

/// The addresses of a load balancer, each once.
fn balancer_addresses(object: &Value) -> Vec<&str> {
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

pub(crate) fn class_parameters(class: &Value) -> String {
    let Some(parameters) = class.pointer("/spec/parameters") else { return "<none>".into() };
    let group = parameters["apiGroup"].as_str().map(|group| format!(".{group}")).unwrap_or_default();
    format!("{}{group}/{}", word(&parameters["kind"]), word(&parameters["name"]))
}

pub(crate) fn parent_ref(address: &Value) -> String {
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
