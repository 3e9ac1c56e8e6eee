//! Values of literals.

use crate::error::CelError;
use kubemerge_value::part::text_of;

use super::token::TokenKind;

/// A value that is written in an expression.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Literal {
    Null,
    Bool(bool),
    Int(i64),
    Uint(u64),
    Double(f64),
    String(String),
    Bytes(Vec<u8>),
}

/// Reads a literal, or says what is wrong with it. Numbers may have a sign.
pub(super) fn read(kind: TokenKind, text: &str) -> Result<Literal, CelError> {
    match kind {
        TokenKind::Int => integer(text).ok_or_else(|| "invalid int literal".into()).map(Literal::Int),
        TokenKind::Uint => {
            let digits = text.trim_end_matches(['u', 'U']);
            let value = match digits.strip_prefix("0x") {
                Some(hex) => u64::from_str_radix(hex, 16),
                None => digits.parse(),
            };
            value.map(Literal::Uint).map_err(|_| "invalid uint literal".into())
        }
        // Go's parser refuses numbers out of range, which Rust's turns into infinity.
        TokenKind::Double => match text.parse::<f64>() {
            Ok(value) if value.is_finite() => Ok(Literal::Double(value)),
            _ => Err("invalid double literal".into()),
        },
        TokenKind::String => unquoted(text).map(Literal::String),
        TokenKind::Bytes => bytes(text).map(Literal::Bytes),
        _ if text == "null" => Ok(Literal::Null),
        _ => Ok(Literal::Bool(text == "true")),
    }
}

fn integer(text: &str) -> Option<i64> {
    let (sign, digits) = match text.strip_prefix('-') {
        Some(digits) => ("-", digits),
        None => ("", text),
    };
    match digits.strip_prefix("0x") {
        Some(hex) => i64::from_str_radix(&format!("{sign}{hex}"), 16).ok(),
        None => format!("{sign}{digits}").parse().ok(),
    }
}

/// The text between the quotes, and whether escapes in it mean something.
fn inner(text: &str) -> (&str, bool) {
    let body = text.trim_start_matches(['r', 'R', 'b', 'B']);
    let (marks, _) = text.split_at(text.len() - body.len());
    let is_raw = marks.contains(['r', 'R']);
    let quote = if body.starts_with("\"\"\"") || body.starts_with("'''") { 3 } else { 1 };
    (body.get(quote..body.len().saturating_sub(quote)).unwrap_or_default(), !is_raw)
}

fn unquoted(text: &str) -> Result<String, CelError> {
    let (body, has_escapes) = inner(text);
    let units = if has_escapes { units(body)? } else { vec![Unit::Text(body)] };
    let mut found = String::with_capacity(body.len());
    for unit in units {
        match unit {
            Unit::Text(text) => found.push_str(text),
            Unit::Byte(code) | Unit::Code(code) => {
                found.push(char::from_u32(code).ok_or_else(unescapable)?);
            }
        }
    }
    Ok(found)
}

fn bytes(text: &str) -> Result<Vec<u8>, CelError> {
    let (body, has_escapes) = inner(text);
    let units = if has_escapes { units(body)? } else { vec![Unit::Text(body)] };
    let mut found = Vec::with_capacity(body.len());
    for unit in units {
        match unit {
            Unit::Text(text) => found.extend_from_slice(text.as_bytes()),
            // In bytes these escapes are octets.
            Unit::Byte(code) => found.push(code as u8),
            Unit::Code(_) => return Err(unescapable()),
        }
    }
    Ok(found)
}

/// A stretch of text, or what an escape means.
enum Unit<'t> {
    Text(&'t str),
    /// `\x41` and `\101`.
    Byte(u32),
    /// `\u0041` and `\U00000041`.
    Code(u32),
}

fn unescapable() -> CelError {
    "unable to unescape string".into()
}

fn units(body: &str) -> Result<Vec<Unit<'_>>, CelError> {
    let mut found = Vec::new();
    let mut rest = body;
    while let Some((text, escaped)) = rest.split_once('\\') {
        found.push(Unit::Text(text));
        let (unit, length) = escape(escaped).ok_or_else(unescapable)?;
        found.push(unit);
        rest = text_of(escaped, length..);
    }
    found.push(Unit::Text(rest));
    Ok(found)
}

fn escape(text: &str) -> Option<(Unit<'_>, usize)> {
    let plain = |meaning| Some((Unit::Text(meaning), 1));
    let code = |count: usize, radix: u32| {
        let digits = text.get(1..=count)?;
        u32::from_str_radix(digits, radix).ok().map(|code| (code, count + 1))
    };
    match text.bytes().next()? {
        b'a' => plain("\u{7}"),
        b'b' => plain("\u{8}"),
        b'f' => plain("\u{c}"),
        b'n' => plain("\n"),
        b'r' => plain("\r"),
        b't' => plain("\t"),
        b'v' => plain("\u{b}"),
        b'\\' | b'\'' | b'"' | b'`' | b'?' => Some((Unit::Text(text_of(text, ..1)), 1)),
        b'x' | b'X' => code(2, 16).map(|(code, length)| (Unit::Byte(code), length)),
        b'u' => code(4, 16).map(|(code, length)| (Unit::Code(code), length)),
        b'U' => code(8, 16).map(|(code, length)| (Unit::Code(code), length)),
        b'0'..=b'3' => {
            let code = u32::from_str_radix(text.get(..3)?, 8).ok()?;
            Some((Unit::Byte(code), 3))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_literals() {
        let string = |text: &str| Ok(Literal::String(text.to_owned()));
        assert_eq!(read(TokenKind::String, r"'a\n\u00fc\x41\101'"), string("a\nüAA"));
        assert_eq!(read(TokenKind::String, r#"r"\d""#), string("\\d"));
        assert_eq!(read(TokenKind::String, "'''it's'''"), string("it's"));
        assert_eq!(read(TokenKind::Bytes, r"b'\xffü'"), Ok(Literal::Bytes(vec![0xff, 0xc3, 0xbc])));
        assert_eq!(read(TokenKind::Int, "-9223372036854775808"), Ok(Literal::Int(i64::MIN)));
        assert_eq!(read(TokenKind::Int, "0x1F"), Ok(Literal::Int(31)));
        assert!(read(TokenKind::Int, "9223372036854775808").is_err());
        assert!(read(TokenKind::String, r"'\ud800'").is_err());
        assert_eq!(read(TokenKind::Uint, "7u"), Ok(Literal::Uint(7)));
    }
}
