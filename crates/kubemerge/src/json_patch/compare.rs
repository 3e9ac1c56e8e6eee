//! The `test` operation: whether a part of the document equals a value of the patch.
//!
//! Upstream: scalars are equal if they are spelled alike, so `1` is not `1.0` and `"\u0041"` is not `"A"`; a
//! null that an operation gave is not the null of a document; and nulls in lists crash the API server. Cases:
//! `json-patch/test.yaml`, and `tests_compare_spelling` in this crate's tests.

use super::{
    fault::OperationFault,
    operation::Operand,
    tree::{Part, Slot, Spelling, Tree},
};
use kubemerge_value::{Kind, Node, deep, to_bytes};
use std::borrow::Cow;

impl<'a> Tree<'a> {
    /// Whether the test holds; `found` is `None` where the document has nothing or a null.
    pub(super) fn passes(
        &mut self,
        found: Option<Part>,
        wanted: Operand<'a>,
    ) -> Result<bool, OperationFault> {
        match (found, wanted) {
            (None, Operand::Absent | Operand::Null) => Ok(true),
            (None, Operand::Value(_)) | (Some(_), Operand::Absent) => Ok(false),
            (Some(part), Operand::Null) => Ok(matches!(self.slot(part), Slot::GivenNull)),
            (Some(part), Operand::Value(value)) => self.equals(part, value),
        }
    }

    /// Whether the part equals a value that is not null.
    fn equals(&mut self, part: Part, value: Node<'a>) -> Result<bool, OperationFault> {
        match (self.open(part), value.kind()) {
            (Slot::GivenNull, _) => Ok(false),
            // Upstream: a copied null becomes an empty document, which equals an empty map.
            (Slot::CopiedNull, kind) => Ok(kind == Kind::Map && value.is_empty()),
            (Slot::Map(_), Kind::Map) => deep(|| self.equals_map(part, value)),
            (Slot::List(open), Kind::List) => {
                let length = open.len();
                deep(|| self.equals_list(part, length, value))
            }
            // Upstream compares scalars as raw text: 1 and 1.0 differ.
            (Slot::Closed(node, spelling), _) => Ok(spelled_alike(*node, *spelling, value)),
            (Slot::Map(_) | Slot::List(_), _) => Ok(false),
        }
    }

    fn equals_map(&mut self, part: Part, value: Node<'a>) -> Result<bool, OperationFault> {
        let wanted = value.entries(self.arena);
        if self.member_count(part) != wanted.len() {
            return Ok(false);
        }
        for entry in wanted {
            let Some(member) = self.member(part, entry.key) else { return Ok(false) };
            let equal = match (self.is_null(member), entry.value.is_null()) {
                (true, true) => true,
                (false, false) => self.equals(member, entry.value)?,
                _ => false,
            };
            if !equal {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn equals_list(&mut self, part: Part, length: usize, value: Node<'a>) -> Result<bool, OperationFault> {
        let wanted = value.elements(self.arena);
        if length != wanted.len() {
            return Ok(false);
        }
        for (at, item) in wanted.iter().enumerate() {
            let Some(element) = self.element(part, at) else { return Ok(false) };
            if item.is_null() || self.is_null(element) {
                return Err(OperationFault::new("a null in a list cannot be tested")
                    .with_hint("Kubernetes' API server crashes on it: test the other elements one by one"));
            }
            if !self.equals(element, *item)? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// Whether two scalars have the same text.
fn spelled_alike(found: Node<'_>, spelling: Spelling, wanted: Node<'_>) -> bool {
    match (found.as_text(), wanted.as_text()) {
        (Some(found), Some(wanted)) => same_text(found, spelling, wanted),
        // The texts of values that have none yet are worth writing only if the values are equal.
        _ if found.scalar() != wanted.scalar() => false,
        _ => same_text(&to_bytes(found), spelling, &to_bytes(wanted)),
    }
}

fn same_text(found: &[u8], spelling: Spelling, wanted: &[u8]) -> bool {
    match spelling {
        Spelling::Given => found == wanted,
        // Escapes make a text longer, never shorter.
        Spelling::Copied => found.len() <= wanted.len() && *encoded(found) == *wanted,
    }
}

/// JSON text after Go's encoder has passed it on: some characters are written as escapes.
fn encoded(text: &[u8]) -> Cow<'_, [u8]> {
    if !text.iter().any(|byte| matches!(byte, b'<' | b'>' | b'&' | 0xE2)) {
        return Cow::Borrowed(text);
    }
    let text = String::from_utf8_lossy(text);
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '<' | '>' | '&' | '\u{2028}' | '\u{2029}' => {
                escaped.push_str(&format!("\\u{:04x}", character as u32));
            }
            _ => escaped.push(character),
        }
    }
    Cow::Owned(escaped.into_bytes())
}
