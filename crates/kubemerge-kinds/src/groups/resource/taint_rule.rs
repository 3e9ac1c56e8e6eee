//! DeviceTaintRule.

use super::names::{driver_name, is_within, pool_name};
use super::taint::{set_time_added, taint};
use crate::columns::{AGE, Cell, KindColumn, NAME};
use crate::field::Field;
use crate::format::dns1123_label;
use crate::meta::conditions;
use crate::registry::{
    GenerationRule, KindEntry, OnUpdate, Permission, Presentation, Strategy, SubresourceRules, Times,
    ValidationRules, Written,
};
use crate::tree::Map;

pub(super) const KIND: KindEntry = KindEntry {
    kind: "DeviceTaintRule",
    strategy: Strategy {
        generation: GenerationRule::Field("spec"),
        unconditional_update: Permission::Denied,
        ..Strategy::WITH_STATUS
    },
    times: Times { defaults: Some(set_default_time), changes: Some(set_effect_time) },
    validation: ValidationRules {
        object: |rule| validate(rule, rule.absent()),
        update: validate,
        on_update: OnUpdate::ValidateChanges,
        ..ValidationRules::DEFAULT
    },
    subresources: &[SubresourceRules {
        validate_update: |rule, _| {
            let list = rule.fields(["status", "conditions"]);
            conditions(list);
            is_within(list, MAX_CONDITIONS);
        },
        ..SubresourceRules::STATUS_ALONE
    }],
    presentation: Presentation {
        columns: &[
            NAME,
            KindColumn::string("Key", Cell::Text("/spec/taint/key")),
            KindColumn::string("Value", Cell::Text("/spec/taint/value")),
            KindColumn::string("Effect", Cell::Text("/spec/taint/effect")),
            KindColumn::string("TimeAdded", Cell::Age("/spec/taint/timeAdded", "")),
            AGE,
        ],
        ..Presentation::DEFAULT
    },
    ..KindEntry::CLUSTER
};

fn set_default_time(rule: &mut Map<'_>, now: &str) {
    if let Some(taint) = rule.map_mut("spec").and_then(|spec| spec.map_mut("taint")) {
        set_time_added(taint, now);
    }
}

/// A taint with another effect is a new one, unless the client says when it was added.
fn set_effect_time(rule: &mut Map<'_>, written: &Written<'_>) {
    let before = written.old.and_then(|old| old.map("spec")).and_then(|spec| spec.map("taint"));
    let taint = rule.map_mut("spec").and_then(|spec| spec.map_mut("taint"));
    let (Some(before), Some(taint)) = (before, taint) else { return };
    let is_told = taint.str("timeAdded") != before.str("timeAdded");
    if taint.str("effect") != before.str("effect") && !is_told {
        taint.set_text("timeAdded", written.now);
    }
}

const MAX_CONDITIONS: usize = 8;

fn validate(rule: Field<'_>, old: Field<'_>) {
    let selector = rule.fields(["spec", "deviceSelector"]);
    // A part that is absent selects all.
    if selector.field("driver").is_set() {
        driver_name(selector.field("driver"));
    }
    if selector.field("pool").is_set() {
        pool_name(selector.field("pool"));
    }
    if selector.field("device").is_set() {
        selector.field("device").check(dns1123_label);
    }
    taint(rule.fields(["spec", "taint"]), old.fields(["spec", "taint"]));
}
