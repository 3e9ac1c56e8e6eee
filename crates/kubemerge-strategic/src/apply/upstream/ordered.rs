//! Upstream's order lists: merge the list, then sort what the order list names and weave in the rest.

use super::{
    clean::clean,
    keyed::compare_while_ordering,
    order_check::check_order,
    scalars::positions,
    slots::{CompoundKinds, Merged, Origin},
};
use crate::apply::{
    Merger,
    elements::{element_kind, empty_lists, expected_list, expected_map, uncomparable},
    in_place::ItemRules,
    map::Outcome,
    value::{list_or_absent, list_rule},
};
use crate::{
    directive::FieldPatch,
    error::{MergeError, MergeErrorKind},
    go_text::go_text,
    identity::Keys,
    observe::{MaybeObserver, MergeEvent, Ordering, Replacement},
    order::{WovenItem, weave},
    register::{ItemId, Positions, Register},
};
use hashbrown::HashMap;
use kubemerge_schema::{ListRule, ListStrategy, Type};
use kubemerge_value::part::item_at;
use kubemerge_value::{Entry, Kind, ListView, Node, Path, Pick, Side};

impl<'a, O: MaybeObserver> Merger<'a, '_, O> {
    /// A field with an order list, with or without a patch list beside it.
    pub(in crate::apply) fn ordered(
        &mut self,
        ty: Type<'_>,
        live: Option<Node<'a>>,
        field: &FieldPatch<'a>,
        order: Entry<'a>,
        path: &Path<'_>,
    ) -> Result<Outcome<'a>, MergeError> {
        if order.value.kind() != Kind::List {
            let (around, _) = path.split();
            return Err(expected_list(order.value, &around.unwrap_or(&Path::ROOT).field(order.key)));
        }
        let live = list_or_absent(live, path)?;
        let patch = list_or_absent(field.value, path)?;
        let rule = list_rule(ty, field.field, path)?;
        let order = order.value.elements(self.arena);
        let patch_items = patch.map_or(&[][..], |patch| patch.elements(self.arena));
        let keys = match rule.strategy {
            ListStrategy::Keyed(keys) => Some(Keys::new(keys, self.strategy, self.arena)),
            _ => None,
        };
        // The check comes before anything is merged, so its fault wins over faults of items.
        check_order(patch_items, order, keys.as_ref(), path, self.arena)?;
        // An order for a list that neither side has orders nothing.
        if live.is_none() && patch.is_none() {
            return Ok(Outcome::Keep);
        }
        let view = ListView::new(live.unwrap_or(Node::NULL), self.arena);
        let lists = Lists { rule: &rule, view: &view, patch, patch_items, order };
        let node = match keys {
            Some(keys) => self.ordered_maps(&lists, &keys, path)?,
            None => self.ordered_scalars(&lists, path)?,
        };
        Ok(Outcome::Put(node))
    }

    fn ordered_maps(
        &mut self,
        lists: &Lists<'_, 'a>,
        keys: &Keys<'_, 'a>,
        path: &Path<'_>,
    ) -> Result<Node<'a>, MergeError> {
        let mut merged = self.merged_maps(lists, keys, path)?;
        let order: Vec<ItemId> =
            lists.order.iter().map(|entry| merged.register.id(keys.read(*entry, self.arena))).collect();
        let named = order_positions(&merged, &order, lists, keys, path)?;
        if element_kind(lists.view.items(), lists.patch_items, path)?.is_none() {
            return Err(empty_lists(path));
        }
        for (entry, id) in lists.order.iter().zip(&order) {
            if entry.kind() != Kind::Map {
                return Err(expected_map(*entry, path));
            }
            if *id == ItemId::Missing {
                return Err(keys.missing(*entry, path));
            }
        }
        // Upstream takes the order of the server from a list that it has changed meanwhile.
        let memory = merged.memory();
        if memory.contains(&ItemId::Missing) {
            // Upstream: the list is read again after the merge, and needs every key
            // (apply/merge-key.yaml, `live item without the key`).
            return Err(keys.missing(lists.view.node(), path));
        }
        let places = merged.places(&named, &Positions::of(memory.into_iter()));
        if lists.view.node().kind() == Kind::List {
            compare_while_ordering(&merged.slots, &places, keys, path)?;
        }
        self.in_order(&mut merged, &places, Ordering::Directive, path);
        Ok(lists.view.pick(&merged.picks(), self.arena))
    }

    /// The merged list of maps, from whichever side has it.
    fn merged_maps<'l>(
        &mut self,
        lists: &Lists<'l, 'a>,
        keys: &Keys<'_, 'a>,
        path: &Path<'_>,
    ) -> Result<Merged<'l, 'a>, MergeError> {
        let items = lists.view.items();
        let is_live = lists.view.node().kind() == Kind::List;
        let mut register = Register::with_capacity(items.len() + lists.patch_items.len());
        if lists.patch.is_some() && is_live {
            return match element_kind(items, lists.patch_items, path)? {
                None => Ok(Merged::new(&[], &[], register)),
                Some(Kind::Map) => {
                    let rules = ItemRules { rule: lists.rule, keys };
                    self.merge_keyed(rules, lists.view, lists.patch_items, path)
                }
                Some(_) => {
                    let first = items.iter().chain(lists.patch_items).next().copied().unwrap_or(Node::NULL);
                    Err(expected_map(first, &path.index(0)))
                }
            };
        }
        if is_live {
            let slots = self.slots(keys, items, Origin::Live, &mut register);
            let live = slots.iter().map(|slot| slot.id).collect();
            return Ok(Merged { slots, live, ..Merged::new(items, &[], register) });
        }
        let added = self.added_list(lists.patch, path).elements(self.arena);
        let slots = self.slots(keys, added, Origin::Patch, &mut register);
        Ok(Merged { slots, ..Merged::new(&[], added, register) })
    }

    /// A list that live lacks: maps with `$patch` disappear, nulls stay.
    fn added_list(&mut self, patch: Option<Node<'a>>, path: &Path<'_>) -> Node<'a> {
        let patch = patch.unwrap_or(Node::NULL);
        let cleaned = clean(patch, crate::apply::Mode::Combine, self.arena).unwrap_or(patch);
        self.observer.note(path, MergeEvent::Added { value: cleaned });
        cleaned
    }

    fn ordered_scalars(&mut self, lists: &Lists<'_, 'a>, path: &Path<'_>) -> Result<Node<'a>, MergeError> {
        let merged = self.merged_scalars(lists, path)?;
        let view = lists.view;
        let node = |pick: &Pick<'a>| match pick {
            Pick::Keep(at) => *item_at(view.items(), *at),
            Pick::Put(node) => *node,
        };
        // Upstream looks values up in a Go map, which cannot hold maps and lists.
        let compound =
            lists.order.iter().copied().chain(merged.iter().map(node)).find(|v| v.scalar().is_none());
        if compound.is_some() {
            return Err(uncomparable(path));
        }
        match element_kind(view.items(), lists.patch_items, path)? {
            None => return Err(empty_lists(path)),
            Some(Kind::Map) => check_empty_key(lists, path)?,
            Some(_) => {}
        }
        let order = positions(lists.order);
        let server = positions(view.items());
        let places: Vec<WovenItem> = merged
            .iter()
            .map(|pick| {
                let position = |index: &HashMap<_, u32>| {
                    node(pick).scalar().and_then(|value| index.get(&value).copied())
                };
                let (rank, server) = (position(&order), position(&server));
                WovenItem { named: rank.is_some(), rank: rank.or(server), server, deleting: false }
            })
            .collect();
        let woven = weave(&places);
        if !woven.is_sorted() {
            self.observer.note(path, MergeEvent::Reordered { cause: Ordering::Directive });
        }
        let picks: Vec<Pick<'a>> = woven.into_iter().map(|at| *item_at(&merged, at)).collect();
        Ok(view.pick(&picks, self.arena))
    }

    /// The merged list of scalars, from whichever side has it.
    fn merged_scalars(
        &mut self,
        lists: &Lists<'_, 'a>,
        path: &Path<'_>,
    ) -> Result<Vec<Pick<'a>>, MergeError> {
        let items = lists.view.items();
        let is_live = lists.view.node().kind() == Kind::List;
        let Some(patch) = lists.patch else { return Ok((0..items.len()).map(Pick::Keep).collect()) };
        if !is_live {
            let added = self.added_list(Some(patch), path);
            return Ok(added.elements(self.arena).iter().map(|item| Pick::Put(*item)).collect());
        }
        if lists.rule.strategy == ListStrategy::Atomic {
            let event = MergeEvent::ListReplaced { from: Some(lists.view.node()), cause: Replacement::Rule };
            self.observer.note(path, event);
            return Ok(lists.patch_items.iter().map(|item| Pick::Put(*item)).collect());
        }
        match element_kind(items, lists.patch_items, path)? {
            None => Ok(Vec::new()),
            Some(Kind::Map) => Err(crate::apply::elements::no_merge_key(&lists.rule.item.name(), path)),
            Some(_) => self.merge_scalars(lists.rule, lists.view, lists.patch_items, path),
        }
    }
}

