//! What both kinds of the group have in common: conditions, and objects with fixed names.

use std::collections::BTreeSet;

use crate::field::Field;

/// An object that every server creates for itself: for requests without limits.
pub(super) const EXEMPT: &str = "exempt";
/// Another one: for all other requests.
pub(super) const CATCH_ALL: &str = "catch-all";

/// Validates the conditions of a status.
pub(super) fn status(status: Field<'_>) {
    let mut types = BTreeSet::new();
    for condition in status.field("conditions").items() {
        let kind = condition.field("type");
        if !types.insert(kind.str()) {
            kind.duplicate();
        }
        kind.require("");
    }
}
