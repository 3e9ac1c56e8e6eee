//! What a look-up answers: how a field merges.

use serde_json::Value;

use crate::cursor::Type;

/// Which promise the rules keep.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Hash)]
pub enum Dialect {
    /// Exactly as Kubernetes 1.37 does it.
    #[default]
    Upstream,
    /// As the design documents say it should be.
    Spec,
}

impl Dialect {
    /// The name that users write.
    pub fn name(self) -> &'static str {
        match self {
            Dialect::Upstream => "upstream",
            Dialect::Spec => "spec",
        }
    }
}

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

/// What becomes of a map.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum MapStrategy {
    /// Its fields merge one by one.
    #[default]
    Merge,
    /// It is replaced as a whole.
    Replace,
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
    /// What becomes of elements that are on both sides.
    pub items: ItemStrategy,
}

/// What becomes of a list.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ListStrategy<'s> {
    /// It is replaced as a whole.
    Atomic,
    /// Elements with the same keys are the same element.
    Keyed(&'s [MergeKey]),
    /// A list of scalars that merges by value (from a patch strategy).
    Scalars,
    /// A set (from `x-kubernetes-list-type`); exists in [`Dialect::Spec`] only.
    Set,
}

/// What becomes of a list element that both sides have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum ItemStrategy {
    /// Its fields merge one by one.
    #[default]
    Merge,
    /// It is replaced as a whole, because its type is `x-kubernetes-map-type: atomic`.
    Replace,
}

/// A field whose value tells elements of a list apart.
#[derive(Clone, Debug, PartialEq)]
pub struct MergeKey {
    /// The name of the field.
    pub name: String,
    /// The value of an element that lacks the field; exists in [`Dialect::Spec`] only.
    pub default: Option<Value>,
}
