//! `podFailurePolicy` of Jobs.

use std::collections::BTreeSet;

use crate::field::Field;
use crate::format::qualified_name;

const MAX_RULES: usize = 20;
const MAX_EXIT_CODES: usize = 255;
const MAX_CONDITIONS: usize = 20;

const ACTIONS: [&str; 4] = ["Count", "FailIndex", "FailJob", "Ignore"];
const OPERATORS: [&str; 2] = ["In", "NotIn"];
const STATUSES: [&str; 3] = ["False", "True", "Unknown"];

/// Validates the policy of a Job spec, if there is one.
pub(super) fn failure_policy(spec: Field<'_>) {
    let rules = spec.fields(["podFailurePolicy", "rules"]);
    if rules.len() > MAX_RULES {
        rules.too_many(rules.len(), MAX_RULES);
    }
    let pod = spec.fields(["template", "spec"]);
    let containers = ["containers", "initContainers"].into_iter().flat_map(|list| pod.field(list).items());
    let names: BTreeSet<&str> = containers.map(|container| container.field("name").str()).collect();
    for rule in rules.items() {
        action(rule.field("action"), spec);
        self::rule(rule, &names);
    }
}

/// A field that must have one of some values; the message about an absent one lists them as Go prints a slice.
fn one_of_listed(field: Field<'_>, supported: &[&str]) {
    if field.is_empty() {
        let values: Vec<String> = supported.iter().map(|value| format!("\"{value}\"")).collect();
        field.required(format!("valid values: [{}]", values.join(" ")));
    } else {
        field.one_of(supported);
    }
}

fn action(action: Field<'_>, spec: Field<'_>) {
    one_of_listed(action, &ACTIONS);
    if action.str() == "FailIndex" && !spec.field("backoffLimitPerIndex").is_set() {
        action.invalid("requires the backoffLimitPerIndex to be set");
    }
}

fn rule(rule: Field<'_>, containers: &BTreeSet<&str>) {
    let (codes, conditions) = (rule.field("onExitCodes"), rule.field("onPodConditions"));
    if codes.is_set() {
        exit_codes(codes, containers);
    }
    if conditions.len() > MAX_CONDITIONS {
        conditions.too_many(conditions.len(), MAX_CONDITIONS);
    }
    for pattern in conditions.items() {
        pattern.field("type").check(qualified_name);
        one_of_listed(pattern.field("status"), &STATUSES);
    }
    match (codes.is_set(), !conditions.is_empty()) {
        (true, true) => {
            rule.invalid_omitted("specifying both OnExitCodes and OnPodConditions is not supported");
        }
        (false, false) => {
            rule.invalid_omitted("specifying one of OnExitCodes and OnPodConditions is required");
        }
        _ => {}
    }
}

fn exit_codes(codes: Field<'_>, containers: &BTreeSet<&str>) {
    let operator = codes.field("operator");
    one_of_listed(operator, &OPERATORS);
    let container = codes.field("containerName");
    if container.is_set() && !containers.contains(container.str()) {
        container.invalid("must be one of the container or initContainer names in the pod template");
    }
    let values = codes.field("values");
    if values.is_empty() {
        values.invalid("at least one value is required");
    } else if values.len() > MAX_EXIT_CODES {
        values.too_many(values.len(), MAX_EXIT_CODES);
    }
    let mut seen = BTreeSet::new();
    for value in values.items() {
        // Zero is success, which no failure policy is asked about.
        if operator.str() == "In" && value.int() == 0 {
            value.invalid("must not be 0 for the In operator");
        }
        if !seen.insert(value.int()) {
            value.duplicate();
        }
    }
    if !values.items().map(Field::int).is_sorted() {
        values.invalid("must be ordered");
    }
}
