//! The updater: what a write does to the object and to its owners.
//!
//! `apply.rs` merges a configuration, `prune.rs` removes what it no longer has, `take.rs` finds conflicts
//! and moves ownership. Nothing here knows the format of entries.

mod apply;
mod managers;
mod prune;
mod take;
mod versions;

pub(crate) use apply::{Before, Claims, apply, update};
pub(crate) use managers::{Fields, Manager, Owner};
pub(crate) use take::{Contested, Force};
pub(crate) use versions::Typed;
pub use versions::{ConversionError, SameForm, VersionConverter};

use crate::fieldpath::FieldSet;
use crate::typed::ValidationErrors;
use crate::value::Arena;

/// What an operation works with.
#[derive(Clone, Copy)]
pub(crate) struct Context<'a> {
    pub(crate) versions: &'a dyn VersionConverter,
    /// Paths that the endpoint resets: changes there are not tracked.
    pub(crate) ignored: &'a FieldSet<'a>,
    pub(crate) arena: &'a Arena,
}

/// Why an operation was refused.
#[derive(Debug)]
pub(crate) enum UpdateError<'a> {
    /// Other managers own what would change.
    Conflicts(Vec<Contested<'a>>),
    /// The configuration contradicts itself about unions.
    InvalidUnions(ValidationErrors),
    /// The operation cannot be computed.
    Failed(String),
}

impl UpdateError<'_> {
    pub(crate) fn failed(context: &str, error: impl std::fmt::Display) -> Self {
        UpdateError::Failed(format!("{context}: {error}"))
    }
}
