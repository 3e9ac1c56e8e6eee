//! Compute resources: names, quantities, limits and requests.

use std::cmp::Ordering;
use std::collections::BTreeSet;

use super::pod_level::covers_containers;
use crate::field::{BadValue, Field};
use crate::format::{dns1123_label, qualified_name};
use crate::typed::Quantity;

/// Whose resources are validated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Requirements {
    /// Those of a container.
    Container,
    /// Those of a whole pod.
    Pod,
}

const STANDARD: [&str; 20] = [
    "cpu",
    "memory",
    "ephemeral-storage",
    "requests.cpu",
    "requests.memory",
    "requests.ephemeral-storage",
    "limits.cpu",
    "limits.memory",
    "limits.ephemeral-storage",
    "pods",
    "resourcequotas",
    "services",
    "replicationcontrollers",
    "secrets",
    "configmaps",
    "persistentvolumeclaims",
    "storage",
    "requests.storage",
    "services.nodeports",
    "services.loadbalancers",
];
const COUNTED: [&str; 9] = [
    "pods",
    "resourcequotas",
    "services",
    "replicationcontrollers",
    "secrets",
    "configmaps",
    "persistentvolumeclaims",
    "services.nodeports",
    "services.loadbalancers",
];

fn is_huge_pages(name: &str) -> bool {
    name.starts_with("hugepages-")
}

/// Names in the namespace of Kubernetes, and names without a domain.
pub(crate) fn is_native(name: &str) -> bool {
    // Upstream searches anywhere in the name, so that `example.kubernetes.io/x` is native too.
    !name.contains('/') || name.contains("kubernetes.io/")
}

/// Names of resources that vendors define.
pub(crate) fn is_extended(name: &str) -> bool {
    !is_native(name)
        && !name.starts_with("requests.")
        // Quotas put this prefix before the name, which must leave it valid.
        && qualified_name(&format!("requests.{name}")).is_empty()
}

/// Names that Kubernetes itself counts or measures.
pub(crate) fn is_standard(name: &str) -> bool {
    STANDARD.contains(&name) || is_huge_pages(name) || name.starts_with("requests.hugepages-")
}

/// Whether more of a resource may be promised than there is.
pub(crate) fn overcommits(name: &str) -> bool {
    is_native(name) && !is_huge_pages(name)
}

/// A quantity of a resource: not negative, and whole where the resource is counted.
pub(crate) fn quantity_value(name: &str, value: Field<'_>) {
    let quantity = value.quantity();
    if quantity.sign() < 0 {
        value.invalid("must be greater than or equal to 0");
    }
    let is_counted = COUNTED.contains(&name) || is_extended(name);
    // Half a pod or half a device cannot be given.
    if is_counted && quantity.milli_value() % 1000 != 0 {
        value.invalid("must be an integer");
    }
}

pub(super) fn requirements(resources: Field<'_>, of: Requirements, claims: &BTreeSet<&str>) {
    let (limits, requests) = (resources.field("limits"), resources.field("requests"));
    let mut names = BTreeSet::new();
    for (name, limit) in limits.entries() {
        one_resource(name, limit, of);
        names.insert(name);
    }
    for (name, request) in requests.entries() {
        one_resource(name, request, of);
        names.insert(name);
        request_within_limit(name, request, limits, requests);
    }
    // Huge pages are accounted to the memory of a container that has some.
    let has_compute = names.contains("cpu") || names.contains("memory");
    if !has_compute && names.iter().any(|name| is_huge_pages(name)) {
        resources.forbidden("HugePages require cpu or memory");
    }
    claim_names(resources.field("claims"), claims);
}

/// What pods need beyond their containers.
pub(crate) fn overhead(overhead: Field<'_>) {
    // Upstream validates it as if it were limits.
    let limits = overhead.field("limits").with_value_of(overhead);
    let mut names = BTreeSet::new();
    for (name, limit) in limits.entries() {
        one_resource(name, limit, Requirements::Container);
        names.insert(name);
    }
    let has_compute = names.contains("cpu") || names.contains("memory");
    if !has_compute && names.iter().any(|name| is_huge_pages(name)) {
        overhead.forbidden("HugePages require cpu or memory");
    }
}

fn one_resource(name: &str, value: Field<'_>, of: Requirements) {
    match of {
        Requirements::Container => container_resource_name(name, value),
        Requirements::Pod => pod_resource_name(name, value),
    }
    quantity_value(name, value);
    if is_huge_pages(name) && !is_page_multiple(name, &value.quantity()) {
        value.invalid(format!(
            "{} is not positive integer multiple of {name}",
            value.quantity().canonical_text()
        ));
    }
}

