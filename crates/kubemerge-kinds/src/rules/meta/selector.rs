//! Label selectors: `matchLabels` and `matchExpressions`.

use super::labels;
use crate::field::Field;
use crate::format::{label_value, qualified_name};

/// What a label selector may hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Selector {
    /// All rules hold.
    Strict,
    /// Values that are no label values are allowed: objects that were stored before the rule.
    AnyValues,
}

/// Validates a label selector; an absent one is fine.
pub fn label_selector(selector: Field<'_>, rule: Selector) {
    if !selector.is_set() {
        return;
    }
    labels(selector.field("matchLabels"));
    for requirement in selector.field("matchExpressions").items() {
        self::requirement(requirement, rule);
    }
}

fn requirement(requirement: Field<'_>, rule: Selector) {
    let values = requirement.field("values");
    match requirement.field("operator").str() {
        "In" | "NotIn" if values.is_empty() => {
            values.required("must be specified when `operator` is 'In' or 'NotIn'");
        }
        "In" | "NotIn" => {}
        "Exists" | "DoesNotExist" if !values.is_empty() => {
            values.forbidden("may not be specified when `operator` is 'Exists' or 'DoesNotExist'");
        }
        "Exists" | "DoesNotExist" => {}
        _ => requirement.field("operator").invalid("not a valid selector operator"),
    }
    // Upstream checks the operator before the key.
    requirement.field("key").check(qualified_name);
    if rule == Selector::Strict {
        values.items().for_each(|value| {
            value.check(label_value);
        });
    }
}

/// Whether a selector selects everything because it says nothing.
pub fn is_empty_selector(selector: Field<'_>) -> bool {
    selector.field("matchLabels").is_empty() && selector.field("matchExpressions").is_empty()
}

/// Whether a valid selector selects objects with these labels.
pub fn selector_matches(selector: Field<'_>, labels: Field<'_>) -> bool {
    let has_all = selector.field("matchLabels").entries().all(|(key, value)| {
        let label = labels.key(key);
        label.is_set() && label.str() == value.str()
    });
    has_all && selector.field("matchExpressions").items().all(|requirement| is_met(requirement, labels))
}

fn is_met(requirement: Field<'_>, labels: Field<'_>) -> bool {
    let label = labels.key(requirement.field("key").str());
    let is_one =
        label.is_set() && requirement.field("values").items().any(|value| value.str() == label.str());
    match requirement.field("operator").str() {
        "In" => is_one,
        // Objects without the label are selected, too.
        "NotIn" => !is_one,
        "Exists" => label.is_set(),
        "DoesNotExist" => !label.is_set(),
        _ => false,
    }
}
