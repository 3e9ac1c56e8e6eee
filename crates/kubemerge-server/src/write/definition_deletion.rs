//! The deletion of a definition: its objects go first.

use kubemerge_kinds::custom::definition::text;

use crate::{
    catalog::{
        Resource,
        definition::{GROUP, PREFIX},
    },
    object::Object,
    protocol::status::Outcome,
    write::{
        definition::CLEANUP,
        delete,
        delete_options::DeleteOptions,
        rewrite::{is_ending, keys_below, rewrite},
        transaction::Transaction,
    },
};

/// Deletes the instances of a definition that is being deleted, and lets it go when there are none.
pub(crate) fn finish(transaction: &Transaction<'_>, name: &str) -> Outcome<()> {
    let key = format!("{PREFIX}{name}");
    let Some(stored) = transaction.cluster.store.get(&key) else { return Ok(()) };
    let definition = Object::of(&stored);
    if !definition.metadata.is_terminating() || !definition.metadata.has_finalizer(CLEANUP) {
        return Ok(());
    }
    let spec = definition.get("spec").unwrap_or_default();
    let index = transaction.index();
    let served = index.preferred(text(&spec, "/group"), text(&spec, "/names/plural"));
    let prefix = format!("{}/{}/", text(&spec, "/group"), text(&spec, "/names/plural"));
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
    rewrite(transaction, &key, resource, |object| {
        let rest = object.metadata.finalizers().into_iter().filter(|one| one != CLEANUP).collect();
        object.metadata.set_finalizers(rest);
    })
}

fn delete_instance(transaction: &Transaction<'_>, resource: &Resource, key: &str) -> Outcome<()> {
    match delete::delete(transaction, resource, key, &DeleteOptions::background()) {
        Err(failure) if failure.code() != 404 => Err(failure),
        _ => Ok(()),
    }
}
