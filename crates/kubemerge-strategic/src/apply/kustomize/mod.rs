//! `patches:` as kustomize 5.8.1 carries them out, over the whole of an object.
//!
//! `walk` goes through the two documents, `list` merges lists, `irregular` those with missing or repeated keys,
//! and `text` has the texts that values are compared by. `metadata` has what kustomize does after the merge.

mod irregular;
mod list;
mod metadata;
mod text;
mod walk;

use super::document::document;
use crate::{error::MergeError, observe::MaybeObserver};
use kubemerge_schema::Type;
use kubemerge_value::{Arena, Node, Path, map as build_map};
use metadata::{with_identity, with_text_annotations};
use walk::{Sides, Walked, Walker};

/// Applies a patch. The result is null if the patch deletes the object.
pub(super) fn apply<'a, O: MaybeObserver>(
    ty: Type<'_>,
    live: Node<'a>,
    patch: Node<'a>,
    arena: &'a Arena,
    observer: &mut O,
) -> Result<Node<'a>, MergeError> {
    let live = document(live)?.unwrap_or_else(|| build_map([], arena));
    let Some(patch) = document(patch)? else { return Ok(live) };
    let mut walker = Walker { arena, observer };
    let sides = Sides::Two { live: Some(live), patch: Some(patch) };
    let merged = match walker.value(ty, sides, &Path::ROOT)? {
        Walked::Gone => return Ok(Node::NULL),
        // kustomize goes on with the live object, so that `$patch: replace` at the root changes nothing.
        Walked::Kept | Walked::Patch(_) => live,
        Walked::Live(merged) => merged,
    };
    Ok(with_text_annotations(with_identity(merged, live, arena), arena))
}
