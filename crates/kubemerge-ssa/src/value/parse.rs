//! Reads JSON text into values in one pass.
//!
//! The value crate checks the text first; this file trusts it, and gives null where it is not JSON after all.

use bumpalo::collections::Vec as ArenaVec;
use kubemerge_value::{Canonical, Document, ParseError, deep};

use super::{Arena, Member, Value, string_len, unescape};

impl<'a> Value<'a> {
    /// Reads JSON text. Strings are borrowed where they have no escapes; of repeated members the last counts.
    ///
    /// # Errors
    /// If the text is not JSON.
    pub fn parse(text: &'a [u8], arena: &'a Arena) -> Result<Value<'a>, ParseError> {
        Document::check(text)?;
        Ok(trusted(text, arena))
    }

    /// Reads text in canonical form, which needs no check.
    pub fn from_canonical(text: &'a Canonical, arena: &'a Arena) -> Value<'a> {
        trusted(text.as_bytes(), arena)
    }
}

fn trusted<'a>(text: &'a [u8], arena: &'a Arena) -> Value<'a> {
    match std::str::from_utf8(text) {
        Ok(text) => Reader { text, at: 0, arena }.value(),
        Err(_) => Value::Null,
    }
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
    arena: &'a Arena,
}

impl<'a> Reader<'a> {
    #[inline]
    fn peek(&mut self) -> u8 {
        let bytes = self.text.as_bytes();
        while let Some(byte) = bytes.get(self.at) {
            match byte {
                b' ' | b'\t' | b'\n' | b'\r' => self.at += 1,
                other => return *other,
            }
        }
        0
    }

    /// Takes a byte if it is next.
    #[inline]
    fn take(&mut self, wanted: u8) -> bool {
        let is_next = self.peek() == wanted;
        self.at += usize::from(is_next);
        is_next
    }

    fn value(&mut self) -> Value<'a> {
        match self.peek() {
            b'"' => Value::String(self.string()),
            b'{' => deep(|| self.map()),
            b'[' => deep(|| self.list()),
            b't' => self.word("true", Value::Bool(true)),
            b'f' => self.word("false", Value::Bool(false)),
            b'n' => self.word("null", Value::Null),
            _ => self.number(),
        }
    }

    fn word(&mut self, word: &str, value: Value<'a>) -> Value<'a> {
        self.at += word.len();
        value
    }

    fn map(&mut self) -> Value<'a> {
        self.at += 1;
        let mut members = ArenaVec::with_capacity_in(8, self.arena);
        let mut is_sorted = true;
        while self.peek() == b'"' {
            let name = self.string();
            self.take(b':');
            is_sorted &= members.last().is_none_or(|last: &Member<'a>| last.name < name);
            members.push(Member { name, value: self.value() });
            self.take(b',');
        }
        self.take(b'}');
        if !is_sorted {
            sort(&mut members);
        }
        Value::Map(members.into_bump_slice())
    }

    fn list(&mut self) -> Value<'a> {
        self.at += 1;
        let mut items = ArenaVec::new_in(self.arena);
        while !matches!(self.peek(), b']' | 0) {
            let before = self.at;
            items.push(self.value());
            self.take(b',');
            if self.at == before {
                break;
            }
        }
        self.take(b']');
        Value::List(items.into_bump_slice())
    }

    fn number(&mut self) -> Value<'a> {
        let rest = &self.text[self.at..];
        let is_part = |byte: u8| byte.is_ascii_digit() || matches!(byte, b'-' | b'+' | b'.' | b'e' | b'E');
        let end = rest.bytes().position(|byte| !is_part(byte)).unwrap_or(rest.len());
        self.at += end;
        let digits = &rest[..end];
        match digits.parse::<i64>() {
            // Go reads -0 as the integer 0.
            Ok(int) => Value::Int(int),
            Err(_) => Value::Float(digits.parse().unwrap_or_default()),
        }
    }

    #[inline]
    fn string(&mut self) -> &'a str {
        self.at += 1;
        let rest = &self.text.as_bytes()[self.at..];
        match memchr::memchr2(b'"', b'\\', rest) {
            Some(end) if rest[end] == b'"' => {
                let text = &self.text[self.at..self.at + end];
                self.at += end + 1;
                text
            }
            _ => self.escaped_string(),
        }
    }

    fn escaped_string(&mut self) -> &'a str {
        let rest = &self.text[self.at..];
        let len = string_len(rest.as_bytes()).unwrap_or(rest.len());
        self.at += (len + 1).min(rest.len());
        unescape(&rest[..len], self.arena).unwrap_or_default()
    }
}

/// Sorts members by name; of repeated ones the last one stays.
fn sort<'a>(members: &mut ArenaVec<'a, Member<'a>>) {
    members.reverse();
    members.sort_by(|one, two| one.name.cmp(two.name));
    members.dedup_by(|later, kept| later.name == kept.name);
}
