//! The verbs that make and compare patches, each handed to the dialect of the schema.

use crate::{
    apply::{combine, document},
    compose::spec as spec_compose,
    conflict::{self, PatchConflict, Tested},
    diff::{
        DiffOptions,
        spec::{self, OrderLists},
        upstream,
    },
    error::{MergeError, MergeErrorKind},
    strategy::Strategy,
    versions::VersionNodes,
};
use kubemerge_schema::Type;
use kubemerge_value::{Arena, Node, Path, map as new_map};

/// The patch that turns `original` into `modified`; an empty map if nothing is to be done.
///
/// ```
/// use kubemerge_schema::{Dialect, Schema};
/// use kubemerge_strategic::{DiffOptions, diff};
/// use kubemerge_value::{Arena, Document, to_canonical};
///
/// let schema = Schema::builtin("1.37", Dialect::Upstream)?;
/// let pod = schema.type_of("v1", "Pod").ok_or("no pods")?;
/// let original = Document::check(br#"{"spec": {"containers": [{"name": "web", "image": "nginx:1"}]}}"#)?;
/// let modified = Document::check(br#"{"spec": {"containers": [{"name": "web", "image": "nginx:2"}]}}"#)?;
/// let arena = Arena::new();
/// let patch = diff(pod, original.node(), modified.node(), &DiffOptions::default(), &arena)?;
/// assert_eq!(
///     String::from_utf8_lossy(to_canonical(patch).as_bytes()),
///     r#"{"spec":{"$setElementOrder/containers":[{"name":"web"}],"containers":[{"image":"nginx:2","name":"web"}]}}"#,
/// );
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn diff<'a>(
    ty: Type<'_>,
    original: Node<'a>,
    modified: Node<'a>,
    options: &DiffOptions,
    arena: &'a Arena,
) -> Result<Node<'a>, MergeError> {
    let (original, modified) =
        (document(original)?.unwrap_or(Node::NULL), document(modified)?.unwrap_or(Node::NULL));
    verbs_of(ty).diff(ty, original, modified, options, arena)
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
) -> Result<Vec<PatchConflict<'a>>, MergeError> {
    let (one, other) = (document(one)?.unwrap_or(Node::NULL), document(other)?.unwrap_or(Node::NULL));
    verbs_of(ty).conflict_test(ty, one, other, arena).map(|tested| tested.conflicts)
}

/// The patch that does what these patches do one after the other.
///
/// In dialect `spec`, wherever the sequence succeeds, so does the one patch, with the same result. The
/// `upstream` dialect composes as Kubernetes does, which loses deletions.
///
/// # Errors
/// `not-composable` where no single patch does it: apply the patches in turn. Faults of the patches themselves.
///
/// ```
/// use kubemerge_schema::{Dialect, Schema};
/// use kubemerge_strategic::compose;
/// use kubemerge_value::{Arena, Document, to_canonical};
///
/// let schema = Schema::builtin("1.37", Dialect::Spec)?;
/// let pod = schema.type_of("v1", "Pod").ok_or("no pods")?;
/// let first = Document::check(br#"{"spec": {"containers": [{"name": "log", "$patch": "delete"}]}}"#)?;
/// let second = Document::check(br#"{"spec": {"containers": [{"name": "web", "image": "web:2"}]}}"#)?;
/// let arena = Arena::new();
/// let both = compose(pod, &[first.node(), second.node()], &arena)?;
/// assert_eq!(
///     String::from_utf8_lossy(to_canonical(both).as_bytes()),
///     r#"{"spec":{"containers":[{"image":"web:2","name":"web"},{"$patch":"delete","name":"log"}]}}"#,
/// );
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn compose<'a>(ty: Type<'_>, patches: &[Node<'a>], arena: &'a Arena) -> Result<Node<'a>, MergeError> {
    verbs_of(ty).compose(ty, patches, arena)
}

