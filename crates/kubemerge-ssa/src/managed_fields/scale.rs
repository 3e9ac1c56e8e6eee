//! Ownership of replicas, between an object and its scale subresource.

use std::sync::Arc;

use super::entry::{FieldsV1, ManagedFieldsEntry};
use super::{ManagedFields, ManagedFieldsError};
use crate::fieldpath::{Element, FieldOrder, FieldSet, FieldsError};
use crate::value::Arena;

const SCALE_VERSION: &str = "autoscaling/v1";
const REPLICAS_IN_SCALE: &[&str] = &["spec", "replicas"];

/// Where each version of a kind has its number of replicas.
#[derive(Clone, Copy, Debug)]
pub struct ScaleMapping<'a> {
    /// Versions and paths; no path for a version without scale.
    pub paths: &'a [(&'a str, Option<&'a [&'a str]>)],
    /// The version of the request.
    pub api_version: &'a str,
    /// The order inside `fieldsV1`.
    pub order: FieldOrder,
}

impl<'a> ScaleMapping<'a> {
    /// The path in a version: unknown versions have none, known ones may have none.
    fn path(&self, version: &str) -> Option<Option<&'a [&'a str]>> {
        self.paths.iter().find(|(known, _)| *known == version).map(|(_, path)| *path)
    }

    /// The entries that own replicas, as entries of the scale subresource.
    ///
    /// # Errors
    /// If an entry cannot be read.
    pub fn to_scale(&self, parent: &ManagedFields) -> Result<ManagedFields, ManagedFieldsError> {
        let mut entries = Vec::new();
        for entry in parent.decoded().entries() {
            // Versions without scale have no replicas to own.
            let Some(Some(path)) = self.path(&entry.api_version) else { continue };
            if owns(entry, path)? {
                let fields = fields_of(REPLICAS_IN_SCALE, self.order);
                entries.push(ManagedFieldsEntry {
                    api_version: Arc::from(SCALE_VERSION),
                    fields,
                    ..entry.clone()
                });
            }
        }
        // Ids of updaters differ by version, which was just changed: nothing may be merged here.
        Ok(ManagedFields::sorted(entries))
    }

    /// The entries of the object after a write to its scale subresource.
    ///
    /// # Errors
    /// If an entry cannot be read.
    pub fn to_parent(
        &self,
        parent: &ManagedFields,
        scale: &ManagedFields,
    ) -> Result<ManagedFields, ManagedFieldsError> {
        let (parent, scale) = (parent.decoded(), scale.decoded());
        let mut kept = Vec::new();
        let mut in_scale: Vec<&ManagedFieldsEntry> = scale.entries().iter().collect();
        for entry in parent.entries() {
            // Upstream: entries of unknown versions are dropped.
            let Some(path) = self.path(&entry.api_version) else { continue };
            let Some(path) = path else {
                kept.push(entry.clone());
                continue;
            };
            if !owns(entry, path)? {
                kept.push(entry.clone());
            } else if let Some(place) = in_scale.iter().position(|other| other.id() == entry.id()) {
                in_scale.remove(place);
                kept.push(entry.clone());
            } else {
                // It lost replicas to a manager of the scale subresource.
                kept.extend(without(entry, path, self.order)?);
            }
        }
        for entry in in_scale {
            kept.extend(self.new_owner(&parent, entry)?);
        }
        Ok(ManagedFields::sorted(kept))
    }

    /// A manager that came to own replicas through the scale subresource.
    fn new_owner(
        &self,
        parent: &ManagedFields,
        entry: &ManagedFieldsEntry,
    ) -> Result<Option<ManagedFieldsEntry>, ManagedFieldsError> {
        let Some(Some(path)) = self.path(self.api_version) else { return Ok(None) };
        if !owns(entry, REPLICAS_IN_SCALE)? {
            return Ok(None);
        }
        // Upstream: the time is that of the object's entry with this id, so usually none.
        let time = parent.entry(&entry.id()).and_then(|known| known.time);
        let fields = fields_of(path, self.order);
        Ok(Some(ManagedFieldsEntry {
            api_version: Arc::from(self.api_version),
            time,
            fields,
            ..entry.clone()
        }))
    }
}

/// The fields of a manager that owns one path.
fn fields_of(path: &[&str], order: FieldOrder) -> FieldsV1 {
    let arena = Arena::new();
    FieldsV1::of(&FieldSet::of_names(&[path], &arena), order)
}

fn unreadable(error: FieldsError) -> ManagedFieldsError {
    ManagedFieldsError::new(format!("error decoding set: {error}"))
}

fn owns(entry: &ManagedFieldsEntry, path: &[&str]) -> Result<bool, ManagedFieldsError> {
    let arena = Arena::new();
    let path: Vec<Element<'_>> = path.iter().copied().map(Element::Name).collect();
    Ok(entry.fields.set(&arena).map_err(unreadable)?.has(&path))
}

fn without(
    entry: &ManagedFieldsEntry,
    path: &[&str],
    order: FieldOrder,
) -> Result<Option<ManagedFieldsEntry>, ManagedFieldsError> {
    let arena = Arena::new();
    let set = entry.fields.set(&arena).map_err(unreadable)?;
    let names: Vec<Element<'_>> = path.iter().map(|name| Element::Name(arena.alloc_str(name))).collect();
    let left = set.difference(&FieldSet::of_paths(vec![names], &arena), &arena);
    Ok((!left.is_empty()).then(|| ManagedFieldsEntry { fields: FieldsV1::of(&left, order), ..entry.clone() }))
}
