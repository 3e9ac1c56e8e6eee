//! Hands a value that is merged to the strategy of the dialect.
//!
//! The functions that it calls are in files of their own: those of `spec` start with `spec_`.

use super::{
    Merger,
    error_order::FieldFault,
    map::{Maps, Outcome},
    root_delete, unknown_word,
};
use crate::{
    directive::{FieldPatch, MapPatch, PatchWord},
    error::MergeError,
    observe::{MaybeObserver, MergeEvent, Replacement},
    strategy::Strategy,
    unions::patch_with_unions,
};
use kubemerge_schema::{MapRule, Type};
use kubemerge_value::{Kind, Node, Path, Str, map as empty_map};

impl<'a, O: MaybeObserver> Merger<'a, '_, O> {
    /// The patch of a whole document.
    pub(super) fn merge_document(
        &mut self,
        ty: Type<'_>,
        live: Option<Node<'a>>,
        patch: Node<'a>,
    ) -> Result<Node<'a>, MergeError> {
        match self.strategy {
            Strategy::Upstream => self.map(ty, live, &MapPatch::parse(patch, self.arena), &Path::ROOT),
            Strategy::Spec => {
                let patch = patch_with_unions(patch, ty.unions(), &Path::ROOT, self.arena)?;
                self.spec_document(ty, live, &patch)
            }
        }
    }

    /// `spec`: a document can be replaced by its patch, but not deleted.
    fn spec_document(
        &mut self,
        ty: Type<'_>,
        live: Option<Node<'a>>,
        patch: &MapPatch<'a>,
    ) -> Result<Node<'a>, MergeError> {
        // Applying to nothing creates the object.
        let live = live.or_else(|| Some(empty_map([], self.arena)));
        match patch.patch.map(PatchWord::of) {
            Some(PatchWord::Delete) => Err(root_delete()),
            Some(PatchWord::Unknown) => Err(unknown_word(patch, &Path::ROOT)),
            Some(PatchWord::Replace) => {
                let cause = Replacement::PatchDirective;
                self.observer.note(&Path::ROOT, MergeEvent::MapReplaced { from: live, cause });
                self.map(ty, None, patch, &Path::ROOT)
            }
            Some(PatchWord::Merge) | None => self.map(ty, live, patch, &Path::ROOT),
        }
    }

    /// The error in the words of the dialect.
    pub(super) fn in_dialect_words(&self, error: MergeError) -> MergeError {
        match self.strategy {
            Strategy::Upstream => error,
            Strategy::Spec => error.naming_live_object(),
        }
    }

    /// Everything that the patch says about one field, given its live value.
    pub(super) fn field_outcome(
        &mut self,
        maps: &Maps<'_, '_, 'a>,
        live: Option<Node<'a>>,
        field: &FieldPatch<'a>,
        path: &Path<'_>,
    ) -> Result<Outcome<'a>, FieldFault> {
        match self.strategy {
            // Value, order and deletions of one list act together in this dialect.
            Strategy::Spec if field.excluded => Ok(self.exclude(live, path)),
            Strategy::Spec if field.has_directive() => {
                Ok(self.spec_list_field(maps.ty, maps.live, live, field, path)?)
            }
            Strategy::Upstream | Strategy::Spec => self.ordered_value_deletes(maps.ty, live, field, path),
        }
    }

    /// One value of the patch, which may be null.
    pub(super) fn value(
        &mut self,
        ty: Type<'_>,
        live: Option<Node<'a>>,
        field: Str<'a>,
        value: Node<'a>,
        path: &Path<'_>,
    ) -> Result<Outcome<'a>, MergeError> {
        // The one rule that both dialects share.
        if value.kind() == Kind::Null {
            return Ok(self.remove(live, path));
        }
        match self.strategy {
            Strategy::Upstream => self.upstream_value(ty, live, field, value, path),
            Strategy::Spec => self.spec_value(ty, live, field, value, path),
        }
    }

    /// Both sides hold a map, and its rule is known.
    pub(super) fn maps_by(
        &mut self,
        rule: &MapRule<'_>,
        live: Node<'a>,
        value: Node<'a>,
        path: &Path<'_>,
    ) -> Result<Outcome<'a>, MergeError> {
        match self.strategy {
            Strategy::Upstream => self.upstream_map_by(rule, live, value, path),
            Strategy::Spec => self.spec_map_by(rule, Some(live), value, path),
        }
    }
}