fn is_page_multiple(name: &str, quantity: &Quantity<'_>) -> bool {
    let size = Quantity::of(name.trim_start_matches("hugepages-"));
    // The size is a part of the resource's name and may be nonsense, such as hugepages-x.
    size.sign() > 0 && size.is_whole() && quantity.value() % size.value() == 0
}

/// Reports a name that no resource can have; returns whether it is fine.
pub(crate) fn resource_name(name: &str, value: Field<'_>) -> bool {
    let problems = qualified_name(name);
    if !problems.is_empty() {
        problems.into_iter().for_each(|problem| value.invalid_as(name, problem));
        return false;
    }
    let is_fine = name.contains('/') || is_standard(name);
    if !is_fine {
        value.invalid_as(name, "must be a standard resource type or fully qualified");
    }
    is_fine
}

/// Reports a name that no resource of a container can have.
pub(crate) fn container_resource_name(name: &str, value: Field<'_>) {
    resource_name(name, value);
    if !name.contains('/') {
        if !["cpu", "memory", "ephemeral-storage"].contains(&name) && !is_huge_pages(name) {
            value.invalid_as(name, "must be a standard resource for containers");
        }
    } else if !is_native(name) && !is_extended(name) {
        value.invalid_as(name, "doesn't follow extended resource name standard");
    }
}

fn pod_resource_name(name: &str, value: Field<'_>) {
    if resource_name(name, value) && !["cpu", "memory"].contains(&name) && !is_huge_pages(name) {
        value.not_supported_as(name, &["cpu", "hugepages-", "memory"]);
    }
}

fn request_within_limit(name: &str, request: Field<'_>, limits: Field<'_>, requests: Field<'_>) {
    let limit = limits.key_owned(name);
    let wanted = request.quantity();
    let report = |relation: &str| {
        let text = format!("must be {relation} {name} limit of {}", limit.quantity().canonical_text());
        requests.invalid_as(wanted.canonical_text().as_str(), text);
    };
    if !limit.is_set() {
        if !overcommits(name) {
            limits.required("Limit must be set for non overcommitable resources");
        }
        return;
    }
    match wanted.compare(&limit.quantity()) {
        Ordering::Equal => {}
        // What cannot be shared is reserved as a whole.
        _ if !overcommits(name) => report("equal to"),
        Ordering::Greater => report("less than or equal to"),
        Ordering::Less => {}
    }
}

fn claim_names(claims: Field<'_>, known: &BTreeSet<&str>) {
    let mut seen: BTreeSet<String> = BTreeSet::new();
    for claim in claims.items() {
        let (name, request) = (claim.field("name"), claim.field("request"));
        if name.is_empty() {
            claim.required("");
            continue;
        }
        // A claim as a whole and one of its requests overlap, whichever comes first.
        if seen.contains(name.str()) {
            claim.duplicate_as(name.str());
        } else {
            let mut key = name.str().to_owned();
            if !request.is_empty() {
                request.check(dns1123_label);
                key = format!("{key}/{}", request.str());
            }
            if seen.contains(&key) {
                claim.duplicate_as(key.as_str());
            } else if request.is_empty() {
                let own = format!("{}/", name.str());
                seen.range(own.clone()..)
                    .take_while(|known| known.starts_with(&own))
                    .for_each(|_| claim.duplicate_as(name.str()));
            }
            seen.insert(key);
        }
        if !known.contains(name.str()) {
            unknown_claim(claim, name.str(), known);
        }
    }
}

fn unknown_claim(claim: Field<'_>, name: &str, known: &BTreeSet<&str>) {
    let mut detail = "must be one of the names in pod.spec.resourceClaims".to_owned();
    if known.is_empty() {
        detail.push_str(" which is empty");
    } else {
        let names: Vec<&str> = known.iter().copied().collect();
        detail = format!("{detail}: {}", names.join(", "));
    }
    claim.not_found_as(BadValue::from(name), detail);
}

/// Resources of the pod as a whole.
pub(super) fn pod_resources(spec: Field<'_>, claims: &BTreeSet<&str>) {
    let resources = spec.field("resources");
    if !resources.is_set() {
        return;
    }
    if spec.fields(["os", "name"]).str() == "windows" {
        resources.forbidden("may not be set for a windows pod");
        return;
    }
    // Devices are handed to containers, never to the pod as a whole.
    if resources.field("claims").is_given() {
        resources.field("claims").forbidden("claims may not be set for Resources at pod-level");
    }
    requirements(resources, Requirements::Pod, claims);
    covers_containers(spec, resources);
}
