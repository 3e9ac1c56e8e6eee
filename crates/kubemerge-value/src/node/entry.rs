//! The members of a map: sorted, and of repeated ones the last.

use super::repr::Entry;
use crate::string::Str;

/// Sorts members by name and keeps the last of repeated ones.
pub(crate) fn sort_entries(entries: &mut Vec<Entry<'_>>) {
    entries.sort_by_key(|entry| entry.key);
    let mut kept = 0;
    for at in 0..entries.len() {
        // The sort is stable, so the last of repeated members comes last.
        if at + 1 < entries.len() && entries[at].key == entries[at + 1].key {
            continue;
        }
        entries[kept] = entries[at];
        kept += 1;
    }
    entries.truncate(kept);
}

/// Up to this many members, comparing all pairs of names is faster than sorting them.
const MAX_PAIRWISE_MEMBERS: usize = 12;

/// Whether surely no name is repeated: names rise, or they are few and differ.
pub(crate) fn is_surely_unique<'a, M>(members: &[M], key: impl Fn(&M) -> Str<'a>) -> bool {
    let is_new = |at: usize| members[..at].iter().all(|earlier| key(earlier) != key(&members[at]));
    members.is_sorted_by(|one, other| key(one) < key(other))
        || members.len() <= MAX_PAIRWISE_MEMBERS && (1..members.len()).all(is_new)
}

/// Keeps the last of repeated members, and the order.
pub(crate) fn drop_repeated<'a>(entries: &mut bumpalo::collections::Vec<'a, Entry<'a>>) {
    if is_surely_unique(entries, |entry| entry.key) {
        return;
    }
    let mut order: Vec<usize> = (0..entries.len()).collect();
    order.sort_by_key(|at| entries[*at].key);
    let mut is_repeated = vec![false; entries.len()];
    for pair in order.windows(2) {
        is_repeated[pair[0]] = entries[pair[0]].key == entries[pair[1]].key;
    }
    let mut at = 0;
    entries.retain(|_| {
        at += 1;
        !is_repeated[at - 1]
    });
}
