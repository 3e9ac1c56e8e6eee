//! Whether a value has the form its type wants.

use kubemerge_schema::{ListForm, ListItems, MapForm, TypeRef};
use kubemerge_value::deep;
use kubemerge_value::part::item_at;

use super::error::ValidationErrors;
use super::go_value::{Plain, scalar_problem};
use super::identity::identity;
use super::identity_order::in_order;
use super::valid::is_valid;
use super::{Form, form_of, member_type};
use crate::fieldpath::{Element, PathStack};
use crate::value::{Arena, Items, Members, ParsedValue};

/// Whether a list may have several items of one identity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Duplicates {
    /// They are errors: configurations, and objects in other versions.
    Refused,
    /// They are fine: live objects.
    Allowed,
}

/// Checks a value against its type.
///
/// # Errors
/// Everything that is wrong with it.
pub fn validate<'a>(
    ty: TypeRef<'a>,
    value: ParsedValue<'a>,
    duplicates: Duplicates,
    arena: &'a Arena,
) -> Result<(), ValidationErrors> {
    // The fast way answers yes or no; paths and messages are made only for a no.
    if is_valid(ty, value, duplicates, arena) {
        debug_assert_eq!(problems(ty, value, duplicates, arena).or(()), Ok(()));
        return Ok(());
    }
    problems(ty, value, duplicates, arena).or(())
}

/// Everything that is wrong with a value.
fn problems<'a>(
    ty: TypeRef<'a>,
    value: ParsedValue<'a>,
    duplicates: Duplicates,
    arena: &'a Arena,
) -> ValidationErrors {
    let mut walk =
        ValidateWalk { arena, duplicates, path: PathStack::new(), problems: ValidationErrors::default() };
    walk.value(ty, value);
    walk.problems
}

struct ValidateWalk<'a> {
    arena: &'a Arena,
    duplicates: Duplicates,
    path: PathStack<'a>,
    problems: ValidationErrors,
}

impl<'a> ValidateWalk<'a> {
    fn value(&mut self, ty: TypeRef<'a>, value: ParsedValue<'a>) {
        match (form_of(ty, Some(value)), value) {
            (Form::Map(_) | Form::List(_), ParsedValue::Null) => {}
            (Form::Map(map), ParsedValue::Map(members)) => deep(|| self.members(map, members)),
            (Form::Map(_), other) => self.report(format!("expected map, got {}", Plain(other))),
            (Form::List(list), ParsedValue::List(items)) => deep(|| self.items(list, items)),
            (Form::List(_), other) => self.report(format!("expected list, got {}", Plain(other))),
            (Form::Scalar(ty), value) => {
                if let Some(problem) = scalar_problem(ty, value) {
                    self.report(problem);
                }
            }
            (Form::Nothing, _) => self.report("schema error: invalid atom: inlined".to_owned()),
        }
    }

    fn report(&mut self, message: String) {
        self.problems.add(&self.path, message);
    }

    fn members(&mut self, map: MapForm<'a>, members: Members<'a>) {
        for member in members.iter() {
            self.path.push(Element::Name(member.name));
            let ty = member_type(map, member.name);
            match ty {
                Some(ty) => self.value(ty, member.value),
                None => self.report("field not declared in schema".to_owned()),
            }
            self.path.pop();
            if ty.is_none() {
                // Upstream looks at nothing more of this map.
                return;
            }
        }
    }

    fn items(&mut self, list: ListForm<'a>, items: Items<'a>) {
        if matches!(list.items, ListItems::Atomic) {
            for (place, item) in items.iter().enumerate() {
                self.item(list, Element::Index(place as i64), item);
            }
            return;
        }
        let mut seen = Vec::with_capacity(items.len());
        for (place, item) in items.iter().enumerate() {
            match identity(list, item, self.arena) {
                Ok(element) => seen.push(element),
                Err(reason) => {
                    // Upstream looks at nothing more of this list.
                    self.report_duplicates(seen);
                    return self.report(format!("element {place}: {reason}"));
                }
            }
            self.item(list, *item_at(&seen, place), item);
        }
        self.report_duplicates(seen);
    }

    fn item(&mut self, list: ListForm<'a>, element: Element<'a>, item: ParsedValue<'a>) {
        self.path.push(element);
        self.value(list.element, item);
        self.path.pop();
    }

    fn report_duplicates(&mut self, seen: Vec<Element<'a>>) {
        if self.duplicates == Duplicates::Allowed {
            return;
        }
        let element = |place: u32| *item_at(&seen, place as usize);
        let order = in_order(seen.len(), &element);
        for placed in order.iter().filter(|placed| placed.is_repeated) {
            self.report(format!("duplicate entries for key {}", element(placed.place)));
        }
    }
}
