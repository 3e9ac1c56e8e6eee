//! Values as field errors print them.

use crate::go_text::quoted;
use crate::tree::{Map, Value};

/// A value in the form that a message has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadValue(String);

impl BadValue {
    /// What is printed for nil.
    pub fn null() -> BadValue {
        BadValue("null".to_owned())
    }

    /// A text that is printed as it is, such as the JSON of a struct.
    pub fn verbatim(text: impl Into<String>) -> BadValue {
        BadValue(text.into())
    }

    /// The printed form.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl From<&str> for BadValue {
    fn from(text: &str) -> BadValue {
        BadValue(quoted(text))
    }
}

impl From<i64> for BadValue {
    fn from(number: i64) -> BadValue {
        BadValue(number.to_string())
    }
}

impl From<bool> for BadValue {
    fn from(truth: bool) -> BadValue {
        BadValue(truth.to_string())
    }
}

/// Strings are quoted as Go quotes them, everything else is JSON.
impl From<&Value<'_>> for BadValue {
    fn from(value: &Value<'_>) -> BadValue {
        match value {
            Value::Str(text) => BadValue::from(*text),
            Value::Omitted(omitted) => BadValue(if omitted.is_list { "[]" } else { "{}" }.to_owned()),
            other => BadValue(other.to_text()),
        }
    }
}

impl From<&Map<'_>> for BadValue {
    fn from(map: &Map<'_>) -> BadValue {
        BadValue(map.to_text())
    }
}
