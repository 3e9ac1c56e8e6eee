//! Whether a value is valid: the quick answer, without paths and texts. `validate.rs` finds the reasons.

use bumpalo::collections::Vec as ArenaVec;
use kubemerge_schema::{ListForm, ListItems, MapForm, ScalarType, TypeRef};
use kubemerge_value::deep;
use kubemerge_value::part::item_at;

use super::identity::{has_identity, identity, is_rising};
use super::identity_order::are_unique;
use super::{Duplicates, Form, form_of};
use crate::value::{Arena, Items, Member, Members, ParsedValue};

/// Whether a value has the form its type wants.
pub(crate) fn is_valid<'a>(
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

/// Whether a value is valid, beside a similar one that is: parts that are the same in both are.
pub(crate) fn is_valid_beside<'a>(
    ty: TypeRef<'a>,
    value: ParsedValue<'a>,
    similar: ParsedValue<'a>,
    duplicates: Duplicates,
    arena: &'a Arena,
) -> bool {
    BesideWalk { duplicates, arena }.value(ty, value, Some(similar), Equality::ByContent)
}

/// How equal parts are found.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Equality {
    /// Atomic lists by what is in them, which takes less time than validating them.
    ByContent,
    /// By their place in memory. Below an atomic list that differs, so that nothing is compared once per level.
    ByPlace,
}

#[derive(Clone, Copy)]
struct BesideWalk<'a> {
    duplicates: Duplicates,
    arena: &'a Arena,
}

impl<'a> BesideWalk<'a> {
    fn value(
        self,
        ty: TypeRef<'a>,
        value: ParsedValue<'a>,
        similar: Option<ParsedValue<'a>>,
        equality: Equality,
    ) -> bool {
        let Some(similar) = similar else { return is_valid(ty, value, self.duplicates, self.arena) };
        match (form_of(ty, Some(value)), value) {
            _ if value.is_same_part(similar) => true,
            (Form::Map(map), ParsedValue::Map(members)) => deep(|| {
                members.iter().all(|member| {
                    let Some(ty) = map.field(member.name).or(map.element) else { return false };
                    match (member.value, ty.scalar()) {
                        // Cheaper to look at than to find in the other value.
                        (value, Some(scalar)) if value.is_scalar() => is_valid_scalar(scalar, value),
                        (value, _) => self.value(ty, value, similar.get(member.name), equality),
                    }
                })
            }),
            (Form::List(ListForm { items: ListItems::Atomic, element }), ParsedValue::List(items)) => {
                (equality == Equality::ByContent && value.is_identical(similar))
                    || deep(|| self.items(element, items, similar.items().unwrap_or_default()))
            }
            // Where items of one identity are refused, all of them must be distinguished.
            (Form::List(list), ParsedValue::List(items)) if self.duplicates == Duplicates::Allowed => {
                items.iter().all(|item| has_identity(list, item))
                    && deep(|| self.items(list.element, items, similar.items().unwrap_or_default()))
            }
            _ => is_valid(ty, value, self.duplicates, self.arena),
        }
    }

    fn items(self, ty: TypeRef<'a>, items: Items<'a>, similar: Items<'a>) -> bool {
        let mut before = None;
        items.iter().enumerate().all(|(place, item)| {
            let before = before.replace(item);
            before.is_some_and(|before| is_alike(before, item))
                || self.value(ty, item, similar.get(place), Equality::ByPlace)
        })
    }
}

/// Whether a scalar is one that its type allows; null always is.
#[inline]
pub(crate) fn is_valid_scalar(ty: ScalarType, value: ParsedValue<'_>) -> bool {
    match (ty, value) {
        (_, ParsedValue::Null) => true,
        (ScalarType::Numeric, ParsedValue::Int(_) | ParsedValue::Float(_)) => true,
        (ScalarType::String, ParsedValue::String(_)) => true,
        (ScalarType::Boolean, ParsedValue::Bool(_)) => true,
        (ScalarType::Untyped, value) => value.is_scalar(),
        _ => false,
    }
}

/// Whether a value is valid because another one of the same type is: both have the same names and kinds of scalars.
/// The items of a list may be distinguished by what is in them, so that values with lists are never alike.
#[inline]
pub(super) fn is_alike(one: ParsedValue<'_>, two: ParsedValue<'_>) -> bool {
    match (one, two) {
        (ParsedValue::Map(one), ParsedValue::Map(two)) => are_alike(one, two),
        _ => is_same_kind_of_scalar(one, two),
    }
}

fn are_alike(one: Members<'_>, two: Members<'_>) -> bool {
    let is_alike = |(one, two): (Member<'_>, Member<'_>)| {
        is_same_name(one.name, two.name)
            && match (one.value, two.value) {
                (ParsedValue::Map(one), ParsedValue::Map(two)) => deep(|| are_alike(one, two)),
                (one, two) => is_same_kind_of_scalar(one, two),
            }
    };
    one.len() == two.len() && one.iter().zip(two.iter()).all(is_alike)
}

#[inline]
fn is_same_kind_of_scalar(one: ParsedValue<'_>, two: ParsedValue<'_>) -> bool {
    (one.is_scalar() || one.is_null()) && std::mem::discriminant(&one) == std::mem::discriminant(&two)
}

/// Whether two names are the same, without a call for those of usual length.
#[inline]
fn is_same_name(one: &str, two: &str) -> bool {
    let (one, two) = (one.as_bytes(), two.as_bytes());
    match one.len() {
        len if len != two.len() => false,
        // Two words that may overlap.
        4..=8 => one.first_chunk::<4>() == two.first_chunk() && one.last_chunk::<4>() == two.last_chunk(),
        9..=16 => one.first_chunk::<8>() == two.first_chunk() && one.last_chunk::<8>() == two.last_chunk(),
        _ => one == two,
    }
}

fn are_valid_members<'a>(
    map: MapForm<'a>,
    members: Members<'a>,
    duplicates: Duplicates,
    arena: &'a Arena,
) -> bool {
    let mut before = None;
    members.iter().all(|member| {
        let declared = map.field(member.name);
        let Some(ty) = declared.or(map.element) else { return false };
        match (member.value, ty.scalar()) {
            // Most members; saves a call per value.
            (value, Some(scalar)) if value.is_scalar() => is_valid_scalar(scalar, value),
            (value, _) if declared.is_some() => is_valid(ty, value, duplicates, arena),
            // Entries are of one type, and many are alike.
            (value, _) => {
                let before = before.replace(value);
                before.is_some_and(|before| is_alike(before, value)) || is_valid(ty, value, duplicates, arena)
            }
        }
    })
}

fn are_valid_items<'a>(
    list: ListForm<'a>,
    items: Items<'a>,
    duplicates: Duplicates,
    arena: &'a Arena,
) -> bool {
    let are_valid = || {
        let mut before = None;
        items.iter().all(|item| {
            let before = before.replace(item);
            before.is_some_and(|before| is_alike(before, item))
                || is_valid(list.element, item, duplicates, arena)
        })
    };
    if matches!(list.items, ListItems::Atomic) {
        return are_valid();
    }
    if duplicates == Duplicates::Allowed {
        return items.iter().all(|item| has_identity(list, item)) && are_valid();
    }
    // Most lists that are long are sorted.
    if is_rising(list, items, arena) {
        return are_valid();
    }
    let mut elements = ArenaVec::with_capacity_in(items.len(), arena);
    for item in items.iter() {
        let Ok(element) = identity(list, item, arena) else { return false };
        elements.push(element);
    }
    are_unique(elements.len(), &|place| *item_at(&elements, place as usize)) && are_valid()
}
