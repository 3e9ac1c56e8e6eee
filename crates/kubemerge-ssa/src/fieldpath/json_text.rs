//! A small JSON reader for `fieldsV1` and its labels, where every number is a float.

use bumpalo::collections::Vec as ArenaVec;
use kubemerge_value::{Str, deep};

use super::label::{plain_key, plain_number, plain_value};
use super::{Element, FieldsError};
use crate::value::{Arena, Member, ParsedValue, quote_or_escape, string_len};

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

    #[inline]
    fn take(&mut self, wanted: u8) -> bool {
        let is_there = self.peek() == Some(wanted);
        self.at += usize::from(is_there);
        is_there
    }

    fn expect(&mut self, wanted: u8) -> Result<(), FieldsError> {
        if self.take(wanted) { Ok(()) } else { Err(self.unexpected(wanted as char)) }
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
        if self.take(b'{') {
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
        if self.take(b'}') {
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

    /// The element of a label that is next and has no unusual escapes: nearly all labels. Takes the label, the comma
    /// before and the colon after it; nothing if the label is of another type or written in another way.
    #[inline]
    pub(super) fn plain_label(&mut self, arena: &'a Arena) -> Option<Element<'a>> {
        let mut rest = &self.text.as_bytes()[self.at..];
        if !self.is_map_start {
            rest = rest.strip_prefix(b",")?;
        }
        // The label begins at the boundary of a character, for there is a quote before it.
        let label = &self.text[self.text.len() - rest.strip_prefix(b"\"")?.len()..];
        let (element, rest) = match label.as_bytes() {
            [b'f', b':', ..] => {
                let end = 2 + quote_or_escape(&label.as_bytes()[2..])?;
                (Element::Name(&label[2..end]), &label[end..])
            }
            [b'k', b':', b'{', ..] => plain_key(&label[3..], arena)?,
            [b'v', b':', ..] => {
                let (value, rest) = plain_value(&label[2..])?;
                (Element::Value(value), rest)
            }
            [b'i', b':', ..] => {
                let (index, rest) = plain_number(&label[2..])?;
                (Element::Index(i64::from(index)), rest)
            }
            _ => return None,
        };
        let rest = rest.strip_prefix("\":")?;
        self.is_map_start = false;
        self.at = self.text.len() - rest.len();
        Some(element)
    }

    /// The text from here on.
    pub(super) fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    /// Takes a text if it is next.
    pub(super) fn take_text(&mut self, text: &str) -> bool {
        let is_next = self.rest().as_bytes().starts_with(text.as_bytes());
        self.at += if is_next { text.len() } else { 0 };
        is_next
    }

    /// Takes `{}` if it is next: most nodes of a set have nothing below them.
    #[inline]
    pub(super) fn take_empty_map(&mut self) -> bool {
        let is_next = self.text.as_bytes()[self.at..].starts_with(b"{}");
        self.at += if is_next { 2 } else { 0 };
        is_next
    }

    fn word(&mut self, word: &str) -> Result<(), FieldsError> {
        self.peek();
        if self.text.as_bytes()[self.at..].starts_with(word.as_bytes()) {
            self.at += word.len();
            return Ok(());
        }
        Err(self.unexpected(word))
    }

    /// A string, borrowed where it has no escapes.
    #[inline]
    fn string(&mut self, arena: &'a Arena) -> Result<&'a str, FieldsError> {
        self.expect(b'"')?;
        let rest = &self.text.as_bytes()[self.at..];
        match quote_or_escape(rest) {
            Some(end) if rest[end] == b'"' => {
                let text = &self.text[self.at..self.at + end];
                self.at += end + 1;
                Ok(text)
            }
            _ => self.escaped_string(arena),
        }
    }

    fn escaped_string(&mut self, arena: &'a Arena) -> Result<&'a str, FieldsError> {
        let rest = &self.text[self.at..];
        let len = string_len(rest.as_bytes()).ok_or_else(|| self.unexpected('"'))?;
        let raw = &rest.as_bytes()[..len];
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
        let rest = &self.text[self.at..];
        let is_part = |byte: u8| byte.is_ascii_digit() || matches!(byte, b'-' | b'+' | b'.' | b'e' | b'E');
        let end = rest.bytes().position(|byte| !is_part(byte)).unwrap_or(rest.len());
        // Rust's parser accepts forms that JSON does not have, such as `.5` and `inf`.
        let digits = rest[..end].trim_start_matches('-');
        let has_leading_zero =
            digits.len() > 1 && digits.starts_with('0') && digits.as_bytes()[1].is_ascii_digit();
        let starts_with_digit = digits.starts_with(|first: char| first.is_ascii_digit());
        match rest[..end].parse::<f64>() {
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
        while !self.take(b']') {
            if !items.is_empty() {
                self.expect(b',')?;
            }
            items.push(self.value(arena)?);
        }
        Ok(ParsedValue::List(items.into_bump_slice()))
    }

    fn map(&mut self, arena: &'a Arena) -> Result<ParsedValue<'a>, FieldsError> {
        self.expect(b'{')?;
        let mut members: ArenaVec<'a, Member<'a>> = ArenaVec::new_in(arena);
        while !self.take(b'}') {
            if !members.is_empty() {
                self.expect(b',')?;
            }
            let name = self.string(arena)?;
            self.expect(b':')?;
            members.push(Member { name, value: self.value(arena)? });
        }
        // Of repeated members the last one counts: reversed and sorted stably, it comes first.
        members.reverse();
        members.sort_by(|one, two| one.name.cmp(two.name));
        members.dedup_by(|later, kept| later.name == kept.name);
        Ok(ParsedValue::Map(members.into_bump_slice()))
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
        rest = &rest[at + 2 + digits..];
    }
    true
}
