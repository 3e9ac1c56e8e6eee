//! Operations on values of known types: validate, claim, compare, merge, remove, extract, reconcile.
//!
//! A type allows up to three forms; `form_of` says which one counts for a value. Each operation has its
//! own file. Operations expect validated values; what validation would have reported is an error of the
//! operation too, never a panic.

mod claim;
mod compare;
mod error;
mod go_value;
mod identity;
mod identity_order;
mod list_index;
mod merge;
mod merge_list;
mod reconcile;
mod remove;
mod unclaimed;
mod valid;
mod validate;

pub use claim::claim;
pub(crate) use compare::compare_with_valid;
pub use compare::{Comparison, compare};
pub use error::{ValidationError, ValidationErrors};
pub(crate) use list_index::distinct_items;
pub use merge::merge;
pub use reconcile::reconcile;
pub use remove::{extract, extract_with_keys, remove};
pub(crate) use unclaimed::{has_empty_part, has_unclaimed_content};
pub(crate) use valid::{is_valid, is_valid_beside, is_valid_scalar};
pub use validate::{Duplicates, validate};

use kubemerge_schema::{ListForm, MapForm, ScalarType, TypeRef};

use crate::value::ParsedValue;

/// The form of a type that counts for a value.
#[derive(Clone, Copy)]
pub(crate) enum Form<'t> {
    Map(MapForm<'t>),
    Scalar(ScalarType),
    List(ListForm<'t>),
    /// The type allows nothing.
    Nothing,
}

/// The form of a type that counts for a value; null and kinds that the type does not allow do not decide.
pub(crate) fn form_of<'t>(ty: TypeRef<'t>, value: Option<ParsedValue<'_>>) -> Form<'t> {
    let decided = match value {
        Some(ParsedValue::Map(_)) => ty.map().map(Form::Map),
        Some(ParsedValue::List(_)) => ty.list().map(Form::List),
        // Null fits every form.
        Some(ParsedValue::Null) | None => None,
        Some(_) => ty.scalar().map(Form::Scalar),
    };
    decided.unwrap_or_else(|| first_form(ty))
}

/// The form that counts without a value.
pub(crate) fn first_form(ty: TypeRef<'_>) -> Form<'_> {
    let map = ty.map().map(Form::Map);
    let scalar = || ty.scalar().map(Form::Scalar);
    // The order in which upstream looks at the parts of a type.
    map.or_else(scalar).or_else(|| ty.list().map(Form::List)).unwrap_or(Form::Nothing)
}

/// The forms that count for two values, of which one may be absent: the second one only where it differs.
pub(crate) fn forms_of<'t>(
    ty: TypeRef<'t>,
    left: Option<ParsedValue<'_>>,
    right: Option<ParsedValue<'_>>,
) -> (Form<'t>, Option<Form<'t>>) {
    if right.is_none() {
        return (form_of(ty, left), None);
    }
    let form = form_of(ty, right);
    if left.is_none() {
        return (form, None);
    }
    let other = form_of(ty, left);
    let is_same = std::mem::discriminant(&form) == std::mem::discriminant(&other);
    (form, (!is_same).then_some(other))
}

/// The type of a member of a map; `None` where it is not declared and others are not allowed.
pub(crate) fn member_type<'t>(map: MapForm<'t>, name: &str) -> Option<TypeRef<'t>> {
    map.field(name).or(map.element)
}
