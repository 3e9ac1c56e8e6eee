//! One escaped character, and characters as they are written.

use std::fmt::Write as _;

use super::{error::PatternError, text::up_to};

/// Reads an escape sequence at the start of the text.
pub(super) fn read(rest: &mut &str) -> Result<u32, PatternError> {
    let here = *rest;
    let mut letters = here.chars();
    letters.next();
    let Some(letter) = letters.next() else {
        return Err(PatternError::new("trailing backslash at end of expression", ""));
    };
    let code = match letter {
        // A single digit would refer to a group, which Go does not know.
        '1'..='7' if !letters.as_str().starts_with(is_octal) => None,
        '0'..='7' => Some(octal(letter, &mut letters)),
        'x' => hexadecimal(&mut letters),
        'a' => Some(0x07),
        'f' => Some(0x0C),
        'n' => Some(0x0A),
        'r' => Some(0x0D),
        't' => Some(0x09),
        'v' => Some(0x0B),
        _ if letter.is_ascii() && !letter.is_ascii_alphanumeric() => Some(u32::from(letter)),
        _ => None,
    };
    *rest = letters.as_str();
    code.ok_or_else(|| PatternError::new("invalid escape sequence", up_to(here, rest)))
}

fn is_octal(letter: char) -> bool {
    letter.is_digit(8)
}

/// Up to three digits.
fn octal(first: char, letters: &mut std::str::Chars<'_>) -> u32 {
    let mut code = first.to_digit(8).unwrap_or_default();
    for _ in 0..2 {
        let Some(digit) = letters.as_str().chars().next().and_then(|letter| letter.to_digit(8)) else {
            break;
        };
        letters.next();
        code = code * 8 + digit;
    }
    code
}

/// Two digits, or any number of them in braces.
fn hexadecimal(letters: &mut std::str::Chars<'_>) -> Option<u32> {
    let first = letters.next()?;
    if first != '{' {
        // Both are read before either is judged: the message shows both.
        let second = letters.next();
        return Some(first.to_digit(16)? * 16 + second?.to_digit(16)?);
    }
    let mut code = None;
    loop {
        match letters.next()? {
            '}' => return code,
            letter => {
                let next = code.unwrap_or(0) * 16 + letter.to_digit(16)?;
                code = Some(next).filter(|code| *code <= u32::from(char::MAX));
                code?;
            }
        }
    }
}

/// Writes a character that means itself, inside and outside of classes.
pub(super) fn write_char(out: &mut String, code: u32) {
    match char::from_u32(code) {
        Some(letter) if letter.is_ascii_alphanumeric() || !letter.is_ascii() => out.push(letter),
        // Writing to a string does not fail.
        _ => drop(write!(out, r"\x{{{code:X}}}")),
    }
}
