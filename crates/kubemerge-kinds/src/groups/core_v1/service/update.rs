//! What may change in a Service.

use super::access::{is_externally_accessible, is_headless};
use super::{families, traffic};
use crate::field::{BadValue, Field};
use crate::tree::Map;

/// Keeps the status and drops what the new type has no use for, unless the client changed it.
pub(super) fn prepare(service: &mut Map<'_>, old: &Map<'_>) {
    let (Some(spec), Some(before)) = (service.map_mut("spec"), old.map("spec")) else { return };
    drop_addresses(spec, before);
    drop_ports(spec, before);
    let (is_balanced, was_balanced) =
        (spec.str("type") == "LoadBalancer", before.str("type") == "LoadBalancer");
    if was_balanced && !is_balanced {
        drop_same(spec, before, "allocateLoadBalancerNodePorts");
        drop_same(spec, before, "loadBalancerClass");
    }
    if is_externally_accessible(before) && !is_externally_accessible(spec) {
        drop_same(spec, before, "externalTrafficPolicy");
    }
    // Upstream: it is left out where a Service is read; one that is not valid is still refused.
    if spec.str("type") == "ExternalName" && matches!(spec.str("internalTrafficPolicy"), "Cluster" | "Local")
    {
        spec.remove("internalTrafficPolicy");
    }
    if !is_balanced {
        let status = service.ensure_map("status");
        status.remove("loadBalancer");
        status.ensure_map("loadBalancer");
    }
}

fn drop_same(spec: &mut Map<'_>, old: &Map<'_>, name: &str) {
    if spec.same_field_in_go(old, name) {
        spec.remove(name);
    }
}

fn drop_addresses(spec: &mut Map<'_>, old: &Map<'_>) {
    if old.str("type") == "ExternalName" || spec.str("type") != "ExternalName" {
        return;
    }
    // What the client changed along with the type is an error for validation to report.
    if spec.same_field_in_go(old, "clusterIP") && spec.same_field_in_go(old, "clusterIPs") {
        spec.remove("clusterIP");
        spec.remove("clusterIPs");
    }
    drop_same(spec, old, "ipFamilies");
    drop_same(spec, old, "ipFamilyPolicy");
}

fn drop_ports(spec: &mut Map<'_>, old: &Map<'_>) {
    let ports = |spec: &Map<'_>| -> std::collections::BTreeSet<i64> {
        spec.maps("ports").filter_map(|port| port.int("nodePort")).filter(|port| *port != 0).collect()
    };
    // Users may remove ports, as long as they add no new node ports.
    let has_no_new = ports(old).is_superset(&ports(spec));
    if families::needs_node_ports(old) && !families::needs_node_ports(spec) && has_no_new {
        spec.maps_mut("ports").for_each(|port| {
            port.remove("nodePort");
        });
    }
    if families::needs_health_check(old) && !families::needs_health_check(spec) {
        drop_same(spec, old, "healthCheckNodePort");
    }
}

pub(super) fn validate(service: Field<'_>, old: Field<'_>) {
    let (spec, old) = (service.field("spec"), old.field("spec"));
    let is_external = |spec: Field<'_>| spec.field("type").str() == "ExternalName";
    if !is_external(spec) && !is_external(old) {
        cluster_ips(spec, old);
        ip_families(spec, old);
    }
    let is_balanced = |spec: Field<'_>| spec.field("type").str() == "LoadBalancer";
    let class = spec.field("loadBalancerClass");
    // Another implementation would not remove the balancer of the first one.
    if is_balanced(spec) && is_balanced(old) && !class.same_as(old.field("loadBalancerClass")) {
        class.invalid_as(value_of(class), "may not change once set");
    }
    // Upstream checks the class here and again with the rest; an error is told once.
    traffic::balancer_class(spec);
    traffic::health_check_update(spec, old);
}

fn value_of(field: Field<'_>) -> BadValue {
    field.bad_value()
}

/// A second address may come and go, the first one stays.
fn cluster_ips(spec: Field<'_>, old: Field<'_>) {
    // None is no address that could change.
    if is_headless(spec) && is_headless(old) {
        return;
    }
    let (now, before, policy) =
        (spec.field("clusterIPs"), old.field("clusterIPs"), spec.field("ipFamilyPolicy"));
    let report = |index: usize, message: &str| now.index(index).invalid_as(value_of(now), message);
    if now.len() == before.len() {
        for (index, (one, other)) in now.items().zip(before.items()).enumerate() {
            if one.str() != other.str() {
                report(index, "may not change once set");
            }
        }
        return;
    }
    let is_released = now.len() < before.len();
    if is_released && now.is_empty() {
        report(0, "primary clusterIP can not be unset");
    } else if !before.is_empty() && now.index(0).str() != before.index(0).str() {
        report(0, "may not change once set");
    }
    if is_released && now.len() == 1 && policy.str() != "SingleStack" {
        let message = "must be set to 'SingleStack' when releasing the secondary clusterIP";
        policy.invalid_as(value_of(policy), message);
    }
}

fn ip_families(spec: Field<'_>, old: Field<'_>) {
    if is_headless(spec) || is_headless(old) {
        return;
    }
    let (now, before, policy) =
        (spec.field("ipFamilies"), old.field("ipFamilies"), spec.field("ipFamilyPolicy"));
    let first = now.index(0);
    let changed = !now.is_empty() && !before.is_empty() && first.str() != before.index(0).str();
    if now.len() == before.len() {
        let differing = now.items().zip(before.items()).filter(|(one, other)| one.str() != other.str());
        differing.for_each(|_| first.invalid_as(value_of(now), "may not change once set"));
        return;
    }
    // Upstream looks at the addresses, not at the families.
    if now.len() < before.len() && spec.field("clusterIPs").is_empty() {
        first.invalid_as(value_of(now), "primary ipFamily can not be unset");
    }
    if changed {
        // Upstream prints the addresses here.
        first.invalid_as(value_of(spec.field("clusterIPs")), "may not change once set");
    }
    if now.len() < before.len() && now.len() == 1 && policy.str() != "SingleStack" {
        let message = "must be set to 'SingleStack' when releasing the secondary ipFamily";
        policy.invalid_as(value_of(policy), message);
    }
}
