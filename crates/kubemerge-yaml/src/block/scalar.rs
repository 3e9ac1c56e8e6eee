//! Scalars on one line, and literal block scalars.

use std::borrow::Cow;
use std::ops::Range;

use super::{BlockReader, Rest};
use crate::build::Extent;
use crate::resolve::{Resolved, resolve};
use crate::tree::{Mark, Style, Value};

/// YAML limits keys to 1,024 characters; longer ones are for `events` to judge.
const MAX_KEY_BYTES: usize = 1_000;

impl<'t> BlockReader<'t> {
    /// Where the key ends that the rest of a line starts with, which is where its colon is.
    pub(super) fn key_end(&self, rest: Rest) -> Option<Option<usize>> {
        let bytes = self.bytes();
        let end = match self.byte(rest.at)? {
            quote @ (b'"' | b'\'') => {
                let end = self.quoted_end(rest.at, rest.end, quote)?;
                (bytes.get(end) == Some(&b':') && self.ends_word(end + 1, rest.end)).then_some(end)
            }
            _ => self.colon(rest.at, rest.end),
        };
        let Some(end) = end else { return Some(None) };
        // A space before the colon is not part of the key.
        let is_simple = end > rest.at && end - rest.at <= MAX_KEY_BYTES && self.byte(end - 1)? != b' ';
        is_simple.then_some(Some(end))
    }

    /// The first colon that ends a key, before any comment.
    fn colon(&self, from: usize, end: usize) -> Option<usize> {
        let mut before = None;
        for (at, byte) in self.line_until(end)?.iter().enumerate().skip(from) {
            match *byte {
                b':' if self.ends_word(at + 1, end) => return Some(at),
                b'#' if before == Some(b' ') => return None,
                _ => {}
            }
            before = Some(*byte);
        }
        None
    }

    pub(super) fn key(&mut self, start: usize, end: usize) -> Option<()> {
        let text = self.text;
        match self.byte(start)? {
            quote @ (b'"' | b'\'') => self.quoted(start..end, quote),
            // `<<` merges maps.
            _ if text.get(start..end)? == "<<" => None,
            _ => self.plain(start..end),
        }
    }

    /// The value that is pending, in the rest of a line.
    pub(super) fn value(&mut self, at: usize, end: usize) -> Option<()> {
        self.pending = None;
        match self.byte(at)? {
            quote @ (b'"' | b'\'') => {
                let close = self.quoted_end(at, end, quote)?;
                self.ends_line(close, end)?;
                self.quoted(at..close, quote)
            }
            b'|' => self.literal(at, end),
            b'{' | b'[' => self.flow_value(at, end),
            _ => {
                let close = self.plain_end(at, end)?;
                self.plain(at..close)
            }
        }
    }

    /// Only spaces and a comment may follow.
    pub(super) fn ends_line(&self, at: usize, end: usize) -> Option<()> {
        self.is_blank(self.skip_spaces(at, end), end).then_some(())
    }

    fn plain_end(&self, at: usize, end: usize) -> Option<usize> {
        let mut close = at;
        for (place, byte) in self.line_until(end)?.iter().enumerate().skip(at) {
            match *byte {
                // The parser refuses a second colon; where, it knows best.
                b':' if self.ends_word(place + 1, end) => return None,
                b'#' if self.byte(place.checked_sub(1)?)? == b' ' => break,
                b' ' => {}
                _ => close = place + 1,
            }
        }
        Some(close)
    }

    pub(super) fn plain(&mut self, range: Range<usize>) -> Option<()> {
        let text = self.text.get(range.clone())?;
        starts_plain(text.as_bytes()).then_some(())?;
        let (resolved, role) = (resolve(text), self.builder.role());
        let value = match resolved {
            Resolved::Null => Value::Null,
            Resolved::Bool(value) => Value::Bool(value),
            Resolved::Int(value) => Value::Int(value),
            Resolved::UInt(value) => Value::UInt(value),
            Resolved::Float(value) => Value::Float(value),
            Resolved::Timestamp | Resolved::Merge | Resolved::String => Value::String(Cow::Borrowed(text)),
        };
        self.scalar(value, Style::Plain, range)?;
        if resolved != Resolved::String {
            self.builder.note_trap(text, resolved, role);
        }
        Some(())
    }