// Upstream: an atomic list of maps that the patch empties is still put in order, by the empty key.
// Only generated cases of `cargo xtask conformance` reach this.
fn check_empty_key(lists: &Lists<'_, '_>, path: &Path<'_>) -> Result<(), MergeError> {
    if let Some(entry) = lists.order.first() {
        return Err(expected_map(*entry, path));
    }
    match lists.view.items().iter().enumerate().find(|(_, item)| item.get("").is_none()) {
        Some((at, item)) => {
            let message = format!("map: {} does not contain declared merge key: ", go_text(*item));
            Err(MergeError::new(MergeErrorKind::MissingMergeKey, &path.only(Side::Live, at), message)
                .about_keys([""])
                .with_hint("leave out the order list: this list is replaced as a whole"))
        }
        None => Ok(()),
    }
}

/// What an order list works on.
struct Lists<'l, 'a> {
    rule: &'l ListRule<'l>,
    view: &'l ListView<'a>,
    patch: Option<Node<'a>>,
    patch_items: &'a [Node<'a>],
    order: &'a [Node<'a>],
}

/// The first position of every item in the order list; every merged item needs its key here.
///
/// Upstream reads the order list from the start for each item, up to the entry that names it.
fn order_positions<'a>(
    merged: &Merged<'_, 'a>,
    order: &[ItemId],
    lists: &Lists<'_, 'a>,
    keys: &Keys<'_, 'a>,
    path: &Path<'_>,
) -> Result<Positions, MergeError> {
    let is_map = |entry: &&Node<'a>| entry.kind() == Kind::Map;
    let readable = lists.order.iter().take_while(is_map).count();
    let positions = Positions::of(order.iter().take(readable).copied());
    let mut compound = CompoundKinds::default();
    let entries = lists.order.iter().zip(order).take(readable);
    for (entry, _) in entries.filter(|(_, id)| **id == ItemId::Compound) {
        compound.add(*entry, keys);
    }
    for slot in &merged.slots {
        let node = merged.node(slot);
        if node.kind() != Kind::Map {
            return Err(expected_map(node, &slot.path(path)));
        }
        match slot.id {
            ItemId::Missing => return Err(keys.missing(node, &slot.path(path))),
            ItemId::Compound if compound.has(node, keys) => return Err(keys.compound(0, &slot.path(path))),
            _ => {}
        }
        if readable < order.len() && positions.get(slot.id).is_none() {
            return Err(entry_is_no_map(readable, path));
        }
    }
    Ok(positions)
}

fn entry_is_no_map(at: usize, path: &Path<'_>) -> MergeError {
    let message = format!("value for key {at} is not a map");
    MergeError::new(MergeErrorKind::ExpectedMap, path, message)
        .with_hint("entries of this order list are maps with the merge key")
}
