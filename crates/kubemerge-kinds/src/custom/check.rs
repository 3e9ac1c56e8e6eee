//! Everything that an object of a custom resource must satisfy: its schema, then its CEL rules.

use serde_json::Value;

use super::{rules::CelRules, structural::Structural, validate::validate};
use crate::field_error::FieldError;

/// Validates an object; on an update, what was wrong before and is unchanged passes.
pub fn check(schema: &Structural, rules: &CelRules, object: &Value, old: Option<&Value>) -> Vec<FieldError> {
    let mut errors = validate(object, old, schema);
    let has_duplicates = |errors: &[FieldError]| errors.iter().any(FieldError::is_duplicate);
    // Upstream: lists may repeat items as long as the old object repeats some.
    if has_duplicates(&errors) && old.is_some_and(|old| has_duplicates(&validate(old, None, schema))) {
        errors.retain(|error| !error.is_duplicate());
    }
    // Rules are only evaluated on objects that have the right types.
    if errors.is_empty() { rules.check(object, old) } else { errors }
}
