//! Strings as they are in a document: the text between the quotes, decoded only on demand.

use std::{
    borrow::Cow,
    cmp::Ordering,
    fmt::Write,
    hash::{Hash, Hasher},
};

use crate::{part::part_of, scan::plain_end};

/// A string or member name: JSON text that is not decoded yet, or plain characters.
///
/// Two strings are equal when they mean the same characters, however they are written.
#[derive(Clone, Copy)]
pub struct Str<'a> {
    raw: &'a [u8],
    spelling: Spelling,
    /// Whether the text is not its characters.
    escapes: bool,
}

/// How the bytes of a [`Str`] spell its characters.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Spelling {
    /// The characters themselves.
    Plain,
    /// JSON text as users write it.
    Given,
    /// JSON text as Go's encoder writes it.
    Canonical,
}

impl<'a> Str<'a> {
    /// A string made of these characters.
    pub const fn plain(text: &'a str) -> Self {
        Str { raw: text.as_bytes(), spelling: Spelling::Plain, escapes: false }
    }

    /// The text between the quotes of a JSON string.
    pub fn given(raw: &'a [u8]) -> Self {
        Str { raw, spelling: Spelling::Given, escapes: raw.contains(&b'\\') }
    }

    /// The text between the quotes of a JSON string whose spelling is known.
    #[inline]
    pub(crate) const fn spelled(raw: &'a [u8], spelling: Spelling, escapes: bool) -> Self {
        Str { raw, spelling, escapes }
    }

    #[inline]
    pub(crate) fn has_escapes(self) -> bool {
        self.escapes
    }

    /// The characters, if they are in memory unescaped.
    #[inline]
    pub(crate) fn unescaped(self) -> Option<&'a [u8]> {
        if self.escapes { None } else { Some(self.raw) }
    }

    /// The characters, as UTF-8 bytes.
    pub fn bytes(self) -> Cow<'a, [u8]> {
        if self.escapes { Cow::Owned(decode(self.raw).into_bytes()) } else { Cow::Borrowed(self.raw) }
    }

    /// The characters.
    pub fn text(self) -> Cow<'a, str> {
        if self.escapes {
            return Cow::Owned(decode(self.raw));
        }
        match std::str::from_utf8(self.raw) {
            Ok(text) => Cow::Borrowed(text),
            // Documents are checked, so this only keeps the function total.
            Err(_) => String::from_utf8_lossy(self.raw),
        }
    }

    /// The characters, in the arena where they have to be decoded.
    pub fn text_in(self, arena: &'a crate::Arena) -> &'a str {
        if let Some(text) = self.borrowed() {
            text
        } else {
            let mut text = bumpalo::collections::String::with_capacity_in(self.raw.len(), arena);
            decode_into(self.raw, &mut text);
            text.into_bump_str()
        }
    }

    /// The characters, if they are in memory unescaped.
    pub fn borrowed(self) -> Option<&'a str> {
        if self.escapes { None } else { std::str::from_utf8(self.raw).ok() }
    }

    /// Whether the string is these characters.
    #[inline]
    pub fn is(self, text: &str) -> bool {
        if self.escapes { decode(self.raw) == text } else { self.raw == text.as_bytes() }
    }

    /// Whether the string starts with these characters.
    #[inline]
    pub fn starts_with(self, prefix: &str) -> bool {
        if self.escapes {
            decode(self.raw).starts_with(prefix)
        } else {
            self.raw.starts_with(prefix.as_bytes())
        }
    }

    /// Writes the string in quotes, as it was given where it was.
    pub(crate) fn write_given(self, out: &mut Vec<u8>) {
        match self.spelling {
            Spelling::Plain => write_escaped(self.raw, out),
            Spelling::Given | Spelling::Canonical => write_quoted(self.raw, out),
        }
    }

    /// Writes the string in quotes, with the escapes of Go's encoder.
    pub(crate) fn write_canonical(self, out: &mut Vec<u8>) {
        match self.spelling {
            Spelling::Canonical => write_quoted(self.raw, out),
            // The same character can be escaped in several ways.
            Spelling::Given if self.escapes => write_escaped(decode(self.raw).as_bytes(), out),
            Spelling::Plain | Spelling::Given => write_escaped(self.raw, out),
        }
    }
}

impl PartialEq for Str<'_> {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        if self.escapes || other.escapes {
            return self.bytes() == other.bytes();
        }
        self.raw == other.raw
    }
}

impl Eq for Str<'_> {}

impl PartialOrd for Str<'_> {
    #[inline]
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Str<'_> {
    #[inline]
    fn cmp(&self, other: &Self) -> Ordering {
        if self.escapes || other.escapes {
            return self.bytes().cmp(&other.bytes());
        }
        // Most names differ in their first byte.
        self.raw.first().cmp(&other.raw.first()).then_with(|| self.raw.cmp(other.raw))
    }
}

impl Hash for Str<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        match self.unescaped() {
            Some(raw) => raw.hash(state),
            None => self.bytes().hash(state),
        }
    }
}

impl std::fmt::Debug for Str<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?}", self.text())
    }
}

