//! How many bytes copies add, and the limits of that.

use super::fault::OperationFault;
use kubemerge_value::part::part_of;
use kubemerge_value::{Node, write::segments};

/// How many bytes the `copy` operations of one JSON patch may add.
pub const MAX_COPY_BYTES: usize = 3 * 1024 * 1024;

/// The size of values in two forms.
#[derive(Clone, Copy, Default)]
pub(super) struct CopySize {
    /// As the API server counts: the text that Go's encoder passes on, without white space between its parts.
    encoded: usize,
    /// As it was given.
    given: usize,
}

/// The limit for copies as they were given. Kubernetes drops white space and we keep it.
// White space does not count upstream; this bounds our memory all the same.
const MAX_GIVEN_COPY_BYTES: usize = 16 * MAX_COPY_BYTES;

impl CopySize {
    /// Adds the size of a value.
    pub(super) fn add(&mut self, node: Node<'_>) -> Result<(), OperationFault> {
        for text in segments(node).iter() {
            self.encoded += encoded_length(text);
            self.given += text.len();
        }
        let (size, limit) = match self {
            CopySize { encoded, .. } if *encoded > MAX_COPY_BYTES => (encoded, MAX_COPY_BYTES),
            CopySize { given, .. } if *given > MAX_GIVEN_COPY_BYTES => (given, MAX_GIVEN_COPY_BYTES),
            _ => return Ok(()),
        };
        Err(OperationFault::new(format!(
            "Unable to complete the copy, the accumulated size increase of copy is {size}, exceeding the limit {limit}"
        )))
    }
}

fn encoded_length(text: &[u8]) -> usize {
    let mut length = 0;
    let mut in_string = false;
    let mut bytes = text.iter().enumerate();
    while let Some((at, byte)) = bytes.next() {
        length += match byte {
            // Go counts the compact form.
            b' ' | b'\n' | b'\r' | b'\t' if !in_string => 0,
            b'\\' => 1 + bytes.next().map_or(0, |_| 1),
            b'<' | b'>' | b'&' => "\\u003c".len(),
            // U+2028 and U+2029 become escapes, which are three bytes longer.
            0xE2 if is_line_separator(part_of(text, at..)) => 1 + 3,
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
