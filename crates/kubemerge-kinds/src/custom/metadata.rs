//! The metadata of custom resources and of objects inside of them.

use serde_json::Value;

use crate::{
    field::{Field, Report},
    field_error::FieldError,
    meta::{NameRule, generic_metadata},
    registry::Scope,
    tree::{self, Arena},
};

/// What the API server says about the metadata of any object, at a path.
pub fn validate(metadata: &Value, scope: Scope, rule: NameRule, path: &str) -> Vec<FieldError> {
    let (arena, report) = (Arena::new(), Report::new(0));
    let mut object = tree::Map::new_in(&arena);
    object.set("metadata", tree::Value::of_json(metadata, &arena));
    generic_metadata(Field::root(&object, &report).field("metadata"), scope, rule);
    let mut errors = report.into_errors();
    for error in &mut errors {
        error.field.replace_range(.."metadata".len(), path);
    }
    errors
}
