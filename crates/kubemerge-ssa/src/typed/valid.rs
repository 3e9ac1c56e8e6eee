//! Whether a value is valid: the quick answer, without paths and texts. `validate.rs` finds the reasons.

use bumpalo::collections::Vec as ArenaVec;
use kubemerge_schema::{ListForm, ListItems, MapForm, ScalarType, TypeRef};
use kubemerge_value::deep;

use super::identity::identity;
use super::{Duplicates, Form, form_of};
use crate::fieldpath::Element;
use crate::value::{Arena, Member, ParsedValue};

/// Whether a value has the form its type wants.
pub(super) fn is_valid<'a>(
    ty: TypeRef<'a>,
    value: ParsedValue<'a>,
    duplicates: Duplicates,
    arena: &'a Arena,
) -> bool {
    match (form_of(ty, Some(value)), value) {
        (_, ParsedValue::Null) => true,
        (Form::Map(map), ParsedValue::Map(members)) => {
            deep(|| are_valid_members(map, members, duplicates, arena))
        }
        (Form::List(list), ParsedValue::List(items)) => {
            deep(|| are_valid_items(list, items, duplicates, arena))
        }
        (Form::Scalar(ty), value) => is_valid_scalar(ty, value),
        _ => false,
    }
}

/// Whether a value is valid, beside an older version of it that is: parts that both share are.
pub(crate) fn is_valid_beside<'a>(
    ty: TypeRef<'a>,
    value: ParsedValue<'a>,
    older: ParsedValue<'a>,
    duplicates: Duplicates,
    arena: &'a Arena,
) -> bool {
    let again = |ty, value, older: Option<ParsedValue<'a>>| match older {
        Some(older) => is_valid_beside(ty, value, older, duplicates, arena),
        None => is_valid(ty, value, duplicates, arena),
    };
    match (form_of(ty, Some(value)), value) {
        _ if value.is_same_part(older) => true,
        (Form::Map(map), ParsedValue::Map(members)) => deep(|| {
            members.iter().all(|member| {
                let ty = map.field(member.name).or(map.element);
                ty.is_some_and(|ty| again(ty, member.value, older.get(member.name)))
            })
        }),
        // Only atomic lists can be looked at item by item: in others the items must be told apart.
        (Form::List(ListForm { items: ListItems::Atomic, element }), ParsedValue::List(items)) => {
            deep(|| {
                let older = older.items().unwrap_or_default();
                items.iter().enumerate().all(|(place, item)| again(element, *item, older.get(place).copied()))
            })
        }
        _ => is_valid(ty, value, duplicates, arena),
    }
}

/// Whether a scalar is one that its type allows; null always is.
#[inline]
pub(super) fn is_valid_scalar(ty: ScalarType, value: ParsedValue<'_>) -> bool {
    match (ty, value) {
        (_, ParsedValue::Null) => true,
        (ScalarType::Numeric, ParsedValue::Int(_) | ParsedValue::Float(_)) => true,
        (ScalarType::String, ParsedValue::String(_)) => true,
        (ScalarType::Boolean, ParsedValue::Bool(_)) => true,
        (ScalarType::Untyped, value) => value.is_scalar(),
        _ => false,
    }
}

fn are_valid_members<'a>(
    map: MapForm<'a>,
    members: &'a [Member<'a>],
    duplicates: Duplicates,
    arena: &'a Arena,
) -> bool {
    members.iter().all(|member| {
        let Some(ty) = map.field(member.name).or(map.element) else { return false };
        match (member.value, ty.scalar()) {
            // Most members; saves a call per value.
            (value, Some(scalar)) if value.is_scalar() => is_valid_scalar(scalar, value),
            (value, _) => is_valid(ty, value, duplicates, arena),
        }
    })
}

fn are_valid_items<'a>(
    list: ListForm<'a>,
    items: &'a [ParsedValue<'a>],
    duplicates: Duplicates,
    arena: &'a Arena,
) -> bool {
    let are_valid = || items.iter().all(|item| is_valid(list.element, *item, duplicates, arena));
    if matches!(list.items, ListItems::Atomic) {
        return are_valid();
    }
    let mut elements = ArenaVec::with_capacity_in(items.len(), arena);
    for item in items {
        let Ok(element) = identity(list, *item, arena) else { return false };
        elements.push(element);
    }
    (duplicates == Duplicates::Allowed || are_unique(&mut elements)) && are_valid()
}

fn are_unique(elements: &mut [Element<'_>]) -> bool {
    // Sorted without equal neighbours means unique.
    let is_rising = |elements: &[Element<'_>]| elements.is_sorted_by(|one, two| one.order(*two).is_lt());
    if is_rising(elements) {
        return true;
    }
    elements.sort_by(|one, two| one.order(*two));
    is_rising(elements)
}
