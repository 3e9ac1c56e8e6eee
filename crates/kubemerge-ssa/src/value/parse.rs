//! Reads JSON into trees.

use kubemerge_value::tree::{Value, read};
use kubemerge_value::{Canonical, Document, Node, ParseError, PullReader, TextForm};

use super::{Arena, ParsedValue};

impl<'a> ParsedValue<'a> {
    /// Reads JSON text. Strings are borrowed where they have no escapes; of repeated members the last counts.
    ///
    /// # Errors
    /// If the text is not JSON.
    pub fn parse(text: &'a [u8], arena: &'a Arena) -> Result<ParsedValue<'a>, ParseError> {
        let mut reader = PullReader::of_bytes(text, arena);
        let value = read(&mut reader);
        match reader.finish() {
            // The check says what is wrong and where.
            TextForm::NotJson => Document::check(text).map(|_| ParsedValue::Null),
            _ => Ok(view(value, arena)),
        }
    }

    /// Reads a node of the value crate.
    pub fn from_node(node: Node<'a>, arena: &'a Arena) -> ParsedValue<'a> {
        view(read(&mut PullReader::of_node(node, arena)), arena)
    }

    /// Reads text in canonical form, which needs no check.
    pub fn from_canonical(text: &'a Canonical, arena: &'a Arena) -> ParsedValue<'a> {
        view(read(&mut PullReader::of_bytes(text.as_bytes(), arena)), arena)
    }
}

fn view<'a>(value: Value<'a>, arena: &'a Arena) -> ParsedValue<'a> {
    ParsedValue::of(arena.alloc(value))
}
