//! The end of a string. Most strings of a Kubernetes document are shorter than a block, so the step is 16.

use super::lanes::is_plain_ascii;
use super::simd::{not_plain, quotes_and_backslashes};

/// Where a string ends, and whether its text is its characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct StringEnd {
    /// After the closing quote.
    pub(crate) end: usize,
    pub(crate) escapes: bool,
}

/// The end of the string whose first character is at `at`.
#[inline]
pub(crate) fn string_end(bytes: &[u8], at: usize) -> StringEnd {
    // Most strings end within 16 bytes and have no escapes.
    if let Some(chunk) = bytes.get(at..).and_then(<[u8]>::first_chunk) {
        let first = quotes_and_backslashes(chunk).trailing_zeros() as usize;
        if chunk.get(first) == Some(&b'"') {
            return StringEnd { end: at + first + 1, escapes: false };
        }
    }
    string_end_by_steps(bytes, at)
}

/// The same for a string that is not plain or not short. Not inlined, so that short ones are cheap.
#[inline(never)]
fn string_end_by_steps(bytes: &[u8], mut at: usize) -> StringEnd {
    let mut escapes = false;
    while let Some(found) = marks_after(bytes, at) {
        if found == 0 {
            at += 16;
            continue;
        }
        at += found.trailing_zeros() as usize;
        if bytes.get(at) == Some(&b'"') {
            return StringEnd { end: at + 1, escapes };
        }
        // A backslash and the byte after it, whatever it is.
        escapes = true;
        at += 2;
    }
    short_string_end(bytes, at, escapes)
}

/// The place of the first quote or backslash.
#[inline]
pub fn quote_or_backslash(bytes: &[u8]) -> Option<usize> {
    let mut at = 0;
    while let Some(chunk) = bytes.get(at..).and_then(<[u8]>::first_chunk) {
        let found = quotes_and_backslashes(chunk);
        if found != 0 {
            return Some(at + found.trailing_zeros() as usize);
        }
        at += 16;
    }
    let rest = bytes.get(at..)?;
    rest.iter().position(|byte| matches!(byte, b'"' | b'\\')).map(|found| at + found)
}

/// The length of a string up to its closing quote, escapes included. `rest` starts after the opening quote.
pub fn string_length(rest: &[u8]) -> Option<usize> {
    let mut at = 0;
    loop {
        let end = at + quote_or_backslash(rest.get(at..)?)?;
        if rest.get(end) == Some(&b'"') {
            return Some(end);
        }
        // The byte after a backslash never ends the string.
        at = end + 2;
    }
}

/// Bit `n` says whether the byte at `at + n` is a quote or a backslash. `None` at the end of the text, and if
/// the text is too short for a step.
#[inline]
fn marks_after(bytes: &[u8], at: usize) -> Option<u32> {
    let rest = bytes.get(at..)?;
    if let Some(chunk) = rest.first_chunk() {
        return Some(quotes_and_backslashes(chunk));
    }
    if rest.is_empty() {
        return None;
    }
    // Near the end the step goes back to bytes that were looked at before.
    bytes.last_chunk().map(|last| quotes_and_backslashes(last) >> (16 - rest.len()))
}

/// The first byte from `at` on that is not plain text of a string, or the end of the text.
#[inline]
pub(crate) fn plain_end(bytes: &[u8], mut at: usize) -> usize {
    while let Some(chunk) = bytes.get(at..).and_then(<[u8]>::first_chunk) {
        let marks = not_plain(chunk);
        if marks != 0 {
            return at + marks.trailing_zeros() as usize;
        }
        at += 16;
    }
    while bytes.get(at).is_some_and(|byte| is_plain_ascii(*byte)) {
        at += 1;
    }
    at
}

/// Whether a backslash is in the text.
#[inline]
pub(crate) fn has_backslash(text: &[u8]) -> bool {
    const LOW: u64 = 0x0101_0101_0101_0101;
    let Some(last) = text.last_chunk::<8>() else { return text.contains(&b'\\') };
    // Only a byte that is zero now lets the subtraction set its high bit.
    let has = |chunk: &[u8; 8]| {
        let word = u64::from_le_bytes(*chunk) ^ (LOW * u64::from(b'\\'));
        word.wrapping_sub(LOW) & !word & (LOW << 7) != 0
    };
    has(last) || text.as_chunks().0.iter().any(has)
}

/// The same near the end of the text.
fn short_string_end(bytes: &[u8], mut at: usize, mut escapes: bool) -> StringEnd {
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'"' => return StringEnd { end: at + 1, escapes },
            b'\\' => {
                escapes = true;
                at += 2;
            }
            _ => at += 1,
        }
    }
    // Only unchecked text gets here.
    StringEnd { end: bytes.len(), escapes }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn steps_do_not_matter(text in "[a\"\\\\é]{0,80}", at in 0usize..20) {
            let text = text.as_bytes();
            prop_assert_eq!(string_end(text, at), short_string_end(text, at, false));
            prop_assert_eq!(has_backslash(text), text.contains(&b'\\'));
            let mark = text.iter().position(|byte| matches!(byte, b'"' | b'\\'));
            prop_assert_eq!(quote_or_backslash(text), mark);
            let end = short_string_end(text, 0, false).end;
            let (mut steps, mut at) = (text.iter(), None);
            while let Some(byte) = steps.next() {
                match byte {
                    b'"' => {
                        at = Some(end - 1);
                        break;
                    }
                    b'\\' => _ = steps.next(),
                    _ => {}
                }
            }
            prop_assert_eq!(string_length(text), at);
        }

        #[test]
        fn the_plain_part_is_found_in_steps(text in "[ -~é\\x00-\\x1f\\x7f]{0,80}", at in 0usize..20) {
            let text = text.as_bytes();
            let rest = text.get(at..).unwrap_or_default();
            let plain = rest.iter().take_while(|byte| is_plain_ascii(**byte)).count();
            prop_assert_eq!(plain_end(text, at), at + plain);
        }
    }
}
