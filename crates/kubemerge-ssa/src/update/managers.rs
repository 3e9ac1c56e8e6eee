//! The managers of an object while an operation works on them.
//!
//! A set stays text until it is needed, and a manager whose set did not change keeps its text.

use std::cell::OnceCell;

use super::UpdateError;
use crate::fieldpath::FieldSet;
use crate::managed_fields::{FieldsV1, ManagedFieldsEntry};
use crate::value::Arena;

/// A manager and the fields it owns.
pub(crate) struct Manager<'a> {
    pub(crate) owner: Owner,
    pub(crate) version: &'a str,
    pub(crate) fields: Fields<'a>,
}

/// Whose fields they are.
#[derive(Clone)]
pub(crate) enum Owner {
    /// An entry of the live object.
    Entry(ManagedFieldsEntry),
    /// The entry of the manager that writes, which keeps what it changes.
    Writer(ManagedFieldsEntry),
    /// The manager of this operation.
    Me,
}

/// A set, read when needed.
pub(crate) enum Fields<'a> {
    Text { text: FieldsV1, set: OnceCell<FieldSet<'a>> },
    Set(FieldSet<'a>),
}

impl<'a> Manager<'a> {
    pub(crate) fn of_entry(entry: &ManagedFieldsEntry, arena: &'a Arena) -> Self {
        let fields = Fields::Text { text: entry.fields.clone(), set: OnceCell::new() };
        Manager { owner: Owner::Entry(entry.clone()), version: arena.alloc_str(&entry.api_version), fields }
    }

    /// The manager of an entry that is about to change fields.
    pub(crate) fn of_writer(entry: &ManagedFieldsEntry, arena: &'a Arena) -> Self {
        Manager { owner: Owner::Writer(entry.clone()), ..Manager::of_entry(entry, arena) }
    }

    pub(crate) fn is_writer(&self) -> bool {
        matches!(self.owner, Owner::Writer(_))
    }

    pub(crate) fn is_me(&self) -> bool {
        matches!(self.owner, Owner::Me)
    }

    /// Whether the manager owns nothing.
    pub(crate) fn is_empty(&self) -> bool {
        match &self.fields {
            // Known without reading the set.
            Fields::Text { text, .. } => text.as_str() == "{}",
            Fields::Set(set) => set.is_empty(),
        }
    }

    /// The set of the manager.
    pub(crate) fn set(&self, arena: &'a Arena) -> Result<&FieldSet<'a>, UpdateError<'a>> {
        match &self.fields {
            Fields::Set(set) => Ok(set),
            Fields::Text { text, set } => {
                if let Some(set) = set.get() {
                    return Ok(set);
                }
                let read = text.set_in(arena).map_err(|error| UpdateError::Failed(error.to_string()))?;
                Ok(set.get_or_init(|| read))
            }
        }
    }

    /// Removes paths. A manager that has none of them keeps its text.
    pub(crate) fn subtract(&mut self, paths: &FieldSet<'a>, arena: &'a Arena) -> Result<(), UpdateError<'a>> {
        let set = self.set(arena)?;
        // An unchanged set keeps its text.
        if set.may_intersect(paths) {
            self.fields = Fields::Set(set.difference(paths, arena));
        }
        Ok(())
    }
}
