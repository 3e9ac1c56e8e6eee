//! Three-way patches: what `kubectl apply` sends.
//!
//! Additions and changes lead from the current state to the wanted one; removals are what the last applied
//! state had and the wanted one has no more. What only the server knows stays as it is.

use crate::{
    MergeError, MergeErrorKind, Precondition,
    apply::{combine, document},
    check_preconditions,
    conflict::{self, Conflict},
    diff::{DiffOptions, upstream},
    spec_diff::{self, OrderLists},
};
use kubemerge_schema::{Dialect, Type};
use kubemerge_value::{Arena, Node, Side};
use kubemerge_yaml::{self as yaml, KeyOrder, WriteOptions};

/// What to do when the current state was changed where the patch changes it, too.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnConflict {
    /// The patch wins.
    #[default]
    Overwrite,
    /// There is no patch.
    Fail,
}

/// Three states of one object.
#[derive(Clone, Copy, Debug)]
pub struct Versions<'a> {
    /// The state that was applied last.
    pub original: Node<'a>,
    /// The state that is wanted.
    pub modified: Node<'a>,
    /// The state on the server.
    pub current: Node<'a>,
}

/// The patch that brings `current` to the wanted state, and removes what `original` had and `modified` has
/// no more.
///
/// # Errors
/// As [`diff`](crate::diff); `conflict` if asked to fail on one. [`three_way_conflicts`] tells which.
///
/// ```
/// use kubemerge_schema::{Dialect, Schema};
/// use kubemerge_strategic::{OnConflict, three_way};
/// use kubemerge_value::{Arena, Document, to_canonical};
///
/// let schema = Schema::builtin("1.37", Dialect::Upstream)?;
/// let deployment = schema.type_of("apps/v1", "Deployment").ok_or("no deployments")?;
/// let original = Document::check(br#"{"spec": {"replicas": 1, "paused": true}}"#)?;
/// let modified = Document::check(br#"{"spec": {"replicas": 2}}"#)?;
/// let current = Document::check(br#"{"spec": {"replicas": 1, "paused": true, "minReadySeconds": 5}}"#)?;
/// let arena = Arena::new();
/// let (original, modified, current) = (original.node(), modified.node(), current.node());
/// let patch = three_way(deployment, original, modified, current, OnConflict::Fail, &arena)?;
/// assert_eq!(to_canonical(patch).as_bytes(), br#"{"spec":{"paused":null,"replicas":2}}"#);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn three_way<'a>(
    ty: Type<'_>,
    original: Node<'a>,
    modified: Node<'a>,
    current: Node<'a>,
    on_conflict: OnConflict,
    arena: &'a Arena,
) -> Result<Node<'a>, MergeError> {
    three_way_checked(ty, &Versions { original, modified, current }, on_conflict, &[], arena)
}

/// As [`three_way`], for a patch that must not touch some fields.
///
/// # Errors
/// As [`three_way`]; `precondition-failed` goes before `conflict`.
pub fn three_way_checked<'a>(
    ty: Type<'_>,
    versions: &Versions<'a>,
    on_conflict: OnConflict,
    preconditions: &[Precondition<'_>],
    arena: &'a Arena,
) -> Result<Node<'a>, MergeError> {
    let versions = versions.documents()?;
    let patch = versions.patch(ty, arena)?;
    check_preconditions(patch, preconditions)?;
    if on_conflict == OnConflict::Overwrite {
        return Ok(patch);
    }
    let changed = versions.changed(ty, arena)?;
    // Upstream: the test leaves its marks on the patch.
    let tested = conflict::test(ty, versions.tested_patch(ty, patch, arena)?, changed, arena)?;
    match tested.conflicts.first() {
        Some(conflict) => Err(conflict_error(conflict, patch, changed)),
        None if ty.schema().dialect() == Dialect::Upstream => Ok(tested.patch),
        None => Ok(patch),
    }
}

/// What the wanted state and the current one say differently, both seen from the original.
///
/// The first side of a conflict is the configuration, the second the live object.
///
/// # Errors
/// As [`three_way`], but for `conflict`.
pub fn three_way_conflicts<'a>(
    ty: Type<'_>,
    versions: &Versions<'a>,
    arena: &'a Arena,
) -> Result<Vec<Conflict<'a>>, MergeError> {
    let versions = versions.documents()?;
    let patch = versions.patch(ty, arena)?;
    let patch = versions.tested_patch(ty, patch, arena)?;
    Ok(conflict::test(ty, patch, versions.changed(ty, arena)?, arena)?.conflicts)
}

impl<'a> Versions<'a> {
    fn documents(&self) -> Result<Self, MergeError> {
        Ok(Versions {
            original: document(self.original)?.unwrap_or(Node::NULL),
            modified: document(self.modified)?.unwrap_or(Node::NULL),
            current: document(self.current)?.unwrap_or(Node::NULL),
        })
    }

    fn patch(&self, ty: Type<'_>, arena: &'a Arena) -> Result<Node<'a>, MergeError> {
        match ty.schema().dialect() {
            Dialect::Upstream => {
                let delta = upstream(ty, self.current, self.modified, DiffOptions::DELTA, arena)?;
                let deletions = upstream(ty, self.original, self.modified, DiffOptions::DELETIONS, arena)?;
                combine(ty, deletions, delta, arena)
            }
            Dialect::Spec => spec_diff::patch(ty, self, OrderLists::WhereNeeded, arena),
        }
    }

    /// The patch as the conflict test looks at it.
    fn tested_patch(&self, ty: Type<'_>, patch: Node<'a>, arena: &'a Arena) -> Result<Node<'a>, MergeError> {
        match ty.schema().dialect() {
            Dialect::Upstream => Ok(patch),
            Dialect::Spec => spec_diff::patch(ty, self, OrderLists::Never, arena),
        }
    }

    /// What has become of the original on the server.
    fn changed(&self, ty: Type<'_>, arena: &'a Arena) -> Result<Node<'a>, MergeError> {
        match ty.schema().dialect() {
            Dialect::Upstream => upstream(ty, self.original, self.current, DiffOptions::UNORDERED, arena),
            Dialect::Spec => {
                let since =
                    Versions { original: self.original, modified: self.current, current: self.original };
                spec_diff::patch(ty, &since, OrderLists::Never, arena)
            }
        }
    }
}

fn conflict_error(conflict: &Conflict<'_>, patch: Node<'_>, changed: Node<'_>) -> MergeError {
    let options = WriteOptions { key_order: KeyOrder::Sorted };
    let message = format!(
        "patch:\n{}\nconflicts with changes made from original to current:\n{}\n",
        yaml::write(patch, &options),
        yaml::write(changed, &options),
    );
    let hint = format!(
        "the configuration {}, the live object {}; overwrite, or take the change into the configuration",
        conflict.one, conflict.other
    );
    MergeError::at(MergeErrorKind::Conflict, Side::Patch, conflict.path.clone(), message).with_hint(hint)
}
