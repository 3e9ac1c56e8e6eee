//! Whether a set of claims ends at a map or list that has content.
//!
//! Such content belongs to others or to no manager. Pruning removes what has no owner before it looks for the
//! containers that are claimed, so an apply that claims the same paths again may still lose one.

use kubemerge_schema::{ListForm, ListItems, MapEntries, MapForm, TypeRef};
use kubemerge_value::deep;
use kubemerge_value::part::part_of;

use super::list_index::{claimed_items, first_group, sort};
use super::{Form, form_of, member_type};
use crate::fieldpath::{Beside, Element, FieldSet};
use crate::value::{Arena, Items, Members, ParsedValue};

/// Whether a path of the set, with no other path below it, leads to a map or list with entries of its own.
pub(crate) fn has_unclaimed_content<'a>(
    ty: TypeRef<'a>,
    value: ParsedValue<'a>,
    set: &FieldSet<'a>,
    arena: &'a Arena,
) -> bool {
    UnclaimedWalk { arena }.value(Some(ty), value, *set)
}

/// Whether a part of a configuration is null or empty. Only such parts are claimed without a path below.
pub(crate) fn has_empty_part(value: ParsedValue<'_>) -> bool {
    match value {
        ParsedValue::Null => true,
        ParsedValue::Map(members) if members.is_empty() => true,
        ParsedValue::List(items) if items.is_empty() => true,
        ParsedValue::Map(members) => deep(|| members.iter().any(|member| has_empty_part(member.value))),
        ParsedValue::List(items) => deep(|| items.iter().any(|item| has_empty_part(item))),
        _ => false,
    }
}

struct UnclaimedWalk<'a> {
    arena: &'a Arena,
}

impl<'a> UnclaimedWalk<'a> {
    fn value(&self, ty: Option<TypeRef<'a>>, value: ParsedValue<'a>, set: FieldSet<'a>) -> bool {
        let Some(ty) = ty else { return false };
        match (form_of(ty, Some(value)), value) {
            (_, ParsedValue::Map(members)) if members.is_empty() => false,
            (_, ParsedValue::List(items)) if items.is_empty() => false,
            // Atomic values are claimed with all that is in them.
            (Form::Map(map), _) if map.entries == MapEntries::Atomic => false,
            (Form::List(ListForm { items: ListItems::Atomic, .. }), _) => false,
            (Form::Map(_), ParsedValue::Map(_)) | (Form::List(_), ParsedValue::List(_)) if set.is_empty() => {
                true
            }
            (Form::Map(map), ParsedValue::Map(members)) => deep(|| self.members(map, members, set)),
            (Form::List(list), ParsedValue::List(items)) => deep(|| self.items(list, items, set)),
            _ => false,
        }
    }

    fn members(&self, map: MapForm<'a>, members: Members<'a>, set: FieldSet<'a>) -> bool {
        let mut beside = Beside::new(set);
        members.iter().any(|member| {
            let child = beside.child(Element::Name(member.name));
            child.is_some_and(|child| self.value(member_type(map, member.name), member.value, child.below))
        })
    }

    fn items(&self, list: ListForm<'a>, items: Items<'a>, set: FieldSet<'a>) -> bool {
        let mut index = claimed_items(list, items, self.arena);
        sort(&mut index);
        let mut beside = Beside::new(set);
        let mut rest = &index[..];
        while let Some(first) = rest.first() {
            let same = first_group(rest);
            rest = part_of(rest, same.len()..);
            let Some(child) = beside.child(first.element) else { continue };
            // Of repeated items only the item itself is claimed, whatever they have.
            if same.len() > 1 || self.value(Some(list.element), first.value, child.below) {
                return true;
            }
        }
        false
    }
}
