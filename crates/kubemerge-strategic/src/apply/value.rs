//! What the dialects share of merging one value of a patch into what live holds at that field.

use super::{Merger, Mode, elements::expected_list, map::Outcome};
use crate::{
    error::MergeError,
    observe::{MaybeObserver, MergeEvent, Removal},
};
use kubemerge_schema::{ListRule, MapRule, Type};
use kubemerge_value::{Kind, Node, Path, Str};

impl<'a, O: MaybeObserver> Merger<'a, '_, O> {
    /// A null in the patch removes the field; laid over another patch it is a value.
    pub(super) fn remove(&mut self, live: Option<Node<'a>>, path: &Path<'_>) -> Outcome<'a> {
        if let Some(value) = live {
            self.observer.note(path, MergeEvent::Removed { value, cause: Removal::Null });
        }
        match self.mode {
            Mode::Apply => Outcome::Remove,
            // In a patch the null must stay: it removes when the patch is applied.
            Mode::Combine => Outcome::Put(Node::NULL),
        }
    }

    pub(super) fn note_set(&mut self, live: Option<Node<'a>>, value: Node<'a>, path: &Path<'_>) {
        self.observer.note(
            path,
            match live {
                Some(from) => MergeEvent::Set { from, to: value },
                None => MergeEvent::Added { value },
            },
        );
    }
}

pub(super) fn map_rule<'s>(ty: Type<'s>, field: Str<'_>, path: &Path<'_>) -> Result<MapRule<'s>, MergeError> {
    ty.map_field(&field.text()).map_err(|error| MergeError::from_lookup(error, path))
}

pub(super) fn list_rule<'s>(
    ty: Type<'s>,
    field: Str<'_>,
    path: &Path<'_>,
) -> Result<ListRule<'s>, MergeError> {
    ty.list_field(&field.text()).map_err(|error| MergeError::from_lookup(error, path))
}

/// The list beside an order list: absent, or a list.
pub(super) fn list_or_absent<'a>(
    value: Option<Node<'a>>,
    path: &Path<'_>,
) -> Result<Option<Node<'a>>, MergeError> {
    match value {
        Some(value) if value.kind() != Kind::List => Err(expected_list(value, path)),
        other => Ok(other),
    }
}
