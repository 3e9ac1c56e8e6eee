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
use hashbrown::HashMap;
use kubemerge_schema::ListRule;
use kubemerge_value::{ListView, Node, Path, Scalar, deep};

/// A list that keeps its order.
pub(super) struct InPlace<'l, 's, 'a> {
    pub(super) keys: &'l Keys<'s, 'a>,
    pub(super) view: &'l ListView<'a>,
    pub(super) patch: &'l [Node<'a>],
    /// The live positions of the patch items.
    pub(super) positions: ArenaVec<'a, usize>,
}

/// Up to this many items, keys are compared pair by pair.
const FEW: usize = 8;

impl<'a, O: Observer> Merger<'a, '_, O> {
    /// The list, if the positions of the patch items rise and no item of either list is out of the ordinary.
    pub(super) fn in_place<'l, 's>(
        &self,
        keys: &'l Keys<'s, 'a>,
        view: &'l ListView<'a>,
        patch: &'l [Node<'a>],
    ) -> Option<InPlace<'l, 's, 'a>> {
        if self.mode != Mode::Apply || patch.is_empty() || view.may_mention(PATCH) {
            return None;
        }
        let mut wanted = ArenaVec::with_capacity_in(patch.len(), self.arena);
        for item in patch {
            let identity = identity(*item, keys, self.arena).filter(|_| item.get(PATCH).is_none())?;
            wanted.push(identity);
        }
        let positions = self
            .rising_positions(keys, view, &wanted)
            .or_else(|| self.found_positions(keys, view, &wanted))?;
        Some(InPlace { keys, view, patch, positions })
    }

    /// The positions in a list with one key that rises from item to item, and therefore differs.
    fn rising_positions(
        &self,
        keys: &Keys<'_, 'a>,
        view: &ListView<'a>,
        wanted: &[Identity<'a>],
    ) -> Option<ArenaVec<'a, usize>> {
        let name = keys.single()?;
        let mut positions = ArenaVec::with_capacity_in(wanted.len(), self.arena);
        let mut last = None;
        for (at, item) in view.items().iter().enumerate() {
            let key = item.get(name)?.scalar()?;
            if last.is_some_and(|last| !rises(last, key)) {
                return None;
            }
            if let Some([Some(wanted)]) = wanted.get(positions.len())
                && *wanted == key
            {
                positions.push(at);
            }
            last = Some(key);
        }
        (positions.len() == wanted.len()).then_some(positions)
    }

    /// The positions in a list whose keys differ.
    fn found_positions(
        &self,
        keys: &Keys<'_, 'a>,
        view: &ListView<'a>,
        wanted: &[Identity<'a>],
    ) -> Option<ArenaVec<'a, usize>> {
        let mut live = ArenaVec::with_capacity_in(view.items().len(), self.arena);
        for item in view.items() {
            live.push(identity(*item, keys, self.arena)?);
        }
        let mut positions = ArenaVec::with_capacity_in(wanted.len(), self.arena);
        if live.len() <= FEW {
            let repeated = |at: usize| live[..at].contains(&live[at]);
            if (1..live.len()).any(repeated) {
                return None;
            }
            for identity in wanted {
                positions.push(live.iter().position(|known| known == identity)?);
            }
        } else {
            let index: HashMap<Identity<'a>, usize> =
                live.iter().enumerate().map(|(at, identity)| (*identity, at)).collect();
            if index.len() < live.len() {
                return None;
            }
            for identity in wanted {
                positions.push(*index.get(identity)?);
            }
        }
        positions.is_sorted_by(|one, next| one < next).then_some(positions)
    }

    /// Merges the patch items into their live items.
    pub(super) fn merge_in_place(
        &mut self,
        rule: &ListRule<'_>,
        list: &InPlace<'_, '_, 'a>,
        path: &Path<'_>,
    ) -> Result<Node<'a>, Error> {
        let InPlace { keys, view, patch, positions } = list;
        self.note_merge(keys, path);
        let mut changed = ArenaVec::with_capacity_in(positions.len(), self.arena);
        for (item, at) in patch.iter().zip(positions) {
            let path = path.index(*at);
            self.note_match(*item, keys, &path);
            let live = view.items()[*at];
            let patch = MapPatch::parse(*item, self.arena);
            changed.push((*at, deep(|| self.map(rule.item, Some(live), &patch, &path))?));
        }
        Ok(view.replace(&changed, self.arena))
    }

    pub(super) fn note_merge(&mut self, keys: &Keys<'_, 'a>, path: &Path<'_>) {
        if O::WATCHES {
            let names: Vec<&str> = keys.names().collect();
            self.observer.note(path, Event::ListMerged { keys: &names });
        }
    }

    fn note_match(&mut self, item: Node<'a>, keys: &Keys<'_, 'a>, path: &Path<'_>) {
        if O::WATCHES
            && let Some(identity) = identity(item, keys, self.arena)
        {
            self.observer.note(path, Event::ItemMatched { keys: &keys.pairs(identity) });
        }
    }
}

/// The identity of an item, if its keys are in order.
fn identity<'a>(
    item: Node<'a>,
    keys: &Keys<'_, 'a>,
    arena: &'a kubemerge_value::Arena,
) -> Option<Identity<'a>> {
    match keys.read(item, arena) {
        // Upstream: a null key matches, and the merge removes it.
        Keyed::As { identity: [Some(Scalar::Null)], .. } | Keyed::Missing | Keyed::Compound(_) => None,
        Keyed::As { identity, .. } => Some(identity),
    }
}

/// Whether the key of an item is greater than that of the one before.
fn rises(one: Scalar<'_>, next: Scalar<'_>) -> bool {
    match (one, next) {
        (Scalar::String(one), Scalar::String(next)) => one < next,
        (Scalar::Int(one), Scalar::Int(next)) => one < next,
        _ => false,
    }
}
