//! Complaints about the fields of an object, in the words of Kubernetes.

use std::fmt;

use serde_json::Value;

/// As many complaints as Kubernetes makes about one text.
pub const COMPLAINTS_MOST: usize = 100;

/// One complaint about a field of an object or of the request's options.
#[derive(Clone, Debug)]
pub struct FieldError {
    kind: FieldErrorKind,
    field: String,
    body: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FieldErrorKind {
    Required,
    Invalid,
    TypeInvalid,
    NotSupported,
    Duplicate,
    Forbidden,
    TooLong,
    TooMany,
}

impl FieldErrorKind {
    fn reason(self) -> &'static str {
        match self {
            Self::Required => "FieldValueRequired",
            Self::Invalid => "FieldValueInvalid",
            Self::TypeInvalid => "FieldValueTypeInvalid",
            Self::NotSupported => "FieldValueNotSupported",
            Self::Duplicate => "FieldValueDuplicate",
            Self::Forbidden => "FieldValueForbidden",
            Self::TooLong => "FieldValueTooLong",
            Self::TooMany => "FieldValueTooMany",
        }
    }
}

impl FieldError {
    fn new(kind: FieldErrorKind, field: impl Into<String>, body: String) -> Self {
        FieldError { kind, field: field.into(), body }
    }

    /// How many bytes it takes.
    pub fn size(&self) -> usize {
        self.field.len() + self.body.len()
    }

    /// A field that must be set.
    pub fn required(field: impl Into<String>, detail: &str) -> Self {
        let body = if detail.is_empty() {
            "Required value".to_string()
        } else {
            format!("Required value: {detail}")
        };
        Self::new(FieldErrorKind::Required, field, body)
    }

    /// A value that breaks a rule.
    pub fn invalid(field: impl Into<String>, value: &Value, detail: &str) -> Self {
        Self::new(FieldErrorKind::Invalid, field, format!("Invalid value: {}: {detail}", shown(value)))
    }

    /// A value of another type.
    pub fn type_invalid(field: impl Into<String>, value: &Value, detail: &str) -> Self {
        Self::new(FieldErrorKind::TypeInvalid, field, format!("Invalid value: {}: {detail}", shown(value)))
    }

    /// A value outside of an enumeration.
    pub fn not_supported(field: impl Into<String>, value: &Value, supported: &[String]) -> Self {
        let list: Vec<String> = supported.iter().map(|one| quoted(one)).collect();
        let body = format!("Unsupported value: {}: supported values: {}", shown(value), list.join(", "));
        Self::new(FieldErrorKind::NotSupported, field, body)
    }

    /// A value that may be there only once.
    pub fn duplicate(field: impl Into<String>, value: &Value) -> Self {
        Self::new(FieldErrorKind::Duplicate, field, format!("Duplicate value: {}", shown(value)))
    }

    /// A field that must not be set, or not be changed.
    pub fn forbidden(field: impl Into<String>, detail: &str) -> Self {
        Self::new(FieldErrorKind::Forbidden, field, format!("Forbidden: {detail}"))
    }

    /// A text that is too long.
    pub fn too_long(field: impl Into<String>, most: usize) -> Self {
        Self::new(FieldErrorKind::TooLong, field, format!("Too long: may not be more than {most} bytes"))
    }

    /// A list with too many items.
    pub fn too_many(field: impl Into<String>, found: usize, most: usize) -> Self {
        let body = format!("Too many: {found}: must have at most {most} items");
        Self::new(FieldErrorKind::TooMany, field, body)
    }

    /// Whether it is about a duplicate.
    pub fn is_duplicate(&self) -> bool {
        self.kind == FieldErrorKind::Duplicate
    }

    /// The reason in the causes of a `Status`, such as `FieldValueRequired`.
    pub fn reason(&self) -> &'static str {
        self.kind.reason()
    }

    /// The path of the field.
    pub fn field(&self) -> &str {
        &self.field
    }

    /// The text without the path.
    pub fn body(&self) -> &str {
        &self.body
    }
}

impl fmt::Display for FieldError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.field, self.body)
    }
}

/// Beyond this many bytes of complaints nobody looks for more.
const ENOUGH: usize = 1024 * 1024;

/// Whether there are as many complaints about an object as are reported.
pub fn is_enough(errors: &[FieldError]) -> bool {
    errors.len() >= COMPLAINTS_MOST || errors.iter().map(FieldError::size).sum::<usize>() > ENOUGH
}

/// A string as Go's `%q` shows it, close enough for names and texts.
pub fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if c.is_control() => out.push_str(&format!("\\x{:02x}", u32::from(c))),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

fn shown(value: &Value) -> String {
    match value {
        Value::String(text) => quoted(text),
        other => other.to_string(),
    }
}
