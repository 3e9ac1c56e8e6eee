//! Garbage collection and other follow-ups of deletions.
//!
//! It runs inside the request that caused it, so that a test sees the final state at once. An object created with an
//! owner that never existed is kept; one whose owner existed and is gone according to the history is deleted.

use std::{collections::HashSet, sync::Arc};

use kubemerge_kinds::strategy::Propagation;

use crate::{
    catalog::{Resource, split_key},
    object::edit,
    protocol::{group_version::split_api_version, status::Outcome},
    store::{OwnerReference, Record},
    write::{
        commit::{
            followup::{FOREGROUND, Followup, ORPHAN},
            transaction::Transaction,
        },
        definition,
        deletion::{
            definition_deletion, delete,
            delete_options::{DeleteOptions, Preconditions},
            namespace_deletion,
        },
        followups::{controller_status, quota_status},
        rewrite::rewrite,
        settings::Controller,
        storage_protection,
    },
};

/// Does everything that follows from the writes of a transaction.
pub(crate) fn run_followups(transaction: &Transaction<'_>) -> Outcome<()> {
    transaction.run_followups(|followup| run(transaction, followup))
}

/// Does one follow-up; what follows from it is queued.
fn run(transaction: &Transaction<'_>, followup: Followup) -> Outcome<()> {
    // What belongs to a controller that does not run is left as kube-apiserver leaves it.
    let controller = controller_of(&followup);
    if controller.is_some_and(|controller| !transaction.settings.controllers.has(controller)) {
        return Ok(());
    }
    match followup {
        // Every removal queues this, and one check of what is left is enough for all of them.
        Followup::Namespace { name } => {
            transaction
                .drop_followups(|other| matches!(other, Followup::Namespace { name: same } if *same == name));
            namespace_deletion::finish(transaction, &name)
        }
        Followup::Definition { name } => {
            transaction.drop_followups(
                |other| matches!(other, Followup::Definition { name: same } if *same == name),
            );
            definition_deletion::finish(transaction, &name)
        }
        Followup::Conditions { key } => controller_status::judge(transaction, &key),
        Followup::Quotas { namespace } => quota_status::refresh(transaction, &namespace),
        Followup::PriorityLevels => controller_status::judge_flow_schemas(transaction),
        Followup::Names { name } => definition::judge_stored(transaction, &name),
        Followup::NamesFree { group } => {
            definition::judge_others(transaction, &group, "");
            Ok(())
        }
        Followup::OwnerGone { uid } => {
            for key in transaction.cluster.store.dependents(&uid) {
                transaction.enqueue(Followup::Dependent { key });
            }
            Ok(())
        }
        Followup::Dependent { key } => check_dependent(transaction, &key),
        Followup::CheckNewDependent { key } => check_new_dependent(transaction, &key),
        Followup::Foreground { key } => begin_foreground(transaction, &key),
        Followup::Orphan { key } => orphan(transaction, &key),
        Followup::Unprotect { key } => unprotect(transaction, &key),
        Followup::DependentGone { owners, namespace } => {
            for owner in owners {
                if let Some((key, _)) = find_owner(transaction, &owner, &namespace) {
                    release_foreground(transaction, &key)?;
                }
            }
            Ok(())
        }
    }
}

/// The controller of kube-controller-manager that would do it; none if kube-apiserver does it itself.
fn controller_of(followup: &Followup) -> Option<Controller> {
    match followup {
        Followup::Namespace { .. } => Some(Controller::Namespace),
        Followup::Quotas { .. } => Some(Controller::ResourceQuota),
        Followup::Unprotect { .. } => Some(Controller::StorageProtection),
        Followup::OwnerGone { .. }
        | Followup::Foreground { .. }
        | Followup::Orphan { .. }
        | Followup::Dependent { .. }
        | Followup::CheckNewDependent { .. }
        | Followup::DependentGone { .. } => Some(Controller::GarbageCollector),
        Followup::Definition { .. }
        | Followup::Conditions { .. }
        | Followup::PriorityLevels
        | Followup::Names { .. }
        | Followup::NamesFree { .. } => None,
    }
}

/// The object under a key, with the resource it belongs to.
fn load(transaction: &Transaction<'_>, key: &str) -> Option<(Arc<Resource>, Record)> {
    let (group, plural) = split_key(key)?;
    let resource = transaction.index().preferred(group, plural)?.clone();
    Some((resource, transaction.cluster.store.get(key)?.record))
}

/// The key under which an owner would be.
fn owner_key(transaction: &Transaction<'_>, owner: &OwnerReference, namespace: &str) -> Option<String> {
    let resource = owner_resource(transaction, owner)?;
    Some(resource.key(if resource.is_namespaced() { namespace } else { "" }, &owner.name))
}

fn find_owner(
    transaction: &Transaction<'_>,
    owner: &OwnerReference,
    namespace: &str,
) -> Option<(Arc<str>, Record)> {
    let key = owner_key(transaction, owner, namespace)?;
    let record = transaction.cluster.store.get(&key)?.record;
    (record.uid() == owner.uid).then(|| (key.into(), record))
}