/// The verbs of one dialect, over documents and patches that are maps or null.
pub(crate) trait Verbs {
    /// The patch from one document to another.
    fn diff<'a>(
        &self,
        ty: Type<'_>,
        original: Node<'a>,
        modified: Node<'a>,
        options: &DiffOptions,
        arena: &'a Arena,
    ) -> Result<Node<'a>, MergeError>;

    /// The patch that brings the current state to the wanted one.
    fn three_way<'a>(
        &self,
        ty: Type<'_>,
        versions: &VersionNodes<'a>,
        arena: &'a Arena,
    ) -> Result<Node<'a>, MergeError>;

    /// What was done to the original on the server.
    fn changes_of_current<'a>(
        &self,
        ty: Type<'_>,
        versions: &VersionNodes<'a>,
        arena: &'a Arena,
    ) -> Result<Node<'a>, MergeError>;

    /// A three-way patch in the form that the conflict test looks at.
    fn tested_patch<'a>(
        &self,
        ty: Type<'_>,
        versions: &VersionNodes<'a>,
        patch: Node<'a>,
        arena: &'a Arena,
    ) -> Result<Node<'a>, MergeError>;

    /// What two patches say differently.
    fn conflict_test<'a>(
        &self,
        ty: Type<'_>,
        one: Node<'a>,
        other: Node<'a>,
        arena: &'a Arena,
    ) -> Result<Tested<'a>, MergeError>;

    /// The three-way patch that is sent once the test has found no conflict.
    fn patch_after_test<'a>(&self, patch: Node<'a>, tested: Node<'a>) -> Node<'a>;

    /// One patch for several.
    fn compose<'a>(
        &self,
        ty: Type<'_>,
        patches: &[Node<'a>],
        arena: &'a Arena,
    ) -> Result<Node<'a>, MergeError>;
}

/// The verbs for the dialect of a compiled schema.
pub(crate) fn verbs_of(ty: Type<'_>) -> &'static dyn Verbs {
    match Strategy::of(ty) {
        Some(Strategy::Upstream) => &Upstream,
        Some(Strategy::Spec) => &Spec,
        None => &Kustomize,
    }
}

/// Kubernetes' own.
struct Upstream;

/// Those of the design documents.
struct Spec;

/// None: kustomize only applies patches.
struct Kustomize;

impl Verbs for Upstream {
    fn diff<'a>(
        &self,
        ty: Type<'_>,
        original: Node<'a>,
        modified: Node<'a>,
        options: &DiffOptions,
        arena: &'a Arena,
    ) -> Result<Node<'a>, MergeError> {
        upstream::two_way(ty, original, modified, *options, arena)
    }

    fn three_way<'a>(
        &self,
        ty: Type<'_>,
        versions: &VersionNodes<'a>,
        arena: &'a Arena,
    ) -> Result<Node<'a>, MergeError> {
        let VersionNodes { original, modified, current } = *versions;
        let delta = upstream::two_way(ty, current, modified, DiffOptions::DELTA, arena)?;
        // Only what the last configuration had may be deleted.
        let deletions = upstream::two_way(ty, original, modified, DiffOptions::DELETIONS, arena)?;
        // Deletions first, so that a value to set wins.
        combine(Strategy::Upstream, ty, deletions, delta, arena)
    }

    fn changes_of_current<'a>(
        &self,
        ty: Type<'_>,
        versions: &VersionNodes<'a>,
        arena: &'a Arena,
    ) -> Result<Node<'a>, MergeError> {
        upstream::two_way(ty, versions.original, versions.current, DiffOptions::UNORDERED, arena)
    }

    fn tested_patch<'a>(
        &self,
        _: Type<'_>,
        _: &VersionNodes<'a>,
        patch: Node<'a>,
        _: &'a Arena,
    ) -> Result<Node<'a>, MergeError> {
        Ok(patch)
    }

    fn conflict_test<'a>(
        &self,
        ty: Type<'_>,
        one: Node<'a>,
        other: Node<'a>,
        arena: &'a Arena,
    ) -> Result<Tested<'a>, MergeError> {
        conflict::upstream::test(ty, one, other, arena)
    }

    // Upstream: the test sorts lists of the patch in place, and the patch is sent like that
    // (three-way/conflict-bugs.yaml, `atomic arguments come out sorted`).
    fn patch_after_test<'a>(&self, _: Node<'a>, tested: Node<'a>) -> Node<'a> {
        tested
    }

    // Upstream: patches are laid over each other, which loses deletions (compose/upstream-defects.yaml).
    fn compose<'a>(
        &self,
        ty: Type<'_>,
        patches: &[Node<'a>],
        arena: &'a Arena,
    ) -> Result<Node<'a>, MergeError> {
        patches
            .iter()
            .try_fold(new_map([], arena), |under, over| combine(Strategy::Upstream, ty, under, *over, arena))
    }
}

