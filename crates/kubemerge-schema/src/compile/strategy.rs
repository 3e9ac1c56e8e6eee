//! Dialects, and the ways in which maps, lists and items merge.

use serde_json::Value;

/// Which behaviour the rules follow.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Hash)]
#[non_exhaustive]
pub enum Dialect {
    /// Exactly as Kubernetes 1.37 does it.
    #[default]
    Upstream,
    /// As the design documents say it should be.
    Spec,
    /// As `patches:` in kustomize 5.8.1 does it. This dialect only applies patches.
    Kustomize,
}

impl Dialect {
    /// The name that users write.
    pub fn name(self) -> &'static str {
        match self {
            Dialect::Upstream => "upstream",
            Dialect::Spec => "spec",
            Dialect::Kustomize => "kustomize",
        }
    }
}

/// How a map merges.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum MapStrategy {
    /// Its fields merge one by one.
    #[default]
    Merge,
    /// It is replaced as a whole.
    Replace,
}

/// How a list merges.
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

/// How a list element that both sides have merges.
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
