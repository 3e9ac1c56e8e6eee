//! EndpointSlice.

use std::collections::HashSet;

use crate::columns::{AGE, Cell, KindColumn, NAME, network};
use crate::field::{BadValue, Field};
use crate::format::{
    Problems, dns1123_label, dns1123_subdomain, endpoint_ip, is_ipv4, is_ipv6, label_value, qualified_name,
    strict_ip, strict_legacy_ip,
};
use crate::registry::{
    Context, Counted, DecodeRules, GenerationRule, KindEntry, OnUpdate, Presentation, Strategy,
    ValidationRules,
};
use crate::tree::Map;

pub(super) const KIND: KindEntry = KindEntry {
    kind: "EndpointSlice",
    decode: DecodeRules { defaults, ..DecodeRules::DEFAULT },
    strategy: Strategy {
        // Labels count as content: they tell which Service the slice belongs to.
        generation: GenerationRule::LabelsOrContent,
        // Upstream counts before it drops the topology.
        counted: Counted::Sent,
        prepare_create: |slice, _| drop_topology(slice),
        prepare_update: |slice, _, _| drop_topology(slice),
        ..Strategy::DEFAULT
    },
    validation: ValidationRules {
        object: |slice| {
            content(slice, None);
            endpoints(slice);
        },
        update: validate_update,
        on_update: OnUpdate::ValidateChanges,
        ..ValidationRules::DEFAULT
    },
    presentation: Presentation {
        columns: &[
            NAME,
            KindColumn::string("AddressType", Cell::Text("/addressType")),
            KindColumn::string("Ports", Cell::Computed(network::slice_ports)),
            KindColumn::string("Endpoints", Cell::Computed(network::slice_addresses)),
            AGE,
        ],
        ..Presentation::DEFAULT
    },
    ..KindEntry::NAMESPACED
};

const ADDRESS_TYPES: [&str; 3] = ["FQDN", "IPv4", "IPv6"];
const PROTOCOLS: [&str; 3] = ["SCTP", "TCP", "UDP"];
const MAX_ENDPOINTS: usize = 1000;
const MAX_ADDRESSES: usize = 100;
const MAX_PORTS: usize = 20_000;
const MAX_HINTS: usize = 8;

fn defaults(slice: &mut Map<'_>, _: Context) {
    for port in slice.maps_mut("ports") {
        port.set_if_absent("name", "");
        port.set_if_absent("protocol", "TCP");
    }
}

/// The topology of v1beta1 is not part of v1 any more.
fn drop_topology(slice: &mut Map<'_>) {
    for endpoint in slice.maps_mut("endpoints") {
        endpoint.remove("deprecatedTopology");
    }
}

fn content<'t>(slice: Field<'t>, old: Option<Field<'t>>) {
    let address_type = slice.field("addressType");
    // Upstream: declared rules do not look at a value that may not change and has changed.
    let is_kept = old.is_none_or(|old| address_type.same_as(old.field("addressType")));
    if !address_type.declared().require("") {
        let known = if is_kept { address_type.declared() } else { address_type };
        known.one_of(&ADDRESS_TYPES);
    }
    ports(slice.field("ports"));
}

fn endpoints(slice: Field<'_>) {
    let (endpoints, address_type) = (slice.field("endpoints"), slice.field("addressType"));
    if endpoints.len() > MAX_ENDPOINTS {
        // Upstream does not look at the items of a list that is too long.
        return endpoints.too_many(endpoints.len(), MAX_ENDPOINTS);
    }
    endpoints.items().for_each(|one| endpoint(one, address_type.str()));
}

fn validate_update(slice: Field<'_>, old: Field<'_>) {
    content(slice, Some(old));
    let address_type = slice.field("addressType");
    if !address_type.same_as(old.field("addressType")) {
        // Upstream: the declarative rule does not tell the value.
        address_type.declared().invalid_as(BadValue::null(), "field is immutable");
    }
    // Endpoints that older versions of Kubernetes took are not looked at again.
    if !slice.field("endpoints").same_as(old.field("endpoints")) {
        endpoints(slice);
    }
}

fn ports(ports: Field<'_>) {
    if ports.len() > MAX_PORTS {
        return ports.too_many(ports.len(), MAX_PORTS);
    }
    let mut names = HashSet::new();
    for port in ports.items() {
        let name = port.field("name");
        if !name.is_empty() {
            name.check(dns1123_label);
        }
        if !names.insert(name.str()) {
            name.duplicate();
        }
        port.field("protocol").one_of(&PROTOCOLS);
        if port.field("appProtocol").is_set() {
            port.field("appProtocol").check(qualified_name);
        }
    }
}

fn endpoint(endpoint: Field<'_>, address_type: &str) {
    let addresses = endpoint.field("addresses");
    addresses.declared().require("");
    if addresses.len() > MAX_ADDRESSES {
        addresses.declared().too_many(addresses.len(), MAX_ADDRESSES);
    }
    for one in addresses.items() {
        match address_type {
            "IPv4" => ip_address(one, addresses, &IPV4),
            "IPv6" => ip_address(one, addresses, &IPV6),
            "FQDN" => domain_name(one),
            _ => {}
        }
    }
    if endpoint.field("nodeName").is_set() {
        endpoint.field("nodeName").check(dns1123_subdomain);
    }
    if endpoint.field("hostname").is_set() {
        endpoint.field("hostname").check(dns1123_label);
    }
    let hints = endpoint.field("hints");
    // Upstream stops at too many zones.
    if names_in_hints(hints.field("forZones"), label_value) {
        names_in_hints(hints.field("forNodes"), dns1123_subdomain);
    }
}

/// How addresses of a family are checked.
struct Family {
    format: fn(&str) -> Problems,
    has: fn(&str) -> bool,
    refusal: &'static str,
}

const IPV4: Family = Family { format: strict_legacy_ip, has: is_ipv4, refusal: "must be an IPv4 address" };
const IPV6: Family = Family { format: strict_ip, has: is_ipv6, refusal: "must be an IPv6 address" };

fn ip_address<'t>(address: Field<'t>, addresses: Field<'t>, family: &Family) {
    // A text that is no address has no family to complain about.
    if !address.check(family.format) {
        return;
    }
    if !(family.has)(address.str()) {
        // Upstream: reported for the whole list.
        address.reported_at(addresses).invalid(family.refusal);
    }
    address.check(endpoint_ip);
}

fn domain_name(name: Field<'_>) {
    if name.require("") {
        return;
    }
    // A dot at the end marks a full name.
    let text = name.str().strip_suffix('.').unwrap_or(name.str());
    let problems = dns1123_subdomain(text);
    if !problems.is_empty() {
        return name.invalid_as(text, problems.join(","));
    }
    if !text.contains('.') {
        return name.invalid_as(text, "should be a domain with at least two segments separated by dots");
    }
    let too_long =
        text.split('.').map(|label| (label, dns1123_label(label))).find(|(_, problems)| !problems.is_empty());
    if let Some((label, problems)) = too_long {
        name.invalid_as(label, problems.join(","));
    }
}

/// Reports names of hints that repeat or are malformed; returns whether there were not too many.
fn names_in_hints(hints: Field<'_>, format: fn(&str) -> Problems) -> bool {
    if hints.len() > MAX_HINTS {
        hints.too_many(hints.len(), MAX_HINTS);
        return false;
    }
    let mut names = HashSet::new();
    for name in hints.items().map(|hint| hint.field("name")) {
        if !names.insert(name.str()) {
            name.duplicate();
        }
        name.check(format);
    }
    true
}
