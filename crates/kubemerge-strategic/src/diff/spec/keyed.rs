//! Patches of keyed lists: items pair up by identity.

use super::{ChangedField, DiffField, Generator, Maps, OrderLists, Original, Sides};
use crate::{
    MergeError,
    apply::{apply, elements::all_maps},
    diff::upstream::RetainKeys,
    directive::{DELETE, PATCH},
    identity::{Identity, Keys},
    order::{LiveItem, without_directive},
    partial::Partial,
    patch_map::PatchMap,
    strategy::Strategy,
};
use hashbrown::{HashMap, HashSet};
use kubemerge_schema::{ItemStrategy, ListRule, MergeKey};
use kubemerge_value::part::{item_at, item_at_mut};
use kubemerge_value::{Node, Path, Str, deep_equal, list, map};
use std::cell::Cell;

/// An item and its identity.
#[derive(Clone, Copy)]
struct Item<'a> {
    node: Node<'a>,
    identity: Identity<'a>,
}

/// The items of one version, to be found by identity.
struct Items<'a> {
    all: Vec<Item<'a>>,
    /// The first item of each identity.
    first: HashMap<Identity<'a>, usize>,
    /// The further items of identities that are there several times.
    further: HashMap<Identity<'a>, Vec<usize>>,
    /// The position that was found last.
    last: Cell<usize>,
}

/// Three versions of a keyed list.
struct Lists<'a> {
    /// `None` if they are the current ones.
    original: Option<Items<'a>>,
    modified: Items<'a>,
    current: Items<'a>,
}

/// A keyed list: its rule and its keys.
struct List<'r, 's, 'a> {
    rule: &'r ListRule<'s>,
    keys: Keys<'s, 'a>,
}

impl<'a> Items<'a> {
    fn read(
        list: Node<'a>,
        keys: &Keys<'_, 'a>,
        path: &Path<'_>,
        generator: &Generator<'a>,
    ) -> Result<Self, MergeError> {
        let nodes = list.elements(generator.arena);
        // Before keys are read: a scalar in the list has the better error.
        all_maps(nodes, &[], path)?;
        let mut items = Items {
            all: Vec::with_capacity(nodes.len()),
            first: HashMap::with_capacity(nodes.len()),
            further: HashMap::new(),
            last: Cell::new(usize::MAX),
        };
        for (at, node) in nodes.iter().enumerate() {
            let (identity, _) = keys.require(*node, &path.index(at), generator.arena)?;
            // Repetitions are kept apart, so that the common case needs one map.
            if *items.first.entry(identity).or_insert(at) != at {
                items.further.entry(identity).or_default().push(at);
            }
            items.all.push(Item { node: *node, identity });
        }
        Ok(items)
    }

    fn has(&self, identity: Identity<'a>) -> bool {
        self.position(identity).is_some()
    }

    /// The position of the first item of this identity. Two versions of a list mostly have items side by side,
    /// in one direction or the other, so the neighbours of the last one come first.
    fn position(&self, identity: Identity<'a>) -> Option<usize> {
        let last = self.last.get();
        let is_it = |at: &usize| self.all.get(*at).is_some_and(|item| item.identity == identity);
        // Lists are mostly in the same order, so the neighbour of the last hit is tried before hashing.
        let beside = || [last.wrapping_add(1), last.wrapping_sub(1)].into_iter().find(is_it);
        let beside = if self.further.is_empty() { beside() } else { None };
        let at = beside.or_else(|| self.first.get(&identity).copied())?;
        self.last.set(at);
        Some(at)
    }

    /// The item that is the `nth` one of its identity.
    fn nth(&self, identity: Identity<'a>, nth: usize) -> Option<&Item<'a>> {
        let at = match nth {
            0 => self.position(identity)?,
            nth => *self.further.get(&identity)?.get(nth - 1)?,
        };
        self.all.get(at)
    }

    fn repeats(&self, identity: Identity<'a>) -> bool {
        self.further.contains_key(&identity)
    }
}

impl<'a> Lists<'a> {
    fn original(&self) -> &Items<'a> {
        self.original.as_ref().unwrap_or(&self.current)
    }

    /// An item that is the `nth` one of its identity, in all versions.
    fn sides(&self, item: &Item<'a>, current: &Item<'a>, nth: usize) -> Sides<'a> {
        let original =
            self.original.as_ref().map(|items| items.nth(item.identity, nth).map(|item| item.node));
        Sides { original: Original::of(original), modified: item.node, current: current.node }
    }

    /// What the original had and the configuration has no more, each identity once.
    fn gone(&self) -> Vec<Identity<'a>> {
        let mut known = HashSet::new();
        let gone = |item: &&Item<'a>| !self.modified.has(item.identity) && known.insert(item.identity);
        self.original().all.iter().filter(gone).map(|item| item.identity).collect()
    }

    /// Whether some wanted item is there twice, in the wanted list or in the current one.
    fn repeats(&self) -> bool {
        if self.modified.further.is_empty() && self.current.further.is_empty() {
            return false;
        }
        let repeated =
            |item: &Item<'a>| self.modified.repeats(item.identity) || self.current.repeats(item.identity);
        self.modified.all.iter().any(repeated)
    }
}

