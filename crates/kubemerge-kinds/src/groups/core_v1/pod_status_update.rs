//! Updates of the status of a Pod.

use std::collections::BTreeSet;

use super::pod_spec::pod_annotations;
use super::pod_update::annotation_updates;
use crate::field::Field;
use crate::format::{dns1123_label, dns1123_subdomain, is_ipv4, is_ipv6, qualified_name, strict_legacy_ip};
use crate::registry::Context;
use crate::tree::Map;

/// Keeps what kubelets of older versions do not send.
pub(super) fn prepare_update(pod: &mut Map<'_>, old: &Map<'_>, _context: Context) {
    let arena = pod.arena();
    let Some(before) = old.map("status") else { return };
    let status = pod.ensure_map("status");
    // Older kubelets do not send these and must not clear them.
    for name in ["qosClass", "observedGeneration"] {
        if let Some(value) = before.get(name) {
            status.set_default(name, value.copy_in(arena));
        }
    }
    let kept = ["resourceClaimStatuses", "extendedResourceClaimStatus", NODE_CLAIMS];
    for name in kept {
        if let Some(value) = before.get(name) {
            status.set_if_absent(name, value.copy_in(arena));
        }
    }
    // The gate DRANodeAllocatableResources is off by default.
    if !before.has(NODE_CLAIMS) {
        status.remove(NODE_CLAIMS);
    }
}

const NODE_CLAIMS: &str = "nodeAllocatableResourceClaimStatuses";

pub(super) fn validate_update(pod: Field<'_>, old: Field<'_>) {
    let annotations = ["metadata", "annotations"];
    annotation_updates(pod.fields(annotations), old.fields(annotations));
    pod_annotations(pod.fields(annotations), pod.field("spec"));
    let (status, before) = (pod.field("status"), old.field("status"));
    conditions(status.field("conditions"));
    nominated_node(status, before, old.fields(["spec", "nodeName"]).str());
    negative_generation(status.field("observedGeneration"));
    status.field("qosClass").check_immutable(before.field("qosClass"));
    for (name, of) in [("containerStatuses", "containers"), ("initContainerStatuses", "initContainers")] {
        transitions(status.field(name), before.field(name), Some((old.field("spec"), of)));
    }
    let ephemeral = "ephemeralContainerStatuses";
    // Ephemeral containers are never restarted.
    transitions(status.field(ephemeral), before.field(ephemeral), None);
    claims(status.field("resourceClaimStatuses"), pod.fields(["spec", "resourceClaims"]));
    extended_claim(status.field("extendedResourceClaimStatus"), pod.field("spec"));
    pod_addresses(status, before);
    host_addresses(status, before);
}

fn negative_generation(generation: Field<'_>) {
    if generation.int() < 0 {
        generation.invalid("must be a non-negative integer");
    }
}

fn conditions(conditions: Field<'_>) {
    for condition in conditions.items() {
        negative_generation(condition.field("observedGeneration"));
        let kind = condition.field("type");
        // Upstream checks names of conditions that it does not know itself, and writes the path with a
        // capital.
        if !["PodScheduled", "Ready", "Initialized"].contains(&kind.str()) {
            kind.renamed("Type").check(qualified_name);
        }
    }
}

fn nominated_node(status: Field<'_>, old: Field<'_>, bound_to: &str) {
    let name = status.field("nominatedNodeName");
    // Only a new nomination is checked: the scheduler may leave the old one when it binds the pod.
    if name.is_empty() || name.str() == old.field("nominatedNodeName").str() {
        return;
    }
    name.check(dns1123_subdomain);
    if !bound_to.is_empty() {
        name.forbidden("may not be set on pods that are already bound to a node");
    }
}

/// A container that has ended stays so, unless it is restarted.
fn transitions<'t>(statuses: Field<'t>, old: Field<'t>, of: Option<(Field<'t>, &'t str)>) {
    for (index, before) in old.items().enumerate() {
        let ended = before.fields(["state", "terminated"]);
        if !ended.is_set() {
            continue;
        }
        let name = before.field("name").str();
        let now = statuses.items().find(|status| {
            status.field("name").str() == name && !status.fields(["state", "terminated"]).is_set()
        });
        let may_restart =
            of.is_some_and(|(spec, list)| restarts(spec, list, name, ended.field("exitCode").int()));
        if now.is_some() && !may_restart {
            statuses.index(index).field("state").forbidden("may not be transitioned to non-terminated state");
        }
    }
}

