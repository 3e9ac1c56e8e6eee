//! Three-way patches: what `kubectl apply` sends.
//!
//! Additions and changes lead from the current state to the wanted one; removals are what the last applied
//! state had and the wanted one has no more. What only the server knows stays as it is.

use crate::{
    conflict::PatchConflict,
    error::{MergeError, MergeErrorKind},
    precondition::{Precondition, check_preconditions},
    verbs::verbs_of,
    versions::VersionNodes,
};
use kubemerge_schema::Type;
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
    three_way_checked(ty, &VersionNodes { original, modified, current }, on_conflict, &[], arena)
}

/// As [`three_way`], for a patch that must not touch some fields.
///
/// # Errors
/// As [`three_way`]; `precondition-failed` goes before `conflict`.
pub fn three_way_checked<'a>(
    ty: Type<'_>,
    versions: &VersionNodes<'a>,
    on_conflict: OnConflict,
    preconditions: &[Precondition<'_>],
    arena: &'a Arena,
) -> Result<Node<'a>, MergeError> {
    let (versions, verbs) = (versions.documents()?, verbs_of(ty));
    let patch = verbs.three_way(ty, &versions, arena)?;
    // Before the conflict test, as in Kubernetes.
    check_preconditions(patch, preconditions)?;
    if on_conflict == OnConflict::Overwrite {
        return Ok(patch);
    }
    let changed = verbs.changes_of_current(ty, &versions, arena)?;
    // The patch that is tested may differ from the one that is sent.
    let tested = verbs.tested_patch(ty, &versions, patch, arena)?;
    let tested = verbs.conflict_test(ty, tested, changed, arena)?;
    match tested.conflicts.first() {
        Some(conflict) => Err(conflict_error(conflict, patch, changed)),
        None => Ok(verbs.patch_after_test(patch, tested.patch)),
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
    versions: &VersionNodes<'a>,
    arena: &'a Arena,
) -> Result<Vec<PatchConflict<'a>>, MergeError> {
    let (versions, verbs) = (versions.documents()?, verbs_of(ty));
    let patch = verbs.three_way(ty, &versions, arena)?;
    let patch = verbs.tested_patch(ty, &versions, patch, arena)?;
    let changed = verbs.changes_of_current(ty, &versions, arena)?;
    Ok(verbs.conflict_test(ty, patch, changed, arena)?.conflicts)
}

fn conflict_error(conflict: &PatchConflict<'_>, patch: Node<'_>, changed: Node<'_>) -> MergeError {
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
