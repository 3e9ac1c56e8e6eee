//! IP families: what a Service gets before its addresses are allocated, in a cluster with IPv4.

use super::addresses;
use crate::field::{Field, FieldError, Report};
use crate::format::is_ipv6;
use crate::registry::Context;
use crate::tree::{List, Map, Value};

/// Takes over what the stored Service was given, fills in families and policy, and refuses what cannot be allocated.
pub(super) fn begin(service: &mut Map<'_>, old: Option<&Map<'_>>, context: Context) -> Vec<FieldError> {
    let old = old.and_then(|old| old.map("spec"));
    let Some(spec) = service.map_mut("spec") else { return Vec::new() };
    if let Some(old) = old {
        keep_allocated(spec, old);
    }
    same_cluster_ips(spec, old);
    // Upstream: a service that prefers two families and got one is not refused for the missing one.
    if spec.str("type") == "ExternalName" || is_unchanged_dual_stack(spec, old) {
        return Vec::new();
    }
    default_policy(spec, old);
    let report = Report::new(context.minor);
    let mut errors = {
        let root = Field::root(spec, &report).placed("spec");
        let before = old.map_or(root.absent(), |old| Field::root(old, &report));
        addresses::cluster_ips(root, before);
        report.take_errors()
    };
    // Families are derived from addresses, which must be valid for that.
    if errors.is_empty() {
        errors = settle_families(spec, old, context);
    }
    errors
}

/// Values that a client may leave out of an update.
fn keep_allocated(spec: &mut Map<'_>, old: &Map<'_>) {
    let arena = spec.arena();
    let has_address = |spec: &Map<'_>| spec.str("type") != "ExternalName";
    if has_address(spec) && has_address(old) {
        for name in ["clusterIP", "clusterIPs"] {
            if let Some(value) = old.get(name) {
                spec.set_default(name, value.copy_in(arena));
            }
        }
    }
    // A service that had no ports of nodes has none that could be kept.
    if needs_node_ports(spec) && needs_node_ports(old) {
        keep_node_ports(spec, old);
    }
    if needs_health_check(spec)
        && needs_health_check(old)
        && let Some(port) = old.int("healthCheckNodePort")
    {
        spec.set_default("healthCheckNodePort", port);
    }
}

pub(super) fn needs_node_ports(spec: &Map<'_>) -> bool {
    let allocates = spec.get("allocateLoadBalancerNodePorts").and_then(Value::as_bool) != Some(false);
    spec.str("type") == "NodePort" || spec.str("type") == "LoadBalancer" && allocates
}

pub(super) fn needs_health_check(spec: &Map<'_>) -> bool {
    spec.str("type") == "LoadBalancer" && spec.str("externalTrafficPolicy") == "Local"
}

fn keep_node_ports(spec: &mut Map<'_>, old: &Map<'_>) {
    let used = |spec: &Map<'_>| -> Vec<i64> {
        spec.maps("ports").filter_map(|port| port.int("nodePort")).filter(|port| *port != 0).collect()
    };
    let own = used(spec);
    // A number that the client gives to another port is not given twice.
    let taken: Vec<i64> = used(old).into_iter().filter(|port| own.contains(port)).collect();
    for port in spec.maps_mut("ports") {
        if port.int("nodePort").unwrap_or_default() != 0 {
            continue;
        }
        // Of old ports with one name the last counts.
        let before = old.maps("ports").filter(|old| old.str("name") == port.str("name")).last();
        let number = before.and_then(|before| before.int("nodePort")).unwrap_or_default();
        if number != 0 && !taken.contains(&number) {
            port.set("nodePort", number);
        }
    }
}

/// `clusterIP` is the first of `clusterIPs`, whichever of them a client changes.
fn same_cluster_ips(spec: &mut Map<'_>, old: Option<&Map<'_>>) {
    let own = spec.str("clusterIP");
    let Some(old) = old else {
        if !own.is_empty() && spec.list("clusterIPs").is_empty() {
            set_list(spec, "clusterIPs", &[own]);
        }
        return;
    };
    let before = old.str("clusterIP");
    // A client that knows the list has changed it itself.
    if before == own || !spec.same_field_in_go(old, "clusterIPs") {
        return;
    }
    if own.is_empty() {
        spec.remove("clusterIPs");
    } else {
        set_list(spec, "clusterIPs", &[own]);
    }
}

fn set_list<'a>(spec: &mut Map<'a>, name: &'static str, items: &[&'a str]) {
    let mut list = List::new_in(spec.arena());
    items.iter().for_each(|item| list.push(*item));
    spec.set(name, Value::List(list));
}

fn is_unchanged_dual_stack(spec: &Map<'_>, old: Option<&Map<'_>>) -> bool {
    let Some(old) = old else { return false };
    spec.str("ipFamilyPolicy") == "PreferDualStack"
        && matches!(old.str("ipFamilyPolicy"), "" | "PreferDualStack")
        && spec.str("type") == old.str("type")
        && matches!(spec.str("type"), "ClusterIP" | "NodePort" | "LoadBalancer")
        && spec.same_field_in_go(old, "clusterIPs")
        && spec.same_field_in_go(old, "ipFamilies")
}

