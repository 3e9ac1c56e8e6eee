//! `!!binary` scalars: base64 to text.

/// Decodes padded base64, ignoring line breaks. Bytes that are not UTF-8 become U+FFFD, one each.
pub(crate) fn decode(text: &str) -> Option<String> {
    // Go's decoder skips line breaks, which block scalars have, and nothing else.
    let digits: Vec<u8> = text.bytes().filter(|byte| !matches!(byte, b'\r' | b'\n')).collect();
    let mut bytes = Vec::with_capacity(digits.len() / 4 * 3);
    let mut groups = digits.chunks(4).peekable();
    while let Some(group) = groups.next() {
        let padding = group.iter().rev().take_while(|byte| **byte == b'=').count();
        // Padding is required, and only at the end.
        if group.len() != 4 || padding > 2 || (padding > 0 && groups.peek().is_some()) {
            return None;
        }
        let mut bits = 0u32;
        for digit in group.iter().take(4 - padding) {
            bits = bits << 6 | u32::from(sextet(*digit)?);
        }
        bits <<= 6 * padding;
        bytes.extend(bits.to_be_bytes().iter().skip(1).take(3 - padding));
    }
    Some(replace_invalid(&bytes))
}

fn sextet(digit: u8) -> Option<u8> {
    match digit {
        b'A'..=b'Z' => Some(digit - b'A'),
        b'a'..=b'z' => Some(digit - b'a' + 26),
        b'0'..=b'9' => Some(digit - b'0' + 52),
        b'+' => Some(62),
        b'/' => Some(63),
        _ => None,
    }
}

fn replace_invalid(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        // One replacement character a byte, as Go converts bytes to a string.
        text.extend(chunk.invalid().iter().map(|_| char::REPLACEMENT_CHARACTER));
    }
    text
}