impl Verbs for Spec {
    fn diff<'a>(
        &self,
        ty: Type<'_>,
        original: Node<'a>,
        modified: Node<'a>,
        _: &DiffOptions,
        arena: &'a Arena,
    ) -> Result<Node<'a>, MergeError> {
        spec::two_way(ty, original, modified, arena)
    }

    fn three_way<'a>(
        &self,
        ty: Type<'_>,
        versions: &VersionNodes<'a>,
        arena: &'a Arena,
    ) -> Result<Node<'a>, MergeError> {
        spec::patch(ty, versions, OrderLists::WhereNeeded, arena)
    }

    fn changes_of_current<'a>(
        &self,
        ty: Type<'_>,
        versions: &VersionNodes<'a>,
        arena: &'a Arena,
    ) -> Result<Node<'a>, MergeError> {
        let VersionNodes { original, current, .. } = *versions;
        let since = VersionNodes { original, modified: current, current: original };
        spec::patch(ty, &since, OrderLists::Never, arena)
    }

    // Two clients that order a list differently are no conflict, so the test sees no order lists.
    fn tested_patch<'a>(
        &self,
        ty: Type<'_>,
        versions: &VersionNodes<'a>,
        _: Node<'a>,
        arena: &'a Arena,
    ) -> Result<Node<'a>, MergeError> {
        spec::patch(ty, versions, OrderLists::Never, arena)
    }

    fn conflict_test<'a>(
        &self,
        ty: Type<'_>,
        one: Node<'a>,
        other: Node<'a>,
        arena: &'a Arena,
    ) -> Result<Tested<'a>, MergeError> {
        let conflicts = conflict::spec::test(ty, one, other, arena)?;
        Ok(Tested { conflicts, patch: one })
    }

    fn patch_after_test<'a>(&self, patch: Node<'a>, _: Node<'a>) -> Node<'a> {
        patch
    }

    fn compose<'a>(
        &self,
        ty: Type<'_>,
        patches: &[Node<'a>],
        arena: &'a Arena,
    ) -> Result<Node<'a>, MergeError> {
        spec_compose(ty, patches, arena)
    }
}

impl Verbs for Kustomize {
    fn diff<'a>(
        &self,
        _: Type<'_>,
        _: Node<'a>,
        _: Node<'a>,
        _: &DiffOptions,
        _: &'a Arena,
    ) -> Result<Node<'a>, MergeError> {
        Err(only_applies())
    }

    fn three_way<'a>(&self, _: Type<'_>, _: &VersionNodes<'a>, _: &'a Arena) -> Result<Node<'a>, MergeError> {
        Err(only_applies())
    }

    fn changes_of_current<'a>(
        &self,
        _: Type<'_>,
        _: &VersionNodes<'a>,
        _: &'a Arena,
    ) -> Result<Node<'a>, MergeError> {
        Err(only_applies())
    }

    fn tested_patch<'a>(
        &self,
        _: Type<'_>,
        _: &VersionNodes<'a>,
        _: Node<'a>,
        _: &'a Arena,
    ) -> Result<Node<'a>, MergeError> {
        Err(only_applies())
    }

    fn conflict_test<'a>(
        &self,
        _: Type<'_>,
        _: Node<'a>,
        _: Node<'a>,
        _: &'a Arena,
    ) -> Result<Tested<'a>, MergeError> {
        Err(only_applies())
    }

    fn patch_after_test<'a>(&self, patch: Node<'a>, _: Node<'a>) -> Node<'a> {
        patch
    }

    fn compose<'a>(&self, _: Type<'_>, _: &[Node<'a>], _: &'a Arena) -> Result<Node<'a>, MergeError> {
        Err(only_applies())
    }
}

fn only_applies() -> MergeError {
    let message = "the dialect kustomize only applies patches";
    MergeError::new(MergeErrorKind::UnsupportedVerb, &Path::ROOT, message)
        .with_hint("use the dialect upstream or spec")
}
