//! Reads `serde_json` values.

use kubemerge_value::Node;

use super::{Arena, ParsedValue};

/// Why a value cannot be read: it is nested too deep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReadError;

impl std::fmt::Display for ReadError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "the value is nested more than {} levels deep", kubemerge_value::MAX_VALUE_DEPTH)
    }
}

impl std::error::Error for ReadError {}

impl<'a> ParsedValue<'a> {
    /// Reads a borrowed `serde_json` value.
    ///
    /// # Errors
    /// If it is nested too deep.
    pub fn from_json(value: &'a serde_json::Value, arena: &'a Arena) -> Result<ParsedValue<'a>, ReadError> {
        Node::from_value(value).map(|node| ParsedValue::from_node(node, arena)).map_err(|_| ReadError)
    }
}
