//! Keyed lists that keep their order: every item of the patch finds its live item, one after the other.
//!
//! This is what most patches do to a list. Nothing is added, removed or moved, so all that has to be known of
//! the other items is that each of them has a key of its own. Whatever does not fit here goes the long way,
//! which would give the same result.

use super::{Merger, Mode};
use crate::{
    directive::{MapPatch, PATCH},
    error::MergeError,
    identity::{Identity, Keyed, Keys},
    observe::{MaybeObserver, MergeEvent},
};
use bumpalo::collections::Vec as ArenaVec;
use hashbrown::{DefaultHashBuilder, HashSet};
use kubemerge_schema::ListRule;
use kubemerge_value::{
    Node, Path, Scalar, deep,
    walk::{ItemFields, ItemScan, KeysUnsorted, ListItem},
};
use std::hash::BuildHasher;

/// What decides for the items of one list.
#[derive(Clone, Copy)]
pub(super) struct ItemRules<'r, 's, 'a> {
    pub(super) rule: &'r ListRule<'s>,
    pub(super) keys: &'r Keys<'s, 'a>,
}

/// A list that keeps its order.
pub(super) struct InPlace<'a, 's> {
    /// The live list, walked to its end.
    pub(super) live: ItemScan<'a, 's>,
    /// The patch items with their live items.
    pub(super) pairs: ArenaVec<'a, Pair<'a>>,
}

/// An item of the patch and the live item of its identity.
#[derive(Clone, Copy)]
pub(super) struct Pair<'a> {
    pub(super) identity: Identity<'a>,
    pub(super) patch: Node<'a>,
    pub(super) live: ListItem<'a>,
}

