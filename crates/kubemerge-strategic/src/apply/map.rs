//! A patch map into a live map.

use super::{Merger, Mode, error_order::FieldFault, unknown_word};
use crate::{
    directive::{
        DELETE_FROM_PRIMITIVE_LIST, FieldPatch, Malformed, MapPatch, PatchWord, malformed_delete_lists,
        without_patch,
    },
    error::{MergeError, MergeErrorKind},
    observe::{MaybeObserver, MergeEvent, Removal, Replacement},
};
use bumpalo::collections::Vec as ArenaVec;
use kubemerge_schema::Type;
use kubemerge_value::part::part_of;
use kubemerge_value::{Kind, MapEdit, Node, Path, Str, map as build_map};

/// What happens to a field.
#[derive(Clone, Copy)]
pub(super) enum Outcome<'a> {
    Keep,
    Put(Node<'a>),
    Remove,
}

impl<'a> Outcome<'a> {
    /// The value after the outcome, given the one before.
    pub(super) fn after(self, before: Option<Node<'a>>) -> Option<Node<'a>> {
        match self {
            Outcome::Keep => before,
            Outcome::Put(node) => Some(node),
            Outcome::Remove => None,
        }
    }
}

/// A patch map, the live map it is merged into, what the schema says about both, and where they are.
pub(super) struct Maps<'m, 's, 'a> {
    pub(super) ty: Type<'s>,
    pub(super) live: Option<Node<'a>>,
    pub(super) patch: &'m MapPatch<'a>,
    pub(super) path: &'m Path<'m>,
}

