//! The last step of every change to an existing object: compare with what is stored, then store or remove.

pub(crate) mod cluster_addresses;
pub(crate) mod followup;
pub(crate) mod transaction;

use kubemerge_kinds::strategy::Deletion;

use crate::{
    catalog::{Resource, request_context::RequestContext},
    kind::shown::Shown,
    protocol::{query::DryRun, status::Outcome},
    store::{Record, Revision, Stored, WriteError, store_failure},
    write::commit::transaction::Transaction,
};

/// The result of a change.
pub(crate) enum Committed {
    /// The new state is stored.
    Stored(Stored),
    /// The new state is the old one: nothing was written.
    Unchanged(Stored),
    /// The change released the object, which is removed. Holds the state as written.
    Removed(Stored),
    /// The request is a dry run: nothing was stored.
    DryRun(Record, Revision),
}

impl Committed {
    /// The object to answer with.
    pub(crate) fn shown(&self) -> Shown<'_> {
        match self {
            Committed::Stored(stored) | Committed::Unchanged(stored) | Committed::Removed(stored) => {
                Shown::stored(stored)
            }
            Committed::DryRun(record, revision) => Shown::new(record, Some(*revision)),
        }
    }
}

/// Stores a new state unless something else was stored meanwhile.
pub(crate) fn commit(
    transaction: &Transaction<'_>,
    resource: &Resource,
    key: &str,
    old: &Stored,
    record: Record,
) -> Result<Committed, WriteError> {
    // Upstream: an update without a change writes nothing and keeps the resourceVersion. Times of field managers alone are
    // no change. What was completed by reading is one.
    if !old.record.is_completed_by_reading() && record.has_same_content(&old.record) {
        return Ok(Committed::Unchanged(old.clone()));
    }
    // The last finalizer was removed: the update is the deletion.
    if record.is_terminating() && is_released(resource, &record) {
        let removed = transaction.remove(resource, key, old)?;
        return Ok(Committed::Removed(Stored { record, revision: removed.revision }));
    }
    Ok(Committed::Stored(transaction.update(resource, key, record, old)?))
}

/// Computes a new state of the object in the path and stores it; computes again if another client was faster.
pub(crate) fn change(
    transaction: &Transaction<'_>,
    call: &RequestContext<'_>,
    dry_run: DryRun,
    compute: impl Fn(&Stored) -> Outcome<Record>,
) -> Outcome<Committed> {
    let key = call.key();
    let mut current = call.cluster.store.get(&key).ok_or_else(|| call.not_found())?;
    loop {
        let new = compute(&current)?;
        // After all checks, so that a dry run fails where the write would fail.
        if dry_run == DryRun::All {
            return Ok(if new.has_same_content(&current.record) {
                Committed::Unchanged(current)
            } else {
                Committed::DryRun(new, current.revision)
            });
        }
        match commit(transaction, call.resource, &key, &current, new) {
            Ok(committed) => return Ok(committed),
            // Another client was faster: compute again from its state, unless it deleted the object.
            Err(WriteError::Mismatch(newer)) => current = newer.ok_or_else(|| call.not_found())?,
            Err(WriteError::Store(error)) => return Err(store_failure(&error)),
        }
    }
}

/// What was written; none if another client was faster, so that the caller has to compute again.
pub(crate) fn unless_changed<T>(written: Result<T, WriteError>) -> Outcome<Option<T>> {
    match written {
        Ok(written) => Ok(Some(written)),
        Err(WriteError::Mismatch(_)) => Ok(None),
        Err(WriteError::Store(error)) => Err(store_failure(&error)),
    }
}

/// Whether a terminating object has no finalizer and no grace period left.
pub(crate) fn is_released(resource: &Resource, record: &Record) -> bool {
    record.is_terminating()
        && record.grace_period().unwrap_or(0) == 0
        && record.finalizers().is_empty()
        && !(resource.strategy.deletion == Deletion::AfterContent
            && record.has_items_at(&["spec", "finalizers"]))
}