impl<'a> Generator<'a> {
    pub(super) fn keyed_list(
        &self,
        change: &ChangedField<'_, 'a>,
        rule: &ListRule<'_>,
        keys: &[MergeKey],
        patch: &mut PatchMap<'a>,
    ) -> Result<(), MergeError> {
        let ChangedField { field: DiffField { key, path, .. }, sides } = *change;
        let keyed = List { rule, keys: Keys::new(keys, Strategy::Spec, self.arena) };
        let lists = match self.read_lists(&sides, &keyed.keys, path) {
            // A list that no merge could handle is no fault while it stays the same.
            Err(_) if sides.unchanged() => return Ok(()),
            lists => lists?,
        };
        let gone = lists.gone();
        // Items with one identity cannot be addressed, so the whole list is replaced.
        if lists.repeats() {
            patch.extend(key, self.target_list(&lists, &gone, &keyed, path)?);
            return Ok(());
        }
        // A delete item that lacks a key is sent only for an item that is there.
        let all = keyed.keys.all();
        let deletes: Vec<Identity<'a>> =
            gone.iter().copied().filter(|gone| gone.mask() == all || lists.current.has(*gone)).collect();
        // A delete item without all keys would also remove items that stay.
        if self.hits_survivor(&deletes, &lists, all) {
            patch.extend(key, self.target_list(&lists, &gone, &keyed, path)?);
            return Ok(());
        }
        let plain = self.plain_items(&lists, &keyed, path)?;
        let ordered = self.order_lists == OrderLists::WhereNeeded && !keeps_order(&lists, &plain, &deletes);
        let mut items: Vec<Node<'a>> = plain.into_iter().map(|(_, node)| node).collect();
        items.extend(deletes.iter().map(|identity| self.delete_item(*identity, &keyed.keys)));
        if !items.is_empty() {
            patch.set(key, list(items, self.arena));
        }
        if ordered {
            let entries = lists.modified.all.iter().map(|item| self.key_map(item.identity, &keyed.keys));
            self.set_order(key, entries.collect(), patch);
        }
        Ok(())
    }

