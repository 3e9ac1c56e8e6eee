//! Parts and items by position: the one place where texts and tables are sliced and indexed.
//!
//! Only for positions that were found in the same text or items. All others are looked up with `get`.

use std::slice::SliceIndex;

/// The part between positions that a walk over the same bytes or items has found.
///
/// # Panics
/// If a position is beyond the end. Another part in its place would be a wrong result.
#[expect(
    clippy::indexing_slicing,
    reason = "a walk goes forward and stops at the end, so its positions rise and none is beyond the end"
)]
#[inline(always)]
pub fn part_of<T, R: SliceIndex<[T], Output = [T]>>(items: &[T], range: R) -> &[T] {
    &items[range]
}

/// The part of a text between positions of characters that a walk over it has found.
///
/// # Panics
/// If a position is beyond the end or inside a character.
#[expect(
    clippy::string_slice,
    reason = "a walk goes forward from character to character and stops at the end"
)]
#[inline]
pub fn text_of<R: SliceIndex<str, Output = str>>(text: &str, range: R) -> &str {
    &text[range]
}

/// The item of a number that was given to it when it was added.
///
/// # Panics
/// If it is beyond the end. Another item in its place would be a wrong result.
#[expect(
    clippy::indexing_slicing,
    reason = "items are never removed, so a number that was given out stays within them"
)]
#[inline(always)]
pub fn item_at<T>(items: &[T], at: usize) -> &T {
    &items[at]
}

/// The same item, to be changed.
///
/// # Panics
/// If it is beyond the end. A change of another item would be a wrong result.
#[expect(
    clippy::indexing_slicing,
    reason = "items are never removed, so a number that was given out stays within them"
)]
#[inline(always)]
pub fn item_at_mut<T>(items: &mut [T], at: usize) -> &mut T {
    &mut items[at]
}