impl<'a, O: MaybeObserver> Merger<'a, '_, O> {
    /// Merges a patch map into a live map, or into nothing.
    pub(super) fn map(
        &mut self,
        ty: Type<'_>,
        live: Option<Node<'a>>,
        patch: &MapPatch<'a>,
        path: &Path<'_>,
    ) -> Result<Node<'a>, MergeError> {
        // Upstream looks at nothing else of such a map.
        if patch.patch.is_some() && self.strategy.obeys_patch_word_first() {
            return self.replace_map(live, patch, path);
        }
        self.observer.note(path, MergeEvent::MapMerged);
        let base = live.unwrap_or(Node::NULL);
        let mut edit = match self.mode {
            Mode::Apply => MapEdit::new(base, self.arena),
            // Directives are looked up besides the fields, in no order.
            Mode::Combine => MapEdit::expanded(base, self.arena),
        };
        // Before the fields: the patch may set again what was not retained.
        self.retain_keys(&mut edit, live, patch, path)?;
        let maps = Maps { ty, live, patch, path };
        if let Err(error) = self.check_spelling(patch, path) {
            let fields: Vec<&FieldPatch<'a>> = patch.fields.iter().collect();
            return Err(self.first_fault(error.into(), &maps, &mut edit, &fields));
        }
        if self.mode == Mode::Combine {
            // A patch that is laid over another one keeps what it cannot carry out.
            for entry in malformed_delete_lists(patch, self.arena) {
                put(&mut edit, entry.key, entry.value);
            }
        }
        self.fields(&maps, &mut edit)?;
        Ok(edit.finish())
    }

    fn fields(&mut self, maps: &Maps<'_, '_, 'a>, edit: &mut MapEdit<'a>) -> Result<(), MergeError> {
        let mut fields = ArenaVec::from_iter_in(&maps.patch.fields, self.arena);
        // A forward walk over sorted members cannot go back, so the fields are visited in the same order.
        if edit.wants_sorted_keys() && !fields.is_sorted_by_key(|field| field.field) {
            fields.sort_by_key(|field| field.field);
        }
        for (done, field) in fields.iter().enumerate() {
            if let Err(fault) = self.field(maps, edit, field) {
                return Err(self.first_fault(fault, maps, edit, part_of(&fields, done + 1..)));
            }
        }
        Ok(())
    }

    /// Everything that the patch says about one field of the live map: order list and value, then the delete
    /// list.
    pub(super) fn field(
        &mut self,
        maps: &Maps<'_, '_, 'a>,
        edit: &mut MapEdit<'a>,
        field: &FieldPatch<'a>,
    ) -> Result<(), FieldFault> {
        if self.mode == Mode::Combine {
            self.copy_directives(edit, field, maps.path)?;
        }
        // Once a field; the edit moves on from here.
        let found = edit.seek(field.field);
        let path = &maps.path.field(field.field);
        match (self.field_outcome(maps, found, field, path)?, found) {
            (Outcome::Put(node), Some(_)) => edit.replace(node),
            (Outcome::Put(node), None) => edit.insert(field.field, node),
            (Outcome::Remove, Some(_)) => edit.remove(),
            (Outcome::Remove, None) | (Outcome::Keep, _) => {}
        }
        Ok(())
    }

    /// The order list with the value or the value alone, then the delete list.
    pub(super) fn ordered_value_deletes(
        &mut self,
        ty: Type<'_>,
        live: Option<Node<'a>>,
        field: &FieldPatch<'a>,
        path: &Path<'_>,
    ) -> Result<Outcome<'a>, FieldFault> {
        let mut outcome = match (field.order, field.value) {
            (Some(order), _) => self.ordered(ty, live, field, *order, path)?,
            (None, Some(value)) => self.value(ty, live, field.field, value, path)?,
            (None, None) => Outcome::Keep,
        };
        if let (Some(delete), Mode::Apply) = (field.delete, self.mode) {
            // Deletions act on the list as the patch has left it.
            let current = outcome.after(live);
            let deleted = self
                .delete_from(ty, current, field.field, *delete, path)
                .map_err(|error| self.delete_list_fault(error, ty, live, field, path))?;
            if !matches!(deleted, Outcome::Keep) {
                outcome = deleted;
            }
        }
        Ok(outcome)
    }

    /// `$patch` in a map that upstream merges: the map itself, or nothing.
    fn replace_map(
        &mut self,
        live: Option<Node<'a>>,
        patch: &MapPatch<'a>,
        path: &Path<'_>,
    ) -> Result<Node<'a>, MergeError> {
        let word = patch.patch.map_or(PatchWord::Unknown, PatchWord::of);
        match word {
            PatchWord::Replace => {
                let cause = Replacement::PatchDirective;
                self.observer.note(path, MergeEvent::MapReplaced { from: live, cause });
                Ok(without_patch(patch.node, self.arena))
            }
            // Upstream: the map stays, empty (apply/patch-directive.yaml, `#89140 delete leaves an empty map`).
            PatchWord::Delete => {
                if let Some(value) = live {
                    self.observer.note(path, MergeEvent::Removed { value, cause: Removal::PatchDirective });
                }
                Ok(build_map([], self.arena))
            }
            PatchWord::Merge | PatchWord::Unknown => Err(unknown_word(patch, path)),
        }
    }

    fn check_spelling(&self, patch: &MapPatch<'a>, path: &Path<'_>) -> Result<(), MergeError> {
        if let Some(malformed) = patch.malformed {
            self.malformed(malformed, path)?;
        }
        if self.strategy.requires_field_names() {
            patch
                .fields
                .iter()
                .filter_map(FieldPatch::nameless)
                .try_for_each(|fault| self.malformed(fault, path))?;
        }
        Ok(())
    }

    fn malformed(&self, malformed: Malformed<'a>, path: &Path<'_>) -> Result<(), MergeError> {
        match malformed {
            Malformed::Order(entry) if entry.value.kind() != Kind::List => {
                Err(super::elements::expected_list(entry.value, &path.field(entry.key)))
            }
            Malformed::Order(entry) => Err(malformed_order(&path.field(entry.key))),
            // Copied as it is; applying reports it.
            Malformed::Delete(_) if self.mode == Mode::Combine => Ok(()),
            Malformed::Delete(entry) => Err(malformed_delete(&path.field(entry.key))),
        }
    }

    /// Keeps the directives of the upper patch beside those of the lower one.
    fn copy_directives(
        &mut self,
        edit: &mut MapEdit<'a>,
        field: &FieldPatch<'a>,
        path: &Path<'_>,
    ) -> Result<(), MergeError> {
        if let Some(order) = field.order {
            match edit.seek(order.key) {
                // Two different orders cannot be one.
                Some(under) if !kubemerge_value::deep_equal(under, order.value) => {
                    return Err(malformed_order(&path.field(order.key)));
                }
                Some(_) => {}
                None => edit.insert(order.key, order.value),
            }
        }
        if let Some(delete) = field.delete {
            put(edit, delete.key, delete.value);
        }
        Ok(())
    }
}

/// Sets a member, whether it is there or not.
fn put<'a>(edit: &mut MapEdit<'a>, key: Str<'a>, value: Node<'a>) {
    match edit.seek(key) {
        Some(_) => edit.replace(value),
        None => edit.insert(key, value),
    }
}

pub(super) fn malformed_order(path: &Path<'_>) -> MergeError {
    MergeError::new(MergeErrorKind::InvalidElementOrder, path, "invalid patch format of setElementOrder list")
        .with_hint("write $setElementOrder/ and the name of the list")
}

pub(super) fn malformed_delete(path: &Path<'_>) -> MergeError {
    MergeError::new(MergeErrorKind::InvalidDeleteList, path, "invalid patch format of primitive list")
        .with_hint(format!("write {DELETE_FROM_PRIMITIVE_LIST}/ and the name of a list of scalars"))
}
