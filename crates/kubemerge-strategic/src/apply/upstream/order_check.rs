//! Upstream's check that a patch list fits its order list: the plain items are a subsequence of it.

use crate::apply::elements::{expected_map, uncomparable};
use crate::{
    directive::{PATCH, PatchWord, SET_ELEMENT_ORDER},
    error::{MergeError, MergeErrorKind},
    go_text::go_list,
    identity::{Keyed, Keys},
};
use kubemerge_value::{Arena, Kind, Node, Path};

/// Walks patch and order list together. Skipped when one of them is empty.
pub(in crate::apply) fn check_order<'a>(
    patch: &[Node<'a>],
    order: &[Node<'a>],
    keys: Option<&Keys<'_, 'a>>,
    path: &Path<'_>,
    arena: &'a Arena,
) -> Result<(), MergeError> {
    if patch.is_empty() || order.is_empty() {
        return Ok(());
    }
    let items = without_delete_items(patch, keys, path)?;
    let mut entries = order.iter().enumerate();
    let mut at = 0;
    while let Some(&(index, item)) = items.get(at) {
        // Upstream: an item with a directive is passed over, but only while order entries are left
        // (apply/element-order.yaml, `trailing replace marker`).
        if entries.len() == 0 {
            return Err(mismatch(patch, order, &path.index(index)));
        }
        if item.get(PATCH).is_some() {
            at += 1;
            continue;
        }
        let Some((_, entry)) = entries.next() else { break };
        if same(item, *entry, keys, &path.index(index), arena)? {
            at += 1;
        }
    }
    Ok(())
}

/// The items that say nothing of deletion, with their positions. In a keyed list all of them must be maps.
fn without_delete_items<'a>(
    patch: &[Node<'a>],
    keys: Option<&Keys<'_, 'a>>,
    path: &Path<'_>,
) -> Result<Vec<(usize, Node<'a>)>, MergeError> {
    let mut items = Vec::with_capacity(patch.len());
    for (at, item) in patch.iter().enumerate() {
        if keys.is_some() && item.kind() != Kind::Map {
            return Err(expected_map(*item, &path.index(at)));
        }
        if keys.is_none() || PatchWord::in_map(*item) != Some(PatchWord::Delete) {
            items.push((at, *item));
        }
    }
    Ok(items)
}

/// Whether an order entry names the item.
fn same<'a>(
    item: Node<'a>,
    entry: Node<'a>,
    keys: Option<&Keys<'_, 'a>>,
    path: &Path<'_>,
    arena: &'a Arena,
) -> Result<bool, MergeError> {
    let Some(keys) = keys else { return same_value(item, entry, path) };
    if entry.kind() != Kind::Map {
        return Err(expected_map(entry, path));
    }
    match (keys.read(item, arena), keys.read(entry, arena)) {
        (Keyed::Missing, _) => Err(keys.missing(item, path)),
        (_, Keyed::Missing) => Err(keys.missing(entry, path)),
        (Keyed::As { identity: one, .. }, Keyed::As { identity: other, .. }) => Ok(one == other),
        (Keyed::Compound(at), Keyed::Compound(_)) if same_key_kind(item, entry, keys.name(at)) => {
            Err(keys.compound(at, path))
        }
        _ => Ok(false),
    }
}

/// Whether the values of a key are of one kind.
fn same_key_kind(one: Node<'_>, other: Node<'_>, key: &str) -> bool {
    one.get(key).map(Node::kind) == other.get(key).map(Node::kind)
}

/// Without keys, values are compared; maps and lists cannot be.
fn same_value(item: Node<'_>, entry: Node<'_>, path: &Path<'_>) -> Result<bool, MergeError> {
    match (item.scalar(), entry.scalar()) {
        (Some(one), Some(other)) => Ok(one == other),
        (None, None) if item.kind() == entry.kind() => Err(uncomparable(path)),
        _ => Ok(false),
    }
}

fn mismatch(patch: &[Node<'_>], order: &[Node<'_>], path: &Path<'_>) -> MergeError {
    let message = format!(
        "The order in patch list:\n{}\n doesn't match {SET_ELEMENT_ORDER} list:\n{}\n",
        go_list(patch),
        go_list(order)
    );
    MergeError::new(MergeErrorKind::ElementOrderMismatch, path, message)
        .with_hint("name every item of the patch in the order list, in the same order")
}
