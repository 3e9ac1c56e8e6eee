//! The status of a ResourceClaim: what is allocated, for whom, and what drivers report of it.

use std::collections::BTreeSet;

use super::claim_spec::references;
use super::config::{configuration, raw_object};
use super::names::{
    RequestNames, declared_driver_name, declared_pool_name, driver_name, is_within, pool_name, unique_by,
    unique_strings, uuid,
};
use super::taint::{default_tolerations, tolerations};
use crate::field::{BadValue, Field};
use crate::format::{canonical_ip, dns1123_label, parse_cidr, parse_ip, qualified_name};
use crate::go_text::quoted;
use crate::groups::core_v1::pod_spec::node_selector;
use crate::meta;
use crate::registry::Context;
use crate::tree::Map;

const MAX_CONSUMERS: usize = 256;
const MAX_RESULTS: usize = 32;
const MAX_CONFIGS: usize = 64;
const MAX_CONDITIONS: usize = 8;
const MAX_IPS: usize = 16;
const MAX_INTERFACE_BYTES: usize = 256;
const MAX_HARDWARE_ADDRESS_BYTES: usize = 128;
const MAX_BINDING_CONDITIONS: usize = 4;

/// What names a device: driver, pool, device and share.
fn device_id(device: &Map<'_>) -> [String; 4] {
    ["driver", "pool", "device", "shareID"].map(|name| device.str(name).to_owned())
}

fn results<'m, 'a>(claim: &'m Map<'a>) -> impl Iterator<Item = &'m Map<'a>> {
    let allocation = claim.map("status").and_then(|status| status.map("allocation"));
    allocation.and_then(|one| one.map("devices")).into_iter().flat_map(|devices| devices.maps("results"))
}

/// Defaults of a claim's status.
pub(super) fn defaults(claim: &mut Map<'_>) {
    let allocation = claim.map_mut("status").and_then(|status| status.map_mut("allocation"));
    if let Some(devices) = allocation.and_then(|one| one.map_mut("devices")) {
        devices.maps_mut("results").for_each(default_tolerations);
    }
}

/// Drops what drivers reported of devices that are allocated no longer.
pub(super) fn prepare(claim: &mut Map<'_>, old: &Map<'_>, _: Context) {
    let kept: BTreeSet<_> = results(claim).map(device_id).collect();
    let gone: BTreeSet<_> = results(old).map(device_id).filter(|id| !kept.contains(id)).collect();
    let Some(status) = claim.map_mut("status") else { return };
    if let Some(allocation) = status.map_mut("allocation").and_then(|one| one.map_mut("devices")) {
        // The feature is off.
        allocation.maps_mut("results").for_each(|result| _ = result.remove("skipNodeOperations"));
    }
    let Some(devices) = status.list_mut("devices") else { return };
    devices.retain(|device| device.as_map().is_none_or(|device| !gone.contains(&device_id(device))));
    if devices.is_empty() {
        status.remove("devices");
    }
}

/// Validates a change of the status.
pub(super) fn validate(claim: Field<'_>, old: Field<'_>) {
    let (status, stored) = (claim.field("status"), old.field("status"));
    let (allocation, old_allocation) = (status.field("allocation"), stored.field("allocation"));
    reserved_for(claim, old);
    devices(status);
    if !allocation.is_set() {
        return;
    }
    if !old_allocation.is_set() {
        let names = RequestNames::of(claim.fields(["spec", "devices"]));
        self::allocation(allocation, &names);
    } else if !allocation.same_as(old_allocation) {
        // A claim is allocated again by clearing the field first.
        allocation.invalid_as(BadValue::null(), "field cannot be modified once set");
    }
}

fn reserved_for(claim: Field<'_>, old: Field<'_>) {
    let consumers = claim.fields(["status", "reservedFor"]);
    if is_within(consumers, MAX_CONSUMERS) {
        for consumer in consumers.items() {
            for name in ["resource", "name", "uid"] {
                consumer.field(name).require("");
            }
        }
        unique_by(consumers, ["uid"]);
    }
    if consumers.is_empty() {
        return;
    }
    if !claim.fields(["status", "allocation"]).is_set() {
        return consumers.forbidden("may not be specified when `allocated` is not set");
    }
    let stored = old.fields(["status", "reservedFor"]);
    // Consumers that were there before a deletion may still leave one by one.
    let is_new = |one: Field<'_>| !stored.items().any(|known| known.same_as(one));
    if claim.fields(["metadata", "deletionTimestamp"]).is_set() && consumers.items().any(is_new) {
        consumers.forbidden(
            "new entries may not be added while `deallocationRequested` or `deletionTimestamp` are set",
        );
    }
}

