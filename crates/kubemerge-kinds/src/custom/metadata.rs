//! The metadata of custom resources and of objects inside of them.

use crate::{
    field::{Field, Report},
    field_error::FieldError,
    meta::{NameRule, Scope, generic_metadata},
    tree::Map,
};

/// What the API server says about the metadata of any object, at a path.
pub fn validate(metadata: &Map<'_>, scope: Scope, rule: NameRule, path: &str) -> Vec<FieldError> {
    // Nothing here depends on the version.
    let report = Report::new(0);
    generic_metadata(Field::root(metadata, &report).placed(path), scope, rule);
    report.into_errors()
}
