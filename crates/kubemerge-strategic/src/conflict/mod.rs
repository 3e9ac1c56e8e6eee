//! Conflicts: what two patches say differently about the same thing.
//!
//! The walk of the `upstream` dialect answers as Kubernetes does, crashes apart; that of `spec` takes the
//! meaning of directives into account. Both collect every conflict, with its place and both sides.

mod spec;
mod upstream;

pub(crate) use spec::{list_rule, map_rule};

use crate::{MergeError, apply::document, directive::PatchWord};
use kubemerge_schema::{Dialect, Type};
use kubemerge_value::{Arena, Node, Path};
use std::fmt;

/// A place that two patches change in different ways.
#[derive(Clone, Debug)]
pub struct Conflict<'a> {
    /// Where, as Kubernetes writes field paths.
    pub path: String,
    /// What the first patch does there. In a three-way diff this is the new configuration.
    pub one: Change<'a>,
    /// What the second patch does there. In a three-way diff this is the live object, whoever changed it.
    pub other: Change<'a>,
}

/// What a patch does to a value.
#[derive(Clone, Copy, Debug)]
pub enum Change<'a> {
    /// Sets or merges this value.
    Set(Node<'a>),
    /// Removes the value.
    Remove,
    /// Removes the list item, or empties the map, that this map describes.
    Delete(Node<'a>),
    /// Replaces the whole map or list.
    Replace(Node<'a>),
}

impl<'a> Change<'a> {
    fn of(value: Node<'a>) -> Self {
        match PatchWord::in_map(value) {
            Some(PatchWord::Delete) => Change::Delete(value),
            Some(PatchWord::Replace) => Change::Replace(value),
            _ if value.is_null() => Change::Remove,
            _ => Change::Set(value),
        }
    }

    /// The value in the patch; null for a removal.
    pub fn value(self) -> Node<'a> {
        match self {
            Change::Set(value) | Change::Delete(value) | Change::Replace(value) => value,
            Change::Remove => Node::NULL,
        }
    }
}

impl fmt::Display for Change<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Change::Set(value) => write!(f, "sets {value:?}"),
            Change::Remove => f.write_str("removes it"),
            Change::Delete(value) => write!(f, "deletes {value:?}"),
            Change::Replace(value) => write!(f, "replaces it by {value:?}"),
        }
    }
}

impl fmt::Display for Conflict<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: one {}, the other {}", self.path, self.one, self.other)
    }
}

impl<'a> Conflict<'a> {
    fn at(path: &Path<'_>, one: Node<'a>, other: Node<'a>) -> Self {
        Conflict { path: path.to_string(), one: Change::of(one), other: Change::of(other) }
    }
}

/// What two patches say differently about the same thing. Nothing, if either may go first.
///
/// In dialect `upstream` there is a conflict if and only if Kubernetes finds one. A path leads into the first
/// patch.
///
/// # Errors
/// Where a rule cannot be looked up, and where lists cannot be compared.
pub fn conflicts<'a>(
    ty: Type<'_>,
    one: Node<'a>,
    other: Node<'a>,
    arena: &'a Arena,
) -> Result<Vec<Conflict<'a>>, MergeError> {
    test(ty, one, other, arena).map(|tested| tested.conflicts)
}

/// The outcome of a conflict test.
pub(crate) struct Tested<'a> {
    pub(crate) conflicts: Vec<Conflict<'a>>,
    /// The first patch as the test leaves it.
    pub(crate) patch: Node<'a>,
}

pub(crate) fn test<'a>(
    ty: Type<'_>,
    one: Node<'a>,
    other: Node<'a>,
    arena: &'a Arena,
) -> Result<Tested<'a>, MergeError> {
    let (one, other) = (document(one)?.unwrap_or(Node::NULL), document(other)?.unwrap_or(Node::NULL));
    match ty.schema().dialect() {
        Dialect::Upstream => upstream::test(ty, one, other, arena),
        Dialect::Spec => {
            let conflicts = spec::test(ty, one, other, arena)?;
            Ok(Tested { conflicts, patch: one })
        }
    }
}
