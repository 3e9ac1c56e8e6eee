//! JSON values of documents: expected kinds of value and limits of nesting.

use serde_json::{Map, Value};

use super::DocumentPath;
use crate::error::{LoadError, LoadErrorKind};

/// How deep schemas may be nested in each other: deeper than any real one, shallow enough for any stack.
pub(crate) const MAX_SCHEMA_DEPTH: usize = 128;
/// How many references may follow each other with nothing between them.
pub(crate) const MAX_REFERENCE_CHAIN: usize = 64;
/// How deep a document may be nested; the schemas in it have their own, lower limit.
// Three levels a schema level (`properties`, name, schema) leave room for the depth that loaders allow.
const MAX_DOCUMENT_DEPTH: usize = 400;

/// The value as a JSON object, or an error with its path.
pub(crate) fn object<'v>(
    value: &'v Value,
    path: &DocumentPath<'_>,
) -> Result<&'v Map<String, Value>, LoadError> {
    let message = || format!("expected an object, found {}", value_kind(value));
    value.as_object().ok_or_else(|| LoadError::malformed(path.to_string(), message()))
}

/// The kind of a value, for messages.
pub(crate) fn value_kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "nothing",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

/// Whether the value of a keyword is `true`.
pub(crate) fn is_true(map: &Map<String, Value>, keyword: &str) -> bool {
    map.get(keyword) == Some(&Value::Bool(true))
}

/// Refuses documents that recursion over them could not handle.
pub(crate) fn refuse_depth(document: &Value) -> Result<(), LoadError> {
    if is_within(document, MAX_DOCUMENT_DEPTH) {
        return Ok(());
    }
    let message = format!("the document is nested more than {MAX_DOCUMENT_DEPTH} levels deep");
    Err(LoadError::new(LoadErrorKind::TooLarge, "", message))
}

fn is_within(value: &Value, levels: usize) -> bool {
    levels > 0
        && match value {
            Value::Array(items) => items.iter().all(|item| is_within(item, levels - 1)),
            Value::Object(members) => members.values().all(|member| is_within(member, levels - 1)),
            _ => true,
        }
}
