//! The end of a string. Most strings of a Kubernetes document are shorter than a block, so the step is 16.

use super::simd::quotes_and_backslashes;

/// Where a string ends, and whether its text is its characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct StringEnd {
    /// Behind the closing quote.
    pub(crate) end: usize,
    pub(crate) escapes: bool,
}

/// The end of the string whose first character stands at `at`.
#[inline]
pub(crate) fn string_end(bytes: &[u8], mut at: usize) -> StringEnd {
    let mut escapes = false;
    while let Some(chunk) = bytes.get(at..).and_then(|rest| rest.first_chunk()) {
        let found = quotes_and_backslashes(chunk);
        if found == 0 {
            at += 16;
            continue;
        }
        at += found.trailing_zeros() as usize;
        if bytes[at] == b'"' {
            return StringEnd { end: at + 1, escapes };
        }
        escapes = true;
        at += 2;
    }
    short_string_end(bytes, at, escapes)
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
        }
    }
}
