//! The key order of Go's yaml.v2: letters after everything else, numbers inside keys by value.

use std::cmp::Ordering;

use kubemerge_value::part::part_of;

use crate::tree::{ItemId, YamlDocument};

/// Sorts the members of a map by key.
pub(super) fn sort_members(document: &YamlDocument<'_>, members: &mut Vec<(ItemId, ItemId)>) {
    let keyed = |member: &(ItemId, ItemId)| (document.key_text(member.0).chars().collect(), *member);
    let keyed: Vec<(Vec<char>, (ItemId, ItemId))> = members.iter().map(keyed).collect();
    // The order below is not transitive for some names; std's sort may panic on such an order.
    let sorted = merge_sort(keyed, &|a, b| natural_order(&a.0, &b.0) == Ordering::Greater);
    *members = sorted.into_iter().map(|(_, member)| member).collect();
}

/// A stable sort that copes with an order that is not transitive for every odd key; `slice::sort_by` might
/// panic on one.
fn merge_sort<T>(mut items: Vec<T>, after: &impl Fn(&T, &T) -> bool) -> Vec<T> {
    if items.len() < 2 {
        return items;
    }
    let right = items.split_off(items.len() / 2);
    let mut left = merge_sort(items, after).into_iter().peekable();
    let mut right = merge_sort(right, after).into_iter().peekable();
    let mut merged = Vec::with_capacity(left.len() + right.len());
    while let (Some(a), Some(b)) = (left.peek(), right.peek()) {
        let next = if after(a, b) { right.next() } else { left.next() };
        merged.extend(next);
    }
    merged.extend(left);
    merged.extend(right);
    merged
}

fn natural_order(a: &[char], b: &[char]) -> Ordering {
    let Some((at, (&x, &y))) = a.iter().zip(b).enumerate().find(|(_, (a, b))| a != b) else {
        return a.len().cmp(&b.len());
    };
    match (x.is_alphabetic(), y.is_alphabetic()) {
        (true, true) => return x.cmp(&y),
        // Letters sort after digits and signs, as in yaml.v2.
        (true, false) => return Ordering::Greater,
        (false, true) => return Ordering::Less,
        (false, false) => {}
    }
    // Zeros count only within a number that has begun with another digit.
    let begun = x == '0' || y == '0';
    let leading = part_of(a, ..at).iter().rev().take_while(|c| c.is_ascii_digit()).any(|c| *c != '0');
    let seed = i64::from(begun && leading);
    let (x_value, x_digits) = number_at(part_of(a, at..), seed);
    let (y_value, y_digits) = number_at(part_of(b, at..), seed);
    x_value.cmp(&y_value).then(x_digits.cmp(&y_digits)).then(x.cmp(&y))
}

fn number_at(text: &[char], seed: i64) -> (i64, usize) {
    let digits = text.iter().take_while(|c| c.is_ascii_digit());
    digits.fold((seed, 0), |(value, count), digit| {
        let digit = i64::from(u32::from(*digit) - u32::from('0'));
        // Go's integers wrap around.
        (value.wrapping_mul(10).wrapping_add(digit), count + 1)
    })
}
