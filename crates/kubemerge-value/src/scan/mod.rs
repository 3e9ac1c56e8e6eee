//! Scanning of JSON text that is known to be well formed: where does a string, a container, a scalar end?
//!
//! This is the only code that looks at every byte of a document that is not expanded, so it decides the speed
//! of the engine. It works on blocks of 64 bytes: [`lanes`] turns a block into bit masks, one bit per byte,
//! [`simd`] does so with the instructions that this machine has, and the rest is arithmetic on the masks.
//! The functions never panic: on text that is not well formed they stop at its end.

mod container;
pub(crate) mod lanes;
mod member;
#[cfg(any(test, not(target_arch = "x86_64")))]
mod portable;
pub(crate) mod quotes;
pub(crate) mod simd;
mod string;

pub(crate) use container::container_end;
pub(crate) use member::member_after;
pub(crate) use string::{StringEnd, has_backslash, plain_end, string_end};
pub use string::{quote_or_backslash, string_length};

/// Skips white space from `at` on.
#[inline]
pub(crate) fn skip_space(bytes: &[u8], mut at: usize) -> usize {
    while let Some(b' ' | b'\n' | b'\t' | b'\r') = bytes.get(at) {
        at += 1;
    }
    at
}

/// The end of the number or literal that starts at `at`.
#[inline]
pub(crate) fn word_end(bytes: &[u8], mut at: usize) -> usize {
    while let Some(byte) = bytes.get(at) {
        if matches!(byte, b',' | b'}' | b']' | b' ' | b'\n' | b'\t' | b'\r') {
            break;
        }
        at += 1;
    }
    at
}

/// The end of the value that starts at `at`.
#[inline]
pub(crate) fn value_end(bytes: &[u8], at: usize) -> usize {
    match bytes.get(at) {
        Some(b'"') => string_end(bytes, at + 1).end,
        Some(b'{' | b'[') => container_end(bytes, at + 1, 1),
        _ => word_end(bytes, at),
    }
}
