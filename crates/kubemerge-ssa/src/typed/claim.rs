//! The set of paths that an applier claims with a value.
//!
//! A declared field that only leads to something is not claimed; map entries and list items on the way are.

use kubemerge_schema::{ListForm, ListItems, MapEntries, MapForm, TypeRef};
use kubemerge_value::deep;

use super::error::Problems;
use super::list_index::{first_group, identify, sort};
use super::{Form, form_of};
use crate::fieldpath::{Element, FieldSet, PathStack, SetBuilder};
use crate::value::{Arena, Member, Value};

/// The paths that a value claims.
pub fn claim<'a>(ty: TypeRef<'a>, value: Value<'a>, arena: &'a Arena) -> FieldSet<'a> {
    let mut walk = ClaimWalk { arena, path: PathStack::new(), set: SetBuilder::new() };
    walk.value(ty, value);
    walk.set.finish()
}

struct ClaimWalk<'a> {
    arena: &'a Arena,
    path: PathStack<'a>,
    set: SetBuilder<'a>,
}

impl<'a> ClaimWalk<'a> {
    fn value(&mut self, ty: TypeRef<'a>, value: Value<'a>) {
        match form_of(ty, Some(value)) {
            Form::Scalar(_) => self.claim_path(),
            Form::Map(map) if map.entries == MapEntries::Atomic => self.claim_path(),
            Form::List(ListForm { items: ListItems::Atomic, .. }) => self.claim_path(),
            Form::Map(map) => deep(|| self.members(map, value.members().unwrap_or_default())),
            Form::List(list) => deep(|| self.items(list, value.items().unwrap_or_default())),
            Form::Nothing => {}
        }
    }

    fn claim_path(&mut self) {
        self.set.insert(&self.path);
    }

    fn members(&mut self, map: MapForm<'a>, members: &'a [Member<'a>]) {
        for member in members {
            self.path.push(Element::Name(member.name));
            let declared = map.field(member.name);
            if let Some(ty) = declared.or(map.element) {
                self.value(ty, member.value);
            }
            // Null and {} are claimed themselves, and so is every entry that no field declares.
            if declared.is_none() || is_nothing(member.value) {
                self.claim_path();
            }
            self.path.pop();
        }
    }

    fn items(&mut self, list: ListForm<'a>, items: &'a [Value<'a>]) {
        // Claiming goes on where an item has no identity: validation has reported it.
        let mut index = identify(list, items, self.arena, &self.path, &mut Problems::default());
        sort(&mut index);
        let mut rest = &index[..];
        while let Some(first) = rest.first() {
            let same = first_group(rest);
            rest = &rest[same.len()..];
            self.path.push(first.element);
            // Of repeated items only the item itself is claimed.
            if same.len() == 1 {
                self.value(list.element, first.value);
            }
            self.claim_path();
            self.path.pop();
        }
    }
}

fn is_nothing(value: Value<'_>) -> bool {
    matches!(value, Value::Null | Value::Map([]))
}
