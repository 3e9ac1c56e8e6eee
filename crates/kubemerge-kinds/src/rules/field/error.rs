//! Errors about fields, with Kubernetes' reasons and texts.

use std::fmt;

use super::BadValue;

/// What is wrong with a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FieldErrorKind {
    /// A value that is not there.
    NotFound,
    /// A value must be given.
    Required,
    /// A value may be there only once.
    Duplicate,
    /// A value is malformed or out of range.
    Invalid,
    /// A value is not one of those that are supported.
    NotSupported,
    /// A value is well-formed and yet not permitted here.
    Forbidden,
    /// A text is too long.
    TooLong,
    /// A list has too many items.
    TooMany,
    /// A value has another type.
    TypeInvalid,
    /// Fields of a union contradict each other. Kubernetes ignores unions; the dialect `spec` refuses them.
    InvalidUnion,
    /// Something failed that the client cannot repair.
    Internal,
}

impl FieldErrorKind {
    /// The reason in the causes of a Status.
    pub const fn reason(self) -> &'static str {
        match self {
            FieldErrorKind::NotFound => "FieldValueNotFound",
            FieldErrorKind::Required => "FieldValueRequired",
            FieldErrorKind::Duplicate => "FieldValueDuplicate",
            FieldErrorKind::Invalid => "FieldValueInvalid",
            FieldErrorKind::NotSupported => "FieldValueNotSupported",
            FieldErrorKind::Forbidden => "FieldValueForbidden",
            FieldErrorKind::TooLong => "FieldValueTooLong",
            FieldErrorKind::TooMany => "FieldValueTooMany",
            FieldErrorKind::TypeInvalid => "FieldValueTypeInvalid",
            FieldErrorKind::InvalidUnion => "InvalidUnion",
            FieldErrorKind::Internal => "InternalError",
        }
    }

    fn words(self) -> &'static str {
        match self {
            FieldErrorKind::NotFound => "Not found",
            FieldErrorKind::Required => "Required value",
            FieldErrorKind::Duplicate => "Duplicate value",
            // Kubernetes has two kinds with one text.
            FieldErrorKind::Invalid | FieldErrorKind::TypeInvalid => "Invalid value",
            FieldErrorKind::InvalidUnion => "Invalid union",
            FieldErrorKind::NotSupported => "Unsupported value",
            FieldErrorKind::Forbidden => "Forbidden",
            FieldErrorKind::TooLong => "Too long",
            FieldErrorKind::TooMany => "Too many",
            FieldErrorKind::Internal => "Internal error",
        }
    }
}

/// An error about one field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldError {
    /// What is wrong.
    pub kind: FieldErrorKind,
    /// The path of the field.
    pub field: String,
    /// The value that is wrong, where messages show it.
    pub bad_value: Option<BadValue>,
    /// What would be right; may be empty.
    pub detail: String,
}

impl FieldError {
    /// The message without the field: what a cause of a Status has.
    pub fn message(&self) -> String {
        let mut text = self.kind.words().to_owned();
        if let Some(value) = &self.bad_value {
            text.push_str(": ");
            text.push_str(value.as_str());
        }
        if !self.detail.is_empty() {
            text.push_str(": ");
            text.push_str(&self.detail);
        }
        text
    }
}

impl fmt::Display for FieldError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.field, self.message())
    }
}
