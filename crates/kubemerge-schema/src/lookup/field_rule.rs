//! The result of a look-up: how a field merges, and the type below it.

use crate::compile::{ItemStrategy, ListStrategy, MapStrategy};
use crate::schema::Type;

/// How a field merges when both sides hold a map.
#[derive(Clone, Copy, Debug)]
pub struct MapRule<'s> {
    /// Whether the fields merge one by one.
    pub strategy: MapStrategy,
    /// Whether generated patches name the fields to keep.
    pub retain_keys: bool,
    /// What the schema says about the value.
    pub value: Type<'s>,
}

/// How a field merges when both sides hold a list.
#[derive(Clone, Copy, Debug)]
pub struct ListRule<'s> {
    /// How elements find each other.
    pub strategy: ListStrategy<'s>,
    /// Whether generated patches name the fields to keep.
    pub retain_keys: bool,
    /// What the schema says about the elements.
    pub item: Type<'s>,
    /// How elements that are on both sides merge.
    pub items: ItemStrategy,
}
