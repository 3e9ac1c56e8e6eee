//! [`three_way`] and [`conflicts`]: patches for objects that others change too.

use crate::{
    error::Error,
    object::{Object, Source, read_object},
    patch::{Patch, PatchType},
    rule_source::RuleSource,
};
pub use kubemerge_strategic::OnConflict;
use kubemerge_value::{Arena, Canonical, to_canonical};

/// Three states of one object, each in a form of its own.
#[derive(Debug)]
pub struct Versions<'v, O: ?Sized, M: ?Sized = O, C: ?Sized = O> {
    /// The state that was applied last.
    pub original: &'v O,
    /// The state that is wanted.
    pub modified: &'v M,
    /// The state on the server.
    pub current: &'v C,
}

/// A place where the wanted state and the state on the server were changed in different ways.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conflict {
    /// Where, as Kubernetes writes field paths.
    pub path: String,
    /// What the wanted state does there.
    pub wanted: Change,
    /// What was done there on the server, by any client.
    pub current: Change,
}

/// What a patch does to a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// Sets or merges this value.
    Set(Canonical),
    /// Removes the value.
    Remove,
    /// Removes the list item, or empties the map, that this map describes.
    Delete(Canonical),
    /// Replaces the whole map or list.
    Replace(Canonical),
}

/// The strategic merge patch that brings the current state to the wanted one: what `modified` sets is set, and
/// what only `original` has is removed. Everything else that others set stays.
///
/// ```
/// use kubemerge::{Dialect, OnConflict, Schema, Versions, three_way};
///
/// let schema = Schema::builtin("1.37", Dialect::Upstream)?;
/// let deployment = |spec| format!(r#"{{"apiVersion": "apps/v1", "kind": "Deployment", "spec": {spec}}}"#);
/// let versions = Versions {
///     original: &deployment(r#"{"replicas": 1, "paused": true}"#),
///     modified: &deployment(r#"{"replicas": 2}"#),
///     current: &deployment(r#"{"replicas": 1, "paused": true, "minReadySeconds": 5}"#),
/// };
/// let patch = three_way(&schema, &versions, OnConflict::Overwrite)?;
/// assert_eq!(patch.to_string(), r#"{"spec":{"paused":null,"replicas":2}}"#);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// As [`diff`](crate::diff); `conflict` if asked to fail on one. [`conflicts`] tells which.
pub fn three_way<'s, O: Object + ?Sized, M: Object + ?Sized, C: Object + ?Sized>(
    rules: impl Into<RuleSource<'s>>,
    versions: &Versions<'_, O, M, C>,
    on_conflict: OnConflict,
) -> Result<Patch<'static>, Error> {
    let rules = rules.into();
    let (sources, arena) = (versions.read()?, Arena::new());
    let nodes = sources.nodes();
    let patch = kubemerge_strategic::three_way_checked(
        // The wanted state names the type: the live object may be in another version.
        rules.type_of(nodes.modified)?,
        &nodes,
        on_conflict,
        &[],
        &arena,
    )
    .map_err(|error| Error::from(error).in_patch(rules.dialect()))?;
    Patch::owned(PatchType::Strategic, patch)
}

/// The places where the wanted state and the state on the server were changed in different ways.
///
/// ```
/// use kubemerge::{Dialect, Schema, Versions, conflicts};
///
/// let schema = Schema::builtin("1.37", Dialect::Upstream)?;
/// let scaled = |to| format!(r#"{{"apiVersion": "apps/v1", "kind": "Deployment", "spec": {{"replicas": {to}}}}}"#);
/// let versions = Versions { original: &scaled(1), modified: &scaled(2), current: &scaled(3) };
/// let conflicts = conflicts(&schema, &versions)?;
/// assert_eq!(conflicts[0].path, "spec.replicas");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// As [`diff`](crate::diff).
pub fn conflicts<'s, O: Object + ?Sized, M: Object + ?Sized, C: Object + ?Sized>(
    rules: impl Into<RuleSource<'s>>,
    versions: &Versions<'_, O, M, C>,
) -> Result<Vec<Conflict>, Error> {
    let rules = rules.into();
    let (sources, arena) = (versions.read()?, Arena::new());
    let nodes = sources.nodes();
    let found = kubemerge_strategic::three_way_conflicts(rules.type_of(nodes.modified)?, &nodes, &arena)
        .map_err(|error| Error::from(error).in_patch(rules.dialect()))?;
    Ok(found.into_iter().map(Conflict::from).collect())
}

pub(crate) struct Sources<'v> {
    original: Source<'v>,
    modified: Source<'v>,
    current: Source<'v>,
}

impl<'v, O: Object + ?Sized, M: Object + ?Sized, C: Object + ?Sized> Versions<'v, O, M, C> {
    pub(crate) fn read(&self) -> Result<Sources<'v>, Error> {
        Ok(Sources {
            original: read_object(self.original)?,
            modified: read_object(self.modified)?,
            current: read_object(self.current)?,
        })
    }
}

impl Sources<'_> {
    pub(crate) fn nodes(&self) -> kubemerge_strategic::VersionNodes<'_> {
        kubemerge_strategic::VersionNodes {
            original: self.original.node(),
            modified: self.modified.node(),
            current: self.current.node(),
        }
    }
}

impl From<kubemerge_strategic::PatchConflict<'_>> for Conflict {
    fn from(conflict: kubemerge_strategic::PatchConflict<'_>) -> Self {
        Conflict { path: conflict.path, wanted: conflict.one.into(), current: conflict.other.into() }
    }
}

impl From<kubemerge_strategic::PatchChange<'_>> for Change {
    fn from(change: kubemerge_strategic::PatchChange<'_>) -> Self {
        use kubemerge_strategic::PatchChange as Made;
        match change {
            Made::Set(value) => Change::Set(to_canonical(value)),
            Made::Remove => Change::Remove,
            Made::Delete(value) => Change::Delete(to_canonical(value)),
            Made::Replace(value) => Change::Replace(to_canonical(value)),
        }
    }
}
