//! Devices of a ResourceSlice.

use super::capacity::capacity;
use super::claim_status::binding_conditions;
use super::names::{is_within, qualified_key, unique_by};
use super::taint::taint;
use crate::field::{BadValue, Field};
use crate::format::{dns1123_label, dns1123_subdomain, short_name};
use crate::groups::core_v1::pod_spec::node_selector;
use crate::tree::{Map, Value};

const MAX_ATTRIBUTES_AND_CAPACITIES: usize = 32;
const MAX_VALUE_BYTES: usize = 64;
const MAX_TAINTS: usize = 16;
const MAX_CONSUMPTIONS: usize = 2;
const MAX_COUNTERS: usize = 32;
/// Kinds of values; the lists belong to a feature that is off.
const VALUES: [&str; 4] = ["int", "bool", "string", "version"];
const LISTS: [&str; 4] = ["ints", "bools", "strings", "versions"];

/// Drops fields of features that are off.
pub(super) fn drop_disabled_fields(device: &mut Map<'_>) {
    device.remove("nodeAllocatableResources");
    device.maps_mut("consumesCounters").for_each(|one| _ = one.remove("compatibilityGroups"));
    let Some(attributes) = device.map_mut("attributes") else { return };
    for attribute in attributes.iter_mut().filter_map(|(_, value)| Value::as_map_mut(value)) {
        LISTS.iter().for_each(|list| _ = attribute.remove(list));
    }
}

/// Validates a device; what is stored already is tolerated.
pub(super) fn device(device: Field<'_>, old: Field<'_>, is_placed: bool) {
    device.field("name").check(dns1123_label);
    let (attributes, capacities) = (device.field("attributes"), device.field("capacity"));
    let count = attributes.len() + capacities.len();
    if count > MAX_ATTRIBUTES_AND_CAPACITIES {
        let text = "the total number of attributes and capacities must not exceed 32";
        device.invalid_as(count as i64, text);
    }
    for (name, one) in attributes.entries() {
        qualified_key(attributes, name);
        attribute(one);
    }
    // Capacities are compared as a whole: a change of one checks all again.
    if !old.is_set() || !capacities.same_as(old.field("capacity")) {
        let is_shared = device.field("allowMultipleAllocations").bool();
        for (name, one) in capacities.entries() {
            qualified_key(capacities, name);
            capacity(one, is_shared);
        }
    }
    let taints = device.field("taints");
    if (!old.is_set() || !taints.same_as(old.field("taints"))) && is_within(taints, MAX_TAINTS) {
        taints.items().for_each(|one| taint(one, one.absent()));
    }
    let consumptions = device.field("consumesCounters");
    if is_within(consumptions, MAX_CONSUMPTIONS) {
        consumptions.items().for_each(consumption);
        unique_by(consumptions, ["counterSet"]);
    }
    nodes(device, is_placed);
    binding_conditions(device);
}

fn attribute(attribute: Field<'_>) {
    let given: Vec<&str> = VALUES.into_iter().filter(|name| attribute.field(name).is_set()).collect();
    let [text, version] = [attribute.field("string"), attribute.field("version")];
    if version.is_set() && !is_semantic_version(version.str()) {
        version.invalid("must be a string compatible with semver.org spec 2.0.0");
    }
    for field in [text, version].into_iter().filter(|field| field.str().len() > MAX_VALUE_BYTES) {
        field.too_long(MAX_VALUE_BYTES);
    }
    let all = "`int`, `bool`, `string`, `version`, `ints`, `bools`, `strings`, `versions`";
    match given.len() {
        0 => attribute.invalid_as("", format!("must specify one of: {all}")),
        1 => {}
        _ => {
            let value = format!("{{{}}}", given.join(", "));
            attribute.invalid_as(value.as_str(), format!("must specify exactly one of: {all}"));
        }
    }
}

/// `1.2.3-alpha.1+build`
fn is_semantic_version(text: &str) -> bool {
    let is_word = |part: &str| {
        !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
    };
    let is_number = |part: &str| {
        !part.is_empty()
            && part.bytes().all(|byte| byte.is_ascii_digit())
            && (part == "0" || !part.starts_with('0'))
    };
    let is_release_part =
        |part: &str| is_word(part) && (is_number(part) || part.bytes().any(|byte| !byte.is_ascii_digit()));
    let (rest, build) = text.split_once('+').map_or((text, None), |(rest, build)| (rest, Some(build)));
    let (core, release) = rest.split_once('-').map_or((rest, None), |(core, part)| (core, Some(part)));
    core.split('.').count() == 3
        && core.split('.').all(is_number)
        && release.is_none_or(|release| release.split('.').all(is_release_part))
        && build.is_none_or(|build| build.split('.').all(is_word))
}

fn consumption(consumption: Field<'_>) {
    let set = consumption.field("counterSet");
    if !set.require("") {
        set.check(short_name);
    }
    counters(consumption.field("counters"));
}

/// Validates a map of counters.
pub(super) fn counters(counters: Field<'_>) {
    if counters.require("") || !is_within(counters, MAX_COUNTERS) {
        return;
    }
    for (name, _) in counters.entries() {
        short_name(name).into_iter().for_each(|problem| counters.invalid_as(name, problem));
    }
}

/// Where a device is, for slices that say it by device.
fn nodes(device: Field<'_>, is_placed: bool) {
    let [name, selector, all] = ["nodeName", "nodeSelector", "allNodes"].map(|name| device.field(name));
    if !is_placed {
        if [name, selector, all].iter().any(|field| field.is_set()) {
            let text = "`nodeName`, `nodeSelector` and `allNodes` can only be set if `perDeviceNodeSelection` is \
                        set to true in the ResourceSlice spec";
            device.invalid_as(BadValue::null(), text);
        }
        return;
    }
    let mut given = Vec::new();
    if name.is_set() {
        if name.is_empty() {
            name.invalid("must not be empty");
        } else {
            given.push("`nodeName`");
            name.check(dns1123_subdomain);
        }
    }
    if selector.is_set() {
        given.push("`nodeSelector`");
        node_selector(selector);
    }
    match all.opt_bool() {
        Some(true) => given.push("`allNodes`"),
        Some(false) => all.invalid("must be either unset or set to true"),
        None => {}
    }
    let text = "exactly one of `nodeName`, `nodeSelector`, or `allNodes` is required when \
                `perDeviceNodeSelection` is set to true in the ResourceSlice spec";
    match given.len() {
        0 => device.required(text),
        1 => {}
        _ => device.invalid_as(format!("{{{}}}", given.join(", ")).as_str(), text),
    }
}
