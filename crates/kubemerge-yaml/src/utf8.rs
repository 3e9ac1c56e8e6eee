//! Bytes to text: UTF-8 only, and short enough for 32-bit positions.

use crate::error::{Position, YamlError, YamlErrorKind};

/// The longest text whose positions fit the tree.
// Offsets are u32, and one value is kept for "none".
const MAX_LENGTH: usize = u32::MAX as usize - 1;

/// The bytes as a text that is not too long.
pub(crate) fn short_text(bytes: &[u8]) -> Result<&str, YamlError> {
    let text = as_text(bytes)?;
    if text.len() > MAX_LENGTH {
        let start = Position { offset: 0, line: 1, column: 1 };
        return Err(YamlError::new(YamlErrorKind::Limit, start, "the text is longer than 4 GiB"));
    }
    Ok(text)
}

pub(crate) fn as_text(bytes: &[u8]) -> Result<&str, YamlError> {
    std::str::from_utf8(bytes).map_err(|fault| not_utf8(bytes, fault.valid_up_to()))
}

fn not_utf8(bytes: &[u8], valid: usize) -> YamlError {
    // The bytes up to here are valid, as the decoder just said.
    let before = std::str::from_utf8(bytes.get(..valid).unwrap_or_default()).unwrap_or_default();
    let position = Position::of(before, valid);
    let message = match bytes.first_chunk() {
        // PowerShell writes UTF-16 by default.
        Some([0xff, 0xfe] | [0xfe, 0xff]) => "the text is UTF-16, not UTF-8",
        _ if bytes.contains(&0) => "not a text: it looks like a binary file",
        _ => "invalid UTF-8",
    };
    YamlError::new(YamlErrorKind::NotUtf8, position, message)
}