fn owner_resource(transaction: &Transaction<'_>, owner: &OwnerReference) -> Option<Arc<Resource>> {
    let (group, version) = split_api_version(&owner.api_version);
    transaction.index().by_kind(group, version, &owner.kind).cloned()
}

/// The state of the object that an owner reference names.
#[derive(Clone, Copy, PartialEq, Eq)]
enum OwnerState {
    /// The owner is gone, or another object has its name.
    Gone,
    /// The owner waits for its dependents to go.
    Waiting,
    /// The owner is there.
    Present,
}

fn owner_state(transaction: &Transaction<'_>, owner: &OwnerReference, namespace: &str) -> OwnerState {
    match owner_resource(transaction, owner) {
        // A namespaced owner of a cluster-scoped object is invalid and never acted on.
        Some(resource) if namespace.is_empty() && resource.is_namespaced() => return OwnerState::Present,
        Some(_) => {}
        // Unknown kinds cannot be looked up, so nothing is done about them.
        None => return OwnerState::Present,
    }
    match find_owner(transaction, owner, namespace) {
        None => OwnerState::Gone,
        Some((_, found)) if found.is_terminating() && found.has_finalizer(FOREGROUND) => OwnerState::Waiting,
        Some(_) => OwnerState::Present,
    }
}

/// Deletes an object whose owners are all gone or waiting, or drops those of them that are.
fn check_dependent(transaction: &Transaction<'_>, key: &Arc<str>) -> Outcome<()> {
    let Some((resource, object)) = load(transaction, key) else { return Ok(()) };
    let namespace = object.namespace().into_owned();
    let owners = object.owner_references();
    let states: Vec<OwnerState> =
        owners.iter().map(|owner| owner_state(transaction, owner, &namespace)).collect();
    let waiting = states.contains(&OwnerState::Waiting);
    if owners.is_empty() {
        return Ok(());
    }
    // One owner that stays is enough to keep the object.
    if states.contains(&OwnerState::Present) {
        let lost = owners.iter().zip(&states).filter(|(_, state)| **state != OwnerState::Present);
        let lost: HashSet<&str> = lost.map(|(owner, _)| owner.uid.as_str()).collect();
        return if lost.is_empty() {
            Ok(())
        } else {
            drop_owners(transaction, key, &resource, |uid| lost.contains(uid))
        };
    }
    let dependents = transaction.cluster.store.dependents(&object.uid());
    // An owner that waits wants its dependents gone with theirs.
    let policy = if waiting && !dependents.is_empty() {
        unblock_cycle(transaction, key, &resource, &dependents)?;
        Propagation::Foreground
    } else if object.has_finalizer(ORPHAN) {
        Propagation::Orphan
    } else if object.has_finalizer(FOREGROUND) {
        Propagation::Foreground
    } else {
        Propagation::Background
    };
    collect(transaction, &resource, key, &object.uid(), policy)
}

/// A new object is deleted if its owner existed and is gone; owners that never existed do not matter.
fn check_new_dependent(transaction: &Transaction<'_>, key: &Arc<str>) -> Outcome<()> {
    let Some((_, object)) = load(transaction, key) else { return Ok(()) };
    let namespace = &*object.namespace();
    let (mut waiting, mut missing) = (false, HashSet::new());
    for owner in object.owner_references() {
        match owner_state(transaction, &owner, namespace) {
            OwnerState::Present => {}
            OwnerState::Waiting => waiting = true,
            OwnerState::Gone => {
                missing.extend(owner_key(transaction, &owner, namespace).map(|key| (key, owner.uid)));
            }
        }
    }
    if waiting || was_removed(transaction, &missing) { check_dependent(transaction, key) } else { Ok(()) }
}

/// Whether the history has the removal of one of these keys with its uid.
fn was_removed(transaction: &Transaction<'_>, missing: &HashSet<(String, String)>) -> bool {
    let keys: HashSet<&str> = missing.iter().map(|(key, _)| key.as_str()).collect();
    let prefix = match (keys.len(), keys.iter().next()) {
        (1, Some(only)) => only,
        (0, _) => return false,
        // Several keys: one pass over the whole history is cheaper than one pass per key.
        _ => "",
    };
    let store = &transaction.cluster.store;
    let Ok((events, _)) = store.events(prefix, store.oldest(), usize::MAX) else { return false };
    events.iter().filter(|event| event.value.is_none() && keys.contains(&*event.key)).any(|event| {
        let last = event.previous.as_ref().map(|last| last.record.uid().into_owned());
        last.is_some_and(|uid| missing.contains(&(event.key.to_string(), uid)))
    })
}

