//! Upstream's order lists: merge the list, then sort what the order list names and weave in the rest.

use super::{
    Merger,
    clean::clean,
    elements::{element_kind, empty_lists, expected_list, expected_map, uncomparable},
    keyed::{Merged, Slot, compare_while_ordering, is_delete_item, lookup},
    map::Outcome,
    order_check::check_order,
    scalars::positions,
    value::{list_or_absent, list_rule},
};
use crate::{
    directive::FieldPatch,
    error::{Error, ErrorKind},
    go_text::go_text,
    identity::{Identity, Keyed, Keys},
    observe::{Event, Observer, Ordering, Replacement},
    order::{Place, weave},
};
use hashbrown::{HashMap, HashSet};
use kubemerge_schema::{ListRule, ListStrategy, Type};
use kubemerge_value::{Entry, Kind, ListView, Node, Path, Pick};

impl<'a, O: Observer> Merger<'a, '_, O> {
    /// A field with an order list, with or without a patch list beside it.
    pub(super) fn ordered(
        &mut self,
        ty: Type<'_>,
        live: Option<Node<'a>>,
        field: &FieldPatch<'a>,
        order: Entry<'a>,
        path: &Path<'_>,
    ) -> Result<Outcome<'a>, Error> {
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
            ListStrategy::Keyed(keys) => Some(Keys::new(keys, self.dialect, self.arena)),
            _ => None,
        };
        check_order(patch_items, order, keys.as_ref(), path, self.arena)?;
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
    ) -> Result<Node<'a>, Error> {
        let merged = self.merged_maps(lists, keys, path)?;
        let order = order_positions(lists.order, &merged.slots, keys, path, self.arena)?;
        if element_kind(lists.view.items(), lists.patch_items, path)?.is_none() {
            return Err(empty_lists(path));
        }
        for entry in lists.order {
            if entry.kind() != Kind::Map {
                return Err(expected_map(*entry, path));
            }
            if let Keyed::Missing = keys.read(*entry, self.arena) {
                return Err(keys.missing(*entry, path));
            }
        }
        let mut server: HashMap<Identity<'a>, u32> = HashMap::new();
        for (at, keyed) in merged.memory.iter().enumerate() {
            match keyed {
                Keyed::As { identity, .. } => _ = server.entry(*identity).or_insert(at as u32),
                // Upstream: the list is read again after the merge, and needs every key.
                Keyed::Missing => return Err(keys.missing(lists.view.node(), path)),
                Keyed::Compound(_) => {}
            }
        }
        let places: Vec<Place> = merged
            .slots
            .iter()
            .map(|slot| {
                let (rank, server) = (lookup(slot.keyed, &order), lookup(slot.keyed, &server));
                let deleting = is_delete_item(slot.node);
                Place { named: rank.is_some(), rank: rank.or(server), server, deleting }
            })
            .collect();
        if lists.view.node().kind() == Kind::List {
            compare_while_ordering(&merged.slots, &places, keys, path)?;
        }
        let slots = self.in_order(merged.slots, &places, Ordering::Directive, path);
        let picks: Vec<Pick<'a>> = slots.iter().map(Slot::pick).collect();
        Ok(lists.view.pick(&picks, self.arena))
    }

    /// The merged list of maps, from whichever side has it.
    fn merged_maps(
        &mut self,
        lists: &Lists<'_, 'a>,
        keys: &Keys<'_, 'a>,
        path: &Path<'_>,
    ) -> Result<Merged<'a>, Error> {
        let items = lists.view.items();
        let is_live = lists.view.node().kind() == Kind::List;
        if lists.patch.is_some() && is_live {
            return match element_kind(items, lists.patch_items, path)? {
                None => Ok(Merged { slots: Vec::new(), memory: Vec::new() }),
                Some(Kind::Map) => self.merge_keyed(lists.rule, keys, lists.view, lists.patch_items, path),
                Some(_) => {
                    let first = items.iter().chain(lists.patch_items).next().copied().unwrap_or(Node::NULL);
                    Err(expected_map(first, &path.index(0)))
                }
            };
        }
        let slots: Vec<Slot<'a>> = if is_live {
            let slot = |(at, item): (usize, &Node<'a>)| Slot::live(at, *item, keys.read(*item, self.arena));
            items.iter().enumerate().map(slot).collect()
        } else {
            let patch = self.added_list(lists.patch, path);
            let slot = |(at, item): (usize, &Node<'a>)| Slot::new(at, *item, keys.read(*item, self.arena));
            patch.elements(self.arena).iter().enumerate().map(slot).collect()
        };
        let memory = if is_live { slots.iter().map(|slot| slot.keyed).collect() } else { Vec::new() };
        Ok(Merged { slots, memory })
    }

    /// A list that live lacks: maps with `$patch` disappear, nulls stay.
    fn added_list(&mut self, patch: Option<Node<'a>>, path: &Path<'_>) -> Node<'a> {
        let patch = patch.unwrap_or(Node::NULL);
        let cleaned = clean(patch, super::Mode::Combine, self.arena).unwrap_or(patch);
        self.observer.note(path, Event::Added { value: cleaned });
        cleaned
    }

    fn ordered_scalars(&mut self, lists: &Lists<'_, 'a>, path: &Path<'_>) -> Result<Node<'a>, Error> {
        let merged = self.merged_scalars(lists, path)?;
        let view = lists.view;
        let node = |pick: &Pick<'a>| match pick {
            Pick::Keep(at) => view.items()[*at],
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
        let places: Vec<Place> = merged
            .iter()
            .map(|pick| {
                let position = |index: &HashMap<_, u32>| {
                    node(pick).scalar().and_then(|value| index.get(&value).copied())
                };
                let (rank, server) = (position(&order), position(&server));
                Place { named: rank.is_some(), rank: rank.or(server), server, deleting: false }
            })
            .collect();
        let woven = weave(&places);
        if !woven.is_sorted() {
            self.observer.note(path, Event::Reordered { cause: Ordering::Directive });
        }
        let picks: Vec<Pick<'a>> = woven.into_iter().map(|at| merged[at]).collect();
        Ok(view.pick(&picks, self.arena))
    }

    /// The merged list of scalars, from whichever side has it.
    fn merged_scalars(&mut self, lists: &Lists<'_, 'a>, path: &Path<'_>) -> Result<Vec<Pick<'a>>, Error> {
        let items = lists.view.items();
        let is_live = lists.view.node().kind() == Kind::List;
        let Some(patch) = lists.patch else { return Ok((0..items.len()).map(Pick::Keep).collect()) };
        if !is_live {
            let added = self.added_list(Some(patch), path);
            return Ok(added.elements(self.arena).iter().map(|item| Pick::Put(*item)).collect());
        }
        if lists.rule.strategy == ListStrategy::Atomic {
            let event = Event::ListReplaced { from: Some(lists.view.node()), cause: Replacement::Rule };
            self.observer.note(path, event);
            return Ok(lists.patch_items.iter().map(|item| Pick::Put(*item)).collect());
        }
        match element_kind(items, lists.patch_items, path)? {
            None => Ok(Vec::new()),
            Some(Kind::Map) => Err(super::elements::no_merge_key(&lists.rule.item.name(), path)),
            Some(_) => self.merge_scalars(lists.rule, lists.view, lists.patch_items, path),
        }
    }
}

/// Upstream: an atomic list of maps that the patch empties is still put in order, by the empty key.
fn check_empty_key(lists: &Lists<'_, '_>, path: &Path<'_>) -> Result<(), Error> {
    if let Some(entry) = lists.order.first() {
        return Err(expected_map(*entry, path));
    }
    match lists.view.items().iter().enumerate().find(|(_, item)| item.get("").is_none()) {
        Some((at, item)) => {
            let message = format!("map: {} does not contain declared merge key: ", go_text(*item));
            Err(Error::new(ErrorKind::MissingMergeKey, &path.index(at), message)
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

/// The first position of every identity in the order list; every merged item needs its key here.
///
/// Upstream reads the order list from the start for each item, up to the entry that names it.
fn order_positions<'a>(
    order: &[Node<'a>],
    slots: &[Slot<'a>],
    keys: &Keys<'_, 'a>,
    path: &Path<'_>,
    arena: &'a kubemerge_value::Arena,
) -> Result<HashMap<Identity<'a>, u32>, Error> {
    let readable = order.iter().position(|entry| entry.kind() != Kind::Map).unwrap_or(order.len());
    let mut positions = HashMap::with_capacity(readable);
    let mut compound_kinds = HashSet::new();
    for (at, entry) in order[..readable].iter().enumerate() {
        match keys.read(*entry, arena) {
            Keyed::As { identity, .. } => _ = positions.entry(identity).or_insert(at as u32),
            Keyed::Compound(key) => _ = compound_kinds.insert(entry.get(keys.name(key)).map(Node::kind)),
            Keyed::Missing => {}
        }
    }
    for (at, slot) in slots.iter().enumerate() {
        if slot.node.kind() != Kind::Map {
            return Err(expected_map(slot.node, &path.index(at)));
        }
        match slot.keyed {
            Keyed::Missing => return Err(keys.missing(slot.node, &path.index(at))),
            Keyed::Compound(key)
                if compound_kinds.contains(&slot.node.get(keys.name(key)).map(Node::kind)) =>
            {
                return Err(keys.compound(key, &path.index(at)));
            }
            _ => {}
        }
        if readable < order.len() && lookup(slot.keyed, &positions).is_none() {
            return Err(entry_is_no_map(readable, path));
        }
    }
    Ok(positions)
}

fn entry_is_no_map(at: usize, path: &Path<'_>) -> Error {
    let message = format!("value for key {at} is not a map");
    Error::new(ErrorKind::ExpectedMap, path, message)
        .with_hint("entries of this order list are maps with the merge key")
}
