//! Field errors about values in JSON trees, and how many of them are reported.

use serde_json::Value;

use crate::field::{BadValue, FieldErrorKind};
pub use crate::{field::FieldError, go_text::quoted};

/// Kubernetes reports no more complaints than this about one text.
pub const MAX_COMPLAINTS: usize = 100;

impl FieldError {
    fn new(
        kind: FieldErrorKind,
        field: impl Into<String>,
        bad_value: Option<BadValue>,
        detail: &str,
    ) -> Self {
        FieldError { kind, field: field.into(), bad_value, detail: detail.to_string() }
    }

    /// A field that must be set.
    pub fn required(field: impl Into<String>, detail: &str) -> Self {
        Self::new(FieldErrorKind::Required, field, None, detail)
    }

    /// A value that breaks a rule.
    pub fn invalid(field: impl Into<String>, value: &Value, detail: &str) -> Self {
        Self::new(FieldErrorKind::Invalid, field, Some(value.into()), detail)
    }

    /// A value that breaks a rule, in the form in which the message shows it.
    pub fn invalid_as(field: impl Into<String>, value: BadValue, detail: &str) -> Self {
        Self::new(FieldErrorKind::Invalid, field, Some(value), detail)
    }

    /// A value of another type.
    pub fn type_invalid(field: impl Into<String>, value: BadValue, detail: &str) -> Self {
        Self::new(FieldErrorKind::TypeInvalid, field, Some(value), detail)
    }

    /// A value outside of an enumeration.
    pub fn not_supported(field: impl Into<String>, value: &Value, supported: &[String]) -> Self {
        Self::not_supported_as(field, value.into(), supported)
    }

    /// A value outside of an enumeration, in the form in which the message shows it.
    pub fn not_supported_as(field: impl Into<String>, value: BadValue, supported: &[String]) -> Self {
        let list: Vec<String> = supported.iter().map(|one| quoted(one)).collect();
        let detail = format!("supported values: {}", list.join(", "));
        Self::new(FieldErrorKind::NotSupported, field, Some(value), &detail)
    }

    /// A value that may be there only once.
    pub fn duplicate(field: impl Into<String>, value: BadValue) -> Self {
        Self::new(FieldErrorKind::Duplicate, field, Some(value), "")
    }

    /// A field that must not be set, or not be changed.
    pub fn forbidden(field: impl Into<String>, detail: &str) -> Self {
        Self::new(FieldErrorKind::Forbidden, field, None, detail)
    }

    /// A text that is too long.
    pub fn too_long(field: impl Into<String>, max_bytes: usize) -> Self {
        let unit = if max_bytes == 1 { "byte" } else { "bytes" };
        let detail = format!("may not be more than {max_bytes} {unit}");
        Self::new(FieldErrorKind::TooLong, field, None, &detail)
    }

    /// A list with too many items.
    pub fn too_many(field: impl Into<String>, found: usize, max_items: usize) -> Self {
        let unit = if max_items == 1 { "item" } else { "items" };
        let detail = format!("must have at most {max_items} {unit}");
        Self::new(FieldErrorKind::TooMany, field, Some(BadValue::verbatim(found.to_string())), &detail)
    }

    /// Whether it is about a duplicate.
    pub fn is_duplicate(&self) -> bool {
        self.kind == FieldErrorKind::Duplicate
    }

    /// About how many bytes its text takes.
    fn size(&self) -> usize {
        self.field.len() + self.detail.len() + self.bad_value.as_ref().map_or(0, |value| value.as_str().len())
    }
}

/// Strings are quoted as Go quotes them, everything else is JSON.
impl From<&Value> for BadValue {
    fn from(value: &Value) -> BadValue {
        match value {
            Value::String(text) => BadValue::from(text.as_str()),
            other => BadValue::verbatim(other.to_string()),
        }
    }
}

/// Beyond this many bytes of complaints the search for more stops.
const MAX_COMPLAINT_BYTES: usize = 1024 * 1024;

/// Whether there are as many complaints about an object as are reported.
pub fn has_enough(errors: &[FieldError]) -> bool {
    errors.len() >= MAX_COMPLAINTS || errors.iter().map(FieldError::size).sum::<usize>() > MAX_COMPLAINT_BYTES
}