impl<'a, O: MaybeObserver> Merger<'a, '_, O> {
    /// The list, if the patch items find their live items in order and no item of either list is out of the
    /// ordinary.
    pub(super) fn in_place<'s>(
        &self,
        keys: &Keys<'s, 'a>,
        live: Node<'a>,
        patch: &[Node<'a>],
    ) -> Option<InPlace<'a, 's>> {
        // Patches that are laid over each other keep directives, which needs the plain way.
        if self.mode != Mode::Apply || patch.is_empty() {
            return None;
        }
        let mut wanted = ArenaVec::with_capacity_in(patch.len(), self.arena);
        for item in patch {
            let (keyed, is_marked) = keys.read_marked(*item, self.arena);
            // A directive on an item may remove it or replace the list, so nothing stays in place.
            wanted.push((ordinary(keyed).filter(|_| !is_marked)?, *item));
        }
        // Most lists are short and in any order, so that looking for rising keys would be a walk in vain.
        if let Ok(list) = self.pair_distinct(keys, live, &wanted, among_few()) {
            return list;
        }
        match self.pair_rising(keys, live, &wanted) {
            Ok(list) => list,
            Err(KeysUnsorted) => self.pair_distinct(keys, live, &wanted, by_hash()).ok().flatten(),
        }
    }

    /// Finds the live items of the patch items in a list whose key rises from item to item, and so differs.
    fn pair_rising<'s>(
        &self,
        keys: &Keys<'s, 'a>,
        live: Node<'a>,
        wanted: &[(Identity<'a>, Node<'a>)],
    ) -> Result<Option<InPlace<'a, 's>>, KeysUnsorted> {
        let key = keys.single().ok_or(KeysUnsorted)?;
        let mut live = ItemScan::new(live, ItemFields { key, mark: PATCH }, self.arena);
        let mut pairs = ArenaVec::with_capacity_in(wanted.len(), self.arena);
        for (identity, patch) in wanted {
            let Identity::One(Scalar::String(key)) = *identity else { return Err(KeysUnsorted) };
            let Some(item) = live.skip_ascending(Some(key))? else { return Ok(None) };
            pairs.push(Pair { identity: *identity, patch: *patch, live: item });
        }
        // The items after the last match count too: a repeated key further on changes the order.
        live.skip_ascending(None)?;
        Ok(Some(InPlace { live, pairs }))
    }

    /// The same in a list whose items all differ, which `is_new` decides.
    fn pair_distinct<'s>(
        &self,
        keys: &Keys<'s, 'a>,
        live: Node<'a>,
        wanted: &[(Identity<'a>, Node<'a>)],
        mut is_new: impl FnMut(Identity<'a>) -> Result<bool, TooMany>,
    ) -> Result<Option<InPlace<'a, 's>>, TooMany> {
        let key = keys.names().next().unwrap_or_default();
        let mut live = ItemScan::new(live, ItemFields { key, mark: PATCH }, self.arena);
        let mut pairs = ArenaVec::with_capacity_in(wanted.len(), self.arena);
        while let Some(item) = live.next() {
            let keyed = match keys.single() {
                Some(_) => keys.of_value(item.key),
                None => keys.read(live.node(&item), self.arena),
            };
            let Some(identity) = ordinary(keyed).filter(|_| !item.is_marked) else { return Ok(None) };
            if !is_new(identity)? {
                return Ok(None);
            }
            if let Some((wanted, patch)) = wanted.get(pairs.len())
                && *wanted == identity
            {
                pairs.push(Pair { identity, patch: *patch, live: item });
            }
        }
        Ok((pairs.len() == wanted.len()).then_some(InPlace { live, pairs }))
    }

    /// Merges the patch items into their live items.
    pub(super) fn merge_in_place(
        &mut self,
        rules: ItemRules<'_, '_, 'a>,
        list: &InPlace<'a, '_>,
        path: &Path<'_>,
    ) -> Result<Node<'a>, MergeError> {
        self.note_merge(rules.keys, path);
        let mut changed = ArenaVec::with_capacity_in(list.pairs.len(), self.arena);
        for (patch_at, pair) in list.pairs.iter().enumerate() {
            let path = path.item(patch_at, pair.live.at);
            if O::WATCHES {
                self.observer.note(&path, MergeEvent::ItemMatched { keys: &rules.keys.pairs(pair.identity) });
            }
            let patch = MapPatch::parse(pair.patch, self.arena);
            let merged = deep(|| self.map(rules.rule.item, Some(list.live.node(&pair.live)), &patch, &path))?;
            changed.push((pair.live, merged));
        }
        Ok(list.live.replace(&changed, self.arena))
    }

    pub(super) fn note_merge(&mut self, keys: &Keys<'_, 'a>, path: &Path<'_>) {
        if O::WATCHES {
            let names: Vec<&str> = keys.names().collect();
            self.observer.note(path, MergeEvent::ListMerged { keys: &names });
        }
    }
}

/// The identity of an item, if its keys are in order.
#[inline]
fn ordinary(keyed: Keyed<'_>) -> Option<Identity<'_>> {
    match keyed {
        // Upstream: a null key matches, and the merge removes it (apply/merge-key.yaml, `null key on both sides`).
        Keyed::As { identity: Identity::One(Scalar::Null), .. } | Keyed::Missing | Keyed::Compound(_) => None,
        Keyed::As { identity, .. } => Some(identity),
    }
}

/// Up to this many identities are compared with each other.
const MAX_COMPARED: usize = 8;

/// There are more identities than that.
struct TooMany;

/// Tells whether an identity is new by comparing it with all before it.
fn among_few<'a>() -> impl FnMut(Identity<'a>) -> Result<bool, TooMany> {
    let (mut known, mut count) = ([Identity::One(Scalar::Null); MAX_COMPARED], 0);
    move |identity| {
        let is_new = !known.iter().take(count).any(|known| *known == identity);
        *known.get_mut(count).ok_or(TooMany)? = identity;
        count += 1;
        Ok(is_new)
    }
}

/// Tells whether an identity is new by its hash. Two of one hash count as one, which only means that the list is
/// merged the other way.
fn by_hash<'a>() -> impl FnMut(Identity<'a>) -> Result<bool, TooMany> {
    let (mut hashes, hasher) = (HashSet::new(), DefaultHashBuilder::default());
    move |identity| Ok(hashes.insert(hasher.hash_one(identity)))
}
