//! ResourceSlice: the devices of a pool.

use super::device::{counters, device, drop_disabled_fields};
use super::names::{driver_name, is_within, pool_name, unique_by, unique_names};
use super::taint::set_time_added;
use crate::columns::{AGE, Cell, KindColumn, NAME};
use crate::field::{BadValue, Field};
use crate::format::{dns1123_subdomain, short_name};
use crate::groups::core_v1::pod_spec::node_selector;
use crate::registry::{
    Context, Counted, DeleteAnswer, GenerationRule, KindEntry, OnUpdate, Presentation, SelectableField,
    SelectableFields, Strategy, Times, ValidationRules,
};
use crate::tree::Map;

pub(super) const KIND: KindEntry = KindEntry {
    kind: "ResourceSlice",
    strategy: Strategy {
        generation: GenerationRule::Field("spec"),
        // Upstream counts before it drops fields.
        counted: Counted::Sent,
        delete_answer: DeleteAnswer::Object,
        prepare_create: drop_disabled,
        prepare_update: |slice, _, context| drop_disabled(slice, context),
        ..Strategy::DEFAULT
    },
    times: Times { defaults: Some(set_default_times), ..Times::NONE },
    validation: ValidationRules {
        object: |slice| validate(slice.field("spec"), slice.absent()),
        update: |slice, old| {
            let (spec, stored) = (slice.field("spec"), old.field("spec"));
            validate(spec, stored);
        },
        on_update: OnUpdate::ValidateChanges,
        ..ValidationRules::DEFAULT
    },
    presentation: Presentation {
        columns: &[
            NAME,
            KindColumn::string("Node", Cell::Text("/spec/nodeName")),
            KindColumn::string("Driver", Cell::Text("/spec/driver")),
            KindColumn::string("Pool", Cell::Text("/spec/pool/name")),
            AGE,
        ],
        selectable: SelectableFields::listed(&[
            SelectableField::at("spec.nodeName"),
            SelectableField::at("spec.driver"),
            SelectableField::at("spec.pool.name"),
        ]),
        ..Presentation::DEFAULT
    },
    ..KindEntry::CLUSTER
};

fn set_default_times(slice: &mut Map<'_>, now: &str) {
    let Some(spec) = slice.map_mut("spec") else { return };
    let taints = spec.maps_mut("devices").flat_map(|device| device.maps_mut("taints"));
    taints.for_each(|taint| set_time_added(taint, now));
}

const MAX_DEVICES: usize = 128;
/// With taints or counters.
const MAX_ADVANCED_DEVICES: usize = 64;
const MAX_COUNTER_SETS: usize = 8;

fn drop_disabled(slice: &mut Map<'_>, _: Context) {
    let Some(spec) = slice.map_mut("spec") else { return };
    spec.remove("partitionTypeAttribute");
    spec.remove("skipNodeOperations");
    spec.maps_mut("devices").for_each(drop_disabled_fields);
}

fn validate(spec: Field<'_>, old: Field<'_>) {
    driver_name(spec.field("driver"));
    pool(spec.field("pool"));
    if old.is_set() {
        kept(spec, old);
    }
    nodes(spec);
    let (devices, sets) = (spec.field("devices"), spec.field("sharedCounters"));
    if devices.is_given() && sets.is_given() {
        spec.invalid_as("", "only one of `sharedCounters` or `devices` is allowed");
    }
    // Such devices take more room, and a slice must fit into an object.
    let is_advanced = devices
        .items()
        .any(|device| !device.field("taints").is_empty() || !device.field("consumesCounters").is_empty());
    if is_within(devices, if is_advanced { MAX_ADVANCED_DEVICES } else { MAX_DEVICES }) {
        let per_device = spec.field("perDeviceNodeSelection").bool();
        for one in devices.items() {
            let mut stored = old.field("devices").items();
            // A device is the same one as long as its name is.
            let stored = stored.find(|stored| stored.field("name").str() == one.field("name").str());
            device(one, stored.unwrap_or(one.absent()), per_device);
        }
        unique_names(devices);
    }
    if is_within(sets, MAX_COUNTER_SETS) {
        for set in sets.items() {
            if !set.field("name").require("") {
                set.field("name").check(short_name);
            }
            counters(set.field("counters"));
        }
        unique_by(sets, ["name"]);
    }
}

/// What a slice is found by.
fn kept(spec: Field<'_>, old: Field<'_>) {
    spec.fields(["pool", "name"]).check_immutable(old.fields(["pool", "name"]));
    spec.field("driver").check_immutable(old.field("driver"));
    let node = spec.field("nodeName");
    if !node.same_as(old.field("nodeName")) {
        node.invalid_as(node.bad_value(), "field is immutable");
    }
}

fn pool(pool: Field<'_>) {
    pool_name(pool.field("name"));
    let (count, generation) = (pool.field("resourceSliceCount"), pool.field("generation"));
    if count.int() <= 0 {
        count.invalid_as(count.int(), "must be greater than zero");
    }
    if generation.int() < 0 {
        generation.invalid("must be greater than or equal to zero");
    }
}

/// Which nodes have the devices: said in one of four ways.
fn nodes(spec: Field<'_>) {
    const ONE_OF: &str =
        "exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required";
    let mut given = Vec::new();
    let (name, selector) = (spec.field("nodeName"), spec.field("nodeSelector"));
    if name.is_set() {
        if name.is_empty() {
            name.invalid("must be either unset or set to a non-empty string");
        } else {
            given.push("`nodeName`");
            name.check(dns1123_subdomain);
        }
    }
    if selector.is_set() {
        given.push("`nodeSelector`");
        node_selector(selector);
        let terms = selector.field("nodeSelectorTerms");
        // The scheduler merges the term into that of the claim, which works for one.
        if terms.len() != 1 {
            terms.invalid_struct("[]core.NodeSelectorTerm", "must have exactly one node selector term");
        }
    }
    for (flag, text) in [("allNodes", "`allNodes`"), ("perDeviceNodeSelection", "`perDeviceNodeSelection`")] {
        match spec.field(flag).opt_bool() {
            Some(true) => given.push(text),
            Some(false) => spec.field(flag).invalid("must be either unset or set to true"),
            None => {}
        }
    }
    match given.len() {
        0 => spec.required(ONE_OF),
        1 => {}
        _ => {
            let value = format!("{{{}}}", given.join(", "));
            spec.invalid_as(BadValue::from(value.as_str()), format!("{ONE_OF}, but multiple fields are set"));
        }
    }
}
