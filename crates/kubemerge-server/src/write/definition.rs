//! CustomResourceDefinitions that are written: what the controllers of an API server do about them.
//!
//! The rules of their kind are in `kubemerge-kinds`. Names are judged after the write, as a change of its own: the
//! answer to the write does not show the result.

use kubemerge_kinds::{
    BuiltinKind,
    custom::{
        definition::{establish, set_approval, set_names, set_terminating, text},
        names,
    },
    tree::Arena,
};
use serde_json::Value;

use crate::{
    catalog::{
        cluster::Cluster,
        definition::{GROUP, PREFIX},
    },
    kind::decode_complete,
    object::{draft::metadata_text, edit},
    protocol::{
        json::{Members, canonical, tree, written_tree},
        status::{Outcome, Qualified, invalid, unclassified},
    },
    store::{Record, metadata_field::Field},
    write::{
        commit::{followup::Followup, transaction::Transaction},
        rewrite::rewrite_status,
    },
};

const KIND: &str = "CustomResourceDefinition";

/// The finalizer that keeps a definition until its objects are deleted.
pub(crate) const CLEANUP: &str = "customresourcecleanup.apiextensions.k8s.io";

/// A definition that a server begins with, completed as if it had been created and its names had been accepted.
pub(crate) fn load(cluster: &Cluster, value: &Value) -> Outcome<Value> {
    let mut definition = created(cluster, value)?;
    judge(cluster, &mut definition);
    Ok(definition)
}

/// A definition that the rules of its kind have completed and accepted.
fn created(cluster: &Cluster, value: &Value) -> Outcome<Value> {
    let Some(kind) = BuiltinKind::find(&cluster.schema, "apiextensions.k8s.io/v1", KIND) else {
        return Ok(value.clone());
    };
    let (arena, text) = (Arena::new(), canonical(value)?);
    let (mut definition, _) = decode_complete(kind, &arena, text.as_str()).map_err(unclassified)?;
    let errors = kind.create(&mut definition);
    if errors.is_empty() {
        return Ok(written_tree(definition.to_text().as_bytes()));
    }
    Err(invalid(Qualified { group: GROUP, name: KIND }, metadata_text(&definition, Field::Name), &errors))
}

/// Judges a definition that was written, and writes the result into its status: its names, whether it is served, and
/// its approval.
pub(crate) fn judge_stored(transaction: &Transaction<'_>, name: &str) -> Outcome<()> {
    let key = format!("{PREFIX}{name}");
    let Some(stored) = transaction.cluster.store.get(&key) else { return Ok(()) };
    let before = tree(stored.record.node());
    let mut after = before.clone();
    judge(transaction.cluster, &mut after);
    // Writing it again would send an event that says nothing.
    if after == before {
        return Ok(());
    }
    let index = transaction.index();
    let Some(resource) = index.find(GROUP, "v1", "customresourcedefinitions") else { return Ok(()) };
    rewrite_status(transaction, &key, resource, |definition| {
        edit::set_json(definition, "status", after.member("status"));
    })?;
    // A definition that gave names up may let others have them.
    if names::gave_up(&before, &after) {
        judge_others(transaction, text(&after, "/spec/group"), name);
    }
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

/// What three controllers of Kubernetes do one after the other.
fn judge(cluster: &Cluster, definition: &mut Value) {
    let now = cluster.clock.now();
    set_approval(definition, now);
    if !names::are_settled(definition) {
        let is_built_in = |group: &str, plural: &str| cluster.catalog.is_built_in(group, plural);
        let verdict = cluster.with_taken_names(|taken| names::judge(definition, taken, is_built_in));
        set_names(definition.member_mut("status"), now, &verdict);
    }
    establish(definition, now);
}

/// A definition that is deleted: it stays until its objects are gone.
pub(crate) fn marked(transaction: &Transaction<'_>, old: &Record) -> Record {
    let now = transaction.cluster.clock.now();
    let mut finalizers = old.finalizers();
    if !old.has_finalizer(CLEANUP) {
        finalizers.push(CLEANUP.into());
    }
    let mut status = old.at(&["status"]).map(tree).unwrap_or_default();
    set_terminating(&mut status, now);
    edit::changed(old, |definition| {
        let metadata = definition.ensure_map("metadata");
        metadata.set_text(Field::DeletionTimestamp.name(), &now.text());
        edit::set_finalizers(definition, &finalizers);
        edit::set_json(definition, "status", &status);
    })
}