    fn read_lists(
        &self,
        sides: &Sides<'a>,
        keys: &Keys<'_, 'a>,
        path: &Path<'_>,
    ) -> Result<Lists<'a>, MergeError> {
        let read = |list| Items::read(list, keys, path, self);
        Ok(Lists {
            original: sides.own_original().map(read).transpose()?,
            modified: read(sides.modified)?,
            current: read(sides.current)?,
        })
    }

    /// What is said about the items of the configuration, with their positions in it.
    fn plain_items(
        &self,
        lists: &Lists<'a>,
        keyed: &List<'_, '_, 'a>,
        path: &Path<'_>,
    ) -> Result<Vec<(usize, Node<'a>)>, MergeError> {
        let mut plain = Vec::new();
        for (at, item) in lists.modified.all.iter().enumerate() {
            let path = path.index(at);
            let said = match lists.current.nth(item.identity, 0) {
                // New in the configuration.
                None => Some(self.whole_map(item.node, keyed.rule.item, &path)?),
                Some(current) => self.changed_item(item, current, lists, keyed, &path)?,
            };
            plain.extend(said.map(|node| (at, node)));
        }
        Ok(plain)
    }

    fn changed_item(
        &self,
        item: &Item<'a>,
        current: &Item<'a>,
        lists: &Lists<'a>,
        keyed: &List<'_, '_, 'a>,
        path: &Path<'_>,
    ) -> Result<Option<Node<'a>>, MergeError> {
        if keyed.rule.items == ItemStrategy::Replace {
            let equal = deep_equal(item.node, current.node);
            return if equal { Ok(None) } else { self.whole_map(item.node, keyed.rule.item, path).map(Some) };
        }
        let mut patch = self.item_changes(&lists.sides(item, current, 0), keyed, path)?;
        if patch.is_empty() {
            return Ok(None);
        }
        // A changed item is found by its keys, so they are sent although they are the same.
        for name in keyed.keys.names() {
            if let Some(value) = item.node.get(name).filter(|value| !value.is_null()) {
                patch.put(Str::plain(self.arena.alloc_str(name)), value);
            }
        }
        Ok(Some(patch.finish()))
    }

    fn item_changes(
        &self,
        sides: &Sides<'a>,
        keyed: &List<'_, '_, 'a>,
        path: &Path<'_>,
    ) -> Result<PatchMap<'a>, MergeError> {
        let retain = RetainKeys::of_rule(keyed.rule.retain_keys);
        let (ty, unions) = (keyed.rule.item, keyed.rule.unions());
        self.maps(&Maps { sides: *sides, ty, unions, retain, path })
    }

    /// Whether a delete item that lacks a key would remove an item that is to stay.
    fn hits_survivor(&self, deletes: &[Identity<'a>], lists: &Lists<'a>, all: u32) -> bool {
        let partial: Vec<Identity<'a>> =
            deletes.iter().copied().filter(|identity| identity.mask() != all).collect();
        if partial.is_empty() {
            return false;
        }
        let deleted: HashSet<Identity<'a>> = deletes.iter().copied().collect();
        let mut hit = Partial::default();
        for identity in partial {
            hit.insert(identity, identity.mask(), ());
        }
        let mut survivors = lists.current.all.iter().filter(|item| !deleted.contains(&item.identity));
        survivors.any(|item| hit.of(item.identity).next().is_some())
    }

    /// The whole list after a replace marker, unless it is there already: the items that only the server has,
    /// then those of the configuration.
    fn target_list(
        &self,
        lists: &Lists<'a>,
        gone: &[Identity<'a>],
        keyed: &List<'_, '_, 'a>,
        path: &Path<'_>,
    ) -> Result<Option<Node<'a>>, MergeError> {
        let gone: HashSet<Identity<'a>> = gone.iter().copied().collect();
        // Items that other clients added are kept.
        let server_only =
            |item: &&Item<'a>| !lists.modified.has(item.identity) && !gone.contains(&item.identity);
        let mut target: Vec<Node<'a>> =
            lists.current.all.iter().filter(server_only).map(|item| item.node).collect();
        let mut seen: HashMap<Identity<'a>, usize> = HashMap::new();
        for (at, item) in lists.modified.all.iter().enumerate() {
            let nth = seen.entry(item.identity).or_default();
            target.push(self.target_item(item, *nth, lists, keyed, &path.index(at))?);
            *nth += 1;
        }
        let current = lists.current.all.iter().map(|item| item.node);
        if target.len() == current.len()
            && target.iter().zip(current).all(|(one, other)| deep_equal(*one, other))
        {
            return Ok(None);
        }
        // Without the marker the list would be merged into the live one.
        let mut items = vec![self.replace_marker()];
        for item in target {
            items.push(self.whole_map(item, keyed.rule.item, path)?);
        }
        Ok(Some(list(items, self.arena)))
    }

    /// An item as it shall be: what the server added to it stays.
    fn target_item(
        &self,
        item: &Item<'a>,
        nth: usize,
        lists: &Lists<'a>,
        keyed: &List<'_, '_, 'a>,
        path: &Path<'_>,
    ) -> Result<Node<'a>, MergeError> {
        let current = lists.current.nth(item.identity, nth);
        let Some(current) = current.filter(|_| keyed.rule.items == ItemStrategy::Merge) else {
            return Ok(item.node);
        };
        let changes = self.item_changes(&lists.sides(item, current, nth), keyed, path)?;
        if changes.is_empty() {
            return Ok(current.node);
        }
        apply(keyed.rule.item, current.node, changes.finish(), self.arena)
    }

    fn delete_item(&self, identity: Identity<'a>, keys: &Keys<'_, 'a>) -> Node<'a> {
        let directive = (Str::plain(PATCH), Node::string(DELETE));
        map(self.key_members(identity, keys).chain([directive]), self.arena)
    }

    fn key_map(&self, identity: Identity<'a>, keys: &Keys<'_, 'a>) -> Node<'a> {
        map(self.key_members(identity, keys), self.arena)
    }

    fn key_members(
        &self,
        identity: Identity<'a>,
        keys: &Keys<'_, 'a>,
    ) -> impl Iterator<Item = (Str<'a>, Node<'a>)> {
        let name = |name: &str| Str::plain(self.arena.alloc_str(name));
        keys.pairs(identity).into_iter().map(move |(key, value)| (name(key), Node::scalar_node(value)))
    }
}

/// Whether the items of the configuration are in its order once the list patch is laid over the current list.
fn keeps_order<'a>(lists: &Lists<'a>, plain: &[(usize, Node<'a>)], deletes: &[Identity<'a>]) -> bool {
    let deletes: HashSet<Identity<'a>> = deletes.iter().copied().collect();
    let mut names: Vec<Option<u32>> = vec![None; lists.modified.all.len()];
    for (name, (at, _)) in plain.iter().enumerate() {
        *item_at_mut(&mut names, *at) = Some(name as u32);
    }
    let survivors = lists.current.all.iter().filter(|item| !deletes.contains(&item.identity));
    let mut firsts: HashMap<Identity<'a>, u32> = HashMap::new();
    let mut places: Vec<Option<usize>> = Vec::with_capacity(lists.current.all.len());
    let mut live: Vec<LiveItem> = Vec::with_capacity(lists.current.all.len());
    for item in survivors {
        let (at, place) = (live.len() as u32, lists.modified.position(item.identity));
        let repeats = lists.current.repeats(item.identity);
        let first = if repeats { *firsts.entry(item.identity).or_insert(at) } else { at };
        live.push(LiveItem { name: place.and_then(|place| *item_at(&names, place)), first });
        places.push(place);
    }
    without_directive(&live, plain.len())
        .into_iter()
        .filter_map(|item| item.map_or_else(|name| Some(item_at(plain, name).0), |at| *item_at(&places, at)))
        .is_sorted()
}
