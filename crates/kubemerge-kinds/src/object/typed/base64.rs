//! Base64 as Go's decoder checks it.

use kubemerge_value::part::{item_at, text_of};

use crate::tree::Arena;

/// The digits by their value.
const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Fails with the place of the first byte that is not part of well-formed base64. Line breaks are passed over.
pub(super) fn check(text: &str) -> Result<(), usize> {
    let mut quantum = 0;
    let mut bytes = text.bytes().enumerate().filter(|(_, byte)| !matches!(byte, b'\r' | b'\n'));
    while let Some((at, byte)) = bytes.next() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'+' | b'/' => quantum = (quantum + 1) % 4,
            b'=' => return check_padding(at, quantum, &mut bytes, text.len()),
            _ => return Err(at),
        }
    }
    // Go reports the start of the incomplete group of four.
    if quantum == 0 { Ok(()) } else { Err(text.len() - quantum) }
}

/// `quantum` characters of a group of four came before the first `=`; nothing may follow the padding.
fn check_padding(
    at: usize,
    quantum: usize,
    rest: &mut impl Iterator<Item = (usize, u8)>,
    len: usize,
) -> Result<(), usize> {
    match quantum {
        0 | 1 => return Err(at),
        // Two digits make one byte and need two signs of padding.
        2 => match rest.next() {
            Some((_, b'=')) => {}
            Some((at, _)) => return Err(at),
            None => return Err(len),
        },
        _ => {}
    }
    match rest.next() {
        Some((at, _)) => Err(at),
        None => Ok(()),
    }
}

/// Well-formed base64 as Go encodes what it decodes to.
pub(super) fn canonical<'a>(text: &'a str, arena: &'a Arena) -> &'a str {
    let has_breaks = text.contains(['\r', '\n']);
    let joined = if has_breaks {
        let joined: String = text.chars().filter(|char| !matches!(char, '\r' | '\n')).collect();
        arena.alloc_str(&joined)
    } else {
        text
    };
    let digits = joined.trim_end_matches('=');
    // The last digit has bits that encode nothing; Go writes them as zero.
    let unused_bits = match joined.len() - digits.len() {
        1 => 2,
        2 => 4,
        _ => return joined,
    };
    let Some((last, start)) = digits.as_bytes().split_last() else { return joined };
    let value = ALPHABET.iter().position(|digit| digit == last).unwrap_or_default();
    if value.trailing_zeros() >= unused_bits || value == 0 {
        return joined;
    }
    let last = char::from(*item_at(ALPHABET, value >> unused_bits << unused_bits));
    let start = text_of(joined, ..start.len());
    arena.alloc_str(&format!("{start}{last}{}", text_of(joined, digits.len()..)))
}

/// Bytes as Go encodes them.
pub(super) fn encode(bytes: &[u8]) -> String {
    use ::base64::Engine;
    ::base64::engine::general_purpose::STANDARD.encode(bytes)
}

/// How many bytes well-formed base64 encodes.
pub(crate) fn decoded_len(text: &str) -> usize {
    let digits = text.bytes().filter(|byte| !matches!(byte, b'=' | b'\r' | b'\n')).count();
    digits * 3 / 4
}
