//! The text of scalars: kustomize compares what a YAML file has between the quotes, not types.

use crate::go_text::go_float;
use kubemerge_value::{Arena, Kind, Node, Scalar, Str};
use std::borrow::Cow;

/// The text of a scalar; empty for maps and lists.
pub(super) fn text(node: Node<'_>) -> Cow<'_, str> {
    match node.scalar() {
        Some(Scalar::String(string)) => string.text(),
        Some(Scalar::Int(int)) => Cow::Owned(int.to_string()),
        Some(Scalar::Float(float)) => Cow::Owned(go_float(float)),
        Some(Scalar::Bool(true)) => Cow::Borrowed("true"),
        Some(Scalar::Bool(false)) => Cow::Borrowed("false"),
        Some(Scalar::Null) => Cow::Borrowed("null"),
        None => Cow::Borrowed(""),
    }
}

/// The value of a merge key as text; empty where the item is no map, lacks the key or has null there.
pub(super) fn key_text<'a>(item: Node<'a>, key: &str) -> Cow<'a, str> {
    match item.get(key) {
        Some(value) if !value.is_null() => text(value),
        _ => Cow::Borrowed(""),
    }
}

/// The text of a scalar as a string value.
pub(super) fn as_string<'a>(node: Node<'a>, arena: &'a Arena) -> Node<'a> {
    match text(node) {
        Cow::Borrowed(text) => Node::string(text),
        Cow::Owned(text) => Node::string(arena.alloc_str(&text)),
    }
}

/// What a scalar of the patch becomes in the place of a live value.
///
/// kustomize keeps the notation of the live value: between the quotes of a live string, 7 is the string `7`.
/// Live strings are taken to be quoted where YAML needs it, as kubectl writes them.
pub(super) fn in_place_of<'a>(live: Option<Node<'a>>, value: Node<'a>, arena: &'a Arena) -> Node<'a> {
    let is_quoted = |string: Str<'_>| !kubemerge_yaml::is_plain(&string.text());
    match value.kind() {
        Kind::Bool | Kind::Int | Kind::Float if live.and_then(Node::as_str).is_some_and(is_quoted) => {
            as_string(value, arena)
        }
        _ => value,
    }
}
