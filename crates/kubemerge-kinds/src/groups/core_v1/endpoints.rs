//! Endpoints.

use crate::columns::{AGE, Cell, KindColumn, NAME, network};
use crate::field::Field;
use crate::format::{dns1123_label, dns1123_subdomain, endpoint_ip, qualified_name, strict_legacy_ip};
use crate::registry::{
    Context, DecodeRules, KindEntry, OnUpdate, Permission, Presentation, StorageFolder, Strategy,
    ValidationRules,
};
use crate::tree::Map;

pub(super) const KIND: KindEntry = KindEntry {
    kind: "Endpoints",
    folder: StorageFolder::Named("services/endpoints"),
    decode: DecodeRules { defaults, ..DecodeRules::DEFAULT },
    strategy: Strategy { create_on_update: Permission::Granted, ..Strategy::DEFAULT },
    validation: ValidationRules {
        object: |endpoints| subsets(endpoints.field("subsets")),
        update: |endpoints, old| {
            // Older versions accepted more: what does not change stays.
            if !endpoints.field("subsets").same_as(old.field("subsets")) {
                subsets(endpoints.field("subsets"));
            }
        },
        on_update: OnUpdate::ValidateMetadata,
        ..ValidationRules::DEFAULT
    },
    presentation: Presentation {
        columns: &[NAME, KindColumn::string("Endpoints", Cell::Computed(network::endpoints)), AGE],
        ..Presentation::DEFAULT
    },
    ..KindEntry::NAMESPACED
};

fn defaults(endpoints: &mut Map<'_>, _: Context) {
    for subset in endpoints.maps_mut("subsets") {
        for port in subset.maps_mut("ports") {
            port.set_default("protocol", "TCP");
        }
    }
}

fn subsets(subsets: Field<'_>) {
    for subset in subsets.items() {
        let lists = ["addresses", "notReadyAddresses"].map(|name| subset.field(name));
        if lists.iter().all(|list| list.is_empty()) {
            subset.required("must specify `addresses` or `notReadyAddresses`");
        }
        lists.into_iter().flat_map(Field::items).for_each(address);
        let ports = subset.field("ports");
        ports.items().for_each(|one| port(one, ports.len()));
    }
}

fn address(address: Field<'_>) {
    let (ip, host, node) = (address.field("ip"), address.field("hostname"), address.field("nodeName"));
    ip.check(strict_legacy_ip);
    if !host.is_empty() {
        host.check(dns1123_label);
    }
    if node.is_set() {
        node.check(dns1123_subdomain);
    }
    // Upstream checks the format of all fields first, then whether traffic may be sent to the address.
    ip.check(endpoint_ip);
}

fn port(port: Field<'_>, ports: usize) {
    let (name, protocol) = (port.field("name"), port.field("protocol"));
    if !name.is_empty() {
        name.check(dns1123_label);
    // A single port may go without a name.
    } else if ports > 1 {
        name.required("");
    }
    port.field("port").check_port();
    if !protocol.require("") {
        protocol.one_of(&["SCTP", "TCP", "UDP"]);
    }
    if port.field("appProtocol").is_set() {
        port.field("appProtocol").check(qualified_name);
    }
}
