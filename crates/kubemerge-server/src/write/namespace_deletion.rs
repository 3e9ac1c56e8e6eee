//! The deletion of a namespace: its content goes first.

use std::sync::Arc;

use serde_json::{Value, json};

use crate::{
    catalog::Resource,
    object::Object,
    protocol::status::Outcome,
    write::{
        delete,
        delete_options::DeleteOptions,
        namespace::key,
        rewrite::{is_ending, keys_below, rewrite},
        transaction::Transaction,
    },
};

/// Empties a namespace that is being deleted, and lets it go once it is empty.
pub(crate) fn finish(transaction: &Transaction<'_>, name: &str) -> Outcome<()> {
    let key = key(name);
    let is_terminating = || {
        let stored = transaction.cluster.store.get(&key)?;
        Some(Object::of(&stored)).filter(|object| object.metadata.is_terminating())
    };
    if is_terminating().is_none_or(|object| spec_finalizers(&object).is_empty()) {
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
    rewrite(transaction, &key, resource, |object| {
        let rest: Vec<String> =
            spec_finalizers(object).into_iter().filter(|one| one != "kubernetes").collect();
        // A namespace whose other finalizers are gone as well is removed by this write.
        drop(object.set_at(&["spec", "finalizers"], json!(rest)));
    })
}

fn spec_finalizers(namespace: &Object) -> Vec<String> {
    let list = namespace.at(&["spec", "finalizers"]);
    let list = list.as_ref().and_then(Value::as_array).into_iter().flatten();
    list.filter_map(|one| one.as_str().map(str::to_string)).collect()
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
