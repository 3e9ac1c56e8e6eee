//! What differs between two values of one type: three sets of paths.
//!
//! Unlike a claim, a comparison names every container that was added or removed. The order of items never
//! makes a difference.

use std::cmp::Ordering;

use kubemerge_schema::{ListForm, ListItems, MapEntries, MapForm, TypeRef};
use kubemerge_value::deep;
use kubemerge_value::part::part_of;

use super::error::ValidationErrors;
use super::go_value::scalar_problem;
use super::list_index::{Item, first_group, identify, sort};
use super::valid::{is_valid, is_valid_scalar};
use super::{Duplicates, Form, forms_of, member_type};
use crate::fieldpath::{Element, FieldSet, PathStack, SetBuilder};
use crate::value::{Arena, Items, Members, ParsedValue};

/// The paths that differ between two values.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Comparison<'a> {
    /// Only the old value has them.
    pub removed: FieldSet<'a>,
    /// Both values have them, and they differ.
    pub modified: FieldSet<'a>,
    /// Only the new value has them.
    pub added: FieldSet<'a>,
}

impl<'a> Comparison<'a> {
    /// Whether nothing differs.
    #[must_use]
    pub fn is_same(&self) -> bool {
        self.removed.is_empty() && self.modified.is_empty() && self.added.is_empty()
    }

    /// The comparison without these paths and what is below them.
    #[must_use]
    pub fn without(&self, ignored: &FieldSet<'a>, arena: &'a Arena) -> Comparison<'a> {
        Comparison {
            removed: self.removed.recursive_difference(ignored, arena),
            modified: self.modified.recursive_difference(ignored, arena),
            added: self.added.recursive_difference(ignored, arena),
        }
    }
}

/// Compares two values of one type.
///
/// # Errors
/// If an item of an associative list has no identity, or neither value has the form its type wants.
pub fn compare<'a>(
    ty: TypeRef<'a>,
    old: ParsedValue<'a>,
    new: ParsedValue<'a>,
    arena: &'a Arena,
) -> Result<Comparison<'a>, ValidationErrors> {
    CompareWalk::new(Known::Nothing, arena).run(ty, old, new)
}

/// The same for an old value that is known to be valid. An error may also say that the new one is not; what is wrong with
/// it is for `validate` to find.
pub(crate) fn compare_with_valid<'a>(
    ty: TypeRef<'a>,
    old: ParsedValue<'a>,
    new: ParsedValue<'a>,
    arena: &'a Arena,
) -> Result<Comparison<'a>, ValidationErrors> {
    CompareWalk::new(Known::OldIsValid, arena).run(ty, old, new)
}

/// What is known before a comparison.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Known {
    Nothing,
    /// What is the same in both values needs no type, and what differs in the new one is validated on the way.
    OldIsValid,
}

struct CompareWalk<'a> {
    known: Known,
    arena: &'a Arena,
    path: PathStack<'a>,
    removed: SetBuilder<'a>,
    modified: SetBuilder<'a>,
    added: SetBuilder<'a>,
    problems: ValidationErrors,
}

impl<'a> CompareWalk<'a> {
    fn new(known: Known, arena: &'a Arena) -> Self {
        CompareWalk {
            known,
            arena,
            path: PathStack::new(),
            removed: SetBuilder::new(arena),
            modified: SetBuilder::new(arena),
            added: SetBuilder::new(arena),
            problems: ValidationErrors::default(),
        }
    }

