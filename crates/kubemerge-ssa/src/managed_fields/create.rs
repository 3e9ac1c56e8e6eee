//! The owners of a new object: the short way of [`update`](super::update) for an object without earlier entries.
//!
//! One walk over the object finds what [`update`](super::update) finds by comparing it with the empty object, and writes
//! it as `fieldsV1` at once. What is unusual (values of another form, repeated items) is left to the long way.

use kubemerge_schema::{ListForm, ListItems, MapEntries, MapForm, TypeRef};
use kubemerge_value::deep;

use super::endpoint::STRIPPED;
use super::entry::{FieldsV1, Operation};
use super::{Endpoint, ManagedFields, Writer};
use crate::fieldpath::{Beside, Element, FieldOrder, FieldSet, FieldsWriter, Membership};
use crate::typed::{Duplicates, Form, distinct_items, forms_of, is_valid, is_valid_scalar};
use crate::value::{Arena, Items, Member, Members, ParsedValue};

/// The entries of a new object; `None` if only [`update`](super::update) can tell them.
pub fn create<'a>(
    endpoint: &Endpoint<'a>,
    new: ParsedValue<'a>,
    writer: Writer<'_>,
    arena: &'a Arena,
) -> Option<ManagedFields> {
    // The order of labels is known only when all of them are written.
    if endpoint.order != FieldOrder::Path {
        return None;
    }
    let ty = endpoint.versions.type_of(endpoint.api_version)?;
    let root = NewValue { ty, empty: Some(endpoint.empty), value: new };
    let Shape::Map { map, empty, members } = root.shape(arena)? else { return None };
    let mut walk = CreateWalk { arena, out: FieldsWriter::new() };
    let unowned = Unowned { reset: *endpoint.reset_fields, stripped: STRIPPED };
    walk.members(map, empty, members, unowned)?;
    let fields = FieldsV1::trusted(walk.out.finish().into());
    // A manager without fields has no entry.
    if fields.as_str() == "{}" {
        return Some(ManagedFields::new());
    }
    let manager = endpoint.manager_id(writer.manager, Operation::Update);
    let entry = endpoint.entry_of(&manager, fields, writer.time);
    Some(ManagedFields::as_listed(vec![entry]))
}

/// The paths below a place that have no owner.
#[derive(Clone, Copy)]
struct Unowned<'s> {
    /// These and everything below them.
    reset: FieldSet<'s>,
    /// These, but what is below them may have owners.
    stripped: FieldSet<'s>,
}

impl Unowned<'_> {
    const NOTHING: Self = Unowned { reset: FieldSet::EMPTY, stripped: FieldSet::EMPTY };

    fn is_nothing(self) -> bool {
        self.reset.is_empty() && self.stripped.is_empty()
    }
}

/// A value of the new object, and what the empty object has in its place.
#[derive(Clone, Copy)]
struct NewValue<'a> {
    ty: TypeRef<'a>,
    empty: Option<ParsedValue<'a>>,
    value: ParsedValue<'a>,
}

/// How a value is owned.
enum Shape<'a> {
    /// As a whole.
    Leaf,
    /// By its members; the empty object may have some of them.
    Map { map: MapForm<'a>, empty: Members<'a>, members: Members<'a> },
    /// By its items.
    List { list: ListForm<'a>, items: Items<'a> },
}

impl<'a> NewValue<'a> {
    /// How the value is owned; `None` for the long way.
    fn shape(self, arena: &'a Arena) -> Option<Shape<'a>> {
        let NewValue { ty, empty, value } = self;
        // A value of another kind than the empty one counts in both forms.
        let (form, None) = forms_of(ty, empty, Some(value)) else { return None };
        match (form, value) {
            (Form::Map(map), ParsedValue::Map(members)) if map.entries == MapEntries::Granular => {
                let empty = empty.and_then(ParsedValue::members).unwrap_or_default();
                if !members.is_empty() || !empty.is_empty() {
                    return Some(Shape::Map { map, empty, members });
                }
            }
            (Form::List(list), ParsedValue::List(items)) if !matches!(list.items, ListItems::Atomic) => {
                // Go's zero values have no items, so there is nothing to match them with.
                if empty.and_then(ParsedValue::items).is_some_and(|empty| !empty.is_empty()) {
                    return None;
                }
                if !items.is_empty() {
                    return Some(Shape::List { list, items });
                }
            }
            // What the empty object has below it is removed.
            (Form::Map(_) | Form::List(_), ParsedValue::Null)
                if empty.is_some_and(|empty| !empty.is_null()) =>
            {
                return None;
            }
            _ => {}
        }
        is_valid(ty, value, Duplicates::Allowed, arena).then_some(Shape::Leaf)
    }

    /// Whether the path of the value is owned itself: a leaf that is not empty, or a container that is new.
    fn membership(self, shape: &Shape<'a>) -> Membership {
        match (shape, self.empty) {
            (_, None) => Membership::Member,
            (Shape::Leaf, Some(empty)) if empty != self.value => Membership::Member,
            _ => Membership::OnTheWay,
        }
    }
}

/// How the name of a member is written.
#[derive(Clone, Copy)]
enum Label {
    /// As it is: the schema has it.
    Declared,
    /// With escapes where it needs them.
    Escaped,
}

struct CreateWalk<'a> {
    arena: &'a Arena,
    out: FieldsWriter,
}

