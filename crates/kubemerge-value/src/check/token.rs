//! The tokens that have a grammar of their own: numbers, literals, escapes.

use crate::{error::ParseErrorKind as Kind, number, part::part_of};

/// What is wrong, and with which byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SyntaxFault {
    pub(crate) kind: Kind,
    pub(crate) at: usize,
}

/// The end of the number or literal that starts at `at`.
#[inline]
pub(super) fn word_end(bytes: &[u8], at: usize) -> Result<usize, SyntaxFault> {
    match bytes.get(at) {
        Some(b't') => literal_end(bytes, at, b"true"),
        Some(b'f') => literal_end(bytes, at, b"false"),
        Some(b'n') => literal_end(bytes, at, b"null"),
        Some(b'-' | b'0'..=b'9') => number_end(bytes, at),
        Some(_) => Err(SyntaxFault { kind: Kind::UnexpectedCharacter, at }),
        None => Err(SyntaxFault { kind: Kind::UnexpectedEnd, at }),
    }
}

#[inline]
fn literal_end(bytes: &[u8], at: usize, word: &[u8]) -> Result<usize, SyntaxFault> {
    if part_of(bytes, at..).starts_with(word) {
        Ok(at + word.len())
    } else {
        Err(broken_literal(bytes, at, word))
    }
}

#[cold]
fn broken_literal(bytes: &[u8], at: usize, word: &[u8]) -> SyntaxFault {
    let rest = part_of(bytes, at..);
    let good = rest.iter().zip(word).take_while(|(byte, letter)| byte == letter).count();
    let kind = if good == rest.len() { Kind::UnexpectedEnd } else { Kind::UnexpectedCharacter };
    SyntaxFault { kind, at: at + good }
}

/// The end of a number that a 64-bit float can hold.
#[inline]
pub(crate) fn number_end(bytes: &[u8], start: usize) -> Result<usize, SyntaxFault> {
    let at = whole_end(bytes, start)?;
    match bytes.get(at) {
        Some(b'.' | b'e' | b'E') => in_range(bytes, start, fraction_end(bytes, at)?),
        // Fewer digits than this always fit.
        _ if at - start > 300 => in_range(bytes, start, at),
        _ => Ok(at),
    }
}

/// The end of a number of any size.
pub(crate) fn literal_number_end(bytes: &[u8], start: usize) -> Result<usize, SyntaxFault> {
    fraction_end(bytes, whole_end(bytes, start)?)
}

/// The end of the integer part of a number.
#[inline]
fn whole_end(bytes: &[u8], start: usize) -> Result<usize, SyntaxFault> {
    let at = start + usize::from(bytes.get(start) == Some(&b'-'));
    // JSON allows no leading zeros.
    if bytes.get(at) == Some(&b'0') { Ok(at + 1) } else { digits_end(bytes, at) }
}

/// The end of the fraction and the exponent that may begin at `at`.
fn fraction_end(bytes: &[u8], mut at: usize) -> Result<usize, SyntaxFault> {
    if bytes.get(at) == Some(&b'.') {
        at = digits_end(bytes, at + 1)?;
    }
    if let Some(b'e' | b'E') = bytes.get(at) {
        at += 1;
        if let Some(b'+' | b'-') = bytes.get(at) {
            at += 1;
        }
        at = digits_end(bytes, at)?;
    }
    Ok(at)
}

#[inline]
fn digits_end(bytes: &[u8], start: usize) -> Result<usize, SyntaxFault> {
    let mut at = start;
    while bytes.get(at).is_some_and(u8::is_ascii_digit) {
        at += 1;
    }
    if at > start { Ok(at) } else { Err(SyntaxFault { kind: Kind::InvalidNumber, at }) }
}

/// Only a literal with an exponent or with hundreds of digits can leave the range of a float.
fn in_range(bytes: &[u8], start: usize, end: usize) -> Result<usize, SyntaxFault> {
    let literal = part_of(bytes, start..end);
    // Decoding is slow, and without an exponent a short number is in range.
    let may_overflow = literal.len() > 300 || literal.iter().any(|byte| matches!(byte, b'e' | b'E'));
    if may_overflow && number::decode_float(literal).is_infinite() {
        return Err(SyntaxFault { kind: Kind::NumberOutOfRange, at: start });
    }
    Ok(end)
}

/// The end of the escape whose letter, after the backslash, is at `at`.
pub(crate) fn escape_end(bytes: &[u8], at: usize) -> Result<usize, SyntaxFault> {
    match bytes.get(at) {
        Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => Ok(at + 1),
        // Halves of surrogate pairs are accepted, as Go does; they decode to U+FFFD.
        Some(b'u') => hex_end(bytes, at + 1),
        Some(_) => Err(SyntaxFault { kind: Kind::InvalidEscape, at }),
        None => Err(SyntaxFault { kind: Kind::UnexpectedEnd, at }),
    }
}

fn hex_end(bytes: &[u8], start: usize) -> Result<usize, SyntaxFault> {
    for at in start..start + 4 {
        match bytes.get(at) {
            Some(digit) if digit.is_ascii_hexdigit() => {}
            Some(_) => return Err(SyntaxFault { kind: Kind::InvalidEscape, at }),
            None => return Err(SyntaxFault { kind: Kind::UnexpectedEnd, at }),
        }
    }
    Ok(start + 4)
}
