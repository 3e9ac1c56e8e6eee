//! Lists of a tree.

use std::mem::ManuallyDrop;
use std::ops::{Deref, DerefMut};

use bumpalo::collections::Vec;

use super::{Arena, Map, Value};

/// A list of values; derefs to a slice. Never dropped: the arena has the memory.
#[derive(Debug)]
pub struct List<'a>(ManuallyDrop<Vec<'a, Value<'a>>>);

impl<'a> List<'a> {
    /// An empty list.
    pub fn new_in(arena: &'a Arena) -> List<'a> {
        List(ManuallyDrop::new(Vec::new_in(arena)))
    }

    /// Adds an item at the end.
    pub fn push(&mut self, item: impl Into<Value<'a>>) {
        self.0.push(item.into());
    }

    /// Keeps the items that a test accepts.
    pub fn retain(&mut self, keep: impl FnMut(&Value<'a>) -> bool) {
        self.0.retain(keep);
    }

    /// Removes all items after the first ones.
    pub fn truncate(&mut self, len: usize) {
        self.0.truncate(len);
    }

    /// Puts an item at a place, which must not be past the end.
    pub fn insert(&mut self, at: usize, item: impl Into<Value<'a>>) {
        let at = at.min(self.0.len());
        self.0.insert(at, item.into());
    }

    /// The items that are maps.
    pub fn maps(&self) -> impl Iterator<Item = &Map<'a>> {
        self.0.iter().filter_map(Value::as_map)
    }

    /// The items that are maps, to change them.
    pub fn maps_mut(&mut self) -> impl Iterator<Item = &mut Map<'a>> {
        self.0.iter_mut().filter_map(Value::as_map_mut)
    }

    /// The items that are strings.
    pub fn strs(&self) -> impl Iterator<Item = &'a str> {
        self.0.iter().filter_map(Value::as_str)
    }

    /// A copy in an arena, which may be another one.
    pub fn copy_in<'b>(&self, arena: &'b Arena) -> List<'b> {
        let mut copy = Vec::with_capacity_in(self.len(), arena);
        copy.extend(self.iter().map(|item| item.copy_in(arena)));
        List(ManuallyDrop::new(copy))
    }
}

impl<'a> Deref for List<'a> {
    type Target = [Value<'a>];

    fn deref(&self) -> &[Value<'a>] {
        &self.0
    }
}

impl<'a> DerefMut for List<'a> {
    fn deref_mut(&mut self) -> &mut [Value<'a>] {
        &mut self.0
    }
}
