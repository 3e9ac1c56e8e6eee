//! Room for recursion: documents may be nested 10,000 levels deep, on any thread.
//!
//! The stack of a WebAssembly instance cannot grow; there [`MAX_DEPTH`](crate::MAX_DEPTH) is so small that it need
//! not.

/// What must be left of the stack before a level of recursion is entered.
// More than any one level of our walks takes.
#[cfg(not(target_family = "wasm"))]
const RED_ZONE: usize = 64 * 1024;
/// What is added when less is left.
// As much as a thread has by default, so that growing stays rare.
#[cfg(not(target_family = "wasm"))]
const GROWTH: usize = 2 * 1024 * 1024;

/// Runs one level of a recursion, on a larger stack if this one runs out.
#[cfg(not(target_family = "wasm"))]
#[inline]
pub fn deep<R>(level: impl FnOnce() -> R) -> R {
    stacker::maybe_grow(RED_ZONE, GROWTH, level)
}

/// Runs one level of a recursion.
#[cfg(target_family = "wasm")]
#[inline]
pub fn deep<R>(level: impl FnOnce() -> R) -> R {
    level()
}
