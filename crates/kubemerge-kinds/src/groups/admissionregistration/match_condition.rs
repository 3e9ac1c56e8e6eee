//! Conditions in CEL that requests are filtered by.

use std::collections::BTreeSet;

use super::expression::{Params, check_trimmed};
use crate::field::Field;
use crate::format::qualified_name;
use kubemerge_cel::CelType;

const MAX_CONDITIONS: usize = 64;

/// Validates `matchConditions`.
pub(super) fn match_conditions(conditions: Field<'_>, params: Params) {
    if conditions.len() > MAX_CONDITIONS {
        conditions.too_many(conditions.len(), MAX_CONDITIONS);
    }
    // Conditions decide whether the policy applies, so its own variables do not exist yet.
    let environment = params.environment().with_authorizer();
    let mut names = BTreeSet::new();
    for condition in conditions.items() {
        let (name, expression) = (condition.field("name"), condition.field("expression"));
        if expression.str().trim().is_empty() {
            expression.required("");
        } else {
            check_trimmed(expression, &environment, &[CelType::Bool]);
        }
        // Names that are missing are not duplicates of each other.
        if name.require("") {
            continue;
        }
        name.check(qualified_name);
        if !names.insert(name.str()) {
            name.duplicate();
        }
    }
}
