//! Upstream's merge of keyed lists: one key, found by hash.

use super::{Merger, Mode, unknown_patch};
use crate::{
    directive::{MapPatch, PatchWord},
    error::{Error, ErrorKind},
    identity::{Identity, Keyed, Keys},
    observe::{Event, Observer, Ordering, Removal, Replacement},
    order::{Place, asked_for, weave},
};
use hashbrown::HashMap;
use kubemerge_schema::ListRule;
use kubemerge_value::{Arena, ListView, Node, Path, Pick, Scalar, deep};

/// An item of the merged list.
#[derive(Clone, Copy)]
pub(super) struct Slot<'a> {
    pub(super) keyed: Keyed<'a>,
    pub(super) node: Node<'a>,
    /// Its position in the live list, if it is there unchanged.
    pub(super) kept: Option<usize>,
    origin: Origin,
}

/// Where an item comes from: its position in the list that it was read from.
#[derive(Clone, Copy)]
pub(super) enum Origin {
    Live(usize),
    Patch(usize),
}

/// A merged list before it becomes a value.
pub(super) struct Merged<'a> {
    pub(super) slots: Vec<Slot<'a>>,
    /// What the memory of the live list holds after upstream has worked on it.
    pub(super) memory: Vec<Keyed<'a>>,
}

/// The patch list, taken apart.
struct Parts<'a> {
    plain: Vec<(usize, Node<'a>)>,
    /// The identities of the delete items.
    deletes: Vec<Identity<'a>>,
    replace: bool,
}

impl<'a> Slot<'a> {
    pub(super) fn live(at: usize, node: Node<'a>, keyed: Keyed<'a>) -> Self {
        Slot { keyed, node, kept: Some(at), origin: Origin::Live(at) }
    }

    pub(super) fn new(at: usize, node: Node<'a>, keyed: Keyed<'a>) -> Self {
        Slot { keyed, node, kept: None, origin: Origin::Patch(at) }
    }

    pub(super) fn pick(&self) -> Pick<'a> {
        self.kept.map_or(Pick::Put(self.node), Pick::Keep)
    }

    fn path<'p>(&self, list: &'p Path<'p>) -> Path<'p> {
        match self.origin {
            Origin::Live(at) | Origin::Patch(at) => list.index(at),
        }
    }
}

