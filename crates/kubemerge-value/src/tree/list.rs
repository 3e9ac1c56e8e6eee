//! Lists of a tree.

use std::ops::{Deref, DerefMut};

use bumpalo::collections::Vec;

use super::{
    Arena, Map, Value,
    parts::{Parts, Share},
};

/// A list of values; derefs to a slice. It may share its items with other trees: they are copied before they change.
#[derive(Debug)]
pub struct List<'a>(Parts<'a, Value<'a>>);

impl<'a> List<'a> {
    /// An empty list.
    pub fn new_in(arena: &'a Arena) -> List<'a> {
        List(Parts::with_capacity_in(0, arena))
    }

    /// A list of items that never change.
    pub fn of_slice(items: &'a [Value<'a>], arena: &'a Arena) -> List<'a> {
        List(Parts::of_slice(items, arena))
    }

    /// Adds an item at the end.
    pub fn push(&mut self, item: impl Into<Value<'a>>) {
        self.0.own().push(item.into());
    }

    /// Keeps the items that a test accepts.
    pub fn retain(&mut self, keep: impl FnMut(&Value<'a>) -> bool) {
        self.0.own().retain(keep);
    }

    /// Removes all items after the first ones.
    pub fn truncate(&mut self, len: usize) {
        if len < self.len() {
            self.0.own().truncate(len);
        }
    }

    /// Puts an item at a place, which must not be past the end.
    pub fn insert(&mut self, at: usize, item: impl Into<Value<'a>>) {
        let at = at.min(self.0.len());
        self.0.own().insert(at, item.into());
    }

    /// The items that are maps.
    pub fn maps(&self) -> impl Iterator<Item = &Map<'a>> {
        self.0.iter().filter_map(Value::as_map)
    }

    /// The items that are maps, to change them.
    pub fn maps_mut(&mut self) -> impl Iterator<Item = &mut Map<'a>> {
        self.iter_mut().filter_map(Value::as_map_mut)
    }

    /// The items that are strings.
    pub fn strs(&self) -> impl Iterator<Item = &'a str> {
        self.0.iter().filter_map(Value::as_str)
    }

    /// A copy in an arena, which may be another one.
    pub fn copy_in<'b>(&self, arena: &'b Arena) -> List<'b> {
        let mut copy = Vec::with_capacity_in(self.len(), arena);
        copy.extend(self.iter().map(|item| item.copy_in(arena)));
        List(Parts::of(copy))
    }

    /// The same list for one tree more, without a copy.
    #[must_use]
    pub fn share(&'a self) -> List<'a> {
        List(self.0.share())
    }

    pub(super) fn share_again(&self) -> Option<List<'a>> {
        self.0.share_again().map(List)
    }

    pub(super) fn freeze(self) -> List<'a> {
        List(self.0.freeze())
    }

    /// Whether both are one part of memory, so that they are the same.
    #[inline]
    pub fn is_same_part(&self, other: &List<'_>) -> bool {
        self.0.is_same_part(&other.0)
    }
}

impl<'a> Share<'a> for Value<'a> {
    fn share(&'a self) -> Value<'a> {
        Value::share(self)
    }
}

impl<'a> Deref for List<'a> {
    type Target = [Value<'a>];

    #[inline]
    fn deref(&self) -> &[Value<'a>] {
        &self.0
    }
}

impl<'a> DerefMut for List<'a> {
    fn deref_mut(&mut self) -> &mut [Value<'a>] {
        self.0.own()
    }
}
