//! The set of paths that an applier claims with a value.
//!
//! A declared field that only leads to something is not claimed; map entries and list items on the way are.

use kubemerge_schema::{ListForm, ListItems, MapEntries, MapForm, TypeRef};
use kubemerge_value::deep;
use kubemerge_value::part::item_at;

use super::identity::claimed_element;
use super::identity_order::in_order;
use super::valid::is_alike;
use super::{Form, form_of};
use crate::fieldpath::{Element, FieldSet, SetEntry, SetNode, TreeBuilder};
use crate::value::{Arena, Items, Members, ParsedValue};

/// The paths that a value claims.
pub fn claim<'a>(ty: TypeRef<'a>, value: ParsedValue<'a>, arena: &'a Arena) -> FieldSet<'a> {
    let mut walk = ClaimWalk { arena, tree: TreeBuilder::new(arena) };
    walk.value(ty, value);
    walk.tree.finish()
}

struct ClaimWalk<'a> {
    arena: &'a Arena,
    tree: TreeBuilder<'a>,
}

impl<'a> ClaimWalk<'a> {
    /// Walks a value and says whether its own path is claimed.
    fn value(&mut self, ty: TypeRef<'a>, value: ParsedValue<'a>) -> bool {
        match form_of(ty, Some(value)) {
            // Scalars and atomic values are owned as a whole.
            Form::Scalar(_) => true,
            Form::Map(map) if map.entries == MapEntries::Atomic => true,
            Form::List(ListForm { items: ListItems::Atomic, .. }) => true,
            Form::Map(map) => {
                deep(|| self.members(map, value.members().unwrap_or_default()));
                false
            }
            Form::List(list) => {
                deep(|| self.items(list, value.items().unwrap_or_default()));
                false
            }
            Form::Nothing => false,
        }
    }

    fn members(&mut self, map: MapForm<'a>, members: Members<'a>) {
        let mut before = None;
        for member in members.iter() {
            let declared = map.field(member.name);
            let node = self.tree.enter(Element::Name(member.name));
            let entry = declared.is_none().then_some(member.value);
            if let (Some(before), Some(entry)) = (std::mem::replace(&mut before, entry), entry)
                && is_alike(before, entry)
            {
                // As items that are alike.
                self.tree.leave_like_last(node);
                continue;
            }
            let is_leaf = declared.or(map.element).is_some_and(|ty| self.value(ty, member.value));
            // Null and {} are claimed themselves, and so is every entry that no field declares.
            let is_claimed = is_leaf || declared.is_none() || is_nothing(member.value);
            self.tree.leave(node, is_claimed);
        }
    }

    fn items(&mut self, list: ListForm<'a>, items: Items<'a>) {
        let start = self.tree.len();
        let mut before = None;
        for item in items.iter() {
            let node = self.tree.enter(claimed_element(list, item, self.arena));
            match before.replace(item) {
                // Items are of one type, and those that are alike claim the same.
                Some(before) if is_alike(before, item) => self.tree.leave_like_last(node),
                _ => {
                    self.value(list.element, item);
                    self.tree.leave(node, true);
                }
            }
        }
        self.sort_items(start);
    }

    /// Sorts the nodes of items: sets have the order of elements, not of the list.
    fn sort_items(&mut self, start: usize) {
        let nodes = self.tree.nodes_from(start);
        if nodes.is_sorted_by(|one, two| one.order(two).is_lt()) {
            return;
        }
        let order = in_order(nodes.len(), &|place| item_at(nodes, place as usize).element);
        let sorted = order.chunk_by(|_, next| next.is_repeated).filter_map(|same| {
            let first = *item_at(nodes, same.first()?.place as usize);
            // Of repeated items only the item itself is claimed.
            Some(if same.len() == 1 {
                first
            } else {
                SetEntry::new(SetNode::leaf(first.element), self.arena)
            })
        });
        let sorted = sorted.collect();
        self.tree.replace_from(start, sorted);
    }
}

fn is_nothing(value: ParsedValue<'_>) -> bool {
    match value {
        ParsedValue::Null => true,
        ParsedValue::Map(members) => members.is_empty(),
        _ => false,
    }
}