impl<'a, O: Observer> Merger<'a, '_, O> {
    /// Merges the items of a keyed list and puts them in order.
    pub(super) fn merge_keyed(
        &mut self,
        rule: &ListRule<'_>,
        keys: &Keys<'_, 'a>,
        view: &ListView<'a>,
        patch: &[Node<'a>],
        path: &Path<'_>,
    ) -> Result<Merged<'a>, Error> {
        self.note_merge(keys, path);
        let parts = self.take_apart(keys, patch, path)?;
        let live: Vec<Keyed<'a>> = view.items().iter().map(|item| keys.read(*item, self.arena)).collect();
        check_delete_items(patch, view, keys, path, self.arena)?;
        let deleted = self.delete_items(&parts, view, &live, path);
        let mut merged = if parts.replace {
            let cause = Replacement::PatchDirective;
            self.observer.note(path, Event::ListReplaced { from: Some(view.node()), cause });
            Merged { slots: self.plain_slots(&parts, keys), memory: memory(&live, &deleted, &[]) }
        } else {
            self.merge_items(rule, keys, view, &live, &deleted, &parts, path)?
        };
        let named: &[(usize, Node<'a>)] = if parts.replace { &[] } else { &parts.plain };
        merged.slots = self.in_patch_order(merged.slots, named, keys, path)?;
        Ok(merged)
    }

    fn take_apart(
        &self,
        keys: &Keys<'_, 'a>,
        patch: &[Node<'a>],
        path: &Path<'_>,
    ) -> Result<Parts<'a>, Error> {
        let mut parts = Parts { plain: Vec::with_capacity(patch.len()), deletes: Vec::new(), replace: false };
        for (at, item) in patch.iter().enumerate() {
            let path = path.index(at);
            match PatchWord::in_map(*item) {
                None => parts.plain.push((at, *item)),
                Some(PatchWord::Delete) => match keys.read(*item, self.arena) {
                    Keyed::As { identity, .. } => parts.deletes.push(identity),
                    Keyed::Missing => return Err(keys.missing(*item, &path)),
                    Keyed::Compound(_) => {}
                },
                Some(PatchWord::Replace) => parts.replace = true,
                Some(PatchWord::Merge) => return Err(merge_unsupported(&path)),
                Some(PatchWord::Unknown) => return Err(unknown_patch(*item, &path)),
            }
        }
        Ok(parts)
    }

    /// The live items that delete items remove, in the order in which upstream removes them.
    fn delete_items(
        &mut self,
        parts: &Parts<'a>,
        view: &ListView<'a>,
        live: &[Keyed<'a>],
        path: &Path<'_>,
    ) -> Vec<usize> {
        if parts.deletes.is_empty() {
            return Vec::new();
        }
        let mut hits: HashMap<Identity<'a>, Vec<usize>> =
            parts.deletes.iter().map(|identity| (*identity, Vec::new())).collect();
        for (at, keyed) in live.iter().enumerate() {
            if let Keyed::As { identity, .. } = keyed
                && let Some(hits) = hits.get_mut(identity)
            {
                hits.push(at);
            }
        }
        let deleted: Vec<usize> =
            parts.deletes.iter().flat_map(|identity| hits.remove(identity).unwrap_or_default()).collect();
        for at in &deleted {
            let event = Event::Removed { value: view.items()[*at], cause: Removal::PatchDirective };
            self.observer.note(&path.index(*at), event);
        }
        deleted
    }

    /// Behind a replace marker the plain items are the list.
    fn plain_slots(&self, parts: &Parts<'a>, keys: &Keys<'_, 'a>) -> Vec<Slot<'a>> {
        let slot = |(at, node): &(usize, Node<'a>)| Slot::new(*at, *node, keys.read(*node, self.arena));
        parts.plain.iter().map(slot).collect()
    }

    #[expect(clippy::too_many_arguments, reason = "all of them are parts of one list merge")]
    fn merge_items(
        &mut self,
        rule: &ListRule<'_>,
        keys: &Keys<'_, 'a>,
        view: &ListView<'a>,
        live: &[Keyed<'a>],
        deleted: &[usize],
        parts: &Parts<'a>,
        path: &Path<'_>,
    ) -> Result<Merged<'a>, Error> {
        let mut slots = live_slots(view, live, deleted);
        let survivors = slots.len();
        let mut index = first_slots(&slots);
        for (at, item) in &parts.plain {
            let item_path = path.index(*at);
            let keyed = keys.read(*item, self.arena);
            let Keyed::As { identity, .. } = keyed else {
                if matches!(keyed, Keyed::Missing) {
                    return Err(keys.missing(*item, &item_path));
                }
                if slots.iter().any(|slot| cannot_compare(slot, *item, keyed, keys)) {
                    return Err(keys.compound(0, &item_path));
                }
                slots.push(Slot::new(*at, *item, keyed));
                continue;
            };
            match index.get(&identity) {
                Some(found) => self.merge_item(rule, keys, &mut slots[*found], *item, path)?,
                None => {
                    if O::WATCHES {
                        let pairs = keys.pairs(identity);
                        self.observer.note(&item_path, Event::ItemAdded { keys: &pairs, value: *item });
                    }
                    index.insert(identity, slots.len());
                    slots.push(Slot::new(*at, *item, keyed));
                }
            }
        }
        let added: Vec<Keyed<'a>> = slots[survivors..].iter().map(|slot| slot.keyed).collect();
        Ok(Merged { memory: memory(live, deleted, &added), slots })
    }

    fn merge_item(
        &mut self,
        rule: &ListRule<'_>,
        keys: &Keys<'_, 'a>,
        slot: &mut Slot<'a>,
        item: Node<'a>,
        path: &Path<'_>,
    ) -> Result<(), Error> {
        let path = slot.path(path);
        if O::WATCHES
            && let Keyed::As { identity, .. } = slot.keyed
        {
            let pairs = keys.pairs(identity);
            self.observer.note(&path, Event::ItemMatched { keys: &pairs });
        }
        let patch = MapPatch::parse(item, self.arena);
        slot.node = deep(|| self.map(rule.item, Some(slot.node), &patch, &path))?;
        slot.kept = None;
        // Upstream: a null key matches, and the merge removes it.
        if self.mode == Mode::Apply && is_null_key(slot.keyed) {
            slot.keyed = Keyed::Missing;
        }
        Ok(())
    }

    /// Every item needs its key now; then the weave of patch and live order.
    fn in_patch_order(
        &mut self,
        slots: Vec<Slot<'a>>,
        plain: &[(usize, Node<'a>)],
        keys: &Keys<'_, 'a>,
        path: &Path<'_>,
    ) -> Result<Vec<Slot<'a>>, Error> {
        check_keys(&slots, plain, keys, path)?;
        let mut named: HashMap<Identity<'a>, u32> = HashMap::new();
        for (at, (_, item)) in plain.iter().enumerate() {
            if let Keyed::As { identity, .. } = keys.read(*item, self.arena) {
                named.entry(identity).or_insert(at as u32);
            }
        }
        let server = server_positions(&slots, plain.is_empty());
        let places: Vec<Place> = slots
            .iter()
            .map(|slot| {
                let position = |index: &HashMap<Identity<'a>, u32>| lookup(slot.keyed, index);
                let (rank, server) = (position(&named), position(&server));
                let deleting = is_delete_item(slot.node);
                Place { named: rank.is_some(), rank: rank.or(server), server, deleting }
            })
            .collect();
        compare_while_ordering(&slots, &places, keys, path)?;
        Ok(self.in_order(slots, &places, Ordering::PatchList, path))
    }

    /// Puts the slots in the order of the weave.
    pub(super) fn in_order(
        &mut self,
        slots: Vec<Slot<'a>>,
        places: &[Place],
        cause: Ordering,
        path: &Path<'_>,
    ) -> Vec<Slot<'a>> {
        let order = weave(places);
        if order.is_sorted() {
            return slots;
        }
        self.observer.note(path, Event::Reordered { cause });
        order.into_iter().map(|at| slots[at]).collect()
    }
}

/// A delete item whose key is a map or list matches nothing, but it is compared with its like.
fn check_delete_items<'a>(
    patch: &[Node<'a>],
    view: &ListView<'a>,
    keys: &Keys<'_, 'a>,
    path: &Path<'_>,
    arena: &'a Arena,
) -> Result<(), Error> {
    for (at, item) in patch.iter().enumerate().filter(|(_, item)| is_delete_item(**item)) {
        let Keyed::Compound(key) = keys.read(*item, arena) else { continue };
        if view.items().iter().any(|live| same_key_kind(*live, *item, keys.name(key))) {
            return Err(keys.compound(key, &path.index(at)));
        }
    }
    Ok(())
}

/// The identities of the first slots that have them.
fn first_slots<'a>(slots: &[Slot<'a>]) -> HashMap<Identity<'a>, usize> {
    let mut index = HashMap::with_capacity(slots.len());
    for (at, slot) in slots.iter().enumerate() {
        if let Keyed::As { identity, .. } = slot.keyed {
            index.entry(identity).or_insert(at);
        }
    }
    index
}

/// The live items that no delete item removed.
fn live_slots<'a>(view: &ListView<'a>, live: &[Keyed<'a>], deleted: &[usize]) -> Vec<Slot<'a>> {
    let mut alive = vec![true; live.len()];
    deleted.iter().for_each(|at| alive[*at] = false);
    let slot = |at: usize| Slot::live(at, view.items()[at], live[at]);
    (0..live.len()).filter(|at| alive[*at]).map(slot).collect()
}

/// Positions in the live list after the deletions; behind a replace marker, in the list itself.
fn server_positions<'a>(slots: &[Slot<'a>], count_new: bool) -> HashMap<Identity<'a>, u32> {
    let mut positions = HashMap::with_capacity(slots.len());
    let counted = |slot: &&Slot<'a>| count_new || matches!(slot.origin, Origin::Live(_));
    for (at, slot) in slots.iter().filter(counted).enumerate() {
        if let Keyed::As { identity, .. } = slot.keyed {
            positions.entry(identity).or_insert(at as u32);
        }
    }
    positions
}

