//! Addresses of Services: cluster IPs, external IPs, source ranges.

use std::collections::BTreeSet;

use super::access::is_headless;
use crate::field::Field;
use crate::format::{endpoint_ip, is_ipv4, is_ipv6, strict_legacy_cidr, strict_legacy_ip};

const POLICIES: [&str; 3] = ["PreferDualStack", "RequireDualStack", "SingleStack"];
const SOURCE_RANGES: &str = "service.beta.kubernetes.io/load-balancer-source-ranges";

/// Cluster IPs, IP families and their policy.
pub(super) fn cluster_ips(spec: Field<'_>, old: Field<'_>) {
    // Such a service is an alias in DNS and has no address.
    if spec.field("type").str() == "ExternalName" {
        return;
    }
    let (first, all) = (spec.field("clusterIP"), spec.field("clusterIPs"));
    if first.is_empty() {
        if !all.is_empty() {
            all.invalid("must be empty when `clusterIP` is not specified");
        }
    } else if all.is_empty() {
        all.required("");
    } else if all.index(0).str() != first.str() {
        all.invalid("first value must match `clusterIP`");
    }
    families(spec);
    // Families of texts that are no addresses cannot be compared.
    if !valid_addresses(all, old.field("clusterIPs")) {
        return;
    }
    if all.len() > 1 && !is_dual_stack(all) {
        all.invalid("may specify no more than one IP for each IP family");
    }
    if !is_headless(spec) {
        addresses_of_families(all, spec.field("ipFamilies"));
    }
}

fn families(spec: Field<'_>) {
    let mut seen = BTreeSet::new();
    for family in spec.field("ipFamilies").items() {
        family.one_of(&["IPv4", "IPv6"]);
        if !seen.insert(family.str()) {
            family.duplicate();
        }
    }
    let policy = spec.field("ipFamilyPolicy");
    if policy.is_set() {
        policy.one_of(&POLICIES);
    }
}

/// Returns whether all addresses are addresses, or the one `None`.
fn valid_addresses(all: Field<'_>, old: Field<'_>) -> bool {
    let mut is_valid = true;
    for (index, address) in all.items().enumerate() {
        if index == 0 && address.str() == "None" {
            if all.len() > 1 {
                is_valid = false;
                all.invalid("'None' must be the first and only value");
            }
        // Addresses stored before the check became strict, e.g. with leading zeros, stay valid.
        } else if !old.items().any(|before| before.str() == address.str()) {
            is_valid &= address.check(strict_legacy_ip);
        }
    }
    if all.len() > 2 {
        all.invalid("may only hold up to 2 values");
    }
    is_valid
}

fn is_dual_stack(all: Field<'_>) -> bool {
    all.items().any(|address| is_ipv4(address.str())) && all.items().any(|address| is_ipv6(address.str()))
}

fn addresses_of_families(all: Field<'_>, families: Field<'_>) {
    for (index, (address, family)) in all.items().zip(families.items()).enumerate() {
        let is_six = is_ipv6(address.str());
        if matches!((family.str(), is_six), ("IPv4", true) | ("IPv6", false)) {
            address
                .invalid(format!("expected an {} value as indicated by `ipFamilies[{index}]`", family.str()));
        }
    }
}

pub(super) fn external_ips(addresses: Field<'_>, old: Field<'_>) {
    for address in addresses.items() {
        let was_there = old.items().any(|before| before.str() == address.str());
        if was_there || address.check(strict_legacy_ip) {
            address.check(endpoint_ip);
        }
    }
}

pub(super) fn source_ranges(service: Field<'_>, old: Field<'_>) {
    const MESSAGE: &str = "may only be used when `type` is 'LoadBalancer'";
    // Upstream writes the path with a capital letter.
    let ranges = service.fields(["spec", "loadBalancerSourceRanges"]).renamed("LoadBalancerSourceRanges");
    let is_balanced = service.fields(["spec", "type"]).str() == "LoadBalancer";
    let annotation = service.fields(["metadata", "annotations"]).key(SOURCE_RANGES);
    if !ranges.is_empty() {
        if !is_balanced {
            ranges.forbidden(MESSAGE);
        }
        let before = old.fields(["spec", "loadBalancerSourceRanges"]);
        for range in ranges.items() {
            // Upstream trims the text before it is parsed.
            let text = range.str().trim();
            if !before.items().any(|before| before.str().trim() == text) {
                strict_legacy_cidr(text).into_iter().for_each(|problem| range.invalid_as(text, problem));
            }
        }
    // The annotation is older than the field, which wins.
    } else if annotation.is_set() {
        if !is_balanced {
            annotation.forbidden(MESSAGE);
        }
        let before = old.fields(["metadata", "annotations"]).key(SOURCE_RANGES);
        if !before.same_as(annotation) {
            let ranges = annotation.str().trim().split(',').map(str::trim);
            for text in ranges.filter(|_| !annotation.str().trim().is_empty()) {
                let problems = strict_legacy_cidr(text).into_iter();
                problems.for_each(|problem| annotation.invalid_as(text, problem));
            }
        }
    }
}
