//! The members of a map: sorted, and of repeated ones the last.

use hashbrown::HashSet;

use super::repr::Entry;
use crate::string::Str;

/// Sorts members by name and keeps the last of repeated ones.
pub(crate) fn sort_entries(entries: &mut Vec<Entry<'_>>) {
    entries.sort_by_key(|entry| entry.key);
    // The sort is stable, so the last of repeated members comes last.
    entries.dedup_by(|later, kept| {
        let is_repeated = later.key == kept.key;
        if is_repeated {
            *kept = *later;
        }
        is_repeated
    });
}

/// Up to this many members, comparing all pairs of names is faster than sorting them.
const MAX_PAIRWISE_MEMBERS: usize = 12;

/// Whether surely no name is repeated: names rise, or they are few and differ.
pub(crate) fn is_surely_unique<'a, M>(members: &[M], key: impl Fn(&M) -> Str<'a>) -> bool {
    let is_new =
        |(at, member): (usize, &M)| members.iter().take(at).all(|earlier| key(earlier) != key(member));
    members.is_sorted_by(|one, other| key(one) < key(other))
        || members.len() <= MAX_PAIRWISE_MEMBERS && members.iter().enumerate().all(is_new)
}

/// Keeps the last of repeated members, and the order.
pub(crate) fn drop_repeated<'a>(entries: &mut bumpalo::collections::Vec<'a, Entry<'a>>) {
    if is_surely_unique(entries, |entry| entry.key) {
        return;
    }
    let mut by_key: Vec<(usize, Str<'a>)> = entries.iter().map(|entry| entry.key).enumerate().collect();
    by_key.sort_by_key(|(_, key)| *key);
    let repeated = by_key.windows(2).filter_map(|pair| match pair {
        [(at, key), (_, next)] if key == next => Some(*at),
        _ => None,
    });
    let repeated: HashSet<usize> = repeated.collect();
    let mut places = 0..;
    entries.retain(|_| places.next().is_none_or(|at| !repeated.contains(&at)));
}
