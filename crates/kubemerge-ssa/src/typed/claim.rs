//! The set of paths that an applier claims with a value.
//!
//! A declared field that only leads to something is not claimed; map entries and list items on the way are.

use kubemerge_schema::{ListForm, ListItems, MapEntries, MapForm, TypeRef};
use kubemerge_value::deep;

use super::list_index::{claimed_items, first_group, sort};
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
        let mut index = claimed_items(list, items, self.arena);
        // The set is built in the order of elements, not of the list.
        sort(&mut index);
        let mut rest = &index[..];
        while let Some(first) = rest.first() {
            let same = first_group(rest);
            rest = &rest[same.len()..];
            let node = self.tree.enter(first.element);
            // Of repeated items only the item itself is claimed.
            if same.len() == 1 {
                self.value(list.element, first.value);
            }
            self.tree.leave(node, true);
        }
    }
}

fn is_nothing(value: ParsedValue<'_>) -> bool {
    matches!(value, ParsedValue::Null | ParsedValue::Map([]))
}
