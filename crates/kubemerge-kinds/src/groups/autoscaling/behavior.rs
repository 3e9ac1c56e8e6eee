//! `behavior`: how fast an autoscaler may scale.

use crate::field::Field;
use crate::tree::{List, Map, Value};

const MAX_PERIOD_SECONDS: i64 = 1800;
const MAX_STABILIZATION_SECONDS: i64 = 3600;
const DEFAULT_PERIOD: i64 = 15;

/// Fills in the rules for both directions if any behavior is given.
pub(super) fn defaults(behavior: &mut Map<'_>) {
    let up = behavior.ensure_map("scaleUp");
    up.set_if_absent("stabilizationWindowSeconds", 0);
    rules_defaults(up, &[("Pods", 4), ("Percent", 100)]);
    // How long scaling down waits is an option of the controller, so that it has no default here.
    rules_defaults(behavior.ensure_map("scaleDown"), &[("Percent", 100)]);
}

fn rules_defaults(rules: &mut Map<'_>, policies: &[(&'static str, i64)]) {
    rules.set_if_absent("selectPolicy", "Max");
    // An empty list counts as given, and is refused.
    if rules.get_raw("policies").is_some_and(|value| !matches!(value, Value::Null)) {
        return;
    }
    let mut list = List::new_in(rules.arena());
    for (kind, value) in policies {
        let mut policy = Map::new_in(rules.arena());
        policy.set("type", *kind);
        policy.set("value", *value);
        policy.set("periodSeconds", DEFAULT_PERIOD);
        list.push(policy);
    }
    rules.set("policies", list);
}

/// Validates the rules of both directions.
pub(super) fn behavior(behavior: Field<'_>) {
    for rules in [behavior.field("scaleUp"), behavior.field("scaleDown")] {
        if rules.is_set() {
            self::rules(rules);
        }
    }
}

fn rules(rules: Field<'_>) {
    let window = rules.field("stabilizationWindowSeconds");
    if window.int() < 0 {
        window.invalid("must be greater than or equal to zero");
    }
    if window.int() > MAX_STABILIZATION_SECONDS {
        window.invalid(format!("must be less than or equal to {MAX_STABILIZATION_SECONDS}"));
    }
    let select = rules.field("selectPolicy");
    if select.is_set() {
        select.one_of(&["Disabled", "Max", "Min"]);
    }
    let policies = rules.field("policies");
    if policies.is_empty() {
        policies.required("must specify at least one Policy");
    }
    policies.items().for_each(policy);
    let tolerance = rules.field("tolerance");
    if tolerance.quantity().sign() < 0 {
        tolerance.invalid("must be greater than or equal to 0");
    }
}

fn policy(policy: Field<'_>) {
    policy.field("type").one_of(&["Percent", "Pods"]);
    policy.field("value").check_positive();
    let period = policy.field("periodSeconds");
    period.check_positive();
    if period.int() > MAX_PERIOD_SECONDS {
        period.invalid(format!("must be less than or equal to {MAX_PERIOD_SECONDS}"));
    }
}
