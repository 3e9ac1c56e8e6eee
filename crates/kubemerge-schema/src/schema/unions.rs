//! Unions: fields of an object of which at most one is set (`x-kubernetes-unions`).

use super::Type;
use crate::model::{Model, UnionEntry};

/// A union of an object: at most one of its fields is set.
#[derive(Clone, Copy, Debug)]
pub struct FieldUnion<'s> {
    model: &'s Model,
    entry: &'s UnionEntry,
}

/// A field of a union.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnionMember<'s> {
    /// The name of the field.
    pub field: &'s str,
    /// The value of the discriminator that selects the field.
    pub discriminator_value: &'s str,
}

impl<'s> FieldUnion<'s> {
    /// The field that says which of the members is set, where the union has one.
    pub fn discriminator(self) -> Option<&'s str> {
        self.model.given(self.entry.discriminator)
    }

    /// The fields of the union, sorted by name.
    pub fn members(self) -> impl Iterator<Item = UnionMember<'s>> {
        let text = move |name| self.model.text(name);
        let members = self.entry.members.iter();
        members.map(move |one| UnionMember { field: text(one.field), discriminator_value: text(one.value) })
    }
}

impl<'s> Type<'s> {
    /// The unions of the object, in the order of the document. They have no effect on merges.
    ///
    /// Malformed parts are left out; [`crate::check`] reports them.
    pub fn unions(self) -> impl Iterator<Item = FieldUnion<'s>> {
        let model = self.model();
        let entries = self.resolved().map_or(&[][..], |node| model.unions(node));
        entries.iter().map(move |entry| FieldUnion { model, entry })
    }
}
