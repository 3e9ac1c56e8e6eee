//! Keyed lists that keep their order: every item of the patch finds its live item, one after the other.
//!
//! This is what most patches do to a list. Nothing is added, removed or moved, so all that has to be known of
//! the other items is that each of them has a key of its own. Whatever does not fit here goes the long way,
//! which would give the same result.

use super::{Merger, Mode};
use crate::{
    directive::{MapPatch, PATCH},
    error::Error,
    identity::{Identity, Keyed, Keys},
    observe::{Event, Observer},
};
use bumpalo::collections::Vec as ArenaVec;
use hashbrown::{DefaultHashBuilder, HashSet};
use kubemerge_schema::ListRule;
use kubemerge_value::{Arena, Item, ItemScan, Names, Node, Path, Scalar, deep};
use std::hash::BuildHasher;

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
    pub(super) live: Item<'a>,
    /// The position of the live item.
    pub(super) at: usize,
}

impl<'a, O: Observer> Merger<'a, '_, O> {
    /// The list, if the patch items find their live items in order and no item of either list is out of the
    /// ordinary.
    pub(super) fn in_place<'s>(
        &self,
        keys: &Keys<'s, 'a>,
        live: Node<'a>,
        patch: &[Node<'a>],
    ) -> Option<InPlace<'a, 's>> {
        if self.mode != Mode::Apply || patch.is_empty() {
            return None;
        }
        let mut wanted = ArenaVec::with_capacity_in(patch.len(), self.arena);
        for item in patch {
            let identity = ordinary(keys.read(*item, self.arena)).filter(|_| item.get(PATCH).is_none())?;
            wanted.push((identity, *item));
        }
        match self.pair_up(keys, live, &wanted, Proof::Rising(None)) {
            Err(Proof::Rising(_)) => self.pair_up(keys, live, &wanted, Proof::new(self.arena)).ok()?,
            paired => paired.ok()?,
        }
    }

    /// Finds the live items of the patch items; `None` if that does not work, an error if the proof fails.
    fn pair_up<'s>(
        &self,
        keys: &Keys<'s, 'a>,
        live: Node<'a>,
        wanted: &[(Identity<'a>, Node<'a>)],
        mut proof: Proof<'a>,
    ) -> Result<Option<InPlace<'a, 's>>, Proof<'a>> {
        let key = keys.names().next().unwrap_or_default();
        let mut live = ItemScan::new(live, Names { key, mark: PATCH }, self.arena);
        let mut pairs = ArenaVec::with_capacity_in(wanted.len(), self.arena);
        let mut at = 0;
        while let Some(item) = live.next() {
            let keyed = match keys.single() {
                Some(_) => keys.of_value(item.key),
                None => keys.read(live.node(&item), self.arena),
            };
            let Some(identity) = ordinary(keyed).filter(|_| !item.is_marked) else { return Ok(None) };
            if !proof.holds_for(identity) {
                return Err(proof);
            }
            if let Some((wanted, patch)) = wanted.get(pairs.len())
                && *wanted == identity
            {
                pairs.push(Pair { identity, patch: *patch, live: item, at });
            }
            at += 1;
        }
        Ok((pairs.len() == wanted.len()).then_some(InPlace { live, pairs }))
    }

    /// Merges the patch items into their live items.
    pub(super) fn merge_in_place(
        &mut self,
        rule: &ListRule<'_>,
        keys: &Keys<'_, 'a>,
        list: &InPlace<'a, '_>,
        path: &Path<'_>,
    ) -> Result<Node<'a>, Error> {
        self.note_merge(keys, path);
        let mut changed = ArenaVec::with_capacity_in(list.pairs.len(), self.arena);
        for pair in &list.pairs {
            let path = path.index(pair.at);
            if O::WATCHES {
                self.observer.note(&path, Event::ItemMatched { keys: &keys.pairs(pair.identity) });
            }
            let patch = MapPatch::parse(pair.patch, self.arena);
            let merged = deep(|| self.map(rule.item, Some(list.live.node(&pair.live)), &patch, &path))?;
            changed.push((pair.live, merged));
        }
        Ok(list.live.replace(&changed, self.arena))
    }

    pub(super) fn note_merge(&mut self, keys: &Keys<'_, 'a>, path: &Path<'_>) {
        if O::WATCHES {
            let names: Vec<&str> = keys.names().collect();
            self.observer.note(path, Event::ListMerged { keys: &names });
        }
    }
}

/// The identity of an item, if its keys are in order.
#[inline]
fn ordinary(keyed: Keyed<'_>) -> Option<Identity<'_>> {
    match keyed {
        // Upstream: a null key matches, and the merge removes it.
        Keyed::As { identity: Identity::One(Scalar::Null), .. } | Keyed::Missing | Keyed::Compound(_) => None,
        Keyed::As { identity, .. } => Some(identity),
    }
}

/// How it is shown that no two items of a list have one identity.
enum Proof<'a> {
    /// Each one is greater than the one before.
    Rising(Option<Identity<'a>>),
    /// These few differ, pair by pair.
    Few(ArenaVec<'a, Identity<'a>>),
    /// All hashes differ.
    Hashes(HashSet<u64>, DefaultHashBuilder),
}

/// Up to this many identities are compared pair by pair.
const FEW: usize = 8;

impl<'a> Proof<'a> {
    fn new(arena: &'a Arena) -> Self {
        Proof::Few(ArenaVec::with_capacity_in(FEW, arena))
    }

    /// Whether the proof holds with one more item.
    #[inline(always)]
    fn holds_for(&mut self, identity: Identity<'a>) -> bool {
        match self {
            Proof::Rising(last) => last.replace(identity).is_none_or(|last| rises(last, identity)),
            _ => self.differs(identity),
        }
    }

    fn differs(&mut self, identity: Identity<'a>) -> bool {
        match self {
            Proof::Rising(_) => false,
            Proof::Hashes(known, hasher) => known.insert(hasher.hash_one(identity)),
            Proof::Few(known) if known.len() < FEW => {
                let is_new = !known.contains(&identity);
                known.push(identity);
                is_new
            }
            Proof::Few(known) => {
                let hasher = DefaultHashBuilder::default();
                let hashes = known.iter().map(|known| hasher.hash_one(known)).collect();
                *self = Proof::Hashes(hashes, hasher);
                self.differs(identity)
            }
        }
    }
}

/// Whether an identity is greater than the one before.
#[inline]
fn rises(one: Identity<'_>, next: Identity<'_>) -> bool {
    match (one, next) {
        (Identity::One(Scalar::String(one)), Identity::One(Scalar::String(next))) => one < next,
        (Identity::One(Scalar::Int(one)), Identity::One(Scalar::Int(next))) => one < next,
        _ => false,
    }
}
