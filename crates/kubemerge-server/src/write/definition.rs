//! CustomResourceDefinitions that are written: what the controllers of an API server do about them.
//!
//! The rules of their kind are in `kubemerge-kinds`. Names are judged after the write, as a change of its own: the
//! answer to the write does not show the result.

use kubemerge_kinds::custom::{
    definition::{set_names, set_terminating, text},
    names,
};
use serde_json::Value;

use crate::{
    catalog::{
        cluster::Cluster,
        definition::{GROUP, PREFIX},
    },
    object::Object,
    protocol::{
        json::tree,
        status::{Outcome, Qualified, invalid},
    },
    store::metadata_field::Field,
    write::{followup::Followup, kind_rules, rewrite::rewrite_status, transaction::Transaction},
};

/// The finalizer that keeps a definition until its objects are deleted.
pub(crate) const CLEANUP: &str = "customresourcecleanup.apiextensions.k8s.io";

/// A definition that a server begins with, completed as if it had been created and its names had been accepted.
pub(crate) fn load(cluster: &Cluster, value: &Value) -> Outcome<Value> {
    let object = Object::from_value(value)?;
    let kind = kind_rules::definition(cluster);
    let object = kind_rules::create(kind, &object)?.map_err(|errors| {
        let kind = Qualified { group: GROUP, name: "CustomResourceDefinition" };
        invalid(kind, object.metadata.name(), &errors)
    })?;
    let mut definition = object.to_value();
    accept_names(cluster, &mut definition);
    Ok(definition)
}

/// Judges the names of a definition and writes the result into its status.
pub(crate) fn judge_names(transaction: &Transaction<'_>, name: &str) -> Outcome<()> {
    let key = format!("{PREFIX}{name}");
    let Some(stored) = transaction.cluster.store.get(&key) else { return Ok(()) };
    let before = tree(stored.record.node());
    if names::are_settled(&before) {
        return Ok(());
    }
    let mut after = before.clone();
    accept_names(transaction.cluster, &mut after);
    // Writing it again would send an event that says nothing.
    if after == before {
        return Ok(());
    }
    let index = transaction.index();
    let Some(resource) = index.find(GROUP, "v1", "customresourcedefinitions") else { return Ok(()) };
    rewrite_status(transaction, &key, resource, |object| {
        // The status was read before, so it can be written.
        drop(object.set("status", &after["status"]));
    })?;
    // A definition that gave names up may let others have them.
    judge_others(transaction, text(&after, "/spec/group"), name);
    Ok(())
}

/// Names may have become free: the other definitions of the group are judged again.
pub(crate) fn judge_others(transaction: &Transaction<'_>, group: &str, name: &str) {
    for other in transaction.cluster.definitions() {
        let other = tree(other.record.node());
        let other_name = text(&other, "/metadata/name");
        if text(&other, "/spec/group") == group && other_name != name && !names::are_settled(&other) {
            transaction.enqueue(Followup::Names { name: other_name.to_string() });
        }
    }
}

fn accept_names(cluster: &Cluster, definition: &mut Value) {
    let others: Vec<Value> = cluster.definitions().iter().map(|stored| tree(stored.record.node())).collect();
    let is_built_in = |group: &str, plural: &str| cluster.catalog.is_built_in(group, plural);
    let verdict = names::judge(definition, &others, is_built_in);
    set_names(&mut definition["status"], cluster.clock.now(), &verdict);
}

/// A definition that is deleted: it stays until its objects are gone.
pub(crate) fn marked(transaction: &Transaction<'_>, old: &Object) -> Outcome<Object> {
    let mut new = old.clone();
    let now = transaction.cluster.clock.now();
    new.metadata.set(Field::DeletionTimestamp, now.to_string());
    if !new.metadata.has_finalizer(CLEANUP) {
        new.metadata.set_finalizers([new.metadata.finalizers(), vec![CLEANUP.into()]].concat());
    }
    let mut status = new.get("status").unwrap_or_default();
    set_terminating(&mut status, now);
    new.set("status", &status)?;
    Ok(new)
}
