//! Deleting an object: preconditions, finalizers, grace periods.

use kubemerge_kinds::{
    strategy::{Deletion, Propagation},
    tree::Map,
};

use crate::{
    catalog::{Resource, definition::is_definition, key_name},
    object::edit,
    protocol::{
        query::DryRun,
        status::{Outcome, conflict, not_found},
    },
    store::{Record, Stored, WriteError, metadata_field::Field, store_failure},
    write::{
        commit::{
            followup::{FOREGROUND, ORPHAN},
            is_released,
            transaction::Transaction,
        },
        definition,
        deletion::delete_options::{DeleteOptions, Preconditions},
        namespace,
        settings::PodTermination,
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
    if is_emptied(resource) {
        namespace::check_deletable(name)?;
    }
    let mut current = transaction.cluster.store.get(key).ok_or_else(gone)?;
    loop {
        check_preconditions(resource, &current, &options.preconditions)?;
        let new = marked(transaction, resource, &current.record, options);
        let outcome = match new {
            _ if options.dry_run == DryRun::All => return Ok(dry_run(transaction, resource, &current, new)),
            None => remove(transaction, resource, key, &current).map(Deleted::Gone),
            Some(new) => mark(transaction, resource, key, &current, new),
        };
        match outcome {
            Ok(deleted) => return Ok(deleted),
            Err(WriteError::Mismatch(newer)) => current = newer.ok_or_else(gone)?,
            Err(WriteError::Store(error)) => return Err(store_failure(&error)),
        }
    }
}

/// Removes an object at once.
fn remove(
    transaction: &Transaction<'_>,
    resource: &Resource,
    key: &str,
    current: &Stored,
) -> Result<Stored, WriteError> {
    let ended = ended(transaction, resource, &current.record);
    if ended.canonical() == current.record.canonical() {
        return transaction.remove(resource, key, current);
    }
    // Watches see the end of the grace period before the removal.
    let marked = transaction.update(resource, key, ended, current)?;
    transaction.remove(resource, key, &marked)
}

/// The state that an object is removed with. Upstream: a pod that is removed at once has a grace period of no seconds.
fn ended(transaction: &Transaction<'_>, resource: &Resource, record: &Record) -> Record {
    if !has_grace_period(resource) {
        return record.clone();
    }
    edit::with_metadata(record, |metadata| set_times(transaction, resource, record, metadata, 0))
}

fn mark(
    transaction: &Transaction<'_>,
    resource: &Resource,
    key: &str,
    current: &Stored,
    record: Record,
) -> Result<Deleted, WriteError> {
    if record.canonical() == current.record.canonical() {
        return Ok(Deleted::Waiting(current.clone()));
    }
    Ok(Deleted::Waiting(transaction.update(resource, key, record, current)?))
}

fn dry_run(
    transaction: &Transaction<'_>,
    resource: &Resource,
    current: &Stored,
    new: Option<Record>,
) -> Deleted {
    match new {
        Some(record) if !is_released(resource, &record) => {
            Deleted::Waiting(Stored { record, revision: current.revision })
        }
        _ => Deleted::Gone(Stored {
            record: ended(transaction, resource, &current.record),
            revision: current.revision,
        }),
    }
}

/// The object while it waits to be removed; none if it can be removed at once.
fn marked(
    transaction: &Transaction<'_>,
    resource: &Resource,
    old: &Record,
    options: &DeleteOptions,
) -> Option<Record> {
    if is_definition(resource) && !old.is_terminating() {
        return Some(definition::marked(transaction, old));
    }
    let finalizers = collection_finalizers(resource, old, options.propagation);
    let grace = grace_period(transaction, resource, old, options);
    // A namespace always waits: its content has to be deleted first.
    if grace == 0 && finalizers.is_empty() && !is_emptied(resource) {
        return None;
    }
    let new = edit::changed(old, |object| {
        edit::set_finalizers(object, &finalizers);
        set_times(transaction, resource, old, object.ensure_map("metadata"), grace);
        if is_emptied(resource) {
            object.ensure_map("status").set("phase", "Terminating");
        }
    });
    // Upstream: the first deletion of a namespace only marks it, even if nothing keeps it.
    let is_first = is_emptied(resource) && !old.is_terminating();
    Some(new).filter(|new| is_first || !is_released(resource, new))
}

/// Sets when an object is to be removed.
fn set_times(
    transaction: &Transaction<'_>,
    resource: &Resource,
    old: &Record,
    metadata: &mut Map<'_>,
    grace: i64,
) {
    let was_terminating = old.is_terminating();
    let shortened = !is_emptied(resource) && old.grace_period().is_none_or(|before| grace < before);
    // A second delete may shorten the grace period, never extend it.
    if !was_terminating || shortened {
        let end = transaction.cluster.clock.now().plus(grace);
        metadata.set_text(Field::DeletionTimestamp.name(), &end.text());
        // Upstream: namespaces are marked by code of their own, without a grace period.
        if !is_emptied(resource) {
            metadata.set(Field::DeletionGracePeriodSeconds.name(), grace);
        }
    }
    // Upstream: marking an object for deletion counts as a change of its spec.
    if !was_terminating && old.generation() > 0 {
        metadata.set(Field::Generation.name(), old.generation().saturating_add(1));
    }
}

/// Whether objects are deleted after what is in them.
fn is_emptied(resource: &Resource) -> bool {
    resource.strategy.deletion == Deletion::AfterContent
}

/// Whether objects are given time to end.
fn has_grace_period(resource: &Resource) -> bool {
    resource.strategy.deletion == Deletion::AfterGracePeriod
}

/// The finalizers with those of garbage collection as the request, the object or the kind has it.
fn collection_finalizers(resource: &Resource, old: &Record, wanted: Option<Propagation>) -> Vec<String> {
    let before = old.finalizers();
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
    old: &Record,
    options: &DeleteOptions,
) -> i64 {
    if !has_grace_period(resource) || transaction.settings.pod_termination == PodTermination::Immediate {
        return 0;
    }
    let finished = matches!(&*old.text_at(&["status", "phase"]), "Succeeded" | "Failed");
    if old.text_at(&["spec", "nodeName"]).is_empty() || finished {
        return 0;
    }
    let own = old.integer_at(&["spec", "terminationGracePeriodSeconds"]);
    // Upstream: a second request that says nothing changes nothing.
    let wanted = options.grace_period.or(old.grace_period()).or(own).unwrap_or(0);
    // Upstream: a negative period means the shortest one that is not immediate.
    let wanted = if wanted < 0 { 1 } else { wanted };
    // A second request may only shorten the period.
    old.grace_period().map_or(wanted, |before| wanted.min(before))
}

/// Refuses an object that is not the one that the request is about.
pub(crate) fn check_preconditions(resource: &Resource, old: &Stored, wanted: &Preconditions) -> Outcome<()> {
    // Upstream: named after the kind, where other conflicts have the resource.
    let refuse = |text: String| Err(conflict(resource.qualified_kind(), &old.record.name(), &text));
    let held = old.record.uid();
    if let Some(uid) = wanted.uid.as_ref().filter(|uid| **uid != held) {
        return refuse(format!(
            "the UID in the precondition ({uid}) does not match the UID in record ({held}). The object might have \
             been deleted and then recreated"
        ));
    }
    let held = old.revision.to_string();
    if let Some(version) = wanted.resource_version.as_ref().filter(|version| **version != held) {
        return refuse(format!(
            "the ResourceVersion in the precondition ({version}) does not match the ResourceVersion in record \
             ({held}). The object might have been modified"
        ));
    }
    Ok(())
}
