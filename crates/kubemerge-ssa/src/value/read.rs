//! Reads values: from nodes of the value crate, and from `serde_json` values.

use bumpalo::collections::Vec as ArenaVec;
use kubemerge_value::{Kind, Node, Scalar, deep};

use super::{Arena, Member, ParsedValue};

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
    /// Reads a node of the value crate. Strings are borrowed where they need no decoding.
    pub fn from_node(node: Node<'a>, arena: &'a Arena) -> ParsedValue<'a> {
        match node.kind() {
            Kind::Map => deep(|| read_map(node, arena)),
            Kind::List => deep(|| read_list(node, arena)),
            _ => node.scalar().map_or(ParsedValue::Null, |scalar| read_scalar(scalar, arena)),
        }
    }

    /// Reads a borrowed `serde_json` value.
    ///
    /// # Errors
    /// If it is nested too deep.
    pub fn from_json(value: &'a serde_json::Value, arena: &'a Arena) -> Result<ParsedValue<'a>, ReadError> {
        Node::from_value(value).map(|node| ParsedValue::from_node(node, arena)).map_err(|_| ReadError)
    }
}

fn read_map<'a>(node: Node<'a>, arena: &'a Arena) -> ParsedValue<'a> {
    let entries = node.entries(arena);
    let mut members = ArenaVec::with_capacity_in(entries.len(), arena);
    members.extend(entries.iter().map(|entry| Member {
        name: entry.key.text_in(arena),
        value: ParsedValue::from_node(entry.value, arena),
    }));
    // Canonical text is sorted already.
    if !members.is_sorted_by(|one, two| one.name < two.name) {
        members.sort_by(|one, two| one.name.cmp(two.name));
    }
    ParsedValue::Map(members.into_bump_slice())
}

fn read_list<'a>(node: Node<'a>, arena: &'a Arena) -> ParsedValue<'a> {
    let elements = node.elements(arena);
    let items = elements.iter().map(|element| ParsedValue::from_node(*element, arena));
    ParsedValue::List(ArenaVec::from_iter_in(items, arena).into_bump_slice())
}

fn read_scalar<'a>(scalar: Scalar<'a>, arena: &'a Arena) -> ParsedValue<'a> {
    match scalar {
        Scalar::Null => ParsedValue::Null,
        Scalar::Bool(value) => ParsedValue::Bool(value),
        Scalar::Int(value) => ParsedValue::Int(value),
        Scalar::Float(value) => ParsedValue::Float(value),
        Scalar::String(text) => ParsedValue::String(text.text_in(arena)),
    }
}
