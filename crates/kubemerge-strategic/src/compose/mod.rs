//! One patch for several, in dialect `spec`.
//!
//! The one patch does what the others do in turn, or composition fails: `map` composes field by field, `keyed` and
//! `values` compose what is said about lists.

mod keyed;
mod map;
mod values;

use crate::{
    MergeError, apply, apply::document, diff::spec::whole_document, directive::PatchWord, repeats::Repeats,
};
use kubemerge_schema::Type;
use kubemerge_value::{Arena, Node, Path, map as new_map};
use map::{Composer, Maps};

/// The patch that does what these patches of dialect `spec` do one after the other.
pub(crate) fn spec<'a>(ty: Type<'_>, patches: &[Node<'a>], arena: &'a Arena) -> Result<Node<'a>, MergeError> {
    let nothing = new_map([], arena);
    check_each(ty, patches)?;
    let Some((first, rest)) = patches.split_first() else { return Ok(nothing) };
    rest.iter().try_fold(document(*first)?.unwrap_or(nothing), |first, second| {
        let second = document(*second)?.unwrap_or(nothing);
        two(ty, first, second, arena)
    })
}

/// An empty document shows every fault that a patch has by itself.
fn check_each(ty: Type<'_>, patches: &[Node<'_>]) -> Result<(), MergeError> {
    // The results are not used, so one arena serves all of them.
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
    composer.maps(first, second, Maps { ty, unions: ty.unions() }, &Path::ROOT)
}