fn collect(
    transaction: &Transaction<'_>,
    resource: &Resource,
    key: &str,
    uid: &str,
    policy: Propagation,
) -> Outcome<()> {
    // Another object may have taken the name by now.
    let preconditions = Preconditions { uid: Some(uid.to_string()), resource_version: None };
    let options = DeleteOptions { preconditions, propagation: Some(policy), ..DeleteOptions::default() };
    match delete::delete(transaction, resource, key, &options) {
        // Gone, or replaced by another object with the same name: nothing left to collect.
        Err(failure) if !matches!(failure.code(), 404 | 409) => Err(failure),
        _ => Ok(()),
    }
}

/// If one of the dependents is itself being deleted in the foreground, no owner may wait for this object.
fn unblock_cycle(
    transaction: &Transaction<'_>,
    key: &Arc<str>,
    resource: &Resource,
    dependents: &[Arc<str>],
) -> Outcome<()> {
    let in_cycle = dependents.iter().any(|dependent| {
        load(transaction, dependent)
            .is_some_and(|(_, object)| object.is_terminating() && object.has_finalizer(FOREGROUND))
    });
    if !in_cycle {
        return Ok(());
    }
    rewrite(transaction, key, resource, |object| {
        // Two objects that own each other would wait for each other for ever.
        let owners = object.ensure_map("metadata").maps_mut("ownerReferences");
        owners.for_each(|owner| owner.set("blockOwnerDeletion", false));
    })?;
    let Some((_, object)) = load(transaction, key) else { return Ok(()) };
    let namespace = object.namespace().into_owned();
    transaction.enqueue(Followup::DependentGone { owners: object.owner_references(), namespace });
    Ok(())
}

/// Removes owner references from an object; owners that waited for it are checked again.
fn drop_owners(
    transaction: &Transaction<'_>,
    key: &Arc<str>,
    resource: &Resource,
    unwanted: impl Fn(&str) -> bool,
) -> Outcome<()> {
    let Some((_, object)) = load(transaction, key) else { return Ok(()) };
    let owners = object.owner_references();
    let namespace = object.namespace().into_owned();
    rewrite(transaction, key, resource, |object| edit::remove_owners(object, &unwanted))?;
    let lost = owners.into_iter().filter(|owner| unwanted(&owner.uid)).collect();
    transaction.enqueue(Followup::DependentGone { owners: lost, namespace });
    Ok(())
}

/// The owner waits: its dependents are checked now; if none blocks, the owner is released.
fn begin_foreground(transaction: &Transaction<'_>, key: &Arc<str>) -> Outcome<()> {
    let Some((_, object)) = load(transaction, key) else { return Ok(()) };
    for dependent in transaction.cluster.store.dependents(&object.uid()) {
        check_dependent(transaction, &dependent)?;
    }
    release_foreground(transaction, key)
}

/// Releases an owner that no dependent blocks any more.
fn release_foreground(transaction: &Transaction<'_>, key: &Arc<str>) -> Outcome<()> {
    let Some((resource, object)) = load(transaction, key) else { return Ok(()) };
    if !object.is_terminating() || !object.has_finalizer(FOREGROUND) {
        return Ok(());
    }
    let uid = object.uid();
    let blocked = transaction.cluster.store.dependents(&uid).iter().any(|dependent| {
        load(transaction, dependent).is_some_and(|(_, dependent)| {
            let owners = dependent.owner_references();
            // Dependents that do not block are deleted later, in the background.
            owners.iter().any(|owner| owner.uid == uid && owner.block_owner_deletion)
        })
    });
    if blocked { Ok(()) } else { drop_finalizer(transaction, key, &resource, FOREGROUND) }
}

/// Removes the owner from its dependents, then lets the owner go.
fn orphan(transaction: &Transaction<'_>, key: &Arc<str>) -> Outcome<()> {
    let Some((resource, object)) = load(transaction, key) else { return Ok(()) };
    let uid = object.uid();
    for dependent in transaction.cluster.store.dependents(&uid) {
        if let Some((resource, _)) = load(transaction, &dependent) {
            drop_owners(transaction, &dependent, &resource, |owner| owner == uid)?;
        }
    }
    drop_finalizer(transaction, key, &resource, ORPHAN)
}

/// Removes the finalizer of storage that is being deleted and that nothing uses.
fn unprotect(transaction: &Transaction<'_>, key: &Arc<str>) -> Outcome<()> {
    let Some((resource, object)) = load(transaction, key) else { return Ok(()) };
    let Some(finalizer) = storage_protection::finalizer(&resource) else { return Ok(()) };
    if !object.is_terminating()
        || !object.has_finalizer(finalizer)
        || storage_protection::is_in_use(transaction.cluster, &resource, &object)
    {
        return Ok(());
    }
    drop_finalizer(transaction, key, &resource, finalizer)
}

fn drop_finalizer(
    transaction: &Transaction<'_>,
    key: &Arc<str>,
    resource: &Resource,
    finalizer: &str,
) -> Outcome<()> {
    rewrite(transaction, key, resource, |object| edit::remove_finalizer(object, finalizer))
}
