//! Values as field errors print them.

use super::Field;
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

    /// A struct as Go prints it in JSON: by the names of its Go fields, in their order.
    ///
    /// Fields are pairs of Go name and JSON name; pointers print as null where they are absent, other fields as
    /// empty strings.
    pub fn of_struct(value: Field<'_>, fields: &[(&str, &str)], pointers: &[&str]) -> BadValue {
        let members = fields.iter().map(|(go, json)| {
            let text = match value.map().and_then(|map| map.get(json)) {
                Some(value) => value.to_text(),
                None if pointers.contains(json) => "null".to_owned(),
                None => "\"\"".to_owned(),
            };
            format!("{}:{text}", quoted(go))
        });
        BadValue(format!("{{{}}}", members.collect::<Vec<_>>().join(",")))
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
            other => BadValue(other.to_text()),
        }
    }
}

impl From<&Map<'_>> for BadValue {
    fn from(map: &Map<'_>) -> BadValue {
        BadValue(map.to_text())
    }
}
