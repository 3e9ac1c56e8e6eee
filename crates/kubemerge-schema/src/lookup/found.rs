//! What the four look-ups share: the question, the answer and the errors.

use crate::error::{LookupError, LookupErrorKind};
use crate::model::{NodeId, UNTYPED};

/// A field that a look-up found.
pub(super) struct FoundField {
    /// The node of the property, which carries the rule; [`UNTYPED`] for "no rule".
    pub(super) property: NodeId,
    /// The node of the value, or of the items when a list was asked for.
    pub(super) value: NodeId,
}

impl FoundField {
    pub(super) const UNTYPED: FoundField = FoundField { property: UNTYPED, value: UNTYPED };
}

/// What the caller holds at the field.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Asked {
    Map,
    List,
}

pub(super) fn unknown_field(message: String) -> LookupError {
    LookupError { kind: LookupErrorKind::UnknownField, message }
}

pub(super) fn mismatch(message: String) -> LookupError {
    LookupError { kind: LookupErrorKind::SchemaMismatch, message }
}

pub(super) fn unsupported() -> LookupError {
    let message = "strategic merge patch format is not supported".to_owned();
    LookupError { kind: LookupErrorKind::UnsupportedType, message }
}

/// A string in quotes, escaped as Go's `%q` does it.
pub(super) fn go_quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            '\u{7}' => quoted.push_str("\\a"),
            '\u{8}' => quoted.push_str("\\b"),
            '\u{c}' => quoted.push_str("\\f"),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            '\u{b}' => quoted.push_str("\\v"),
            // Go writes one byte as \x, others as \u.
            c if (c as u32) < 0x80 && c.is_control() => quoted.push_str(&format!("\\x{:02x}", c as u32)),
            c if c.is_control() => quoted.push_str(&format!("\\u{:04x}", c as u32)),
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}