impl std::fmt::Display for Str<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.text())
    }
}

impl<'a> From<&'a str> for Str<'a> {
    fn from(text: &'a str) -> Self {
        Str::plain(text)
    }
}

fn write_quoted(raw: &[u8], out: &mut Vec<u8>) {
    out.reserve(raw.len() + 2);
    out.push(b'"');
    out.extend_from_slice(raw);
    out.push(b'"');
}

/// Writes UTF-8 characters as a JSON string with the escapes of Go's encoder.
pub fn write_escaped(text: &[u8], out: &mut Vec<u8>) {
    // Nearly all strings need no escape and are copied in one piece.
    if is_short_and_plain(text) || plain_end(text, 0) == text.len() {
        return write_quoted(text, out);
    }
    out.push(b'"');
    write_with_escapes(text, out);
    out.push(b'"');
}

/// Writes UTF-8 characters as a part of a JSON string, without quotes.
pub fn write_escaped_part(text: &[u8], out: &mut Vec<u8>) {
    if is_short_and_plain(text) {
        return out.extend_from_slice(text);
    }
    write_with_escapes(text, out);
}

fn write_with_escapes(text: &[u8], out: &mut Vec<u8>) {
    let mut kept = 0;
    for (at, byte) in text.iter().enumerate().skip(plain_end(text, 0)) {
        if is_plain(*byte) || !needs_escape(text, at, *byte) {
            continue;
        }
        out.extend_from_slice(part_of(text, kept..at));
        kept = at + write_escape(text, at, out);
    }
    out.extend_from_slice(part_of(text, kept..));
}

/// Whether a text of at most 32 bytes, which most names and values are, needs no escape; false if that is not sure.
#[inline]
fn is_short_and_plain(text: &[u8]) -> bool {
    if text.len() > 16 {
        let halves = (text.first_chunk::<16>(), text.last_chunk::<16>());
        let (Some(first), Some(last)) = halves else { return false };
        return text.len() <= 32 && is_short_and_plain(first) && is_short_and_plain(last);
    }
    // Two words that may overlap cover the text, whatever its length.
    if let (Some(first), Some(last)) = (text.first_chunk(), text.last_chunk()) {
        return is_plain_word(u64::from_le_bytes(*first)) && is_plain_word(u64::from_le_bytes(*last));
    }
    if let (Some(first), Some(last)) = (text.first_chunk(), text.last_chunk()) {
        let (first, last) = (u32::from_le_bytes(*first), u32::from_le_bytes(*last));
        return is_plain_word(u64::from(first) | u64::from(last) << 32);
    }
    text.iter().all(|byte| byte.is_ascii() && is_plain(*byte))
}

/// Whether eight bytes are ASCII and need no escape.
#[inline]
fn is_plain_word(word: u64) -> bool {
    const LOW: u64 = u64::MAX / 255;
    const HIGH: u64 = LOW << 7;
    let is_any = |word: u64, byte: u8| {
        let other = word ^ (LOW * u64::from(byte));
        other.wrapping_sub(LOW) & !other
    };
    // `<` and `>` differ in one bit, and so do `"` and `&`.
    let marks = is_any(word | (LOW * 2), b'>') | is_any(word | (LOW * 4), b'&') | is_any(word, b'\\');
    // Bytes below 0x20 borrow from their high bit; those above 0x7f have it.
    let control = word.wrapping_sub(LOW * 0x20) & !word;
    (marks | control | word) & HIGH == 0
}

/// The bytes that never start an escape.
#[expect(clippy::indexing_slicing, reason = "Evaluated by the compiler.")]
const PLAIN: [bool; 256] = {
    let mut plain = [false; 256];
    let mut byte = 0;
    while byte < 256 {
        plain[byte] = !matches!(byte as u8, 0..=0x1f | b'"' | b'\\' | b'<' | b'>' | b'&' | 0xe2);
        byte += 1;
    }
    plain
};

/// Whether the text of a name sorts after that of another one.
#[inline(always)]
pub(crate) fn is_before(last: &[u8], name: &[u8]) -> bool {
    // Most names differ in their first byte.
    match (last.first(), name.first()) {
        (Some(last), Some(name)) if last != name => last < name,
        _ => last < name,
    }
}

/// Whether the byte is written as it is, at any place in a string.
#[expect(clippy::indexing_slicing, reason = "The table has an entry for each of the 256 bytes.")]
#[inline]
pub(crate) const fn is_plain(byte: u8) -> bool {
    PLAIN[byte as usize]
}

/// Whether Go's encoder escapes the character that starts at `at`.
#[inline]
fn needs_escape(text: &[u8], at: usize, byte: u8) -> bool {
    match byte {
        0..=0x1f | b'"' | b'\\' | b'<' | b'>' | b'&' => true,
        // The first byte of U+2028 and U+2029, and of many other characters.
        0xe2 => is_line_separator(text, at),
        _ => false,
    }
}

/// U+2028 and U+2029, which break JavaScript sources.
fn is_line_separator(text: &[u8], at: usize) -> bool {
    matches!(text.get(at..at + 3), Some([0xe2, 0x80, 0xa8 | 0xa9]))
}

