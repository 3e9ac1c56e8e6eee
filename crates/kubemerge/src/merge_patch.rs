//! JSON merge patch (RFC 7386) as the API server applies it.

use kubemerge_value::{Arena, Entry, Kind, MapEdit, Node, deep, list, map};

/// Merges a patch into a map.
pub(crate) fn apply<'a>(live: Node<'a>, patch: Node<'a>, arena: &'a Arena) -> Node<'a> {
    let mut edit = MapEdit::new(live, arena);
    for entry in members(patch, edit.wants_sorted_keys(), arena) {
        merge_member(&mut edit, entry, arena);
    }
    edit.finish()
}

fn members<'a>(patch: Node<'a>, sorted: bool, arena: &'a Arena) -> Vec<Entry<'a>> {
    // Canonical text is edited in one pass, in order; elsewhere new members keep the order of the patch.
    if sorted { patch.sorted_entries() } else { patch.entries(arena).to_vec() }
}

fn merge_member<'a>(edit: &mut MapEdit<'a>, entry: Entry<'a>, arena: &'a Arena) {
    match (edit.seek(entry.key), entry.value.is_null()) {
        // A null removes the member.
        (Some(_), true) => edit.remove(),
        (None, true) => {}
        (None, false) => edit.insert(entry.key, taken(entry.value, arena)),
        (Some(live), false) => edit.replace(merged(live, entry.value, arena)),
    }
}

fn merged<'a>(live: Node<'a>, value: Node<'a>, arena: &'a Arena) -> Node<'a> {
    match (live.kind(), value.kind()) {
        (Kind::Map, Kind::Map) => deep(|| apply(live, value, arena)),
        // Upstream: what takes the place of a map keeps its nulls. Case `a list over a map keeps its nulls`.
        (Kind::Map, _) => value,
        _ => taken(value, arena),
    }
}

/// A new value without its null members.
fn taken<'a>(value: Node<'a>, arena: &'a Arena) -> Node<'a> {
    pruned(value, arena).unwrap_or(value)
}

/// The value without null members, at any depth, if it has any; null elements of lists stay.
pub(crate) fn pruned<'a>(value: Node<'a>, arena: &'a Arena) -> Option<Node<'a>> {
    match value.kind() {
        Kind::Map => deep(|| pruned_map(value, arena)),
        Kind::List => deep(|| pruned_list(value, arena)),
        _ => None,
    }
}

fn pruned_map<'a>(value: Node<'a>, arena: &'a Arena) -> Option<Node<'a>> {
    let mut changed = false;
    let mut kept = Vec::new();
    for entry in value.entries(arena) {
        if entry.value.is_null() {
            changed = true;
            continue;
        }
        let pruned = pruned(entry.value, arena);
        changed |= pruned.is_some();
        kept.push((entry.key, pruned.unwrap_or(entry.value)));
    }
    changed.then(|| map(kept, arena))
}

fn pruned_list<'a>(value: Node<'a>, arena: &'a Arena) -> Option<Node<'a>> {
    let items = value.elements(arena);
    let pruned: Vec<_> = items.iter().map(|item| pruned(*item, arena)).collect();
    if pruned.iter().all(Option::is_none) {
        // Nothing to prune: the list is shared, not copied.
        return None;
    }
    Some(list(items.iter().zip(pruned).map(|(item, pruned)| pruned.unwrap_or(*item)), arena))
}
