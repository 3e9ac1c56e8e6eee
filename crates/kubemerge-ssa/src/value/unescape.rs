//! Decodes the escapes of JSON strings.

use bumpalo::collections::String as ArenaString;

use super::Arena;

/// The text between the quotes of a JSON string; `None` if an escape is malformed.
pub(crate) fn unescape<'a>(raw: &str, arena: &'a Arena) -> Option<&'a str> {
    let mut out = ArenaString::with_capacity_in(raw.len(), arena);
    let mut rest = raw;
    while let Some(place) = memchr::memchr(b'\\', rest.as_bytes()) {
        out.push_str(&rest[..place]);
        let (character, len) = escape(&rest[place + 1..])?;
        out.push(character);
        rest = &rest[place + 1 + len..];
    }
    out.push_str(rest);
    Some(out.into_bump_str())
}

/// The character of an escape and how many bytes it takes after the backslash.
fn escape(rest: &str) -> Option<(char, usize)> {
    let character = match rest.as_bytes().first()? {
        b'"' => '"',
        b'\\' => '\\',
        b'/' => '/',
        b'b' => '\u{8}',
        b'f' => '\u{c}',
        b'n' => '\n',
        b'r' => '\r',
        b't' => '\t',
        b'u' => return unicode(rest),
        _ => return None,
    };
    Some((character, 1))
}

/// A character by number; halves of surrogate pairs that are alone become U+FFFD.
fn unicode(rest: &str) -> Option<(char, usize)> {
    let hex = |from: usize| u32::from_str_radix(rest.get(from..from + 4)?, 16).ok();
    let first = hex(1)?;
    if (0xD800..0xDC00).contains(&first)
        && rest.get(5..7) == Some("\\u")
        && let Some(second) = hex(7).filter(|second| (0xDC00..0xE000).contains(second))
    {
        let code = 0x1_0000 + ((first - 0xD800) << 10) + (second - 0xDC00);
        return Some((char::from_u32(code)?, 11));
    }
    Some((char::from_u32(first).unwrap_or(char::REPLACEMENT_CHARACTER), 5))
}
