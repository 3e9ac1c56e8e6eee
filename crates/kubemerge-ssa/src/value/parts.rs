//! The items of lists and the members of maps.

use bumpalo::collections::Vec;
use kubemerge_value::tree::{TreeField, Value, is_shown};

use super::{Arena, ParsedValue};

/// The items of a list.
#[derive(Clone, Copy, Debug, Default)]
pub struct Items<'a>(&'a [Value<'a>]);

/// The members of a map, sorted by name, each name once.
#[derive(Clone, Copy, Debug, Default)]
pub struct Members<'a> {
    /// Those that Go does not write are passed over.
    fields: &'a [TreeField<'a>],
}

/// A member of a map.
#[derive(Clone, Copy, Debug)]
pub struct Member<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its value.
    pub value: ParsedValue<'a>,
}

impl<'a> Items<'a> {
    /// No items.
    pub const EMPTY: Items<'static> = Items(&[]);

    #[inline]
    pub(crate) fn of(values: &'a [Value<'a>]) -> Self {
        Items(values)
    }

    #[inline]
    pub(crate) fn values(self) -> &'a [Value<'a>] {
        self.0
    }

    /// How many there are.
    #[inline]
    #[must_use]
    pub fn len(self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    #[inline]
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.0.is_empty()
    }

    /// The item at a place.
    #[inline]
    pub fn get(self, place: usize) -> Option<ParsedValue<'a>> {
        self.0.get(place).map(ParsedValue::of)
    }

    /// The items in order.
    #[inline]
    pub fn iter(self) -> impl ExactSizeIterator<Item = ParsedValue<'a>> + DoubleEndedIterator {
        self.0.iter().map(ParsedValue::of)
    }

    /// Where they are in memory.
    pub(crate) fn address(self) -> usize {
        self.0.as_ptr() as usize
    }

    /// Whether both are one part of memory.
    #[inline]
    pub(super) fn is_same_part(self, other: Items<'_>) -> bool {
        self.address() == other.address() && self.len() == other.len()
    }
}

impl<'a> Members<'a> {
    /// No members.
    pub const EMPTY: Members<'static> = Members { fields: &[] };

    #[inline]
    pub(super) fn of(fields: &'a [TreeField<'a>]) -> Self {
        Members { fields }
    }

    #[inline]
    pub(crate) fn fields(self) -> &'a [TreeField<'a>] {
        self.fields
    }

    /// How many there are.
    #[must_use]
    pub fn len(self) -> usize {
        self.iter().count()
    }

    /// Whether there are none.
    #[inline]
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.iter().next().is_none()
    }

    /// The value of the member with this name.
    pub fn get(self, name: &str) -> Option<ParsedValue<'a>> {
        let found = self.fields.binary_search_by(|(known, _)| (*known).cmp(name)).ok()?;
        self.fields.get(found).map(|(_, value)| value).filter(|value| is_shown(value)).map(ParsedValue::of)
    }

    /// The members, sorted by name.
    #[inline]
    pub fn iter(self) -> impl Iterator<Item = Member<'a>> + Clone {
        let shown = self.fields.iter().filter(|(_, value)| is_shown(value));
        shown.map(|(name, value)| Member { name, value: ParsedValue::of(value) })
    }

    /// The fields in a vector; what is inside of them is shared.
    pub(super) fn copied_in(self, arena: &'a Arena) -> Vec<'a, TreeField<'a>> {
        let mut fields = Vec::with_capacity_in(self.fields.len() + 1, arena);
        fields.extend(self.iter().map(|member| member.value.named(member.name, arena)));
        fields
    }

    /// Whether both are one part of memory.
    #[inline]
    pub(super) fn is_same_part(self, other: Members<'_>) -> bool {
        let address = |members: Members<'_>| (members.fields.as_ptr() as usize, members.fields.len());
        address(self) == address(other)
    }
}