    fn scalar(&mut self, value: Value<'t>, style: Style, range: Range<usize>) -> Option<()> {
        self.builder.scalar(value, style, Extent::from(range), Mark::default()).ok()?;
        Some(())
    }

    /// After the closing quote.
    pub(super) fn quoted_end(&self, at: usize, end: usize, quote: u8) -> Option<usize> {
        let bytes = self.line_until(end)?;
        let mut place = at + 1;
        loop {
            place += memchr::memchr2(quote, b'\\', bytes.get(place..)?)?;
            place += match (*bytes.get(place)?, bytes.get(place + 1)) {
                // In single quotes a backslash is a backslash, and two quotes are one.
                (b'\\', _) if quote == b'\'' => 1,
                (b'\\', _) => 2,
                (_, Some(b'\'')) if quote == b'\'' => 2,
                _ => return Some(place + 1),
            };
        }
    }

    pub(super) fn quoted(&mut self, range: Range<usize>, quote: u8) -> Option<()> {
        let inner = self.text.get(range.start + 1..range.end - 1)?;
        let value = match quote {
            b'\'' if inner.contains('\'') => Cow::Owned(inner.replace("''", "'")),
            b'"' if inner.contains('\\') => Cow::Owned(unescape(inner)?),
            _ => Cow::Borrowed(inner),
        };
        self.scalar(Value::String(value), Style::Quoted, range)
    }

    /// `|` and `|-`: the lines that are indented more than what the scalar belongs to.
    fn literal(&mut self, at: usize, end: usize) -> Option<()> {
        let strips = match self.text.get(at..end)? {
            "|" => false,
            "|-" => true,
            // Other ways to treat line breaks and indentation are rare.
            _ => return None,
        };
        let indent = self.literal_indent()?;
        let mut content = String::new();
        while self.at < self.end {
            let (start, end) = (self.at, self.line_end(self.at));
            let first = self.skip_spaces(start, end);
            if first < end && first - start < indent {
                // Whether a comment or a tab here is content is not obvious.
                let is_doubtful = matches!(self.byte(first)?, b'#' | b'\t') && first > start;
                if is_doubtful {
                    return None;
                }
                break;
            }
            // A last line without a break is a special case.
            self.at = (end < self.end).then_some(end + 1)?;
            content.push_str(self.text.get(start + indent..end).unwrap_or_default());
            content.push('\n');
        }
        content.truncate(content.trim_end_matches('\n').len());
        if !strips {
            content.push('\n');
        }
        // Line breaks after the text belong to nothing.
        let close = at + self.text.get(at..self.at)?.trim_end_matches([' ', '\t', '\n']).len();
        self.scalar(Value::String(Cow::Owned(content)), Style::BlockScalar, at..close)
    }

    /// The indentation of a block scalar: that of its first line, which must have text.
    fn literal_indent(&self) -> Option<usize> {
        let end = self.line_end(self.at);
        let first = self.skip_spaces(self.at, end);
        let column = self.open.last()?.column;
        (first < end && self.byte(first)? != b'\t' && first - self.at > column).then_some(first - self.at)
    }
}

/// Whether a plain scalar may start like this. Characters with a meaning at the start are left out, and some that
/// have one only in places.
pub(super) fn starts_plain(text: &[u8]) -> bool {
    match text {
        [] => false,
        [b'-', next, ..] => *next != b' ',
        [first, ..] => {
            first.is_ascii_alphanumeric()
                || *first >= 0x80
                || matches!(
                    first,
                    b'/' | b'.' | b'_' | b'(' | b')' | b'+' | b'$' | b'^' | b'=' | b'~' | b'<' | b'\\' | b';'
                )
        }
    }
}

/// The usual escapes; `None` for all others, some of which yaml.v2 refuses.
fn unescape(text: &str) -> Option<String> {
    let mut unescaped = String::with_capacity(text.len());
    let mut parts = text.split('\\');
    unescaped.push_str(parts.next()?);
    while let Some(part) = parts.next() {
        let mut rest = part.chars();
        let char = match rest.next() {
            Some('n') => '\n',
            Some('t') => '\t',
            Some('"') => '"',
            // Two backslashes: the second one split the text again, and what follows it has no escape.
            None => {
                unescaped.push('\\');
                unescaped.push_str(parts.next()?);
                continue;
            }
            _ => return None,
        };
        unescaped.push(char);
        unescaped.push_str(rest.as_str());
    }
    Some(unescaped)
}
