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
pub struct PatchConflict<'a> {
    /// Where, as Kubernetes writes field paths.
    pub path: String,
    /// What the first patch does there. In a three-way diff this is the new configuration.
    pub one: PatchChange<'a>,
    /// What the second patch does there. In a three-way diff this is the live object, no matter which client changed it.
    pub other: PatchChange<'a>,
}

/// What a patch does to a value.
#[derive(Clone, Copy, Debug)]
pub enum PatchChange<'a> {
    /// Sets or merges this value.
    Set(Node<'a>),
    /// Removes the value.
    Remove,
    /// Removes the list item, or empties the map, that this map describes.
    Delete(Node<'a>),
    /// Replaces the whole map or list.
    Replace(Node<'a>),
}

impl<'a> PatchChange<'a> {
    fn of(value: Node<'a>) -> Self {
        match PatchWord::in_map(value) {
            Some(PatchWord::Delete) => PatchChange::Delete(value),
            Some(PatchWord::Replace) => PatchChange::Replace(value),
            // After the directives: a null has none.
            _ if value.is_null() => PatchChange::Remove,
            _ => PatchChange::Set(value),
        }
    }

    /// The value in the patch; null for a removal.
    #[must_use]
    pub fn value(self) -> Node<'a> {
        match self {
            PatchChange::Set(value) | PatchChange::Delete(value) | PatchChange::Replace(value) => value,
            PatchChange::Remove => Node::NULL,
        }
    }
}

impl fmt::Display for PatchChange<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PatchChange::Set(value) => write!(f, "sets {value:?}"),
            PatchChange::Remove => f.write_str("removes it"),
            PatchChange::Delete(value) => write!(f, "deletes {value:?}"),
            PatchChange::Replace(value) => write!(f, "replaces it by {value:?}"),
        }
    }
}

impl fmt::Display for PatchConflict<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: one {}, the other {}", self.path, self.one, self.other)
    }
}

impl<'a> PatchConflict<'a> {
    fn at(path: &Path<'_>, one: Node<'a>, other: Node<'a>) -> Self {
        PatchConflict { path: path.to_string(), one: PatchChange::of(one), other: PatchChange::of(other) }
    }
}

/// What two patches have at one place.
#[derive(Clone, Copy)]
struct Sides<'a> {
    one: Node<'a>,
    other: Node<'a>,
}

/// The outcome of a conflict test.
pub(crate) struct Tested<'a> {
    pub(crate) conflicts: Vec<PatchConflict<'a>>,
    /// The first patch as the test leaves it.
    pub(crate) patch: Node<'a>,
}
