//! References to other objects, whose parts become parts of a path.

use crate::field::Field;
use crate::format::path_segment_name;

/// The same where Kubernetes declares that the part is required.
pub(super) fn declared_path_segment(field: Field<'_>) {
    if !field.declared().require("") {
        field.check(path_segment_name);
    }
}

/// A required part of a reference that becomes part of a path.
pub(super) fn required_path_segment(field: Field<'_>) {
    if !field.require("") {
        field.check(path_segment_name);
    }
}
