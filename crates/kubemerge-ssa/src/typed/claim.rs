//! The set of paths that an applier claims with a value.
//!
//! A declared field that only leads to something is not claimed; map entries and list items on the way are.

use bumpalo::collections::Vec as ArenaVec;
use kubemerge_schema::{ListForm, ListItems, MapEntries, MapForm, TypeRef};
use kubemerge_value::deep;

use super::identity::claimed_element;
use super::identity_order::in_order;
use super::valid::is_alike;
use super::{Form, form_of};
use crate::fieldpath::{Element, FieldSet, TreeBuilder};
use crate::value::{Arena, Member, ParsedValue};

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

    fn members(&mut self, map: MapForm<'a>, members: &'a [Member<'a>]) {
        for member in members {
            let declared = map.field(member.name);
            let node = self.tree.enter(Element::Name(member.name));
            let is_leaf = declared.or(map.element).is_some_and(|ty| self.value(ty, member.value));
            // Null and {} are claimed themselves, and so is every entry that no field declares.
            let is_claimed = is_leaf || declared.is_none() || is_nothing(member.value);
            self.tree.leave(node, is_claimed);
        }
    }

    fn items(&mut self, list: ListForm<'a>, items: &'a [ParsedValue<'a>]) {
        let mut claimed = ArenaVec::with_capacity_in(items.len(), self.arena);
        let mut before: Option<Claimed<'a>> = None;
        for item in items {
            let element = claimed_element(list, *item, self.arena);
            let below = match before {
                Some(before) if is_alike(before.value, *item) => before.below,
                _ => {
                    let node = self.tree.enter(element);
                    self.value(list.element, *item);
                    self.tree.below(node)
                }
            };
            before = Some(Claimed { element, value: *item, below });
            claimed.extend(before);
        }
        self.add_in_order(&claimed);
    }

    /// Adds items to the set, which is built in the order of elements, not of the list.
    fn add_in_order(&mut self, items: &[Claimed<'a>]) {
        if items.is_sorted_by(|one, two| one.element.order(two.element).is_lt()) {
            return items.iter().for_each(|item| self.tree.add(item.element, true, item.below));
        }
        let order = in_order(items.len(), &|place| items[place as usize].element);
        for same in order.chunk_by(|_, next| next.is_repeated) {
            let first = items[same[0].place as usize];
            // Of repeated items only the item itself is claimed.
            let below = if same.len() == 1 { first.below } else { FieldSet::EMPTY };
            self.tree.add(first.element, true, below);
        }
    }
}

/// An item and what it claims. One that is alike claims the same.
#[derive(Clone, Copy)]
struct Claimed<'a> {
    element: Element<'a>,
    value: ParsedValue<'a>,
    below: FieldSet<'a>,
}

fn is_nothing(value: ParsedValue<'_>) -> bool {
    matches!(value, ParsedValue::Null | ParsedValue::Map([]))
}
