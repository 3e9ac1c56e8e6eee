//! Strings: borrowed where they have no escapes.

use bumpalo::collections::String as ArenaString;

use super::{Expected, PullReader};
use crate::{check::escape_end, part::part_of, scan::plain_end, string::decode_escape};

impl<'a> PullReader<'a> {
    /// A string.
    #[inline]
    pub fn string(&mut self) -> &'a str {
        if self.peek() != b'"' {
            // A value that is no string is not read as one, so this is a name.
            self.fail(Expected::Name);
            return "";
        }
        let start = self.at + 1;
        let end = plain_end(self.text.as_bytes(), start);
        if self.text.as_bytes().get(end) != Some(&b'"') {
            return self.unusual_string(start, end);
        }
        self.at = end + 1;
        self.text.get(start..end).unwrap_or_default()
    }

    /// Passes over a string, which is not decoded.
    #[inline]
    pub(super) fn pass_string(&mut self) {
        let start = self.at + 1;
        let end = plain_end(self.text.as_bytes(), start);
        match self.text.as_bytes().get(end) {
            Some(b'"') => self.at = end + 1,
            _ => _ = self.end_of_unusual(end),
        }
    }

    /// A string that is not plain from `at` on.
    #[inline(never)]
    fn unusual_string(&mut self, start: usize, at: usize) -> &'a str {
        let text = self.text;
        match self.end_of_unusual(at) {
            Some(End { quote, escapes: Escapes::None }) => text.get(start..quote).unwrap_or_default(),
            Some(End { quote, .. }) => decoded(text.get(start..quote).unwrap_or_default(), self.arena),
            None => "",
        }
    }

    /// Passes over the rest of a string; `None` if it is malformed.
    #[inline(never)]
    fn end_of_unusual(&mut self, mut at: usize) -> Option<End> {
        let bytes = self.text.as_bytes();
        let mut escapes = Escapes::None;
        loop {
            match bytes.get(at) {
                Some(b'"') => break,
                Some(b'\\') => {
                    escapes = Escapes::Some;
                    let end = match escape_end(bytes, at + 1) {
                        Ok(end) => end,
                        Err(fault) => {
                            self.fail_at(fault.at, Expected::Escape);
                            return None;
                        }
                    };
                    if !is_canonical_escape(part_of(bytes, at + 1..end)) {
                        self.is_not_canonical();
                    }
                    at = end;
                }
                // Go escapes these.
                Some(b'<' | b'>' | b'&') => {
                    self.is_not_canonical();
                    at += 1;
                }
                Some(0x80..) => at = self.end_of_non_ascii(at),
                _ => {
                    self.fail_at(at, Expected::Text);
                    return None;
                }
            }
            at = plain_end(bytes, at);
        }
        self.at = at + 1;
        Some(End { quote: at, escapes })
    }

    /// The end of a run of characters beyond ASCII.
    fn end_of_non_ascii(&mut self, start: usize) -> usize {
        let rest = part_of(self.text.as_bytes(), start..);
        let length = rest.iter().position(u8::is_ascii).unwrap_or(rest.len());
        // Go escapes U+2028 and U+2029, since JavaScript once took them for line ends.
        let is_separator = |bytes: &[u8]| matches!(bytes, [0xe2, 0x80, 0xa8 | 0xa9]);
        if part_of(rest, ..length).windows(3).any(is_separator) {
            self.is_not_canonical();
        }
        start + length
    }
}

/// Where a string ends.
struct End {
    quote: usize,
    escapes: Escapes,
}

enum Escapes {
    None,
    Some,
}

/// Whether Go's encoder writes an escape, of which this is the text after the backslash.
fn is_canonical_escape(escape: &[u8]) -> bool {
    match escape {
        [b'"' | b'\\' | b'n' | b'r' | b't' | b'b' | b'f'] => true,
        [b'u', b'2', b'0', b'2', b'8' | b'9'] => true,
        [b'u', b'0', b'0', b'0', low] => matches!(low, b'0'..=b'7' | b'b' | b'e' | b'f'),
        [b'u', b'0', b'0', b'1', low] => matches!(low, b'0'..=b'9' | b'a'..=b'f'),
        [b'u', b'0', b'0', high, low] => matches!([high, low], [b'2', b'6'] | [b'3', b'c' | b'e']),
        _ => false,
    }
}

/// Replaces escapes, which are known to be valid.
fn decoded<'a>(raw: &str, arena: &'a crate::Arena) -> &'a str {
    let mut text = ArenaString::with_capacity_in(raw.len(), arena);
    let mut rest = raw;
    while let Some((before, escape)) = rest.split_once('\\') {
        text.push_str(before);
        // Escapes are ASCII.
        rest = escape.get(decode_escape(escape.as_bytes(), &mut text)..).unwrap_or_default();
    }
    text.push_str(rest);
    text.into_bump_str()
}
