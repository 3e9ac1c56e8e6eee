//! The scanner without SIMD: every platform has it, and the SIMD one is tested against it.

/// The position behind the closing quote of the string whose first character stands at `at`.
#[inline]
pub(crate) fn string_end(bytes: &[u8], mut at: usize) -> usize {
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'"' => return at + 1,
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    bytes.len()
}

/// The position behind the bracket that closes `depth` open containers, scanning from `at`.
pub(crate) fn container_end(bytes: &[u8], mut at: usize, mut depth: usize) -> usize {
    while let Some(byte) = bytes.get(at) {
        at += 1;
        match byte {
            b'"' => at = string_end(bytes, at),
            b'{' | b'[' => depth += 1,
            b'}' | b']' => {
                depth -= 1;
                if depth == 0 {
                    return at;
                }
            }
            _ => {}
        }
    }
    bytes.len()
}
