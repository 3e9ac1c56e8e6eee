//! Deleting an object: preconditions, finalizers, grace periods.

use kubemerge_kinds::strategy::Propagation;
use serde_json::json;

use crate::{
    catalog::{Resource, definition::is_definition, key_name},
    object::Object,
    protocol::{
        query::DryRun,
        status::{Outcome, conflict, not_found, store_unavailable},
    },
    store::{Stored, WriteError, metadata_field::Field},
    write::{
        commit::{is_namespace, is_released},
        definition,
        delete_options::{DeleteOptions, Preconditions},
        followup::{FOREGROUND, ORPHAN},
        namespace,
        settings::PodTermination,
        transaction::Transaction,
    },
};

/// The result of a deletion.
pub(crate) enum Deleted {
    /// The object is gone; its last state.
    Gone(Stored),
    /// The object stays until its finalizers or its grace period end.
    Waiting(Stored),
}

/// Deletes the object under a key, or marks it as terminating.
pub(crate) fn delete(
    transaction: &Transaction<'_>,
    resource: &Resource,
    key: &str,
    options: &DeleteOptions,
) -> Outcome<Deleted> {
    let name = key_name(key);
    let gone = || not_found(resource.qualified(), name);
    if is_namespace(resource) {
        namespace::check_deletable(name)?;
    }
    let mut current = transaction.cluster.store.get(key).ok_or_else(gone)?;
    loop {
        let old = Object::of(&current);
        check_preconditions(resource, &old, &options.preconditions)?;
        let new = marked(transaction, resource, &old, options)?;
        let outcome = match new {
            _ if options.dry_run == DryRun::All => return Ok(dry_run(resource, &current, new)),
            None => {
                let removed = transaction.remove(resource, key, &current);
                removed.map(|last| Deleted::Gone(shown_after_removal(transaction, resource, last)))
            }
            Some(new) => mark(transaction, resource, key, &current, &new),
        };
        match outcome {
            Ok(deleted) => return Ok(deleted),
            Err(WriteError::Mismatch(newer)) => current = newer.ok_or_else(gone)?,
            Err(WriteError::Store(error)) => return Err(store_unavailable(&error)),
        }
    }
}

/// Upstream: a pod that is removed at once is answered as if its grace period of no seconds had begun.
fn shown_after_removal(transaction: &Transaction<'_>, resource: &Resource, last: Stored) -> Stored {
    let mut pod = Object::of_record(&last.record);
    if !(resource.group.is_empty() && resource.kind == "Pod") || pod.metadata.is_terminating() {
        return last;
    }
    pod.metadata.set(Field::DeletionTimestamp, transaction.cluster.clock.now().to_string());
    pod.metadata.set(Field::DeletionGracePeriodSeconds, 0);
    pod.metadata.set(Field::Generation, pod.metadata.generation().saturating_add(1));
    Stored { record: pod.record(), revision: last.revision }
}

fn mark(
    transaction: &Transaction<'_>,
    resource: &Resource,
    key: &str,
    current: &Stored,
    new: &Object,
) -> Result<Deleted, WriteError> {
    let record = new.record();
    if record.canonical() == current.record.canonical() {
        return Ok(Deleted::Waiting(current.clone()));
    }
    Ok(Deleted::Waiting(transaction.update(resource, key, record, current)?))
}

fn dry_run(resource: &Resource, current: &Stored, new: Option<Object>) -> Deleted {
    match new {
        Some(new) if !is_released(resource, &new) => {
            Deleted::Waiting(Stored { record: new.record(), revision: current.revision })
        }
        _ => Deleted::Gone(current.clone()),
    }
}

