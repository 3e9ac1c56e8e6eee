//! Conflicts: what two patches say differently about the same thing.
//!
//! The walk of the `upstream` dialect answers as Kubernetes does, crashes apart; that of `spec` takes the
//! meaning of directives into account. Both collect every conflict, with its place and both sides.

pub(crate) mod spec;
pub(crate) mod upstream;

use crate::directive::PatchWord;
use kubemerge_value::{Node, Path};
use std::fmt;

/// A place that two patches change in different ways.
#[derive(Clone, Debug)]
pub struct Conflict<'a> {
    /// Where, as Kubernetes writes field paths.
    pub path: String,
    /// What the first patch does there. In a three-way diff this is the new configuration.
    pub one: Change<'a>,
    /// What the second patch does there. In a three-way diff this is the live object, no matter which client changed it.
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

/// The outcome of a conflict test.
pub(crate) struct Tested<'a> {
    pub(crate) conflicts: Vec<Conflict<'a>>,
    /// The first patch as the test leaves it.
    pub(crate) patch: Node<'a>,
}
