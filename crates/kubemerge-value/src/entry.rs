//! The members of a map: sorted, and of repeated ones the last.

use crate::{node::Node, string::Str};

/// A member of a map.
#[derive(Clone, Copy, Debug)]
pub struct Entry<'a> {
    /// The name.
    pub key: Str<'a>,
    /// The value.
    pub value: Node<'a>,
}

/// Sorts members by name and keeps the last of repeated ones.
pub(crate) fn sort_entries(entries: &mut Vec<Entry<'_>>) {
    entries.sort_by_key(|entry| entry.key);
    let mut kept = 0;
    for at in 0..entries.len() {
        if at + 1 < entries.len() && entries[at].key == entries[at + 1].key {
            continue;
        }
        entries[kept] = entries[at];
        kept += 1;
    }
    entries.truncate(kept);
}

/// Above this many members, repeated names are looked for with a sort instead of pair by pair.
const FEW_MEMBERS: usize = 12;

/// Keeps the last of repeated members, and the order.
pub(crate) fn drop_repeated<'a>(entries: &mut bumpalo::collections::Vec<'a, Entry<'a>>) {
    if entries.len() <= FEW_MEMBERS {
        let mut at = 0;
        while at < entries.len() {
            let key = entries[at].key;
            if entries[at + 1..].iter().any(|later| later.key == key) {
                entries.remove(at);
            } else {
                at += 1;
            }
        }
        return;
    }
    let mut order: Vec<usize> = (0..entries.len()).collect();
    order.sort_by_key(|at| entries[*at].key);
    let repeated: std::collections::HashSet<usize> = order
        .windows(2)
        .filter(|pair| entries[pair[0]].key == entries[pair[1]].key)
        .map(|pair| pair[0])
        .collect();
    if !repeated.is_empty() {
        let mut at = 0;
        entries.retain(|_| {
            at += 1;
            !repeated.contains(&(at - 1))
        });
    }
}
