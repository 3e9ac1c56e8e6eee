//! Changes to stored objects that the server makes on its own, and the keys they need.

use std::sync::Arc;

use kubemerge_kinds::tree::Map;

use crate::{
    catalog::Resource,
    protocol::status::Outcome,
    write::{
        commit::{commit, transaction::Transaction, unless_changed},
        track::{self, Tracked},
    },
};

/// Changes an object, again if another client was faster; an object that is gone needs no change.
pub(crate) fn rewrite(
    transaction: &Transaction<'_>,
    key: &str,
    resource: &Resource,
    change: impl Fn(&mut Map<'_>),
) -> Outcome<()> {
    let endpoint = Tracked::of(transaction.cluster, resource, "");
    rewrite_as(transaction, key, endpoint, track::CONTROLLER_MANAGER, change)
}

/// The same for a change of the status by a controller inside kube-apiserver.
pub(crate) fn rewrite_status(
    transaction: &Transaction<'_>,
    key: &str,
    resource: &Resource,
    change: impl Fn(&mut Map<'_>),
) -> Outcome<()> {
    let endpoint = Tracked::of(transaction.cluster, resource, "status");
    rewrite_as(transaction, key, endpoint, track::SERVER, change)
}

fn rewrite_as(
    transaction: &Transaction<'_>,
    key: &str,
    endpoint: Tracked<'_>,
    manager: &str,
    change: impl Fn(&mut Map<'_>),
) -> Outcome<()> {
    while let Some(stored) = transaction.cluster.store.get(key) {
        // What was removed leaves every manager.
        let record = track::change(endpoint, manager, &stored.record, &change);
        if unless_changed(commit(transaction, endpoint.resource, key, &stored, record))?.is_some() {
            break;
        }
    }
    Ok(())
}

/// Whether the object under a key is gone or being deleted.
pub(crate) fn is_ending(transaction: &Transaction<'_>, key: &str) -> bool {
    transaction.cluster.store.get(key).is_none_or(|stored| stored.record.is_terminating())
}

/// All keys with a prefix.
pub(crate) fn keys_below(transaction: &Transaction<'_>, prefix: &str) -> Vec<Arc<str>> {
    transaction.cluster.store.newest(prefix).into_iter().map(|(key, _)| key).collect()
}
