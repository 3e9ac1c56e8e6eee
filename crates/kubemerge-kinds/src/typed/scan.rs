//! A cursor over JSON text that is known to be well-formed; malformed text reads as null, never panics.

use crate::tree::Arena;

/// What a value starts with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Start {
    Map,
    List,
    Str,
    Number,
    True,
    False,
    Null,
}

impl Start {
    /// What Go calls a value of this form in error texts.
    pub(super) fn go_name(self) -> &'static str {
        match self {
            Start::Map => "object",
            Start::List => "array",
            Start::Str => "string",
            Start::Number => "number",
            Start::True | Start::False => "bool",
            Start::Null => "null",
        }
    }
}

#[derive(Clone, Copy)]
pub(super) struct Scanner<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Scanner<'t> {
    pub(super) fn new(text: &'t str) -> Scanner<'t> {
        Scanner { text, at: 0 }
    }

    #[inline]
    fn byte(&self) -> u8 {
        self.text.as_bytes().get(self.at).copied().unwrap_or_default()
    }

    #[inline]
    fn skip_space(&mut self) {
        // One comparison is enough for compact text.
        while self.byte() <= b' ' && matches!(self.byte(), b' ' | b'\n' | b'\t' | b'\r') {
            self.at += 1;
        }
    }

    /// What the next value is; nothing is passed but space.
    #[inline]
    pub(super) fn start(&mut self) -> Start {
        self.skip_space();
        match self.byte() {
            b'{' => Start::Map,
            b'[' => Start::List,
            b'"' => Start::Str,
            b't' => Start::True,
            b'f' => Start::False,
            b'-' | b'0'..=b'9' => Start::Number,
            _ => Start::Null,
        }
    }

    /// Passes the bracket that opens a map or a list.
    pub(super) fn open(&mut self) {
        self.at += 1;
    }

    /// Whether another member or item follows; passes the comma before it or the bracket after the last one.
    pub(super) fn next_part(&mut self) -> bool {
        self.skip_space();
        if self.byte() == b',' {
            self.at += 1;
            self.skip_space();
        }
        match self.byte() {
            b'}' | b']' => {
                self.at += 1;
                false
            }
            // Zero is past the end, which ends the walk on text that is cut off.
            byte => byte != 0,
        }
    }

    /// The name of a member, and the colon after it.
    pub(super) fn name(&mut self, arena: &'t Arena) -> &'t str {
        let name = self.string(arena);
        self.skip_space();
        self.at += usize::from(self.byte() == b':');
        name
    }

    /// A string without its quotes, copied only if it has escapes.
    pub(super) fn string(&mut self, arena: &'t Arena) -> &'t str {
        let start = (self.at + 1).min(self.text.len());
        let end = quote_or_backslash(self.text.as_bytes(), start);
        if self.text.as_bytes().get(end) == Some(&b'\\') {
            return arena.alloc_str(&unescape(self.raw_string()));
        }
        self.at = (end + 1).min(self.text.len());
        self.text.get(start..end).unwrap_or_default()
    }

    fn raw_string(&mut self) -> &'t str {
        let bytes = self.text.as_bytes();
        let start = (self.at + 1).min(bytes.len());
        let mut end = quote_or_backslash(bytes, start);
        while bytes.get(end) == Some(&b'\\') {
            // The byte after a backslash never ends the string.
            end = quote_or_backslash(bytes, end + 2);
        }
        self.at = (end + 1).min(bytes.len());
        self.text.get(start..end).unwrap_or_default()
    }

    /// A number or a word, as it is written.
    pub(super) fn literal(&mut self) -> &'t str {
        let start = self.at;
        while matches!(self.byte(), b'-' | b'+' | b'.' | b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z') {
            self.at += 1;
        }
        // Progress on malformed text too.
        self.at = if self.at == start { (start + 1).min(self.text.len()) } else { self.at };
        self.text.get(start..self.at).unwrap_or_default()
    }

    /// Passes a value and answers its text.
    pub(super) fn pass(&mut self) -> &'t str {
        self.skip_space();
        let start = self.at;
        let mut depth = 0usize;
        loop {
            match self.start() {
                Start::Map | Start::List => {
                    depth += 1;
                    self.at += 1;
                }
                Start::Str => {
                    self.raw_string();
                }
                Start::Number | Start::True | Start::False => {
                    self.literal();
                }
                Start::Null => match self.byte() {
                    b'}' | b']' => {
                        depth = depth.saturating_sub(1);
                        self.at += 1;
                    }
                    b',' | b':' => {
                        self.at += 1;
                        continue;
                    }
                    0 => break,
                    _ => {
                        self.literal();
                    }
                },
            }
            if depth == 0 {
                break;
            }
        }
        self.text.get(start..self.at).unwrap_or_default()
    }
}

/// Where the next quote or backslash is, or the end of the text. Strings are short mostly: a call of memchr costs more.
#[inline]
fn quote_or_backslash(bytes: &[u8], mut at: usize) -> usize {
    const LOW: u64 = u64::MAX / 255;
    // Bytes that are zero set their high bit; a borrow may set bits above the first of them only.
    let zeros = |word: u64| word.wrapping_sub(LOW) & !word & LOW << 7;
    while let Some(chunk) = bytes.get(at..).and_then(<[u8]>::first_chunk) {
        let word = u64::from_le_bytes(*chunk);
        let found = zeros(word ^ (LOW * u64::from(b'"'))) | zeros(word ^ (LOW * u64::from(b'\\')));
        if found != 0 {
            return at + found.trailing_zeros() as usize / 8;
        }
        at += 8;
    }
    let rest = bytes.get(at..).unwrap_or_default();
    let found = rest.iter().position(|byte| matches!(byte, b'"' | b'\\'));
    found.map_or(bytes.len(), |found| at + found)
}

/// Replaces escapes; half of a surrogate pair becomes U+FFFD, as in Go.
fn unescape(raw: &str) -> String {
    let mut out = String::with_capacity(raw.len());
    let mut rest = raw;
    while let Some((before, after)) = rest.split_once('\\') {
        out.push_str(before);
        let mut chars = after.chars();
        match chars.next() {
            Some('u') => {
                let (char, left) = unicode_escape(chars.as_str());
                out.push(char);
                rest = left;
                continue;
            }
            Some('b') => out.push('\u{8}'),
            Some('f') => out.push('\u{c}'),
            Some('n') => out.push('\n'),
            Some('r') => out.push('\r'),
            Some('t') => out.push('\t'),
            Some(char) => out.push(char),
            None => {}
        }
        rest = chars.as_str();
    }
    out.push_str(rest);
    out
}

/// The character of the hex digits after `\u`, and the text after them.
fn unicode_escape(text: &str) -> (char, &str) {
    let Some((high, rest)) = hex(text) else { return (char::REPLACEMENT_CHARACTER, text) };
    if !(0xd800..0xdc00).contains(&high) {
        return (char::from_u32(high).unwrap_or(char::REPLACEMENT_CHARACTER), rest);
    }
    match rest.strip_prefix("\\u").and_then(hex) {
        Some((low, after)) if (0xdc00..0xe000).contains(&low) => {
            let code = 0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00);
            (char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER), after)
        }
        _ => (char::REPLACEMENT_CHARACTER, rest),
    }
}

fn hex(text: &str) -> Option<(u32, &str)> {
    let (digits, rest) = text.split_at_checked(4)?;
    Some((u32::from_str_radix(digits, 16).ok()?, rest))
}