/// Upstream compares keys with Go's `==`, which cannot compare maps and lists with their like: first every
/// item with the plain items of the patch, later while the items are put in order.
fn check_keys<'a>(
    slots: &[Slot<'a>],
    plain: &[(usize, Node<'a>)],
    keys: &Keys<'_, 'a>,
    path: &Path<'_>,
) -> Result<(), Error> {
    for slot in slots {
        match slot.keyed {
            Keyed::Missing => return Err(keys.missing(slot.node, &slot.path(path))),
            Keyed::Compound(at)
                if plain.iter().any(|(_, item)| same_key_kind(slot.node, *item, keys.name(at))) =>
            {
                return Err(keys.compound(at, &slot.path(path)));
            }
            _ => {}
        }
    }
    Ok(())
}

/// An item whose key is a map or list cannot be looked for in the server's order, where it stands itself.
pub(super) fn compare_while_ordering(
    slots: &[Slot<'_>],
    places: &[Place],
    keys: &Keys<'_, '_>,
    path: &Path<'_>,
) -> Result<(), Error> {
    let compound = |at: usize| match slots[at].keyed {
        Keyed::Compound(key) => Some(key),
        _ => None,
    };
    if (0..slots.len()).all(|at| compound(at).is_none()) {
        return Ok(());
    }
    match asked_for(places, |at| compound(at).is_some()) {
        Some(at) => Err(keys.compound(compound(at).unwrap_or_default(), &slots[at].path(path))),
        None => Ok(()),
    }
}

/// Whether looking for the item would compare two maps or two lists.
fn cannot_compare(slot: &Slot<'_>, item: Node<'_>, keyed: Keyed<'_>, keys: &Keys<'_, '_>) -> bool {
    match (slot.keyed, keyed) {
        (Keyed::Compound(_), Keyed::Compound(at)) => same_key_kind(slot.node, item, keys.name(at)),
        _ => false,
    }
}

/// Whether the values of a key are of one kind.
pub(super) fn same_key_kind(one: Node<'_>, other: Node<'_>, key: &str) -> bool {
    one.get(key).map(Node::kind) == other.get(key).map(Node::kind)
}

/// The memory of the live list after the deletions and additions, which upstream reads as the server's order.
///
/// A deletion shifts what follows to the left and leaves the last place as it was; new items overwrite the
/// places that became free.
fn memory<'a>(live: &[Keyed<'a>], deleted: &[usize], added: &[Keyed<'a>]) -> Vec<Keyed<'a>> {
    let mut alive = vec![true; live.len()];
    let mut stale = Vec::with_capacity(deleted.len());
    let mut last = live.len();
    for at in deleted {
        while last > 0 && !alive[last - 1] {
            last -= 1;
        }
        stale.push(live[last - 1]);
        alive[*at] = false;
    }
    let survivors = (0..live.len()).filter(|at| alive[*at]).map(|at| live[at]);
    let free = stale.into_iter().rev().skip(added.len());
    survivors.chain(added.iter().copied()).chain(free).take(live.len()).collect()
}

pub(super) fn lookup<'a>(keyed: Keyed<'a>, index: &HashMap<Identity<'a>, u32>) -> Option<u32> {
    match keyed {
        Keyed::As { identity, .. } => index.get(&identity).copied(),
        _ => None,
    }
}

pub(super) fn is_delete_item(item: Node<'_>) -> bool {
    PatchWord::in_map(item) == Some(PatchWord::Delete)
}

fn is_null_key(keyed: Keyed<'_>) -> bool {
    matches!(keyed, Keyed::As { identity: Identity::One(Scalar::Null), .. })
}

fn merge_unsupported(path: &Path<'_>) -> Error {
    Error::new(
        ErrorKind::MergeDirectiveUnsupported,
        path,
        "merging lists cannot yet be specified in the patch",
    )
    .with_hint("leave out `$patch: merge`: items merge without it")
}