fn is_selectorless_headless(spec: &Map<'_>) -> bool {
    spec.str("clusterIP") == "None" && spec.map("selector").is_none_or(Map::is_empty)
}

fn default_policy(spec: &mut Map<'_>, old: Option<&Map<'_>>) {
    if spec.has("ipFamilyPolicy") {
        return;
    }
    let arena = spec.arena();
    match old.and_then(|old| old.get("ipFamilyPolicy")) {
        Some(policy) => spec.set("ipFamilyPolicy", policy.copy_in(arena)),
        // Its endpoints are written by hand and may be of any family.
        None if is_selectorless_headless(spec) => spec.set("ipFamilyPolicy", "RequireDualStack"),
        None => spec.set("ipFamilyPolicy", "SingleStack"),
    }
}

fn settle_families(spec: &mut Map<'_>, old: Option<&Map<'_>>, context: Context) -> Vec<FieldError> {
    if let Some(old) = old
        && spec.str("ipFamilyPolicy") == "SingleStack"
    {
        for name in ["clusterIPs", "ipFamilies"] {
            if spec.same_field_in_go(old, name)
                && let Some(list) = spec.list_mut(name)
            {
                // A client that only changes the policy means that the second one is released.
                list.truncate(1);
            }
        }
    }
    families_of_addresses(spec);
    let report = Report::new(context.minor);
    released(spec, old, &report);
    dual_stack(spec, &report);
    if is_selectorless_headless(spec) {
        if report.is_empty() {
            families_of_headless(spec);
        }
        return report.into_errors();
    }
    if report.is_empty() {
        configured(spec, &report);
    }
    if report.is_empty() && spec.list("ipFamilies").is_empty() {
        set_list(spec, "ipFamilies", &["IPv4"]);
    }
    report.into_errors()
}

/// A second address or family goes only with the policy for it.
fn released(spec: &Map<'_>, old: Option<&Map<'_>>, report: &Report) {
    let Some(old) = old.filter(|_| spec.str("ipFamilyPolicy") != "SingleStack") else { return };
    let policy = Field::root(spec, report).placed("spec").field("ipFamilyPolicy");
    for (name, what) in [("clusterIPs", "cluster IP"), ("ipFamilies", "IP family")] {
        let (now, before) = (spec.list(name), old.list(name));
        if now.is_empty() || now.len() >= before.len() {
            continue;
        }
        // Other addresses are reported as changed instead.
        if now.iter().zip(before).all(|(one, other)| one.same_in_go(other)) {
            policy.invalid(format!("must be 'SingleStack' to release the secondary {what}"));
        }
    }
}

fn families_of_addresses(spec: &mut Map<'_>) {
    let known = spec.list("ipFamilies").len();
    let addresses: Vec<&str> = spec.list("clusterIPs").iter().filter_map(Value::as_str).collect();
    let own: Vec<&str> = addresses.into_iter().take_while(|address| *address != "None").skip(known).collect();
    // Addresses of the other family are refused below, on a cluster that does not have it.
    for _ in own.into_iter().filter(|address| !is_ipv6(address)) {
        if spec.list_mut("ipFamilies").is_none() {
            set_list(spec, "ipFamilies", &[]);
        }
        if let Some(families) = spec.list_mut("ipFamilies") {
            families.push("IPv4");
        }
    }
}

fn dual_stack(spec: &Map<'_>, report: &Report) {
    let root = Field::root(spec, report).placed("spec");
    let (policy, families) = (root.field("ipFamilyPolicy"), root.field("ipFamilies"));
    if policy.str() == "SingleStack" {
        for (name, what) in [("clusterIPs", "cluster IPs"), ("ipFamilies", "IP families")] {
            if root.field(name).len() == 2 {
                policy.invalid(format!(
                    "must be 'RequireDualStack' or 'PreferDualStack' when multiple {what} are specified"
                ));
            }
        }
    }
    let addresses = root.field("clusterIPs");
    for (index, address) in addresses.items().enumerate().skip(families.len()) {
        if is_ipv6(address.str()) {
            let value = addresses.bad_value();
            addresses.index(index).invalid_as(value, "IPv6 is not configured on this cluster");
        }
    }
}

fn families_of_headless(spec: &mut Map<'_>) {
    let first = spec.list("ipFamilies").first().and_then(Value::as_str).unwrap_or("IPv4");
    let other = if first == "IPv4" { "IPv6" } else { "IPv4" };
    if spec.list("ipFamilies").len() < 2 {
        match spec.str("ipFamilyPolicy") {
            "SingleStack" => set_list(spec, "ipFamilies", &[first]),
            // Nothing is allocated, so it does not matter what the cluster has.
            _ => set_list(spec, "ipFamilies", &[first, other]),
        }
    }
}

/// The cluster has one family: IPv4.
fn configured(spec: &Map<'_>, report: &Report) {
    let root = Field::root(spec, report).placed("spec");
    if root.field("ipFamilyPolicy").str() == "RequireDualStack" {
        root.field("ipFamilyPolicy").invalid("this cluster is not configured for dual-stack services");
    }
    for family in root.field("ipFamilies").items().filter(|family| family.str() != "IPv4") {
        family.invalid("not configured on this cluster");
    }
}
