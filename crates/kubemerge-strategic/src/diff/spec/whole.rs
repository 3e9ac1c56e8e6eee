//! Values that a patch sends as they are. The rules below them still hold when they are applied, so repeated
//! items need a replace marker and some values cannot be said at all.

use super::{DiffField, Generator, values::refuse_repeated};
use crate::{
    MergeError,
    apply::elements::{all_maps, element_kind, set_kind},
    directive::{PATCH, REPLACE},
    identity::Keys,
    strategy::Strategy,
};
use hashbrown::HashSet;
use kubemerge_schema::{ListRule, ListStrategy, Type};
use kubemerge_value::{Kind, Node, Path, Str, deep, list, map};

impl<'a> Generator<'a> {
    /// The value of a field, ready to be sent whole.
    pub(super) fn whole_field(
        &self,
        field: &DiffField<'_, 'a>,
        value: Node<'a>,
    ) -> Result<Node<'a>, MergeError> {
        Ok(self.prepared_field(field, value)?.unwrap_or(value))
    }

    /// A map that is sent whole.
    pub(super) fn whole_map(
        &self,
        value: Node<'a>,
        ty: Type<'_>,
        path: &Path<'_>,
    ) -> Result<Node<'a>, MergeError> {
        Ok(self.prepared_map(value, ty, path)?.unwrap_or(value))
    }

    /// `None` if the value can go as it is. Below a new field, what the schema does not know is untyped.
    fn prepared_field(
        &self,
        field: &DiffField<'_, 'a>,
        value: Node<'a>,
    ) -> Result<Option<Node<'a>>, MergeError> {
        match value.kind() {
            Kind::Map => match field.holder.map_field(&field.key.text()) {
                Ok(rule) => deep(|| self.prepared_map(value, rule.value, field.path)),
                // Below an unknown field nothing has a rule.
                Err(_) => Ok(None),
            },
            Kind::List => match field.holder.list_field(&field.key.text()) {
                Ok(rule) => deep(|| self.prepared_list(value, &rule, field.path)),
                Err(_) => Ok(None),
            },
            _ => Ok(None),
        }
    }

    fn prepared_map(
        &self,
        value: Node<'a>,
        ty: Type<'_>,
        path: &Path<'_>,
    ) -> Result<Option<Node<'a>>, MergeError> {
        // Nothing below has a rule either.
        if ty.is_untyped() {
            return Ok(None);
        }
        let mut changed = false;
        let mut members = Vec::new();
        for entry in value.entries(self.arena) {
            let field = DiffField { key: entry.key, holder: ty, path: &path.field(entry.key) };
            let prepared = self.prepared_field(&field, entry.value)?;
            changed |= prepared.is_some();
            members.push((entry.key, prepared.unwrap_or(entry.value)));
        }
        Ok(changed.then(|| map(members, self.arena)))
    }

    fn prepared_list(
        &self,
        value: Node<'a>,
        rule: &ListRule<'_>,
        path: &Path<'_>,
    ) -> Result<Option<Node<'a>>, MergeError> {
        let items = value.elements(self.arena);
        let mut prepared = Vec::new();
        let mut changed = false;
        match rule.strategy {
            ListStrategy::Atomic => {}
            ListStrategy::Scalars => _ = element_kind(items, &[], path)?,
            ListStrategy::Set => set_kind(items, &[], path)?,
            ListStrategy::Keyed(keys) => {
                all_maps(items, &[], path)?;
                if self.repeats(items, &Keys::new(keys, Strategy::Spec, self.arena), path)? {
                    // Repeated keys would be merged into one; the marker keeps both.
                    prepared.push(self.replace_marker());
                    changed = true;
                }
            }
        }
        if matches!(rule.strategy, ListStrategy::Scalars | ListStrategy::Set) {
            refuse_repeated(items, path)?;
        }
        for (at, item) in items.iter().enumerate() {
            let ready = deep(|| self.prepared_item(*item, rule.item, &path.index(at)))?;
            changed |= ready.is_some();
            prepared.push(ready.unwrap_or(*item));
        }
        Ok(changed.then(|| list(prepared, self.arena)))
    }

    fn prepared_item(
        &self,
        item: Node<'a>,
        ty: Type<'_>,
        path: &Path<'_>,
    ) -> Result<Option<Node<'a>>, MergeError> {
        if item.kind() == Kind::Map { self.prepared_map(item, ty, path) } else { Ok(None) }
    }

    fn repeats(&self, items: &[Node<'a>], keys: &Keys<'_, 'a>, path: &Path<'_>) -> Result<bool, MergeError> {
        let mut known = HashSet::with_capacity(items.len());
        let mut repeats = false;
        for (at, item) in items.iter().enumerate() {
            let (identity, _) = keys.require(*item, &path.index(at), self.arena)?;
            repeats |= !known.insert(identity);
        }
        Ok(repeats)
    }

    /// The item that says: what follows is the whole list.
    pub(super) fn replace_marker(&self) -> Node<'a> {
        map([(Str::plain(PATCH), Node::string(REPLACE))], self.arena)
    }
}