    fn run(
        mut self,
        ty: TypeRef<'a>,
        old: ParsedValue<'a>,
        new: ParsedValue<'a>,
    ) -> Result<Comparison<'a>, ValidationErrors> {
        self.pair(ty, Some(old), Some(new));
        self.problems.or(Comparison {
            removed: self.removed.finish(),
            modified: self.modified.finish(),
            added: self.added.finish(),
        })
    }

    /// Notes that a new value is not valid.
    fn check(&mut self, ty: TypeRef<'a>, new: ParsedValue<'a>) {
        if !is_valid(ty, new, Duplicates::Allowed, self.arena) {
            self.problems.add(&self.path, "invalid");
        }
    }

    fn pair(&mut self, ty: TypeRef<'a>, old: Option<ParsedValue<'a>>, new: Option<ParsedValue<'a>>) {
        if let (Some(old), Some(new)) = (old, new)
            // Parts whose text did not change are one value in both.
            && old.is_same_part(new)
        {
            return;
        }
        let (form, other) = forms_of(ty, old, new);
        let known = self.known;
        if let (Known::OldIsValid, Some(new)) = (known, new)
            // What is in a container is checked where it is compared.
            && (old.is_none() || other.is_some() || !is_compared_inside(form, new))
        {
            self.check(ty, new);
            if old.is_none() {
                // All below is new, and was checked with it: once more at each level would be quadratic.
                self.known = Known::Nothing;
            }
        }
        // A value that changed its kind is removed in one form and added in the other.
        if let Some(other) = other {
            self.in_form(other, old, new);
        }
        self.in_form(form, old, new);
        self.known = known;
    }

    fn in_form(&mut self, form: Form<'a>, old: Option<ParsedValue<'a>>, new: Option<ParsedValue<'a>>) {
        match form {
            Form::Map(map) => {
                let (left, right) = (members_of(old), members_of(new));
                if map.entries == MapEntries::Atomic || (left.is_empty() && right.is_empty()) {
                    return self.leaf(old, new);
                }
                deep(|| self.maps(map, left, right));
                self.container(old, new);
            }
            Form::List(list) => {
                let (left, right) = (items_of(old), items_of(new));
                if matches!(list.items, ListItems::Atomic) || (left.is_empty() && right.is_empty()) {
                    return self.leaf(old, new);
                }
                deep(|| self.lists(list, left, right));
                self.container(old, new);
            }
            Form::Scalar(ty) => {
                let wrong =
                    |value: Option<ParsedValue<'a>>| value.and_then(|value| scalar_problem(ty, value));
                match (wrong(old), wrong(new)) {
                    // Upstream reports only if both sides are wrong.
                    (Some(old), Some(new)) => {
                        self.problems.add(&self.path, format!("lhs: {old}"));
                        self.problems.add(&self.path, format!("rhs: {new}"));
                    }
                    _ => self.leaf(old, new),
                }
            }
            Form::Nothing => self.problems.add(&self.path, "schema error: invalid atom: inlined"),
        }
    }

    fn leaf(&mut self, old: Option<ParsedValue<'a>>, new: Option<ParsedValue<'a>>) {
        match (old, new) {
            (None, _) => self.added.insert(&self.path),
            (_, None) => self.removed.insert(&self.path),
            (Some(old), Some(new)) if old != new => self.modified.insert(&self.path),
            _ => {}
        }
    }

    /// A container that only one side has is named itself, after what is in it.
    fn container(&mut self, old: Option<ParsedValue<'a>>, new: Option<ParsedValue<'a>>) {
        // A map or list that appears or disappears counts itself, besides its fields.
        if old.is_none() || new.is_none() {
            self.leaf(old, new);
        }
    }

    fn maps(&mut self, map: MapForm<'a>, old: Members<'a>, new: Members<'a>) {
        let (mut left, mut right) = (old.iter().peekable(), new.iter().peekable());
        loop {
            let order = match (left.peek(), right.peek()) {
                (None, None) => return,
                (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
                (Some(old), Some(new)) => old.name.cmp(new.name),
            };
            let old = left.next_if(|_| order.is_le());
            let new = right.next_if(|_| order.is_ge());
            if let Some(member) = old.or(new) {
                self.member(map, member.name, old.map(|old| old.value), new.map(|new| new.value));
            }
        }
    }

    fn member(
        &mut self,
        map: MapForm<'a>,
        name: &'a str,
        old: Option<ParsedValue<'a>>,
        new: Option<ParsedValue<'a>>,
    ) {
        if let (Known::OldIsValid, Some(old), Some(new)) = (self.known, old, new)
            && (old.is_same_part(new) || (old.is_scalar() && new.is_scalar() && old == new))
        {
            return;
        }
        let ty = member_type(map, name);
        // Most members did not change: nothing to report, and no path is needed.
        if let (Some(ty), Some(old), Some(new)) = (ty, old, new)
            && is_same_scalar(ty, old, new)
        {
            return;
        }
        self.path.push(Element::Name(name));
        match ty {
            Some(ty) => self.pair(ty, old, new),
            None => self.problems.add(&self.path, "schema error: invalid atom: inlined"),
        }
        self.path.pop();
    }

    fn lists(&mut self, list: ListForm<'a>, old: Items<'a>, new: Items<'a>) {
        let mut left = identify(list, old, self.arena, &self.path, &mut self.problems);
        let mut right = identify(list, new, self.arena, &self.path, &mut self.problems);
        sort(&mut left);
        sort(&mut right);
        let (mut left, mut right) = (&left[..], &right[..]);
        loop {
            let (element, order) = match (left.first(), right.first()) {
                (None, None) => return,
                (Some(left), None) => (left.element, Ordering::Less),
                (None, Some(right)) => (right.element, Ordering::Greater),
                (Some(left), Some(right)) => match left.element.order(right.element) {
                    Ordering::Greater => (right.element, Ordering::Greater),
                    order => (left.element, order),
                },
            };
            let old = if order.is_le() { first_group(left) } else { &[] };
            let new = if order.is_ge() { first_group(right) } else { &[] };
            self.path.push(element);
            self.items(list, old, new);
            self.path.pop();
            left = part_of(left, old.len()..);
            right = part_of(right, new.len()..);
        }
    }

    /// Items of one identity. Repeated ones are compared as a whole.
    fn items(&mut self, list: ListForm<'a>, old: &[Item<'a>], new: &[Item<'a>]) {
        if let (Known::OldIsValid, 2..) = (self.known, new.len()) {
            new.iter().for_each(|item| self.check(list.element, item.value));
        }
        let first = |items: &[Item<'a>]| items.first().map(|item| item.value);
        match (old.len(), new.len()) {
            (0 | 1, 0 | 1) => self.pair(list.element, first(old), first(new)),
            (2.., 2..) => {
                let same =
                    old.len() == new.len() && old.iter().zip(new).all(|(old, new)| old.value == new.value);
                if !same {
                    self.modified.insert(&self.path);
                }
            }
            (2.., _) => {
                if !new.is_empty() {
                    self.pair(list.element, None, first(new));
                }
                self.removed.insert(&self.path);
            }
            (_, _) => {
                if !old.is_empty() {
                    self.pair(list.element, first(old), None);
                }
                self.added.insert(&self.path);
            }
        }
    }
}

/// Whether a value is compared by its members or items.
fn is_compared_inside(form: Form<'_>, value: ParsedValue<'_>) -> bool {
    match (form, value) {
        (Form::Map(map), ParsedValue::Map(_)) => map.entries != MapEntries::Atomic,
        (Form::List(list), ParsedValue::List(_)) => !matches!(list.items, ListItems::Atomic),
        _ => false,
    }
}

/// Whether two values are one scalar that the type allows.
fn is_same_scalar(ty: TypeRef<'_>, old: ParsedValue<'_>, new: ParsedValue<'_>) -> bool {
    new.is_scalar()
        && ty.scalar().is_some_and(|scalar| is_valid_scalar(scalar, new))
        && old.is_scalar()
        && old == new
}

fn members_of(value: Option<ParsedValue<'_>>) -> Members<'_> {
    value.and_then(ParsedValue::members).unwrap_or_default()
}

fn items_of(value: Option<ParsedValue<'_>>) -> Items<'_> {
    value.and_then(ParsedValue::items).unwrap_or_default()
}
