//! How a field merges, as data.

use crate::compile::{Dialect, ItemStrategy, ListStrategy, MapStrategy, MergeKey};
use crate::schema::Type;

/// How a field merges in one dialect, and why.
#[derive(Clone, Debug)]
pub struct FieldExplanation<'s> {
    /// The dialect.
    pub dialect: Dialect,
    /// The definition that holds the field, where it has a name.
    pub definition: Option<&'s str>,
    /// The field; empty for the root.
    pub field: String,
    /// What the schema says about the value.
    pub ty: Type<'s>,
    /// What the value is, e.g. `list of io.k8s.api.core.v1.ServicePort`.
    pub value: String,
    /// How it merges.
    pub merge: Merge<'s>,
    /// Whether generated patches name the fields to keep.
    pub retain_keys: bool,
    /// Whether a patch that sets a field of a union clears the others.
    pub clears_unions: bool,
    /// The metadata that decided, one fact each.
    pub because: Vec<String>,
}

/// How the value of a field merges.
#[derive(Clone, Debug, PartialEq)]
pub enum Merge<'s> {
    /// It is neither a map nor a list: the new value counts.
    Scalar,
    /// It is a map.
    Map(MapStrategy),
    /// It is a list.
    List {
        /// How elements find each other.
        strategy: ListStrategy<'s>,
        /// How elements that both sides have merge.
        items: ItemStrategy,
        /// The keys that an item may lack, with the value that they then have.
        optional: Vec<&'s MergeKey>,
    },
    /// Nothing is known about it.
    Untyped,
    /// Its metadata contradicts itself; every merge fails.
    Invalid,
}