/// The object while it waits to be removed; none if it can be removed at once.
fn marked(
    transaction: &Transaction<'_>,
    resource: &Resource,
    old: &Object,
    options: &DeleteOptions,
) -> Outcome<Option<Object>> {
    if is_definition(resource) && !old.metadata.is_terminating() {
        return definition::marked(transaction, old).map(Some);
    }
    let mut new = old.clone();
    new.metadata.set_finalizers(collection_finalizers(resource, old, options.propagation));
    let grace = grace_period(transaction, resource, old, options);
    // A namespace always waits: its content has to be deleted first.
    let held = !new.metadata.finalizers().is_empty() || is_namespace(resource);
    if grace == 0 && !held {
        return Ok(None);
    }
    let was_terminating = old.metadata.is_terminating();
    let shortened =
        !is_namespace(resource) && old.metadata.grace_period().is_none_or(|before| grace < before);
    // A second delete may shorten the grace period, never extend it.
    if !was_terminating || shortened {
        let end = transaction.cluster.clock.now().plus(grace);
        new.metadata.set(Field::DeletionTimestamp, end.to_string());
        // Upstream: namespaces are marked by code of their own, without a grace period.
        if !is_namespace(resource) {
            new.metadata.set(Field::DeletionGracePeriodSeconds, grace);
        }
    }
    // Upstream: marking an object for deletion counts as a change of its spec.
    if !was_terminating && old.metadata.generation() > 0 {
        new.metadata.set(Field::Generation, old.metadata.generation().saturating_add(1));
    }
    if is_namespace(resource) {
        new.set_at(&["status", "phase"], json!("Terminating"))?;
    }
    Ok(Some(new).filter(|new| !is_released(resource, new)))
}

/// The finalizers with those of garbage collection as the request, the object or the kind has it.
fn collection_finalizers(resource: &Resource, old: &Object, wanted: Option<Propagation>) -> Vec<String> {
    let before = old.metadata.finalizers();
    let default = resource.strategy.default_propagation;
    // Upstream: Events have no garbage collection; their finalizers stay as they are.
    if default == Propagation::Unsupported {
        return before;
    }
    let has = |name: &str| before.iter().any(|one| one == name);
    let policy = wanted.unwrap_or(if has(ORPHAN) {
        Propagation::Orphan
    } else if has(FOREGROUND) {
        Propagation::Foreground
    } else {
        default
    });
    let mut after: Vec<String> =
        before.iter().filter(|one| *one != ORPHAN && *one != FOREGROUND).cloned().collect();
    match policy {
        Propagation::Orphan => after.push(ORPHAN.into()),
        Propagation::Foreground => after.push(FOREGROUND.into()),
        Propagation::Background | Propagation::Unsupported => {}
    }
    after
}

/// Only pods that run on a node are deleted gracefully.
fn grace_period(
    transaction: &Transaction<'_>,
    resource: &Resource,
    old: &Object,
    options: &DeleteOptions,
) -> i64 {
    if !(resource.group.is_empty() && resource.kind == "Pod")
        || transaction.settings.pod_termination == PodTermination::Immediate
    {
        return 0;
    }
    let text = |path: &[&str]| old.at(path).and_then(|value| value.as_str().map(str::to_string));
    let finished = matches!(text(&["status", "phase"]).as_deref(), Some("Succeeded" | "Failed"));
    if text(&["spec", "nodeName"]).is_none_or(|node| node.is_empty()) || finished {
        return 0;
    }
    let own = old.at(&["spec", "terminationGracePeriodSeconds"]).and_then(|value| value.as_i64());
    let wanted = options.grace_period.or(own).unwrap_or(0);
    // Upstream: a negative period means the shortest one that is not immediate.
    let wanted = if wanted < 0 { 1 } else { wanted };
    // A second request may only shorten the period.
    old.metadata.grace_period().map_or(wanted, |before| wanted.min(before))
}

fn check_preconditions(resource: &Resource, old: &Object, wanted: &Preconditions) -> Outcome<()> {
    let metadata = &old.metadata;
    // Upstream: named after the kind, where other conflicts have the resource.
    let refuse = |text: String| Err(conflict(resource.qualified_kind(), metadata.name(), &text));
    if let Some(uid) = wanted.uid.as_ref().filter(|uid| *uid != metadata.uid()) {
        return refuse(format!(
            "the UID in the precondition ({uid}) does not match the UID in record ({}). The object might have been \
             deleted and then recreated",
            metadata.uid()
        ));
    }
    let held = metadata.resource_version();
    if let Some(version) = wanted.resource_version.as_ref().filter(|version| *version != held) {
        return refuse(format!(
            "the ResourceVersion in the precondition ({version}) does not match the ResourceVersion in record \
             ({held}). The object might have been modified"
        ));
    }
    Ok(())
}
