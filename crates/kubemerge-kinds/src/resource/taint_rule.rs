//! DeviceTaintRule.

use super::names::{driver_name, is_within, pool_name};
use super::taint::taint;
use crate::field::Field;
use crate::format::dns1123_label;
use crate::meta::conditions;
use crate::registry::{Generation, OnUpdate, Rules, SubresourceRules};

pub(super) const RULES: Rules = Rules {
    kind: "DeviceTaintRule",
    generation: Generation::Spec,
    validate: |rule| validate(rule, rule.absent()),
    validate_update: validate,
    on_update: OnUpdate::ValidateChanges,
    subresources: &[SubresourceRules {
        validate_update: |rule, _| {
            let list = rule.fields(["status", "conditions"]);
            conditions(list);
            is_within(list, MAX_CONDITIONS);
        },
        ..SubresourceRules::DEFAULT
    }],
    ..Rules::CLUSTER
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
