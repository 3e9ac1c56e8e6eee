//! Deep equality: structural, and strict about types at every level.

use super::{
    repr::{Node, Repr},
    scalar::Kind,
};
use crate::{stack::deep, text::Form};

/// Whether two values are equal; the integer 80 and the float 80.0 are not.
pub fn deep_equal(one: Node<'_>, other: Node<'_>) -> bool {
    equal(one, other, 0)
}

impl Node<'_> {
    /// Whether two values are certainly equal because their texts are. Does not look inside; `false` proves nothing.
    pub fn has_same_text(self, other: Node<'_>) -> bool {
        match (self.0, other.0) {
            (Repr::Value(one), Repr::Value(other)) => std::ptr::eq(one, other),
            (Repr::Map(one), Repr::Map(other)) | (Repr::List(one), Repr::List(other)) => {
                std::ptr::eq(one, other)
            }
            _ => by_text(self, other) == Some(true),
        }
    }
}

/// Texts are compared on every 16th level only: nested texts that differ in their last byte would otherwise
/// be compared once per level.
const COMPARE_EVERY: usize = 16;

fn equal(one: Node<'_>, other: Node<'_>, level: usize) -> bool {
    if level.is_multiple_of(COMPARE_EVERY)
        && let Some(answer) = by_text(one, other)
    {
        return answer;
    }
    match (one.kind(), other.kind()) {
        (Kind::Map, Kind::Map) => deep(|| equal_maps(one, other, level + 1)),
        (Kind::List, Kind::List) => deep(|| equal_lists(one, other, level + 1)),
        (kind, other_kind) => kind == other_kind && one.scalar() == other.scalar(),
    }
}

/// Equal texts are equal values; unequal ones prove something only if both are canonical.
fn by_text(one: Node<'_>, other: Node<'_>) -> Option<bool> {
    let (Repr::Text(one), Repr::Text(other)) = (one.0, other.0) else { return None };
    let (one, other) = (one.close(), other.close());
    if one.bytes == other.bytes {
        return Some(true);
    }
    // Different text of one canonical form means different values; elsewhere it says nothing.
    (one.form == Form::Canonical && other.form == Form::Canonical).then_some(false)
}

fn equal_maps(one: Node<'_>, other: Node<'_>, level: usize) -> bool {
    // Sorted copies, because neither order nor repetitions matter.
    let (one, other) = (one.sorted_entries(), other.sorted_entries());
    one.len() == other.len()
        && one
            .iter()
            .zip(&other)
            .all(|(one, other)| one.key == other.key && equal(one.value, other.value, level))
}

fn equal_lists(one: Node<'_>, other: Node<'_>, level: usize) -> bool {
    let mut items = Vec::new();
    other.each_element(|element| items.push(element));
    let mut count = 0;
    let mut equal = true;
    one.each_element(|element| {
        equal = equal && items.get(count).is_some_and(|item| self::equal(element, *item, level));
        count += 1;
    });
    equal && count == items.len()
}
