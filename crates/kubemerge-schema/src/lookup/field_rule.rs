//! The result of a look-up: how a field merges, and the type below it.

use crate::compile::{ItemStrategy, ListStrategy, MapStrategy};
use crate::schema::Type;
use crate::schema::unions::Unions;

/// How a field merges when both sides hold a map.
#[derive(Clone, Copy, Debug)]
pub struct MapRule<'s> {
    /// Whether the fields merge one by one.
    pub strategy: MapStrategy,
    /// Whether generated patches name the fields to keep.
    pub retain_keys: bool,
    /// Whether the value has unions that clear: in dialect `spec`, unless [`MapRule::retain_keys`] does.
    pub has_unions: bool,
    /// What the schema says about the value.
    pub value: Type<'s>,
}

impl<'s> MapRule<'s> {
    /// The unions of the value that clear what a patch excludes.
    pub fn unions(&self) -> Unions<'s> {
        if self.has_unions { self.value.unions() } else { Unions::NONE }
    }
}

/// How a field merges when both sides hold a list.
#[derive(Clone, Copy, Debug)]
pub struct ListRule<'s> {
    /// How elements find each other.
    pub strategy: ListStrategy<'s>,
    /// Whether generated patches name the fields to keep.
    pub retain_keys: bool,
    /// Whether elements have unions that clear: in dialect `spec`, unless [`ListRule::retain_keys`] does.
    pub has_unions: bool,
    /// What the schema says about the elements.
    pub item: Type<'s>,
    /// How elements that are on both sides merge.
    pub items: ItemStrategy,
}

impl<'s> ListRule<'s> {
    /// The unions of an element that clear what a patch excludes.
    pub fn unions(&self) -> Unions<'s> {
        if self.has_unions { self.item.unions() } else { Unions::NONE }
    }
}