fn devices(status: Field<'_>) {
    let results = status.fields(["allocation", "devices", "results"]);
    let allocated: BTreeSet<_> = results.items().filter_map(Field::map).map(device_id).collect();
    let devices = status.field("devices");
    for device in devices.items() {
        driver_name(device.field("driver"));
        pool_name(device.field("pool"));
        device.field("device").check(dns1123_label);
        let share = device.field("shareID");
        if share.is_set() {
            uuid(share);
        }
        if let Some(id) = device.map().map(device_id).filter(|id| !allocated.contains(id)) {
            let [driver, pool, name, share] = id.map(|part| quoted(&part));
            let value =
                format!("{{\"Driver\":{driver},\"Pool\":{pool},\"Device\":{name},\"ShareID\":{share}}}");
            device.invalid_as(BadValue::verbatim(value), "must be an allocated device in the claim");
        }
        device_data(device);
    }
    unique_by(devices, ["driver", "pool", "device", "shareID"]);
}

fn device_data(device: Field<'_>) {
    let conditions = device.field("conditions");
    // Upstream checks the conditions even if there are too many.
    is_within(conditions, MAX_CONDITIONS);
    meta::conditions(conditions);
    if device.field("data").is_set() {
        raw_object(device.field("data"));
    }
    let network = device.field("networkData");
    let limits = [("interfaceName", MAX_INTERFACE_BYTES), ("hardwareAddress", MAX_HARDWARE_ADDRESS_BYTES)];
    for (name, max) in limits {
        if network.field(name).str().len() > max {
            network.field(name).too_long(max);
        }
    }
    let ips = network.field("ips");
    if is_within(ips, MAX_IPS) {
        ips.items().for_each(interface_address);
        unique_strings(ips);
    }
}

/// `10.9.8.7/24`
fn interface_address(address: Field<'_>) {
    let text = address.str();
    let parts = text.split_once('/').filter(|_| parse_cidr(text).is_some());
    let Some((Some(ip), bits)) = parts.map(|(ip, bits)| (parse_ip(ip), bits)) else {
        return address.invalid("must be a valid address in CIDR form, (e.g. 10.9.8.7/24 or 2001:db8::1/64)");
    };
    // Unlike a range, an address of an interface keeps its host bits.
    let canonical = format!("{}/{bits}", canonical_ip(ip));
    if canonical != text {
        address.invalid(format!("must be in canonical form (\"{canonical}\")"));
    }
}

fn allocation(allocation: Field<'_>, names: &RequestNames<'_>) {
    let (results, configs) =
        (allocation.fields(["devices", "results"]), allocation.fields(["devices", "config"]));
    if is_within(results, MAX_RESULTS) {
        results.items().for_each(|one| result(one, names));
    }
    if is_within(configs, MAX_CONFIGS) {
        for config in configs.items() {
            let source = config.field("source");
            if !source.require("") {
                source.one_of(&["FromClaim", "FromClass"]);
            }
            references(config.field("requests"), names);
            configuration(config);
        }
    }
    if allocation.field("nodeSelector").is_set() {
        node_selector(allocation.field("nodeSelector"));
    }
}

fn result(result: Field<'_>, names: &RequestNames<'_>) {
    names.reference(result.field("request"));
    declared_driver_name(result.field("driver"));
    declared_pool_name(result.field("pool"));
    result.field("device").check(dns1123_label);
    binding_conditions(result);
    tolerations(result.field("tolerations"));
    if result.field("shareID").is_set() {
        uuid(result.field("shareID"));
    }
}

/// Conditions that a device must reach, or not reach, before its pod starts.
pub(super) fn binding_conditions(device: Field<'_>) {
    let (good, bad) = (device.field("bindingConditions"), device.field("bindingFailureConditions"));
    for list in [good, bad] {
        if is_within(list, MAX_BINDING_CONDITIONS) {
            list.items().for_each(|name| {
                name.check(qualified_name);
            });
        }
        unique_strings(list);
    }
    for name in bad.items().filter(|name| good.items().any(|other| other.str() == name.str())) {
        name.invalid("bindingFailureConditions must not overlap with bindingConditions");
    }
    let pairs = [
        (good, bad, "bindingConditions are required to use bindingFailureConditions"),
        (bad, good, "bindingFailureConditions are required to use bindingConditions"),
    ];
    for (list, other, message) in pairs {
        if list.is_empty() && !other.is_empty() {
            list.invalid_as(list.bad_value(), message);
        }
    }
}
