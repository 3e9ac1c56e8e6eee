//! The deletion of a definition: its objects go first.

use crate::{
    catalog::{
        Resource,
        definition::{GROUP, PREFIX},
    },
    object::edit,
    protocol::status::Outcome,
    write::{
        commit::transaction::Transaction,
        definition::CLEANUP,
        deletion::{delete, delete_options::DeleteOptions},
        rewrite::{is_ending, keys_below, rewrite},
    },
};

/// Deletes the instances of a definition that is being deleted, and lets it go when there are none.
pub(crate) fn finish(transaction: &Transaction<'_>, name: &str) -> Outcome<()> {
    let key = format!("{PREFIX}{name}");
    let Some(stored) = transaction.cluster.store.get(&key) else { return Ok(()) };
    if !stored.record.is_terminating() || !stored.record.has_finalizer(CLEANUP) {
        return Ok(());
    }
    let [group, plural] =
        [&["spec", "group"][..], &["spec", "names", "plural"]].map(|path| stored.record.text_at(path));
    let index = transaction.index();
    let served = index.preferred(&group, &plural);
    let prefix = format!("{group}/{plural}/");
    if let Some(resource) = served {
        for instance in keys_below(transaction, &prefix).iter().filter(|key| !is_ending(transaction, key)) {
            delete_instance(transaction, resource, instance)?;
        }
    }
    // Objects with finalizers stay; their removal queues this follow-up again.
    if !keys_below(transaction, &prefix).is_empty() {
        return Ok(());
    }
    let Some(resource) = index.find(GROUP, "v1", "customresourcedefinitions") else { return Ok(()) };
    rewrite(transaction, &key, resource, |definition| edit::remove_finalizer(definition, CLEANUP))
}

fn delete_instance(transaction: &Transaction<'_>, resource: &Resource, key: &str) -> Outcome<()> {
    match delete::delete(transaction, resource, key, &DeleteOptions::background()) {
        Err(failure) if failure.code() != 404 => Err(failure),
        _ => Ok(()),
    }
}