/// Writes the escape of one character and returns how many bytes of text it encodes.
fn write_escape(text: &[u8], at: usize, out: &mut Vec<u8>) -> usize {
    let rest = part_of(text, at..);
    let short: &[u8] = match rest.first().copied().unwrap_or_default() {
        b'"' => b"\\\"",
        b'\\' => b"\\\\",
        b'\n' => b"\\n",
        b'\r' => b"\\r",
        b'\t' => b"\\t",
        0x08 => b"\\b",
        0x0c => b"\\f",
        0xe2 => {
            out.extend_from_slice(if rest.get(2) == Some(&0xa8) { b"\\u2028" } else { b"\\u2029" });
            return 3;
        }
        other => {
            // Writing to memory cannot fail.
            let _ = std::io::Write::write_fmt(out, format_args!("\\u{other:04x}"));
            return 1;
        }
    };
    out.extend_from_slice(short);
    1
}

/// Decodes the text between the quotes of a valid JSON string; a lone surrogate reads as U+FFFD, as in Go.
pub(crate) fn decode(raw: &[u8]) -> String {
    let mut out = String::with_capacity(raw.len());
    decode_into(raw, &mut out);
    out
}

/// Writing to a string in memory cannot fail, so that results of `Write` are not looked at below.
fn decode_into(raw: &[u8], out: &mut impl Write) {
    let mut rest = raw;
    while let Some(at) = rest.iter().position(|byte| *byte == b'\\') {
        let _ = out.write_str(&String::from_utf8_lossy(part_of(rest, ..at)));
        rest = part_of(rest, at + 1..);
        rest = part_of(rest, decode_escape(rest, out)..);
    }
    let _ = out.write_str(&String::from_utf8_lossy(rest));
}

/// Decodes what follows a backslash and returns its length.
pub(crate) fn decode_escape(rest: &[u8], out: &mut impl Write) -> usize {
    let Some(byte) = rest.first() else { return 0 };
    let decoded = match byte {
        b'n' => '\n',
        b'r' => '\r',
        b't' => '\t',
        b'b' => '\u{8}',
        b'f' => '\u{c}',
        b'u' => return decode_unicode(rest, out),
        // `\"`, `\\` and `\/` are the character after the backslash.
        other => char::from(*other),
    };
    let _ = out.write_char(decoded);
    1
}

/// Decodes `uXXXX`, or `uXXXX\uXXXX` for a surrogate pair, and returns its length.
fn decode_unicode(rest: &[u8], out: &mut impl Write) -> usize {
    let first = hex4(rest, 1);
    let second = if rest.get(5..7) == Some(b"\\u") { hex4(rest, 7) } else { 0 };
    if (0xd800..0xdc00).contains(&first) && (0xdc00..0xe000).contains(&second) {
        let code = 0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00);
        let _ = out.write_char(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER));
        return 11;
    }
    // Half of a pair, as Go decodes it.
    let _ = out.write_char(char::from_u32(first).unwrap_or(char::REPLACEMENT_CHARACTER));
    rest.len().min(5)
}

fn hex4(rest: &[u8], at: usize) -> u32 {
    let digits = rest.get(at..at + 4).and_then(|digits| std::str::from_utf8(digits).ok());
    digits.and_then(|digits| u32::from_str_radix(digits, 16).ok()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(raw: &str, decoded: &str, canonical: &str) {
        let string = Str::given(raw.as_bytes());
        assert_eq!(string.text(), decoded);
        let mut out = Vec::new();
        string.write_canonical(&mut out);
        assert_eq!(String::from_utf8(out).unwrap(), format!("\"{canonical}\""));
    }

    #[test]
    fn escapes_are_decoded_and_written_as_go_writes_them() {
        check("plain", "plain", "plain");
        check(r"a\/b", "a/b", "a/b");
        check(r#"\"\\\b\f\n\r\t"#, "\"\\\u{8}\u{c}\n\r\t", r#"\"\\\b\f\n\r\t"#);
        check("<a&b>", "<a&b>", r"\u003ca\u0026b\u003e");
        check("\u{2028}\u{2029}\u{e9}", "\u{2028}\u{2029}é", "\\u2028\\u2029é");
        check(r"\u00e9\u0001", "é\u{1}", "é\\u0001");
        check("\u{7f}", "\u{7f}", "\u{7f}");
    }

    #[test]
    fn surrogates_pair_up_and_lone_ones_are_replaced() {
        check(r"\ud83d\ude00", "😀", "😀");
        check(r"\ud83d", "\u{fffd}", "\u{fffd}");
        check(r"\ud83d\u0041", "\u{fffd}A", "\u{fffd}A");
        check(r"\ude00\ud83d", "\u{fffd}\u{fffd}", "\u{fffd}\u{fffd}");
    }

    #[test]
    fn spelling_does_not_matter_for_equality_and_order() {
        assert_eq!(Str::given(br"\u0061"), Str::plain("a"));
        assert!(Str::given(br"\u0062") > Str::plain("a"));
        assert!(Str::given(br"\u0061bc").starts_with("ab"));
    }
}
