//! One patch for several.
//!
//! In dialect `upstream` patches are laid over each other, as Kubernetes does it, with what gets lost. In
//! `spec` the one patch does what the others do in turn, or there is none: `map` composes field by field,
//! `keyed` and `values` compose what is said about lists.

mod keyed;
mod map;
mod values;

use crate::{
    MergeError, MergeErrorKind, apply,
    apply::{combine, document},
    directive::PatchWord,
    repeats::Repeats,
    spec_diff::whole_document,
};
use kubemerge_schema::{Dialect, Type};
use kubemerge_value::{Arena, Node, Path, map as new_map};
use map::Composer;

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
    let nothing = new_map([], arena);
    if ty.schema().dialect() == Dialect::Upstream {
        return patches.iter().try_fold(nothing, |under, over| combine(ty, under, *over, arena));
    }
    check_each(ty, patches)?;
    let Some((first, rest)) = patches.split_first() else { return Ok(nothing) };
    rest.iter().try_fold(document(*first)?.unwrap_or(nothing), |first, second| {
        let second = document(*second)?.unwrap_or(nothing);
        two(ty, first, second, arena)
    })
}

/// An empty document shows every fault that a patch has by itself.
fn check_each(ty: Type<'_>, patches: &[Node<'_>]) -> Result<(), MergeError> {
    // What becomes of it does not matter, so its memory is used again.
    let mut scratch = Arena::new();
    for patch in patches {
        apply(ty, new_map([], &scratch), *patch, &scratch)?;
        scratch.reset();
    }
    Ok(())
}

fn two<'a>(
    ty: Type<'_>,
    first: Node<'a>,
    second: Node<'a>,
    arena: &'a Arena,
) -> Result<Node<'a>, MergeError> {
    let composer = Composer { arena, repeats: Repeats::default() };
    if PatchWord::in_map(second) == Some(PatchWord::Replace) {
        return Ok(second);
    }
    if PatchWord::in_map(first) == Some(PatchWord::Replace) {
        let start = apply(ty, new_map([], arena), first, arena)?;
        let result = apply(ty, start, second, arena)?;
        return Ok(composer.replacing(whole_document(result, ty, arena)?));
    }
    composer.maps(first, second, ty, &Path::ROOT)
}

fn not_composable(path: &Path<'_>, reason: &str) -> MergeError {
    let message = format!("no single patch does what the two do one after the other: {reason}");
    MergeError::new(MergeErrorKind::NotComposable, path, message).with_hint("apply the patches in turn")
}
