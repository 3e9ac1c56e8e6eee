//! How traffic gets to a Service: affinity, policies, load balancers.

use super::access::is_externally_accessible;
use crate::field::Field;
use crate::format::{dns1123_subdomain, parse_ip, qualified_name, strict_legacy_ip};

pub(super) fn session_affinity(spec: Field<'_>) {
    const MAX_SECONDS: i64 = 86_400;
    let (affinity, config) = (spec.field("sessionAffinity"), spec.field("sessionAffinityConfig"));
    if !affinity.require("") {
        affinity.one_of(&["ClientIP", "None"]);
    }
    match affinity.str() {
        "ClientIP" => {
            let path = [config, config.field("clientIP"), config.fields(["clientIP", "timeoutSeconds"])];
            if let Some(missing) = path.into_iter().find(|field| !field.is_set()) {
                return missing.required("when session affinity type is ClientIP");
            }
            let timeout = path[2];
            if !(1..=MAX_SECONDS).contains(&timeout.int()) {
                timeout.invalid(format!("must be greater than 0 and less than {MAX_SECONDS}"));
            }
        }
        "None" if config.is_set() => config.forbidden("must not be set when session affinity is None"),
        _ => {}
    }
}

const ONLY_BALANCED: &str = "may only be used when `type` is 'LoadBalancer'";

pub(super) fn load_balancer(spec: Field<'_>) {
    let allocates = spec.field("allocateLoadBalancerNodePorts");
    if allocates.is_set() && spec.field("type").str() != "LoadBalancer" {
        allocates.forbidden(ONLY_BALANCED);
    }
    balancer_class(spec);
}

pub(super) fn balancer_class(spec: Field<'_>) {
    let is_balanced = spec.field("type").str() == "LoadBalancer";
    let class = spec.field("loadBalancerClass");
    if class.is_set() && is_balanced {
        class.check(qualified_name);
    } else if class.is_set() {
        class.forbidden(ONLY_BALANCED);
    }
}

fn is_local(spec: Field<'_>) -> bool {
    spec.field("type").str() == "LoadBalancer" && spec.field("externalTrafficPolicy").str() == "Local"
}

pub(super) fn external_policy(spec: Field<'_>) {
    let (policy, port) = (spec.field("externalTrafficPolicy"), spec.field("healthCheckNodePort"));
    if !spec.map().is_some_and(is_externally_accessible) {
        if !policy.is_empty() {
            policy.invalid("may only be set for externally-accessible services");
        }
    } else if !policy.require("") {
        policy.one_of(&["Cluster", "Local"]);
    }
    if is_local(spec) {
        // A server allocates the port of those that name none.
        if port.int() != 0 {
            port.check_port();
        }
    } else if port.int() != 0 {
        port.invalid("may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'");
    }
}

/// The port of the health check stays.
pub(super) fn health_check_update(spec: Field<'_>, old: Field<'_>) {
    let port = spec.field("healthCheckNodePort");
    if is_local(spec) && is_local(old) && port.int() != old.field("healthCheckNodePort").int() {
        port.forbidden("field is immutable");
    }
}

pub(super) fn internal_policy(spec: Field<'_>) {
    let policy = spec.field("internalTrafficPolicy");
    if policy.is_set() {
        policy.one_of(&["Cluster", "Local"]);
    } else if matches!(spec.field("type").str(), "NodePort" | "LoadBalancer" | "ClusterIP") {
        policy.required("");
    }
    let distribution = spec.field("trafficDistribution");
    if distribution.is_set() {
        distribution.one_of(&["PreferClose", "PreferSameZone", "PreferSameNode"]);
    }
}

/// The addresses that a load balancer got.
pub(super) fn load_balancer_status<'t>(service: Field<'t>, old: Field<'t>) {
    let path = ["status", "loadBalancer", "ingress"];
    let (ingress, before) = (service.fields(path), old.fields(path));
    if service.fields(["spec", "type"]).str() != "LoadBalancer" && !ingress.is_empty() {
        return ingress.forbidden("may only be used when `spec.type` is 'LoadBalancer'");
    }
    for entry in ingress.items() {
        let (address, mode, host) = (entry.field("ip"), entry.field("ipMode"), entry.field("hostname"));
        // Addresses stored before the check became strict stay valid.
        let was_there = before.items().any(|before| before.field("ip").str() == address.str());
        if !address.is_empty() && !was_there {
            address.check(strict_legacy_ip);
        }
        match (mode.is_set(), address.is_empty()) {
            (false, false) => mode.required("must be specified when `ip` is set"),
            (true, true) => mode.forbidden("may not be specified when `ip` is not set"),
            (true, false) => {
                mode.one_of(&["Proxy", "VIP"]);
            }
            (false, true) => {}
        }
        if !host.is_empty() {
            host.check(dns1123_subdomain);
            if parse_ip(host.str()).is_some() {
                host.invalid("must be a DNS name, not an IP address");
            }
        }
    }
}
