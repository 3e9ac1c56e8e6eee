//! Upstream's merge of keyed lists: one key, found by hash.

use super::slots::{CompoundKinds, Merged, Origin, Slot};
use crate::apply::{Merger, Mode, error_order::first_list_fault, in_place::ItemRules, unknown_patch};
use crate::{
    directive::{MapPatch, PatchWord},
    error::{MergeError, MergeErrorKind},
    identity::Keys,
    observe::{MaybeObserver, MergeEvent, Ordering, Removal, Replacement},
    order::{WovenItem, asked_for, weave},
    register::{ItemId, Positions, Register},
    repeats::Used,
};
use kubemerge_value::part::{item_at, item_at_mut};
use kubemerge_value::{ListView, Node, Path, deep};

/// The patch list, taken apart.
struct Parts {
    /// The plain items, as positions in the patch.
    plain: Vec<(usize, ItemId)>,
    /// The delete items.
    deletes: Vec<(usize, ItemId)>,
    replace: bool,
    /// The fault of the first item that is neither; those after it were not looked at.
    fault: Option<MergeError>,
}

impl<'a, O: MaybeObserver> Merger<'a, '_, O> {
    /// Merges the items of a keyed list and puts them in order.
    pub(in crate::apply) fn merge_keyed<'l>(
        &mut self,
        rules: ItemRules<'_, '_, 'a>,
        view: &'l ListView<'a>,
        patch: &'l [Node<'a>],
        path: &Path<'_>,
    ) -> Result<Merged<'l, 'a>, MergeError> {
        let keys = rules.keys;
        self.note_merge(keys, path);
        // Patch items are numbered first, as upstream reads the patch before it reads the live list.
        let mut register = Register::with_capacity(view.items().len() + patch.len());
        let parts = self.take_apart(keys, patch, &mut register, path);
        let live = self.slots(keys, view.items(), Origin::Live, &mut register);
        let mut merged = Merged::new(view.items(), patch, register);
        merged.live = live.iter().map(|slot| slot.id).collect();
        first_list_fault(check_delete_items(&merged, &parts.deletes, keys, path), parts.fault)?;
        merged.deleted = self.delete_items(&merged, &parts.deletes, path);
        if parts.replace {
            let cause = Replacement::PatchDirective;
            self.observer.note(path, MergeEvent::ListReplaced { from: Some(view.node()), cause });
            // After a replace marker the plain items are the list.
            merged.slots =
                parts.plain.iter().map(|(at, id)| Slot::new(Origin::Patch(*at as u32), *id)).collect();
            self.in_patch_order(&mut merged, &[], keys, path)?;
        } else {
            merged.slots = survivors(live, &merged.deleted, parts.plain.len());
            self.merge_items(rules, &mut merged, &parts.plain, path)?;
            self.in_patch_order(&mut merged, &parts.plain, keys, path)?;
        }
        Ok(merged)
    }

    /// Takes the patch apart, up to the first item at fault.
    fn take_apart(
        &self,
        keys: &Keys<'_, 'a>,
        patch: &[Node<'a>],
        register: &mut Register<'a>,
        path: &Path<'_>,
    ) -> Parts {
        let plain = Vec::with_capacity(patch.len());
        let mut parts = Parts { plain, deletes: Vec::new(), replace: false, fault: None };
        for (at, item) in patch.iter().enumerate() {
            let (keyed, is_marked) = keys.read_marked(*item, self.arena);
            let word = if is_marked { PatchWord::in_map(*item) } else { None };
            let path = path.index(at);
            match (word, register.id(keyed)) {
                (None, id) => parts.plain.push((at, id)),
                (Some(PatchWord::Delete), ItemId::Missing) => parts.fault = Some(keys.missing(*item, &path)),
                (Some(PatchWord::Delete), id) => parts.deletes.push((at, id)),
                (Some(PatchWord::Replace), _) => parts.replace = true,
                (Some(PatchWord::Merge), _) => parts.fault = Some(merge_unsupported(&path)),
                (Some(PatchWord::Unknown), _) => parts.fault = Some(unknown_patch(*item, &path)),
            }
            if parts.fault.is_some() {
                break;
            }
        }
        parts
    }

    /// The items of a list, which come from one side.
    pub(in crate::apply) fn slots(
        &self,
        keys: &Keys<'_, 'a>,
        items: &[Node<'a>],
        side: fn(u32) -> Origin,
        register: &mut Register<'a>,
    ) -> Vec<Slot> {
        let slot = |(at, item): (usize, &Node<'a>)| {
            let (keyed, is_marked) = keys.read_marked(*item, self.arena);
            let is_delete_item = is_marked && is_delete_item(*item);
            Slot { is_delete_item, ..Slot::new(side(at as u32), register.id(keyed)) }
        };
        items.iter().enumerate().map(slot).collect()
    }

    /// The live items that delete items remove, in the order in which upstream removes them.
    fn delete_items(
        &mut self,
        merged: &Merged<'_, 'a>,
        deletes: &[(usize, ItemId)],
        path: &Path<'_>,
    ) -> Vec<usize> {
        if deletes.is_empty() {
            return Vec::new();
        }
        let by_delete = Positions::of(deletes.iter().map(|(_, id)| *id));
        let hit = |(at, id): (usize, &ItemId)| by_delete.get(*id).map(|delete| (delete, at));
        let mut hits: Vec<(u32, usize)> = merged.live.iter().enumerate().filter_map(hit).collect();
        // The order of deletions decides what is left in the memory of the list; see `Merged::memory`.
        hits.sort_by_key(|(delete, _)| *delete);
        for (_, at) in &hits {
            let value = *item_at(merged.live_items, *at);
            let event = MergeEvent::Removed { value, cause: Removal::PatchDirective };
            self.observer.note(&path.index(*at), event);
        }
        hits.into_iter().map(|(_, at)| at).collect()
    }

    fn merge_items(
        &mut self,
        rules: ItemRules<'_, '_, 'a>,
        merged: &mut Merged<'_, 'a>,
        plain: &[(usize, ItemId)],
        path: &Path<'_>,
    ) -> Result<(), MergeError> {
        let keys = rules.keys;
        let mut first = Positions::of(merged.slots.iter().map(|slot| slot.id));
        let mut compound = merged.compound_kinds(keys);
        for (at, id) in plain {
            let item = *item_at(merged.patch, *at);
            match (id, first.get(*id)) {
                (ItemId::Missing, _) => return Err(keys.missing(item, &path.index(*at))),
                (ItemId::Compound, _) if !compound.add(item, keys) => {
                    return Err(keys.compound(0, &path.index(*at)));
                }
                (ItemId::Known(_), Some(found)) => {
                    self.merge_item(rules, merged, found as usize, *at, path)?;
                    continue;
                }
                (ItemId::Known(_), None) => self.note_new_item(keys, item, &path.index(*at)),
                (ItemId::Compound, _) => {}
            }
            // A later item of the same key is merged into this one.
            first.note(*id, merged.slots.len());
            merged.added.push(*id);
            merged.slots.push(Slot::new(Origin::Patch(*at as u32), *id));
        }
        Ok(())
    }

    fn note_new_item(&mut self, keys: &Keys<'_, 'a>, item: Node<'a>, path: &Path<'_>) {
        if O::WATCHES {
            let pairs = keys.pairs_of(item, self.arena);
            self.observer.note(path, MergeEvent::ItemAdded { keys: &pairs, value: item });
        }
    }

    fn merge_item(
        &mut self,
        rules: ItemRules<'_, '_, 'a>,
        merged: &mut Merged<'_, 'a>,
        found: usize,
        patch_at: usize,
        path: &Path<'_>,
    ) -> Result<(), MergeError> {
        let slot = *item_at(&merged.slots, found);
        let (item, base) = (*item_at(merged.patch, patch_at), merged.node(&slot));
        let path = slot.path_with(patch_at, path);
        if O::WATCHES {
            self.observer
                .note(&path, MergeEvent::ItemMatched { keys: &rules.keys.pairs_of(item, self.arena) });
        }
        // Only a second merge of one item counts against the limit: the first is bounded by the inputs.
        let again = slot.changed.map(|_| Used::of(self.arena));
        let patch = MapPatch::parse(item, self.arena);
        let node = deep(|| self.map(rules.rule.item, Some(base), &patch, &path))?;
        if let Some(before) = again {
            self.repeats.note(before, self.arena, &path)?;
        }
        merged.change(found, node);
        // Upstream: a null key matches, and the merge removes it (apply/merge-key.yaml, `null key on both sides`).
        if self.mode == Mode::Apply && merged.register.is_null(slot.id) {
            item_at_mut(&mut merged.slots, found).id = ItemId::Missing;
        }
        Ok(())
    }

    /// Every item needs its key now; then the weave of patch and live order.
    fn in_patch_order(
        &mut self,
        merged: &mut Merged<'_, 'a>,
        plain: &[(usize, ItemId)],
        keys: &Keys<'_, 'a>,
        path: &Path<'_>,
    ) -> Result<(), MergeError> {
        check_keys(merged, plain, keys, path)?;
        let named = Positions::of(plain.iter().map(|(_, id)| *id));
        // Positions in the live list after the deletions; after a replace marker, in the list itself.
        let counted = |slot: &&Slot| plain.is_empty() || matches!(slot.origin, Origin::Live(_));
        let server = Positions::of(merged.slots.iter().filter(counted).map(|slot| slot.id));
        let places = merged.places(&named, &server);
        compare_while_ordering(&merged.slots, &places, keys, path)?;
        self.in_order(merged, &places, Ordering::PatchList, path);
        Ok(())
    }

    /// Puts the slots in the order of the weave.
    pub(in crate::apply) fn in_order(
        &mut self,
        merged: &mut Merged<'_, 'a>,
        places: &[WovenItem],
        cause: Ordering,
        path: &Path<'_>,
    ) {
        let order = weave(places);
        if !order.is_sorted() {
            self.observer.note(path, MergeEvent::Reordered { cause });
            merged.slots = order.into_iter().map(|at| *item_at(&merged.slots, at)).collect();
        }
    }
}

/// The live items that no delete item removed, with room for new ones.
fn survivors(live: Vec<Slot>, deleted: &[usize], new: usize) -> Vec<Slot> {
    let mut alive = vec![true; live.len()];
    deleted.iter().for_each(|at| *item_at_mut(&mut alive, *at) = false);
    let mut slots = Vec::with_capacity(live.len() + new);
    slots.extend(live.into_iter().zip(alive).filter_map(|(slot, alive)| alive.then_some(slot)));
    slots
}

/// A delete item whose key is a map or list matches nothing, but it is compared with its like.
fn check_delete_items(
    merged: &Merged<'_, '_>,
    deletes: &[(usize, ItemId)],
    keys: &Keys<'_, '_>,
    path: &Path<'_>,
) -> Result<(), MergeError> {
    let mut live = CompoundKinds::default();
    for (item, id) in merged.live_items.iter().zip(&merged.live) {
        if *id == ItemId::Compound {
            live.add(*item, keys);
        }
    }
    let is_compared =
        |(at, id): &&(usize, ItemId)| *id == ItemId::Compound && live.has(*item_at(merged.patch, *at), keys);
    match deletes.iter().find(is_compared) {
        Some((at, _)) => Err(keys.compound(0, &path.index(*at))),
        None => Ok(()),
    }
}

/// Upstream compares keys with Go's `==`, which cannot compare maps and lists with their like: first every
/// item with the plain items of the patch, later while the items are put in order.
fn check_keys(
    merged: &Merged<'_, '_>,
    plain: &[(usize, ItemId)],
    keys: &Keys<'_, '_>,
    path: &Path<'_>,
) -> Result<(), MergeError> {
    let mut named = CompoundKinds::default();
    for (at, _) in plain.iter().filter(|(_, id)| *id == ItemId::Compound) {
        named.add(*item_at(merged.patch, *at), keys);
    }
    for slot in &merged.slots {
        match slot.id {
            ItemId::Missing => return Err(keys.missing(merged.node(slot), &slot.path(path))),
            ItemId::Compound if named.has(merged.node(slot), keys) => {
                return Err(keys.compound(0, &slot.path(path)));
            }
            _ => {}
        }
    }
    Ok(())
}

/// An item whose key is a map or list cannot be looked for in the server's order, where it is itself.
pub(in crate::apply) fn compare_while_ordering(
    slots: &[Slot],
    places: &[WovenItem],
    keys: &Keys<'_, '_>,
    path: &Path<'_>,
) -> Result<(), MergeError> {
    let is_compound = |at: usize| item_at(slots, at).id == ItemId::Compound;
    // Keys that are maps or lists are rare, and the check is as long as the sort.
    if !(0..slots.len()).any(is_compound) {
        return Ok(());
    }
    match asked_for(places, is_compound) {
        Some(at) => Err(keys.compound(0, &item_at(slots, at).path(path))),
        None => Ok(()),
    }
}

pub(in crate::apply) fn is_delete_item(item: Node<'_>) -> bool {
    PatchWord::in_map(item) == Some(PatchWord::Delete)
}

fn merge_unsupported(path: &Path<'_>) -> MergeError {
    MergeError::new(
        MergeErrorKind::MergeDirectiveUnsupported,
        path,
        "merging lists cannot yet be specified in the patch",
    )
    .with_hint("leave out `$patch: merge`: items merge without it")
}
