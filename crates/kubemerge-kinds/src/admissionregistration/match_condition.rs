//! Conditions in CEL that requests are filtered by.

use std::collections::BTreeSet;

use crate::field::Field;
use crate::format::qualified_name;

const MAX_CONDITIONS: usize = 64;

/// Whether expressions may use `params`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Params {
    /// There are none.
    None,
    /// The policy names a kind of parameters.
    Given,
}

/// Validates `matchConditions`.
pub(super) fn match_conditions(conditions: Field<'_>, _params: Params) {
    if conditions.len() > MAX_CONDITIONS {
        conditions.too_many(conditions.len(), MAX_CONDITIONS);
    }
    let mut names = BTreeSet::new();
    for condition in conditions.items() {
        let (name, expression) = (condition.field("name"), condition.field("expression"));
        if expression.str().trim().is_empty() {
            expression.required("");
        }
        if name.require("") {
            continue;
        }
        name.check(qualified_name);
        if !names.insert(name.str()) {
            name.duplicate();
        }
    }
}
