//! A keyed list of upstream while it is merged: slots that say where each item comes from.

use super::keyed::is_delete_item;
use crate::{
    identity::Keys,
    order::WovenItem,
    register::{ItemId, Positions, Register},
};
use kubemerge_value::part::{item_at, item_at_mut};
use kubemerge_value::{Kind, Node, Path, Pick, Side};

/// An item of the merged list.
#[derive(Clone, Copy)]
pub(in crate::apply) struct Slot {
    pub(in crate::apply) id: ItemId,
    pub(in crate::apply) origin: Origin,
    /// Whether it is a delete item, which only a patch holds.
    pub(in crate::apply) is_delete_item: bool,
    /// Its place among the changed values, if it was changed.
    pub(in crate::apply) changed: Option<u32>,
}

/// Where an item comes from: its position in the list that it was read from.
#[derive(Clone, Copy)]
pub(in crate::apply) enum Origin {
    Live(u32),
    Patch(u32),
}

impl Slot {
    pub(in crate::apply) fn new(origin: Origin, id: ItemId) -> Self {
        Slot { id, origin, is_delete_item: false, changed: None }
    }

    /// The path of an item of the patch that is merged into it.
    pub(in crate::apply) fn path_with<'p>(&self, patch_at: usize, list: &'p Path<'p>) -> Path<'p> {
        match self.origin {
            Origin::Live(at) => list.item(patch_at, at as usize),
            Origin::Patch(_) => list.only(Side::Patch, patch_at),
        }
    }

    /// Its path in the list that it was read from.
    pub(in crate::apply) fn path<'p>(&self, list: &'p Path<'p>) -> Path<'p> {
        match self.origin {
            Origin::Live(at) => list.only(Side::Live, at as usize),
            Origin::Patch(at) => list.only(Side::Patch, at as usize),
        }
    }
}

/// A merged list before it becomes a value.
pub(in crate::apply) struct Merged<'l, 'a> {
    pub(in crate::apply) slots: Vec<Slot>,
    pub(in crate::apply) live_items: &'l [Node<'a>],
    pub(in crate::apply) patch: &'l [Node<'a>],
    /// The identities of the live items.
    pub(in crate::apply) live: Vec<ItemId>,
    /// The positions of the live items that were deleted, in this order.
    pub(in crate::apply) deleted: Vec<usize>,
    /// The items that were added, in this order.
    pub(in crate::apply) added: Vec<ItemId>,
    pub(in crate::apply) register: Register<'a>,
    /// The values of the items that were changed.
    pub(in crate::apply) changed: Vec<Node<'a>>,
}

impl<'l, 'a> Merged<'l, 'a> {
    pub(in crate::apply) fn new(
        live_items: &'l [Node<'a>],
        patch: &'l [Node<'a>],
        register: Register<'a>,
    ) -> Self {
        Merged {
            slots: Vec::new(),
            live_items,
            patch,
            live: Vec::new(),
            deleted: Vec::new(),
            added: Vec::new(),
            register,
            changed: Vec::new(),
        }
    }

    /// The value of an item.
    pub(in crate::apply) fn node(&self, slot: &Slot) -> Node<'a> {
        match (slot.changed, slot.origin) {
            (Some(at), _) => *item_at(&self.changed, at as usize),
            (None, Origin::Live(at)) => *item_at(self.live_items, at as usize),
            (None, Origin::Patch(at)) => *item_at(self.patch, at as usize),
        }
    }

    /// Gives an item another value.
    pub(in crate::apply) fn change(&mut self, at: usize, node: Node<'a>) {
        let slot = item_at_mut(&mut self.slots, at);
        // Merging may have changed the directive of the item.
        slot.is_delete_item = slot.is_delete_item && is_delete_item(node);
        if let Some(at) = slot.changed {
            *item_at_mut(&mut self.changed, at as usize) = node;
        } else {
            slot.changed = Some(self.changed.len() as u32);
            self.changed.push(node);
        }
    }

    /// The places of the items, named by these names, in the order of the server.
    pub(in crate::apply) fn places(&self, named: &Positions, server: &Positions) -> Vec<WovenItem> {
        let place = |slot: &Slot| {
            let (rank, server) = (named.get(slot.id), server.get(slot.id));
            // Upstream orders items of the patch first, others by where the server had them.
            WovenItem { named: rank.is_some(), rank: rank.or(server), server, deleting: slot.is_delete_item }
        };
        self.slots.iter().map(place).collect()
    }

    /// The items for the list that they become.
    pub(in crate::apply) fn picks(&self) -> Vec<Pick<'a>> {
        let pick = |slot: &Slot| match (slot.changed, slot.origin) {
            (None, Origin::Live(at)) => Pick::Keep(at as usize),
            _ => Pick::Put(self.node(slot)),
        };
        self.slots.iter().map(pick).collect()
    }

    /// The kinds of the keys that cannot be compared.
    pub(in crate::apply) fn compound_kinds(&self, keys: &Keys<'_, 'a>) -> CompoundKinds {
        let mut kinds = CompoundKinds::default();
        for slot in self.slots.iter().filter(|slot| slot.id == ItemId::Compound) {
            kinds.add(self.node(slot), keys);
        }
        kinds
    }

    /// What the memory of the live list holds after upstream has worked on it, which it reads as the server's
    /// order.
    ///
    /// A deletion shifts what follows to the left and leaves the last place as it was; new items overwrite
    /// the places that became free.
    pub(in crate::apply) fn memory(&self) -> Vec<ItemId> {
        let live = &self.live;
        let mut alive = vec![true; live.len()];
        // Upstream: deleting from a Go slice leaves old items after its end, and appending overwrites them.
        let mut stale = Vec::with_capacity(self.deleted.len());
        let mut rest = live.len();
        for at in &self.deleted {
            // The last place that is still in use is what a deletion copies from.
            let Some(last) = alive.iter().take(rest).rposition(|alive| *alive) else { break };
            stale.push(*item_at(live, last));
            rest = last + 1;
            *item_at_mut(&mut alive, *at) = false;
        }
        let survivors = live.iter().zip(&alive).filter(|(_, alive)| **alive).map(|(node, _)| *node);
        let free = stale.into_iter().rev().skip(self.added.len());
        survivors.chain(self.added.iter().copied()).chain(free).take(live.len()).collect()
    }
}

/// The kinds of the maps and lists that some items have for keys.
#[derive(Default)]
pub(in crate::apply) struct CompoundKinds {
    maps: bool,
    lists: bool,
}

impl CompoundKinds {
    /// Whether a key of this kind is among them.
    pub(in crate::apply) fn has(&self, item: Node<'_>, keys: &Keys<'_, '_>) -> bool {
        match item.get(keys.name(0)).map(Node::kind) {
            Some(Kind::Map) => self.maps,
            Some(Kind::List) => self.lists,
            _ => false,
        }
    }

    /// Adds the kind of a key; false if it was there before.
    pub(in crate::apply) fn add(&mut self, item: Node<'_>, keys: &Keys<'_, '_>) -> bool {
        let is_new = !self.has(item, keys);
        match item.get(keys.name(0)).map(Node::kind) {
            Some(Kind::Map) => self.maps = true,
            Some(Kind::List) => self.lists = true,
            _ => {}
        }
        is_new
    }
}
