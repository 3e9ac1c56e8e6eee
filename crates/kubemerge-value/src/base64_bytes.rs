//! Bytes, which JSON holds as base64, read as Go reads them.

use std::borrow::Cow;

use base64::{
    Engine, alphabet,
    engine::{
        GeneralPurpose,
        general_purpose::{PAD, STANDARD},
    },
};

/// Go does not mind what the unused bits of the last digit are.
const LENIENT: GeneralPurpose =
    GeneralPurpose::new(&alphabet::STANDARD, PAD.with_decode_allow_trailing_bits(true));

/// The text that Go writes for the bytes it reads, borrowed if it is the same; none if it reads none.
pub fn canonical(text: &str) -> Option<Cow<'_, str>> {
    if STANDARD.decode(text).is_ok() {
        return Some(Cow::Borrowed(text));
    }
    // Only texts that are not canonical are copied.
    let digits: Vec<u8> = text.bytes().filter(|byte| !is_line_end(*byte)).collect();
    LENIENT.decode(digits).ok().map(|bytes| Cow::Owned(STANDARD.encode(bytes)))
}

/// Whether a text of a custom resource has the format `byte`: no line ends there, and at least one byte.
pub fn is_byte_format(text: &str) -> bool {
    !text.is_empty() && !text.bytes().any(is_line_end) && canonical(text).is_some()
}

/// Go skips these everywhere.
fn is_line_end(byte: u8) -> bool {
    matches!(byte, b'\r' | b'\n')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_read_as_go_reads_them() {
        for (text, written) in [
            ("", Some("")),
            ("aGk=", Some("aGk=")),
            ("aG\r\nk=\n", Some("aGk=")),
            ("aGk\n=", Some("aGk=")),
            ("aGl=", Some("aGk=")),
            ("aGk", None),
            ("aG k=", None),
            ("aGk=aGk=", None),
            ("_-8=", None),
        ] {
            assert_eq!(canonical(text).as_deref(), written, "{text:?}");
        }
    }

    #[test]
    fn the_format_is_stricter() {
        for (text, holds) in [("aGk=", true), ("aGl=", true), ("", false), ("aG\nk=", false), ("aGk", false)]
        {
            assert_eq!(is_byte_format(text), holds, "{text:?}");
        }
    }
}
