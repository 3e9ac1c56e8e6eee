//! References to other objects, with their version.

use crate::field::Field;
use crate::format::path_segment_name;

/// What the version of a reference may be.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum ApiVersion {
    /// With a group.
    WithGroup,
    /// With a group or without.
    Any,
    /// Not checked: it was stored like this.
    Unchecked,
}

/// Validates a reference.
pub(super) fn object_reference(reference: Field<'_>, rule: ApiVersion) {
    for field in [reference.field("kind"), reference.field("name")] {
        if !field.require("") {
            field.check(path_segment_name);
        }
    }
    let version = reference.field("apiVersion");
    if rule != ApiVersion::Unchecked
        && let Some(problem) = version_problem(version.str(), rule)
    {
        version.invalid(problem);
    }
}

/// What is wrong with a version.
pub(super) fn version_problem(version: &str, rule: ApiVersion) -> Option<String> {
    if version.matches('/').count() > 1 {
        return Some(format!("unexpected GroupVersion string: {version}"));
    }
    let group = version.split_once('/').map_or("", |(group, _)| group);
    let is_missing = rule == ApiVersion::WithGroup && group.is_empty();
    is_missing.then(|| "apiVersion must specify API group".to_owned())
}