impl<'a> CreateWalk<'a> {
    fn members(
        &mut self,
        map: MapForm<'a>,
        empty: Members<'a>,
        members: Members<'a>,
        unowned: Unowned<'_>,
    ) -> Option<()> {
        let (mut reset, mut stripped) = (Beside::new(unowned.reset), Beside::new(unowned.stripped));
        for member in members.iter() {
            let declared = map.field(member.name);
            let ty = declared.or(map.element)?;
            let label = if declared.is_some() { Label::Declared } else { Label::Escaped };
            // Nothing to leave out and nothing to compare with: nearly everywhere below the top.
            if unowned.is_nothing() && empty.is_empty() {
                self.new_member(label, ty, member)?;
                continue;
            }
            let element = Element::Name(member.name);
            let (reset, stripped) = (reset.child(element), stripped.child(element));
            // The long way tracks nothing of an object that is invalid anywhere.
            if reset.is_some_and(|reset| reset.is_member) {
                is_valid(ty, member.value, Duplicates::Allowed, self.arena).then_some(())?;
                continue;
            }
            let below = Unowned {
                reset: reset.map_or(FieldSet::EMPTY, |reset| reset.below),
                stripped: stripped.map_or(FieldSet::EMPTY, |stripped| stripped.below),
            };
            let place = NewValue { ty, empty: ParsedValue::Map(empty).get(member.name), value: member.value };
            let shape = place.shape(self.arena)?;
            let membership = if stripped.is_some_and(|stripped| stripped.is_member) {
                Membership::OnTheWay
            } else {
                place.membership(&shape)
            };
            // A leaf without an owner is not written.
            if matches!(shape, Shape::Leaf) && membership == Membership::OnTheWay {
                continue;
            }
            let start = self.label(label, member.name);
            self.below(shape, start, membership, below)?;
        }
        Some(())
    }

    /// A member that the empty object does not have.
    fn new_member(&mut self, label: Label, ty: TypeRef<'a>, member: Member<'a>) -> Option<()> {
        let start = self.label(label, member.name);
        if let Some(scalar) = ty.scalar()
            && member.value.is_scalar()
        {
            self.out.end_leaf();
            return is_valid_scalar(scalar, member.value).then_some(());
        }
        let shape = NewValue { ty, empty: None, value: member.value }.shape(self.arena)?;
        self.below(shape, start, Membership::Member, Unowned::NOTHING)
    }

    fn label(&mut self, label: Label, name: &str) -> usize {
        match label {
            Label::Declared => self.out.field(name),
            Label::Escaped => self.out.element(Element::Name(name)),
        }
    }

    fn items(&mut self, list: ListForm<'a>, items: Items<'a>) -> Option<()> {
        for item in distinct_items(list, items, self.arena)? {
            let place = NewValue { ty: list.element, empty: None, value: item.value };
            let shape = place.shape(self.arena)?;
            let start = self.out.element(item.element);
            self.below(shape, start, Membership::Member, Unowned::NOTHING)?;
        }
        Some(())
    }

    /// Writes what is below the label at `start`.
    fn below(
        &mut self,
        shape: Shape<'a>,
        start: usize,
        membership: Membership,
        unowned: Unowned<'_>,
    ) -> Option<()> {
        if let Shape::Leaf = shape {
            self.out.end_leaf();
            return Some(());
        }
        let node = self.out.open(start, membership);
        match shape {
            Shape::Map { map, empty, members } => deep(|| self.members(map, empty, members, unowned))?,
            Shape::List { list, items } => deep(|| self.items(list, items))?,
            Shape::Leaf => {}
        }
        self.out.close(node);
        Some(())
    }
}
