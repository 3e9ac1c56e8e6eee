//! Keeps the number of updaters of an object small: the oldest are merged into one entry per version.

use std::sync::Arc;

use super::entry::{FieldsV1, ManagedFieldsEntry, ManagerId, Operation};
use super::{ManagedFields, TrackError};
use crate::fieldpath::FieldOrder;
use crate::value::Arena;

/// How many updaters an object may have.
pub(super) const MAX_UPDATE_MANAGERS: usize = 10;

/// The manager of what old updaters owned.
const BUCKET: &str = "ancient-changes";

/// Merges the oldest updaters until few enough are left.
pub(super) fn cap_update_managers(managed: &mut ManagedFields, order: FieldOrder) -> Result<(), TrackError> {
    let is_updater = |entry: &&ManagedFieldsEntry| entry.operation == Operation::Update;
    let mut count = managed.entries().iter().filter(is_updater).count();
    // Appliers are not counted: they are few, and each must keep its own fields to prune them.
    if count <= MAX_UPDATE_MANAGERS {
        return Ok(());
    }
    let mut oldest: Vec<ManagedFieldsEntry> = managed.entries().iter().filter(is_updater).cloned().collect();
    oldest.sort_by_cached_key(|entry| (entry.time.map_or(0, |time| time.0), entry.id().to_json()));
    // The first manager of a version only makes room in the bucket when a second one follows.
    let mut first_of_version: Vec<ManagedFieldsEntry> = Vec::new();
    for entry in oldest {
        if count <= MAX_UPDATE_MANAGERS {
            break;
        }
        match first_of_version.iter().find(|first| first.api_version == entry.api_version) {
            Some(first) => {
                merge_into_bucket(managed, first, &entry, order)?;
                count -= 1;
            }
            None => first_of_version.push(entry),
        }
    }
    Ok(())
}

fn merge_into_bucket(
    managed: &mut ManagedFields,
    first: &ManagedFieldsEntry,
    entry: &ManagedFieldsEntry,
    order: FieldOrder,
) -> Result<(), TrackError> {
    let id = ManagerId {
        manager: Arc::from(BUCKET),
        operation: Operation::Update,
        api_version: Arc::clone(&entry.api_version),
        subresource: Arc::from(""),
    };
    if managed.entry(&id).is_none() {
        let first = first.id();
        // The oldest entry of the version becomes the bucket under its new name.
        if let Some(first) = managed.entries_mut().iter_mut().find(|known| known.is_of(&first)) {
            (first.manager, first.subresource) = (Arc::clone(&id.manager), Arc::clone(&id.subresource));
        }
    }
    let arena = Arena::new();
    let unreadable = |error: crate::fieldpath::FieldsError| TrackError(error.to_string());
    let set = entry.fields.set(&arena).map_err(unreadable)?;
    let bucket = managed.entry(&id).map(|bucket| bucket.fields.clone());
    let bucket = bucket.as_ref().map(|fields| fields.set(&arena)).transpose().map_err(unreadable)?;
    let fields = FieldsV1::of(&set.union(&bucket.unwrap_or_default(), &arena), order);
    // The time of the entry that was merged last, since it is the newest.
    managed.put(ManagedFieldsEntry {
        manager: id.manager,
        subresource: id.subresource,
        fields,
        ..entry.clone()
    });
    // Upstream: a bucket that is merged into itself is gone with its fields.
    let merged = entry.id();
    managed.entries_mut().retain(|known| !known.is_of(&merged));
    Ok(())
}
