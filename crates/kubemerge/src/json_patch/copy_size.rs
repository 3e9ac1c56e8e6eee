//! How many bytes a copy adds, as the API server counts them: the value as Go's encoder passes it on.

use kubemerge_value::{Node, segments};
use std::collections::HashMap;

/// Counts, and remembers what it counted in long texts: a value may be copied thousands of times.
#[derive(Default)]
pub(super) struct CopySizes {
    known: HashMap<(usize, usize), usize>,
}

/// Two sizes of one value.
#[derive(Clone, Copy, Default)]
pub(super) struct CopySize {
    pub(super) encoded: usize,
    pub(super) given: usize,
}

impl std::ops::AddAssign for CopySize {
    fn add_assign(&mut self, other: Self) {
        self.encoded += other.encoded;
        self.given += other.given;
    }
}

/// Texts of fewer bytes are counted anew.
const LONG: usize = 4096;

impl CopySizes {
    /// The size of the value without white space between its parts, and with it.
    pub(super) fn of(&mut self, node: Node<'_>) -> CopySize {
        let mut size = CopySize::default();
        for text in segments(node).iter() {
            size.encoded += self.of_text(text);
            size.given += text.len();
        }
        size
    }

    fn of_text(&mut self, text: &[u8]) -> usize {
        if text.len() < LONG {
            return encoded_length(text);
        }
        // Long texts belong to the document or to the patch, which outlive the run: an address names one text.
        let key = (text.as_ptr() as usize, text.len());
        *self.known.entry(key).or_insert_with(|| encoded_length(text))
    }
}

fn encoded_length(text: &[u8]) -> usize {
    let mut length = 0;
    let mut in_string = false;
    let mut bytes = text.iter().enumerate();
    while let Some((at, byte)) = bytes.next() {
        length += match byte {
            b' ' | b'\n' | b'\r' | b'\t' if !in_string => 0,
            b'\\' => 1 + bytes.next().map_or(0, |_| 1),
            b'<' | b'>' | b'&' => "\\u003c".len(),
            // U+2028 and U+2029 become escapes, which are three bytes longer.
            0xE2 if is_line_separator(&text[at..]) => 1 + 3,
            _ => 1,
        };
        in_string ^= *byte == b'"';
    }
    length
}

fn is_line_separator(text: &[u8]) -> bool {
    matches!(text, [0xE2, 0x80, 0xA8 | 0xA9, ..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_those_of_encoded_text() {
        for (text, size) in [
            ("{ \"a\" : [ 1 , 2 ] }", 11),
            ("\"a b\"", 5),
            ("\"\\\" <\"", 2 + 2 + 1 + 6),
            ("\"\u{2028}\u{20ac}\"", 2 + 6 + 3),
            ("\"\\\\\" ", 4),
        ] {
            assert_eq!(encoded_length(text.as_bytes()), size, "{text}");
        }
    }
}
