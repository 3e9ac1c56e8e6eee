//! DeviceTaintRule.

use super::names::{driver_name, is_within, pool_name};
use super::taint::taint;
use crate::columns::{AGE, Cell, KindColumn, NAME};
use crate::field::Field;
use crate::format::dns1123_label;
use crate::meta::conditions;
use crate::registry::{
    GenerationRule, KindEntry, OnUpdate, Permission, Presentation, Strategy, SubresourceRules,
    ValidationRules,
};

pub(super) const KIND: KindEntry = KindEntry {
    kind: "DeviceTaintRule",
    strategy: Strategy {
        generation: GenerationRule::Field("spec"),
        unconditional_update: Permission::Denied,
        ..Strategy::WITH_STATUS
    },
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
