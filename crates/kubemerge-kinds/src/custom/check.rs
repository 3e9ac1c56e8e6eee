//! Everything that an object of a custom resource must satisfy: its schema, embedded objects, distinct items, then its
//! CEL rules.

use kubemerge_schema::ValueType;

use super::{
    correlation::Correlated,
    embedded, list_type,
    rules::CelRules,
    scale::{self, ScalePaths},
    validate::validate_at,
};
use crate::{
    field::{BadValue, FieldErrorKind},
    field_error::FieldError,
    tree::Map,
};

/// What is said when rules in CEL were left out because of other errors.
pub const UNCHECKED: &str = "some validation rules were not checked because the object was invalid; correct the existing \
                         errors to complete validation";

/// Which part of an object a request writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WrittenPart {
    /// The object.
    Main,
    /// Its status.
    Status,
}

/// What is known about an object besides its schema.
#[derive(Clone, Copy, Debug)]
pub struct Subject<'s> {
    /// The object.
    pub object: &'s Map<'s>,
    /// What it replaces.
    pub old: Option<&'s Map<'s>>,
    /// The part that is written.
    pub part: WrittenPart,
    /// Where `/scale` finds its numbers.
    pub scale: Option<&'s ScalePaths>,
}

/// Validates an object; on an update, what was wrong before and is unchanged passes. `errors` are those about its
/// metadata, which count, too, when it is decided whether CEL rules are evaluated.
pub fn check(
    schema: ValueType<'_>,
    rules: &CelRules,
    subject: Subject<'_>,
    mut errors: Vec<FieldError>,
) -> Vec<FieldError> {
    let Subject { object, old, part, scale } = subject;
    let correlated = old.map(|old| Correlated::new(object, old, schema));
    errors.extend(schema_errors(schema, subject, correlated.as_ref()));
    errors.extend(scale.into_iter().flat_map(|paths| scale::validate(object, paths, part)));
    if part == WrittenPart::Main {
        errors.extend(embedded::validate(object, schema));
    }
    let repeated = list_type::check(object, schema);
    // Lists may repeat items as long as the old object repeats some.
    if !repeated.is_empty() && old.is_none_or(|old| list_type::check(old, schema).is_empty()) {
        errors.extend(repeated);
    }
    if rules.is_empty() {
        return errors;
    }
    // Upstream: expressions may rely on types and limits, so they run on objects that keep them only.
    if errors.iter().any(is_blocking) {
        errors.push(FieldError::invalid_as("<nil>", BadValue::null(), UNCHECKED));
    } else {
        errors.extend(rules.check(schema, object, old));
    }
    errors
}

fn schema_errors(
    schema: ValueType<'_>,
    subject: Subject<'_>,
    correlated: Option<&Correlated<'_>>,
) -> Vec<FieldError> {
    match subject.part {
        WrittenPart::Main => validate_at(subject.object, correlated, schema, ""),
        WrittenPart::Status => {
            let (Some(status), Some(schema)) = (subject.object.get("status"), schema.property("status"))
            else {
                return Vec::new();
            };
            let correlated = correlated.and_then(|root| root.key("status"));
            validate_at(status, correlated.as_ref(), schema, "status")
        }
    }
}

/// Whether an object with this error may have values that rules cannot be evaluated on.
fn is_blocking(error: &FieldError) -> bool {
    matches!(
        error.kind,
        FieldErrorKind::NotSupported
            | FieldErrorKind::Required
            | FieldErrorKind::TooLong
            | FieldErrorKind::TooMany
            | FieldErrorKind::TypeInvalid
    )
}
