//! Fields that an endpoint does not write: its strategy takes them from the stored object, and no manager comes to
//! own them there.
//!
//! Strategies (`reset`) and field managers read the same lists, so that what is reset is never owned.

use super::keep::keep_field;
use crate::tree::Map;

/// The names on the way to a field.
pub type Names = &'static [&'static str];

/// The status as a whole.
pub const STATUS: Names = &["status"];

pub(crate) const ONLY_STATUS: &[Names] = &[STATUS];
pub(crate) const SPEC: &[Names] = &[&["spec"]];
pub(crate) const SPEC_AND_METADATA: &[Names] = &[&["metadata"], &["spec"]];
pub(crate) const SPEC_AND_STATUS: &[Names] = &[&["spec"], STATUS];

/// The metadata that a write to a status does not change, where all of it is reset; who manages fields may change.
const STATUS_METADATA: &[&str] = &[
    "labels",
    "annotations",
    "finalizers",
    "ownerReferences",
    "deletionTimestamp",
    "generation",
    "selfLink",
];

/// Takes fields from the stored object, as the strategy of an endpoint does.
pub(crate) fn reset(object: &mut Map<'_>, old: &Map<'_>, fields: &[Names]) {
    for names in fields {
        match *names {
            ["metadata"] => {
                STATUS_METADATA.iter().for_each(|name| reset_below(object, old, "metadata", name));
            }
            [name] => keep_field(object, old, name),
            // Conditions and certificate of a signing request: kept in part, which its own rules do.
            ["status", _] => {}
            [parent, name] => reset_below(object, old, parent, name),
            _ => {}
        }
    }
}

fn reset_below(object: &mut Map<'_>, old: &Map<'_>, parent: &str, name: &'static str) {
    if let (Some(inner), Some(stored)) = (object.map_mut(parent), old.map(parent)) {
        keep_field(inner, stored, name);
    }
}

/// What an endpoint of a custom resource with a status subresource resets.
pub fn custom_with_status(subresource: &str) -> &'static [Names] {
    match subresource {
        "" => ONLY_STATUS,
        "status" => SPEC_AND_METADATA,
        _ => &[],
    }
}
