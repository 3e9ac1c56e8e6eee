//! Specs of claims: which devices are asked for.

use super::config::configuration;
use super::names::{RequestNames, class_name, fully_qualified_name, is_within, unique_by, unique_strings};
use super::selector::selectors;
use super::taint::{default_tolerations, tolerations};
use crate::field::{BadValue, Field};
use crate::format::{dns1123_label, long_name};
use crate::tree::Map;

const MAX_REQUESTS: usize = 32;
const MAX_CONSTRAINTS: usize = 32;
const MAX_CONFIGS: usize = 32;
const MAX_ALTERNATIVES: usize = 8;
const MODES: [&str; 2] = ["All", "ExactCount"];

/// Defaults of a claim's spec.
pub(super) fn defaults(spec: &mut Map<'_>) {
    for_each_request(spec, |request| {
        request.set_default("allocationMode", "ExactCount");
        if request.str("allocationMode") == "ExactCount" {
            request.set_default("count", 1);
        }
        default_tolerations(request);
    });
}

/// Drops fields of features that are off.
pub(super) fn drop_disabled_fields(spec: &mut Map<'_>) {
    for_each_request(spec, |request| _ = request.remove("derivedAttributes"));
}

fn for_each_request<'a>(spec: &mut Map<'a>, mut change: impl FnMut(&mut Map<'a>)) {
    let Some(devices) = spec.map_mut("devices") else { return };
    for request in devices.maps_mut("requests") {
        request.map_mut("exactly").into_iter().for_each(&mut change);
        request.maps_mut("firstAvailable").for_each(&mut change);
    }
}

/// Validates a claim's spec.
pub(super) fn validate(spec: Field<'_>) {
    let devices = spec.field("devices");
    let names = RequestNames::of(devices);
    let [requests, constraints, configs] =
        ["requests", "constraints", "config"].map(|name| devices.field(name));
    if is_within(requests, MAX_REQUESTS) {
        requests.items().for_each(request);
        unique_by(requests, ["name"]);
    }
    if is_within(constraints, MAX_CONSTRAINTS) {
        constraints.items().for_each(|one| constraint(one, &names));
    }
    if is_within(configs, MAX_CONFIGS) {
        for config in configs.items() {
            references(config.field("requests"), &names);
            configuration(config);
        }
    }
}

/// Validates a list of names of requests.
pub(super) fn references(list: Field<'_>, names: &RequestNames<'_>) {
    if is_within(list, MAX_REQUESTS) {
        list.items().for_each(|name| names.reference(name));
        unique_strings(list);
    }
}

fn request(request: Field<'_>) {
    request.field("name").check(dns1123_label);
    let (exactly, alternatives) = (request.field("exactly"), request.field("firstAvailable"));
    match (exactly.is_set(), !alternatives.is_empty()) {
        (false, false) => request.required("exactly one of `exactly` or `firstAvailable` is required"),
        (true, true) => {
            let text =
                "exactly one of `exactly` or `firstAvailable` is required, but multiple fields are set";
            request.invalid_as(BadValue::null(), text);
            // Declarative rules run on both forms, the others on the one that is used.
            declared(exactly);
            self::alternatives(alternatives);
        }
        (true, false) => {
            class_name(exactly.field("deviceClassName"));
            device_request(exactly);
        }
        (false, true) => self::alternatives(alternatives),
    }
}

fn alternatives(alternatives: Field<'_>) {
    if !is_within(alternatives, MAX_ALTERNATIVES) {
        return;
    }
    for one in alternatives.items() {
        one.field("name").check(dns1123_label);
        let class = one.field("deviceClassName");
        if !class.require("") {
            // Upstream words this error differently in lists of alternatives.
            class.check(long_name);
        }
        device_request(one);
    }
    unique_by(alternatives, ["name"]);
}

fn device_request(request: Field<'_>) {
    selectors(request.field("selectors"));
    let (mode, count) = (request.field("allocationMode"), request.field("count"));
    match mode.str() {
        "All" if count.int() != 0 => {
            count.invalid("must not be specified when allocationMode is 'All'");
        }
        "All" => {}
        "ExactCount" => count.check_positive(),
        _ => {}
    }
    declared(request);
}

/// Rules of declarative validation: they hold whatever else is wrong.
fn declared(request: Field<'_>) {
    request.field("allocationMode").declared().one_of(&MODES);
    tolerations(request.field("tolerations"));
}

fn constraint(constraint: Field<'_>, names: &RequestNames<'_>) {
    references(constraint.field("requests"), names);
    let attributes = [constraint.field("matchAttribute"), constraint.field("distinctAttribute")];
    for attribute in attributes.into_iter().filter(|attribute| attribute.is_set()) {
        fully_qualified_name(attribute);
    }
    if attributes.iter().all(|attribute| !attribute.is_set()) {
        // Upstream: the text says that both are set.
        constraint.required(
            "exactly one of \"matchAttribute\" or \"distinctAttribute\" is required, but multiple fields are set",
        );
    }
}
