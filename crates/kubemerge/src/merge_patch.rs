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
    if sorted { patch.sorted_entries() } else { patch.entries(arena).to_vec() }
}

fn merge_member<'a>(edit: &mut MapEdit<'a>, entry: Entry<'a>, arena: &'a Arena) {
    match (edit.seek(entry.key), entry.value.is_null()) {
        // A null removes the member.
        (Some(_), true) => edit.remove(),
        (None, true) => {}
        (None, false) => edit.insert(entry.key, pruned(entry.value, arena)),
        (Some(live), false) => edit.replace(merged(live, entry.value, arena)),
    }
}

fn merged<'a>(live: Node<'a>, value: Node<'a>, arena: &'a Arena) -> Node<'a> {
    match (live.kind(), value.kind()) {
        (Kind::Map, Kind::Map) => deep(|| apply(live, value, arena)),
        // Upstream: what takes the place of a map keeps its nulls. Case `a list over a map keeps its nulls`.
        (Kind::Map, _) => value,
        _ => pruned(value, arena),
    }
}

/// The value without null members, at any depth; null elements of lists stay.
fn pruned<'a>(value: Node<'a>, arena: &'a Arena) -> Node<'a> {
    without_nulls(value, arena).unwrap_or(value)
}

/// The value without null members, if it has any.
fn without_nulls<'a>(value: Node<'a>, arena: &'a Arena) -> Option<Node<'a>> {
    match value.kind() {
        Kind::Map => deep(|| map_without_nulls(value, arena)),
        Kind::List => deep(|| list_without_nulls(value, arena)),
        _ => None,
    }
}

fn map_without_nulls<'a>(value: Node<'a>, arena: &'a Arena) -> Option<Node<'a>> {
    let mut changed = false;
    let mut kept = Vec::new();
    for entry in value.entries(arena) {
        if entry.value.is_null() {
            changed = true;
            continue;
        }
        let pruned = without_nulls(entry.value, arena);
        changed |= pruned.is_some();
        kept.push((entry.key, pruned.unwrap_or(entry.value)));
    }
    changed.then(|| map(kept, arena))
}

fn list_without_nulls<'a>(value: Node<'a>, arena: &'a Arena) -> Option<Node<'a>> {
    let items = value.elements(arena);
    let pruned: Vec<_> = items.iter().map(|item| without_nulls(*item, arena)).collect();
    if pruned.iter().all(Option::is_none) {
        return None;
    }
    Some(list(items.iter().zip(pruned).map(|(item, pruned)| pruned.unwrap_or(*item)), arena))
}
