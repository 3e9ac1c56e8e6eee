//! The deletion of a namespace: its content goes first.

use std::sync::Arc;

use kubemerge_kinds::tree::{List, Map};

use crate::{
    catalog::Resource,
    protocol::status::Outcome,
    store::Stored,
    write::{
        commit::transaction::Transaction,
        deletion::{delete, delete_options::DeleteOptions},
        namespace::key,
        rewrite::{is_ending, keys_below, rewrite},
    },
};

/// Empties a namespace that is being deleted, and lets it go once it is empty.
pub(crate) fn finish(transaction: &Transaction<'_>, name: &str) -> Outcome<()> {
    let key = key(name);
    let Some(Stored { record, .. }) = transaction.cluster.store.get(&key) else { return Ok(()) };
    if !record.is_terminating() || record.texts_at(&["spec", "finalizers"]).is_empty() {
        return Ok(());
    }
    for (resource, content) in keys_in_namespace(transaction, name) {
        if !is_ending(transaction, &content) {
            delete_content(transaction, &resource, &content)?;
        }
    }
    // Objects with finalizers stay; their removal queues this follow-up again.
    if !keys_in_namespace(transaction, name).is_empty() {
        return Ok(());
    }
    let index = transaction.index();
    let Some(resource) = index.find("", "v1", "namespaces") else { return Ok(()) };
    // A namespace whose other finalizers are gone as well is removed by this write.
    rewrite(transaction, &key, resource, remove_spec_finalizer)
}

/// Removes the finalizer that every namespace has; the list stays, even if it is empty.
fn remove_spec_finalizer(namespace: &mut Map<'_>) {
    let spec = namespace.ensure_map("spec");
    match spec.list_mut("finalizers") {
        Some(list) => list.retain(|one| one.as_str() != Some("kubernetes")),
        None => spec.set("finalizers", List::new_in(spec.arena())),
    }
}

fn delete_content(transaction: &Transaction<'_>, resource: &Resource, key: &str) -> Outcome<()> {
    match delete::delete(transaction, resource, key, &DeleteOptions::background()) {
        Err(failure) if failure.code() != 404 => Err(failure),
        _ => Ok(()),
    }
}

/// The keys of everything in a namespace.
fn keys_in_namespace(transaction: &Transaction<'_>, namespace: &str) -> Vec<(Arc<Resource>, Arc<str>)> {
    let index = transaction.index();
    let resources = index.each_preferred().filter(|resource| resource.is_namespaced());
    resources
        .flat_map(|resource| {
            let keys = keys_below(transaction, &resource.prefix(namespace));
            keys.into_iter().map(|key| (resource.clone(), key)).collect::<Vec<_>>()
        })
        .collect()
}
