//! Removes the paths of a set from a value, or extracts them.
//!
//! One walk in two modes. A container that loses its last entry becomes null.

use bumpalo::collections::Vec as ArenaVec;
use kubemerge_schema::{ListForm, ListItems, MapEntries, MapForm, TypeRef};
use kubemerge_value::deep;

use super::identity::claimed_element;
use super::{Form, claim, form_of, member_type};
use crate::fieldpath::{Beside, Element, FieldSet};
use crate::value::{Arena, Items, Members, ParsedValue};

/// The value without the paths of a set.
pub fn remove<'a>(
    ty: TypeRef<'a>,
    value: ParsedValue<'a>,
    set: &FieldSet<'a>,
    arena: &'a Arena,
) -> ParsedValue<'a> {
    RemoveWalk { arena, mode: Mode::Remove }.value(Some(ty), value, *set)
}

/// The parts of a value that a set names.
pub fn extract<'a>(
    ty: TypeRef<'a>,
    value: ParsedValue<'a>,
    set: &FieldSet<'a>,
    arena: &'a Arena,
) -> ParsedValue<'a> {
    RemoveWalk { arena, mode: Mode::Extract }.value(Some(ty), value, *set)
}

/// The parts of a value that a set names, and the key fields of the items on the way.
pub fn extract_with_keys<'a>(
    ty: TypeRef<'a>,
    value: ParsedValue<'a>,
    set: &FieldSet<'a>,
    arena: &'a Arena,
) -> ParsedValue<'a> {
    let claimed = claim(ty, value, arena);
    let mut paths: Vec<Vec<Element<'a>>> = Vec::new();
    set.intersection(&claimed, arena).each_path(|path| {
        for (place, element) in path.iter().enumerate() {
            let Element::Key(fields) = element else { continue };
            // Without its keys an extracted item could not be applied.
            for field in *fields {
                paths.push(path.iter().take(place + 1).copied().chain([Element::Name(field.name)]).collect());
            }
        }
    });
    extract(ty, value, &set.union(&FieldSet::of_paths(paths, arena), arena), arena)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    Remove,
    Extract,
}

#[derive(Clone, Copy)]
struct RemoveWalk<'a> {
    arena: &'a Arena,
    mode: Mode,
}

impl<'a> RemoveWalk<'a> {
    fn value(self, ty: Option<TypeRef<'a>>, value: ParsedValue<'a>, set: FieldSet<'a>) -> ParsedValue<'a> {
        let Some(ty) = ty else { return ParsedValue::Null };
        let whole = if self.mode == Mode::Extract { value } else { ParsedValue::Null };
        match (form_of(ty, Some(value)), value) {
            // Reached only for the root: members and items are decided by their parents.
            (Form::Scalar(_), value) => value,
            (Form::Map(_), ParsedValue::Map(members)) if members.is_empty() => whole,
            (Form::List(_), ParsedValue::List(items)) if items.is_empty() => whole,
            (Form::Map(map), ParsedValue::Map(_)) if map.entries == MapEntries::Atomic => whole,
            (Form::List(ListForm { items: ListItems::Atomic, .. }), ParsedValue::List(_)) => whole,
            (Form::Map(map), ParsedValue::Map(members)) => deep(|| self.members(map, members, set)),
            (Form::List(list), ParsedValue::List(items)) => deep(|| self.items(list, items, set)),
            // A value of the wrong kind.
            _ => ParsedValue::Null,
        }
    }

    fn members(self, map: MapForm<'a>, members: Members<'a>, set: FieldSet<'a>) -> ParsedValue<'a> {
        let mut kept = ArenaVec::with_capacity_in(members.len(), self.arena);
        let mut beside = Beside::new(set);
        for member in members.iter() {
            let child = beside.child(Element::Name(member.name));
            let is_named = child.is_some_and(|child| child.is_member);
            let below = child.map_or(FieldSet::EMPTY, |child| child.below);
            let ty = || member_type(map, member.name);
            let value = match self.mode {
                Mode::Remove if is_named => None,
                // Upstream: goes on with the same set, not with what is below this member.
                Mode::Extract if is_named => Some(self.value(ty(), member.value, set)),
                _ if !below.is_empty() => Some(self.value(ty(), member.value, below)),
                Mode::Remove => Some(member.value),
                Mode::Extract => None,
            };
            kept.extend(value.map(|value| value.named(member.name, self.arena)));
        }
        // Upstream: what is left of an emptied map is null.
        if kept.is_empty() { ParsedValue::Null } else { ParsedValue::map_of(kept) }
    }

    fn items(self, list: ListForm<'a>, items: Items<'a>, set: FieldSet<'a>) -> ParsedValue<'a> {
        let mut kept = ArenaVec::with_capacity_in(items.len(), self.arena);
        for item in items.iter() {
            let child = set.child(claimed_element(list, item, self.arena));
            let is_named = child.is_some_and(|child| child.is_member);
            let below = child.map_or(FieldSet::EMPTY, |child| child.below);
            let has_more = !below.is_empty();
            let value = if has_more { self.value(Some(list.element), item, below) } else { item };
            let is_kept = match self.mode {
                Mode::Remove => !is_named,
                Mode::Extract => is_named || has_more,
            };
            kept.extend(is_kept.then(|| value.to_value(self.arena)));
        }
        if kept.is_empty() { ParsedValue::Null } else { ParsedValue::list_of(kept) }
    }
}
