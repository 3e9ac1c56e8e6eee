//! The life of namespaces: content is only created in open ones, and a deleted one takes its content along.

use serde_json::json;

use crate::{
    api::verb::delete::{self, DeleteOptions},
    catalog::Resource,
    object::Object,
    protocol::status::{Outcome, Qualified, forbidden, not_found},
    write::{
        collector::{is_ending, keys_in_namespace, rewrite},
        ledger::Ledger,
        strategy::spec_finalizers,
    },
};

/// The namespaces every server begins with.
pub(crate) const FIRST: [&str; 4] = ["default", "kube-node-lease", "kube-public", "kube-system"];
const UNDELETABLE: [&str; 3] = ["default", "kube-system", "kube-public"];
const NAMESPACES: Qualified<'static> = Qualified { group: "", name: "namespaces" };

fn key(name: &str) -> String {
    ["/namespaces/", name].concat()
}

/// Whether an object may be created in the namespace.
pub(crate) fn check_open(
    ledger: &Ledger<'_>,
    resource: &Resource,
    namespace: &str,
    name: &str,
) -> Outcome<()> {
    let Some(stored) = ledger.app.store.get(&key(namespace)) else {
        if ledger.app.settings.create_namespaces {
            create(ledger, namespace);
            return Ok(());
        }
        return Err(not_found(NAMESPACES, namespace));
    };
    if !stored.record.is_terminating() {
        return Ok(());
    }
    let text =
        format!("unable to create new content in namespace {namespace} because it is being terminated");
    Err(forbidden(resource.qualified(), name, &text)
        .cause("NamespaceTerminating", format!("namespace {namespace} is being terminated")))
}

/// Creates a namespace past the API; one that exists is left alone.
pub(crate) fn create(ledger: &Ledger<'_>, name: &str) {
    let index = ledger.index();
    let Some(resource) = index.find("", "v1", "namespaces") else { return };
    let wanted = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}});
    let Ok(mut object) = Object::from_value(&wanted) else { return };
    if crate::write::strategy::prepare_create(ledger.app, resource, &mut object).is_ok() {
        // Losing this race means that the namespace is there, which is all that is wanted.
        drop(ledger.create(resource, &key(name), object.record()));
    }
}

/// Some namespaces stay.
pub(crate) fn check_deletable(name: &str) -> Outcome<()> {
    if UNDELETABLE.contains(&name) {
        return Err(forbidden(NAMESPACES, name, "this namespace may not be deleted"));
    }
    Ok(())
}

/// Empties a namespace that is being deleted, and lets it go once it is empty.
pub(crate) fn finish(ledger: &Ledger<'_>, name: &str) -> Outcome<()> {
    let key = key(name);
    let is_terminating = || {
        let stored = ledger.app.store.get(&key)?;
        Some(Object::of(&stored)).filter(|object| object.metadata.is_terminating())
    };
    if is_terminating().is_none_or(|object| spec_finalizers(&object).is_empty()) {
        return Ok(());
    }
    for (resource, content) in keys_in_namespace(ledger, name) {
        if !is_ending(ledger, &content) {
            delete_content(ledger, &resource, &content)?;
        }
    }
    if !keys_in_namespace(ledger, name).is_empty() {
        return Ok(());
    }
    let index = ledger.index();
    let Some(resource) = index.find("", "v1", "namespaces") else { return Ok(()) };
    rewrite(ledger, &key, resource, |object| {
        let rest: Vec<String> =
            spec_finalizers(object).into_iter().filter(|one| one != "kubernetes").collect();
        // A namespace whose other finalizers are gone as well is removed by this write.
        drop(object.set_at(&["spec", "finalizers"], json!(rest)));
    })
}

fn delete_content(ledger: &Ledger<'_>, resource: &Resource, key: &str) -> Outcome<()> {
    match delete::delete(ledger, resource, key, &DeleteOptions::background()) {
        Err(failure) if failure.code() != 404 => Err(failure),
        _ => Ok(()),
    }
}
