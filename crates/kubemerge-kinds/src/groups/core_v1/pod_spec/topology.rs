//! Spreading pods over failure domains.

use std::collections::{BTreeMap, BTreeSet};

use crate::field::Field;
use crate::format::qualified_name;
use crate::meta::{Selector, label_selector};

pub(super) fn spread_constraints<'t>(constraints: Field<'t>) {
    let pair = |constraint: Field<'t>| {
        (constraint.field("topologyKey").str(), constraint.field("whenUnsatisfiable").str())
    };
    // Where each pair comes last; collecting keeps the later of two.
    let last: BTreeMap<_, usize> = constraints.items().map(pair).zip(0..).collect();
    for (index, constraint) in constraints.items().enumerate() {
        constraint.field("maxSkew").check_positive();
        let (key, action) = (constraint.field("topologyKey"), constraint.field("whenUnsatisfiable"));
        if key.is_empty() {
            key.required("can not be empty");
        }
        action.one_of(&["DoNotSchedule", "ScheduleAnyway"]);
        if last.get(&pair(constraint)).is_some_and(|last| *last > index) {
            let value = format!("{{{}, {}}}", key.str(), action.str());
            // Upstream makes up a field for the pair, and reports the first of two that are alike.
            constraint.field("{topologyKey, whenUnsatisfiable}").duplicate_as(value.as_str());
        }
        min_domains(constraint.field("minDomains"), action.str());
        for name in ["nodeAffinityPolicy", "nodeTaintsPolicy"] {
            if constraint.field(name).is_set() {
                constraint.field(name).one_of(&["Honor", "Ignore"]);
            }
        }
        label_keys(constraint, constraint.field("labelSelector"));
        label_selector(constraint.field("labelSelector"), Selector::Strict);
    }
}

fn min_domains(domains: Field<'_>, action: &str) {
    if !domains.is_set() {
        return;
    }
    domains.check_positive();
    if action != "DoNotSchedule" {
        domains.invalid(format!("can only use minDomains if whenUnsatisfiable=DoNotSchedule, not {action}"));
    }
}

/// `matchLabelKeys` and `mismatchLabelKeys`, which the API server adds to the selector.
pub(super) fn label_keys(owner: Field<'_>, selector: Field<'_>) {
    let (matched, mismatched) = (owner.field("matchLabelKeys"), owner.field("mismatchLabelKeys"));
    for keys in [matched, mismatched] {
        if !keys.is_empty() && !selector.is_set() {
            keys.forbidden("must not be specified when labelSelector is not set");
        } else {
            keys.items().for_each(|key| {
                key.check(qualified_name);
            });
        }
    }
    keys_in_selector(owner, matched, selector);
    let excluded: BTreeSet<&str> = mismatched.items().map(Field::str).collect();
    for key in matched.items().filter(|key| excluded.contains(key.str())) {
        key.invalid("exists in both matchLabelKeys and mismatchLabelKeys");
    }
}

fn keys_in_selector(owner: Field<'_>, matched: Field<'_>, selector: Field<'_>) {
    let mut known: BTreeSet<&str> = selector.field("matchLabels").entries().map(|(key, _)| key).collect();
    // Of keys that are given twice the last place counts.
    let places: BTreeMap<&str, usize> = matched.items().map(Field::str).zip(0..).collect();
    for expression in selector.field("matchExpressions").items() {
        let key = expression.field("key").str();
        if let Some(index) = places.get(key).filter(|_| known.contains(key)) {
            owner.index(*index).invalid_as(key, "exists in both matchLabelKeys and labelSelector");
        }
        known.insert(key);
    }
}