fn restarts<'t>(spec: Field<'t>, list: &'t str, name: &str, exit_code: i64) -> bool {
    let container = spec.field(list).items().find(|container| container.field("name").str() == name);
    let Some(container) = container else { return false };
    let own = container.field("restartPolicy");
    let policy = if own.is_set() { own.str() } else { spec.field("restartPolicy").str() };
    for rule in container.field("restartPolicyRules").items() {
        let codes = rule.field("exitCodes");
        let is_listed = codes.field("values").items().any(|code| code.int() == exit_code);
        // The first rule that matches decides.
        if is_listed == (codes.field("operator").str() == "In") {
            return rule.field("action").str() == "Restart";
        }
    }
    // An init container that succeeded is done, whatever the policy of its pod.
    let is_plain_init = list == "initContainers" && !own.is_set();
    match policy {
        "Always" => !(is_plain_init && exit_code == 0),
        "OnFailure" => exit_code != 0,
        _ => false,
    }
}

fn claims(statuses: Field<'_>, claims: Field<'_>) {
    let mut names = BTreeSet::new();
    let known: BTreeSet<&str> = claims.items().map(|claim| claim.field("name").str()).collect();
    for status in statuses.items() {
        let name = status.field("name");
        if !known.contains(name.str()) {
            name.invalid("must match the name of an entry in `spec.resourceClaims`");
        }
        if !names.insert(name.str()) {
            name.duplicate();
        }
        let claim = status.field("resourceClaimName");
        if claim.is_set() {
            claim.check(dns1123_subdomain);
        }
    }
}

/// Addresses that were stored before stay valid.
fn addresses(list: Field<'_>, old: Field<'_>, go_type: &str) {
    let stored: BTreeSet<&str> = old.items().map(|before| before.field("ip").str()).collect();
    for entry in list.items() {
        let address = entry.field("ip");
        if !stored.contains(address.str()) {
            address.reported_at(entry).report_problems(strict_legacy_ip(address.str()));
        }
    }
    let (four, six) = list.items().fold((0, 0), |(four, six), entry| {
        let address = entry.field("ip").str();
        (four + usize::from(is_ipv4(address)), six + usize::from(is_ipv6(address)))
    });
    // One address of either family at most.
    if list.len() > 1 && (four != 1 || six != 1) {
        list.invalid_struct(go_type, "may specify no more than one IP for each IP family");
    }
}

fn pod_addresses(status: Field<'_>, old: Field<'_>) {
    let (address, list) = (status.field("podIP"), status.field("podIPs"));
    addresses(list, old.field("podIPs"), "[]core.PodIP");
    let first = list.index(0).field("ip");
    if !address.is_empty() && first.is_set() && first.str() != address.str() {
        first.invalid("must be equal to `podIP`");
    }
}

fn host_addresses(status: Field<'_>, old: Field<'_>) {
    let (address, list) = (status.field("hostIP"), status.field("hostIPs"));
    if list.is_empty() {
        return;
    }
    let first = list.index(0).field("ip");
    if first.str() != address.str() {
        first.invalid("must be equal to `hostIP`");
    }
    addresses(list, old.field("hostIPs"), "[]core.HostIP");
}

/// The claim that a scheduler makes for extended resources: which request of it is for which resource of a container.
fn extended_claim(status: Field<'_>, spec: Field<'_>) {
    if !status.is_set() {
        return;
    }
    let mappings = status.field("requestMappings");
    if mappings.is_empty() {
        mappings.required("at least one request mapping is required");
    }
    let mut seen = BTreeSet::new();
    for mapping in mappings.items() {
        let [container, resource, request] =
            ["containerName", "resourceName", "requestName"].map(|name| mapping.field(name));
        match container_named(spec, container.str()) {
            None => container
                .invalid("must match the name of an entry in spec.initContainers.name or spec.containers.name"),
            Some(found) if !found.fields(["resources", "requests"]).has(resource.str()) => resource.invalid(
                "must match the extended resource name of an entry in spec.initContainers.resources.requests or \
                 spec.containers.resources.requests",
            ),
            Some(_) => {}
        }
        // Upstream: the path lacks the mapping.
        request.reported_at(status.field("requestName")).check(dns1123_label);
        if !seen.insert([container.str(), resource.str(), request.str()]) {
            [container, resource, request].into_iter().for_each(Field::duplicate);
        }
    }
    let name = status.field("resourceClaimName");
    if !name.require("") {
        name.check(dns1123_subdomain);
    }
}

fn container_named<'t>(spec: Field<'t>, name: &str) -> Option<Field<'t>> {
    let all = ["containers", "initContainers"].into_iter().flat_map(|list| spec.field(list).items());
    let mut named = all.filter(|container| container.field("name").str() == name);
    named.next()
}
