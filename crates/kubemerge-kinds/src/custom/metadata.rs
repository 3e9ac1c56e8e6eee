//! The metadata of custom resources and of objects inside of them.

use serde_json::Value;

use crate::{
    field_error::FieldError,
    meta::{NameRule, Scope, metadata_errors},
    tree::{self, Arena},
};

/// What the API server says about the metadata of any object, at a path.
pub fn validate(metadata: &Value, scope: Scope, rule: NameRule, path: &str) -> Vec<FieldError> {
    let arena = Arena::new();
    let mut object = tree::Map::new_in(&arena);
    object.set("metadata", tree::Value::of_json(metadata, &arena));
    let mut errors = metadata_errors(&object, scope, rule);
    for error in &mut errors {
        error.field.replace_range(.."metadata".len(), path);
    }
    errors
}
