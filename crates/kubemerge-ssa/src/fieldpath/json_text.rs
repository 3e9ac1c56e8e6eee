//! A small JSON reader for `fieldsV1` and its labels, where every number is a float.

use bumpalo::collections::Vec as ArenaVec;
use kubemerge_value::part::{part_of, text_of};
use kubemerge_value::tree::Map;
use kubemerge_value::{Str, deep, quote_or_backslash, string_length};

use super::label::plain_element;
use super::node::SetNode;
use super::prefix::name_prefix;
use super::{Element, FieldsError};
use crate::value::{Arena, ParsedValue};

/// A node of which only the label was read.
pub(super) struct LabelledNode<'a> {
    pub(super) node: &'a mut SetNode<'a>,
    /// The number of its element.
    pub(super) prefix: u64,
    /// The place of its label in the text.
    pub(super) start: usize,
}

/// A JSON text and a place in it.
pub(super) struct JsonText<'a> {
    text: &'a str,
    at: usize,
    /// Whether a map was entered and none of its members read yet.
    is_map_start: bool,
}

impl<'a> JsonText<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        JsonText { text, at: 0, is_map_start: false }
    }

    #[inline]
    fn peek(&mut self) -> Option<u8> {
        match self.text.as_bytes().get(self.at) {
            // Texts that we have written have no white space.
            Some(byte) if *byte > b' ' => Some(*byte),
            Some(_) => self.peek_after_space(),
            None => None,
        }
    }

    #[cold]
    fn peek_after_space(&mut self) -> Option<u8> {
        let bytes = self.text.as_bytes();
        while let Some(byte) = bytes.get(self.at) {
            match byte {
                b' ' | b'\t' | b'\n' | b'\r' => self.at += 1,
                other => return Some(*other),
            }
        }
        None
    }

    /// Takes a byte, and the white space before it.
    #[inline]
    fn take_byte(&mut self, wanted: u8) -> bool {
        let is_there = self.peek() == Some(wanted);
        self.at += usize::from(is_there);
        is_there
    }

    fn expect(&mut self, wanted: u8) -> Result<(), FieldsError> {
        if self.take_byte(wanted) { Ok(()) } else { Err(self.unexpected(wanted as char)) }
    }

    fn unexpected(&self, wanted: impl std::fmt::Display) -> FieldsError {
        FieldsError::new(format!("expected {wanted} at byte {}", self.at))
    }

    /// Fails unless nothing but white space is left.
    pub(super) fn end(&mut self) -> Result<(), FieldsError> {
        match self.peek() {
            None => Ok(()),
            Some(_) => Err(FieldsError::new("unexpected trailing data after JSON object")),
        }
    }

    /// Enters a map; false for null, which counts as a map without members.
    #[inline]
    pub(super) fn open_map(&mut self) -> Result<bool, FieldsError> {
        if self.take_byte(b'{') {
            self.is_map_start = true;
            return Ok(true);
        }
        // Go decodes null as an empty map.
        self.word("null")?;
        Ok(false)
    }

    /// The next name of an open map, with its colon; `None` at the end. Takes the comma before it.
    #[inline]
    pub(super) fn name(&mut self, arena: &'a Arena) -> Result<Option<&'a str>, FieldsError> {
        let is_first = std::mem::take(&mut self.is_map_start);
        if self.take_byte(b'}') {
            return Ok(None);
        }
        if !is_first {
            self.expect(b',')?;
        }
        // Borrowed from the text unless it has escapes.
        let name = self.string(arena)?;
        self.expect(b':')?;
        Ok(Some(name))
    }

    /// A node with the label that begins some bytes further on, if it has no unusual escapes: nearly all labels. Takes
    /// the label and the colon after it; nothing if the label is of another type or written in another way.
    #[inline]
    pub(super) fn plain_label(&mut self, skipped: usize, arena: &'a Arena) -> Option<LabelledNode<'a>> {
        // The label begins at the boundary of a character, for there is a quote before it.
        let start = self.at + skipped + 1;
        (self.text.as_bytes().get(start - 1) == Some(&b'"')).then_some(())?;
        let label = text_of(self.text, start..);
        let node = arena.alloc(SetNode::leaf(Element::Name("")));
        let (prefix, rest) = match label.as_bytes() {
            [b'f', b':', name @ ..] => {
                let end = 2 + quote_or_backslash(name)?;
                let name = text_of(label, 2..end);
                node.element = Element::Name(name);
                (name_prefix(name), text_of(label, end..))
            }
            _ => plain_element(label, &mut node.element, arena)?,
        };
        let rest = rest.strip_prefix("\":")?;
        let (start, end) = (start - 1, self.text.len() - rest.len());
        node.label_len = u32::try_from(end - 1 - start).ok()?;
        self.is_map_start = false;
        self.at = end;
        Some(LabelledNode { node, prefix, start })
    }

    /// The text from a place up to here.
    #[inline]
    pub(super) fn since(&self, start: usize) -> &'a str {
        text_of(self.text, start..self.at)
    }

    #[inline]
    pub(super) fn is_next(&self, text: &[u8]) -> bool {
        part_of(self.text.as_bytes(), self.at..).starts_with(text)
    }

    /// The next byte, which may be white space.
    #[inline]
    pub(super) fn next_byte(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    /// Takes a text of whole characters if it is next.
    #[inline]
    pub(super) fn take(&mut self, text: &[u8]) -> bool {
        let is_next = self.is_next(text);
        self.at += if is_next { text.len() } else { 0 };
        is_next
    }

    /// Takes a member if it is the first of an open map.
    #[inline]
    pub(super) fn take_first(&mut self, member: &[u8]) -> bool {
        let is_first = self.is_map_start && self.take(member);
        self.is_map_start &= !is_first;
        is_first
    }

    /// Takes the end of an open map if it is next.
    #[inline]
    pub(super) fn take_end(&mut self) -> bool {
        let is_end = self.take(b"}");
        self.is_map_start &= !is_end;
        is_end
    }

    fn word(&mut self, word: &str) -> Result<(), FieldsError> {
        self.peek();
        if self.is_next(word.as_bytes()) {
            self.at += word.len();
            return Ok(());
        }
        Err(self.unexpected(word))
    }

    /// A string, borrowed where it has no escapes.
    #[inline]
    fn string(&mut self, arena: &'a Arena) -> Result<&'a str, FieldsError> {
        self.expect(b'"')?;
        let rest = part_of(self.text.as_bytes(), self.at..);
        match quote_or_backslash(rest) {
            Some(end) if rest.get(end) == Some(&b'"') => {
                let text = text_of(self.text, self.at..self.at + end);
                self.at += end + 1;
                Ok(text)
            }
            _ => self.escaped_string(arena),
        }
    }

    fn escaped_string(&mut self, arena: &'a Arena) -> Result<&'a str, FieldsError> {
        let rest = text_of(self.text, self.at..);
        let len = string_length(rest.as_bytes()).ok_or_else(|| self.unexpected('"'))?;
        let raw = part_of(rest.as_bytes(), ..len);
        if !has_valid_escapes(raw) {
            return Err(self.unexpected("an escape"));
        }
        let text = Str::given(raw).text_in(arena);
        self.at += len + 1;
        Ok(text)
    }

    /// Any value.
    pub(super) fn value(&mut self, arena: &'a Arena) -> Result<ParsedValue<'a>, FieldsError> {
        match self.peek() {
            Some(b'"') => Ok(ParsedValue::String(self.string(arena)?)),
            Some(b'{') => deep(|| self.map(arena)),
            Some(b'[') => deep(|| self.list(arena)),
            Some(b't') => self.word("true").map(|()| ParsedValue::Bool(true)),
            Some(b'f') => self.word("false").map(|()| ParsedValue::Bool(false)),
            Some(b'n') => self.word("null").map(|()| ParsedValue::Null),
            _ => self.number(),
        }
    }

    fn number(&mut self) -> Result<ParsedValue<'a>, FieldsError> {
        let rest = text_of(self.text, self.at..);
        let is_part = |byte: u8| byte.is_ascii_digit() || matches!(byte, b'-' | b'+' | b'.' | b'e' | b'E');
        let end = rest.bytes().position(|byte| !is_part(byte)).unwrap_or(rest.len());
        let number = text_of(rest, ..end);
        // Rust's parser accepts forms that JSON does not have, such as `.5` and `inf`.
        let digits = number.trim_start_matches('-');
        let has_leading_zero = matches!(digits.as_bytes(), [b'0', b'0'..=b'9', ..]);
        let starts_with_digit = digits.starts_with(|first: char| first.is_ascii_digit());
        match number.parse::<f64>() {
            Ok(float) if float.is_finite() && starts_with_digit && !has_leading_zero => {
                self.at += end;
                // Upstream: numbers in labels are read as floats, so 1 and 1.0 are one key.
                Ok(ParsedValue::Float(float))
            }
            _ => Err(self.unexpected("a value")),
        }
    }

    fn list(&mut self, arena: &'a Arena) -> Result<ParsedValue<'a>, FieldsError> {
        self.expect(b'[')?;
        let mut items = ArenaVec::new_in(arena);
        while !self.take_byte(b']') {
            if !items.is_empty() {
                self.expect(b',')?;
            }
            items.push(self.value(arena)?.to_value(arena));
        }
        Ok(ParsedValue::list_of(items))
    }

    fn map(&mut self, arena: &'a Arena) -> Result<ParsedValue<'a>, FieldsError> {
        self.expect(b'{')?;
        let mut members = Map::new_in(arena);
        while !self.take_byte(b'}') {
            if !members.is_empty() {
                self.expect(b',')?;
            }
            let name = self.string(arena)?;
            self.expect(b':')?;
            members.push_unsorted(name, self.value(arena)?.to_value(arena));
        }
        members.sort();
        Ok(ParsedValue::of_map(arena.alloc(members)))
    }
}

/// Whether every escape is one of JSON; the text of a label was not checked before.
fn has_valid_escapes(raw: &[u8]) -> bool {
    let mut rest = raw;
    while let Some(at) = memchr::memchr(b'\\', rest) {
        let digits = match rest.get(at + 1) {
            Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => 0,
            Some(b'u') => 4,
            _ => return false,
        };
        let Some(hex) = rest.get(at + 2..at + 2 + digits) else { return false };
        if !hex.iter().all(u8::is_ascii_hexdigit) {
            return false;
        }
        rest = part_of(rest, at + 2 + digits..);
    }
    true
}
