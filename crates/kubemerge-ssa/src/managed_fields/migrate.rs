//! Moves the fields of client-side apply to an applier.

use std::sync::Arc;

use kubemerge_value::part::{item_at, item_at_mut};

use super::entry::{FieldsV1, ManagedFieldsEntry, Operation};
use super::{ManagedFields, ManagedFieldsError};
use crate::fieldpath::{FieldOrder, FieldSet, FieldsError};
use crate::value::Arena;

/// Gives an applier the fields that client-side managers own through updates.
///
/// # Errors
/// If an entry cannot be read.
pub fn migrate_to_apply(
    managed: &ManagedFields,
    client_side: &[&str],
    applier: &str,
    subresource: &str,
    order: FieldOrder,
) -> Result<ManagedFields, ManagedFieldsError> {
    let mut entries = managed.entries().to_vec();
    for manager in client_side {
        migrate_one(&mut entries, manager, applier, subresource, order)?;
    }
    // Upstream leaves the entries where they are: the next write sorts them.
    Ok(ManagedFields::as_listed(entries))
}

impl ManagedFields {
    /// The entries with those of one version moved to another, e.g. from `example.com/v1beta1` to `example.com/v1`.
    ///
    /// For a version that will no longer be served: an API server forgets updaters of such a version, and cannot prune
    /// what an applier of it owned. Fields keep their paths, so both versions must have the same form.
    ///
    /// # Errors
    /// If an entry that has to be joined with another one cannot be read.
    pub fn moved_to_version(
        &self,
        from: &str,
        to: &str,
        order: FieldOrder,
    ) -> Result<ManagedFields, ManagedFieldsError> {
        let mut moved: Vec<ManagedFieldsEntry> = Vec::with_capacity(self.entries().len());
        for entry in self.entries() {
            let mut entry = entry.clone();
            if &*entry.api_version == from {
                entry.api_version = Arc::from(to);
            }
            match moved.iter_mut().find(|known| known.identity() == entry.identity()) {
                // An updater that wrote in both versions owns the fields of both.
                Some(known) => {
                    known.fields = union(&known.fields, &entry.fields, order)?;
                    known.time = known.time.max(entry.time);
                }
                None => moved.push(entry),
            }
        }
        Ok(ManagedFields::sorted(moved))
    }
}

fn migrate_one(
    entries: &mut Vec<ManagedFieldsEntry>,
    manager: &str,
    applier: &str,
    subresource: &str,
    order: FieldOrder,
) -> Result<(), ManagedFieldsError> {
    let is_of = |entry: &ManagedFieldsEntry, manager: &str, operation: Operation| {
        &*entry.manager == manager && entry.operation == operation && &*entry.subresource == subresource
    };
    let is_client_side = |entry: &ManagedFieldsEntry| is_of(entry, manager, Operation::Update);
    let known = entries.iter().position(|entry| is_of(entry, applier, Operation::Apply));
    // The first client-side entry becomes the applier if there is none.
    let Some(target) = known.or_else(|| entries.iter().position(is_client_side)) else { return Ok(()) };
    let applied = item_at_mut(entries, target);
    (applied.manager, applied.operation) = (Arc::from(applier), Operation::Apply);
    // Only fields of the same version move; those of other versions are given up.
    let version = Arc::clone(&applied.api_version);
    let same_version = entries.iter().position(|entry| is_client_side(entry) && entry.api_version == version);
    if let Some(source) = same_version {
        let fields = union(&item_at(entries, target).fields, &item_at(entries, source).fields, order)?;
        item_at_mut(entries, target).fields = fields;
    }
    entries.retain(|entry| !is_client_side(entry));
    Ok(())
}

fn union(one: &FieldsV1, two: &FieldsV1, order: FieldOrder) -> Result<FieldsV1, ManagedFieldsError> {
    let arena = Arena::new();
    let read = |error: FieldsError| ManagedFieldsError::new(format!("error decoding set: {error}"));
    let (one, two) = (one.set(&arena).map_err(read)?, two.set(&arena).map_err(read)?);
    Ok(FieldsV1::of(&one.union(&two, &arena), order))
}

/// The entries of an operation that own all of some paths. Entries that cannot be read own none.
#[must_use]
pub fn find_owners<'m>(
    managed: &'m ManagedFields,
    operation: Operation,
    paths: &FieldSet<'_>,
) -> Vec<&'m ManagedFieldsEntry> {
    let owns_all = |entry: &&ManagedFieldsEntry| {
        let arena = Arena::new();
        entry.operation == operation && entry.fields.set(&arena).is_ok_and(|set| paths.is_subset(&set))
    };
    managed.entries().iter().filter(owns_all).collect()
}
