//! What follows from deletions: dependents are collected, namespaces emptied, definitions retired.
//!
//! Collection runs inside the request that caused it, so a test sees its end state at once. An object created
//! with an owner that never existed is left alone; one whose owner the history knows to be gone is not.

use std::{collections::HashSet, sync::Arc};

use kubemerge_kinds::strategy::Propagation;

use crate::{
    api::{
        app::GarbageCollection,
        verb::delete::{self, DeleteOptions, Preconditions},
    },
    catalog::{Resource, split_api_version, split_key},
    object::{
        Object,
        meta::{Field, OwnerReference},
    },
    protocol::status::Outcome,
    store::{Range, Stored},
    write::ledger::Ledger,
};

pub(crate) const ORPHAN: &str = "orphan";
pub(crate) const FOREGROUND: &str = "foregroundDeletion";

/// Something to look at once the request's own write is done.
#[derive(Clone, Debug)]
pub(crate) enum Work {
    /// An owner is gone: each dependent may have to go.
    OwnerGone { uid: String },
    /// An owner waits until its dependents are gone.
    Foreground { key: Arc<str> },
    /// An owner goes without its dependents.
    Orphan { key: Arc<str> },
    /// An object lost an owner, or one of its owners waits.
    Dependent { key: Arc<str> },
    /// A dependent is new: its owner may be gone already.
    Newcomer { key: Arc<str> },
    /// A dependent is gone: its owners may have waited for it.
    DependentGone { owners: Vec<OwnerReference>, namespace: String },
    /// A namespace is to be emptied and finished.
    Namespace { name: String },
    /// A custom resource definition is to be emptied and finished.
    Definition { name: String },
}

/// What the removal of an object leaves to do.
pub(crate) fn after_removal(resource: &Resource, object: &Object) -> Vec<Work> {
    let mut work = vec![Work::OwnerGone { uid: object.metadata.uid().to_string() }];
    let owners = object.metadata.owner_references();
    let namespace = object.metadata.namespace().to_string();
    if !owners.is_empty() {
        work.push(Work::DependentGone { owners, namespace: namespace.clone() });
    }
    if resource.is_namespaced() {
        work.push(Work::Namespace { name: namespace });
    }
    if resource.custom().is_some() {
        work.push(Work::Definition { name: format!("{}.{}", resource.plural, resource.group) });
    }
    work
}

/// What an object that has begun to terminate leaves to do.
pub(crate) fn after_termination(resource: &Resource, key: &str, object: &Object) -> Vec<Work> {
    let mut work = Vec::new();
    if object.metadata.has_finalizer(FOREGROUND) {
        work.push(Work::Foreground { key: key.into() });
    }
    if object.metadata.has_finalizer(ORPHAN) {
        work.push(Work::Orphan { key: key.into() });
    }
    let name = object.metadata.name().to_string();
    match (resource.group.as_str(), resource.kind.as_str()) {
        ("", "Namespace") => work.push(Work::Namespace { name }),
        ("apiextensions.k8s.io", "CustomResourceDefinition") => work.push(Work::Definition { name }),
        _ => {}
    }
    work
}

/// Does one piece of work; what it leaves behind goes on the ledger's list.
pub(crate) fn perform(ledger: &Ledger<'_>, work: Work) -> Outcome<()> {
    let collects = ledger.app.settings.garbage_collection == GarbageCollection::Synchronous;
    match work {
        // Every removal asks for this, and one look at what is left is enough for all of them.
        Work::Namespace { name } => {
            ledger.take_off(|other| matches!(other, Work::Namespace { name: same } if *same == name));
            crate::write::namespace::finish(ledger, &name)
        }
        Work::Definition { name } => {
            ledger.take_off(|other| matches!(other, Work::Definition { name: same } if *same == name));
            crate::write::definition::finish(ledger, &name)
        }
        _ if !collects => Ok(()),
        Work::OwnerGone { uid } => {
            for key in ledger.app.store.dependents(&uid) {
                ledger.later(Work::Dependent { key });
            }
            Ok(())
        }
        Work::Dependent { key } => judge(ledger, &key),
        Work::Newcomer { key } => judge_newcomer(ledger, &key),
        Work::Foreground { key } => begin_foreground(ledger, &key),
        Work::Orphan { key } => orphan(ledger, &key),
        Work::DependentGone { owners, namespace } => {
            for owner in owners {
                if let Some((key, _)) = find_owner(ledger, &owner, &namespace) {
                    release_foreground(ledger, &key)?;
                }
            }
            Ok(())
        }
    }
}

/// The object under a key, with the resource it belongs to.
fn load(ledger: &Ledger<'_>, key: &str) -> Option<(Arc<Resource>, Stored, Object)> {
    let (group, plural) = split_key(key)?;
    let resource = ledger.index().preferred(group, plural)?.clone();
    let stored = ledger.app.store.get(key)?;
    let object = Object::of(&stored);
    Some((resource, stored, object))
}

/// The key under which an owner would be.
fn owner_key(ledger: &Ledger<'_>, owner: &OwnerReference, namespace: &str) -> Option<String> {
    let resource = owner_resource(ledger, owner)?;
    Some(resource.key(if resource.is_namespaced() { namespace } else { "" }, &owner.name))
}

fn find_owner(ledger: &Ledger<'_>, owner: &OwnerReference, namespace: &str) -> Option<(Arc<str>, Object)> {
    let key = owner_key(ledger, owner, namespace)?;
    let stored = ledger.app.store.get(&key)?;
    Some((key.into(), Object::of(&stored))).filter(|(_, object)| object.metadata.uid() == owner.uid)
}

fn owner_resource(ledger: &Ledger<'_>, owner: &OwnerReference) -> Option<Arc<Resource>> {
    let (group, version) = split_api_version(&owner.api_version);
    ledger.index().by_kind(group, version, &owner.kind).cloned()
}

/// How an owner reference stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Standing {
    /// The owner is gone, or another object has its name.
    Dangling,
    /// The owner waits for its dependents to go.
    Waiting,
    /// The owner is there.
    Solid,
}

fn standing(ledger: &Ledger<'_>, owner: &OwnerReference, namespace: &str) -> Standing {
    match owner_resource(ledger, owner) {
        // A namespaced owner of a cluster-scoped object is invalid and never acted on.
        Some(resource) if namespace.is_empty() && resource.is_namespaced() => return Standing::Solid,
        Some(_) => {}
        // Unknown kinds cannot be looked up, so nothing is done about them.
        None => return Standing::Solid,
    }
    match find_owner(ledger, owner, namespace) {
        None => Standing::Dangling,
        Some((_, found)) if found.metadata.is_terminating() && found.metadata.has_finalizer(FOREGROUND) => {
            Standing::Waiting
        }
        Some(_) => Standing::Solid,
    }
}

/// Decides about an object some of whose owners are gone or waiting.
fn judge(ledger: &Ledger<'_>, key: &Arc<str>) -> Outcome<()> {
    let Some((resource, _, object)) = load(ledger, key) else { return Ok(()) };
    let namespace = object.metadata.namespace().to_string();
    let owners = object.metadata.owner_references();
    let standings: Vec<Standing> = owners.iter().map(|owner| standing(ledger, owner, &namespace)).collect();
    let waiting = standings.contains(&Standing::Waiting);
    if owners.is_empty() {
        return Ok(());
    }
    if standings.contains(&Standing::Solid) {
        let lost = owners.iter().zip(&standings).filter(|(_, standing)| **standing != Standing::Solid);
        let lost: HashSet<&str> = lost.map(|(owner, _)| owner.uid.as_str()).collect();
        return if lost.is_empty() {
            Ok(())
        } else {
            drop_owners(ledger, key, &resource, |uid| lost.contains(uid))
        };
    }
    let dependents = ledger.app.store.dependents(object.metadata.uid());
    let policy = if waiting && !dependents.is_empty() {
        unblock_cycle(ledger, key, &resource, &dependents)?;
        Propagation::Foreground
    } else if object.metadata.has_finalizer(ORPHAN) {
        Propagation::Orphan
    } else if object.metadata.has_finalizer(FOREGROUND) {
        Propagation::Foreground
    } else {
        Propagation::Background
    };
    collect(ledger, &resource, key, object.metadata.uid(), policy)
}

/// A new object goes the way of an owner that was there once; owners that never were do not matter.
fn judge_newcomer(ledger: &Ledger<'_>, key: &Arc<str>) -> Outcome<()> {
    let Some((_, _, object)) = load(ledger, key) else { return Ok(()) };
    let namespace = object.metadata.namespace();
    let (mut waiting, mut missing) = (false, HashSet::new());
    for owner in object.metadata.owner_references() {
        match standing(ledger, &owner, namespace) {
            Standing::Solid => {}
            Standing::Waiting => waiting = true,
            Standing::Dangling => {
                missing.extend(owner_key(ledger, &owner, namespace).map(|key| (key, owner.uid)))
            }
        }
    }
    if waiting || was_removed(ledger, &missing) { judge(ledger, key) } else { Ok(()) }
}

/// Whether the history tells of the end of one of these keys with their uids.
fn was_removed(ledger: &Ledger<'_>, missing: &HashSet<(String, String)>) -> bool {
    let keys: HashSet<&str> = missing.iter().map(|(key, _)| key.as_str()).collect();
    let prefix = match (keys.len(), keys.iter().next()) {
        (1, Some(only)) => only,
        (0, _) => return false,
        // One walk through everything, however many there are.
        _ => "",
    };
    let store = &ledger.app.store;
    let Ok((events, _)) = store.events(prefix, store.oldest(), usize::MAX) else { return false };
    events.iter().filter(|event| event.value.is_none() && keys.contains(&*event.key)).any(|event| {
        let last = event.previous.as_ref().map(|last| Object::of_record(&last.record));
        last.is_some_and(|last| missing.contains(&(event.key.to_string(), last.metadata.uid().to_string())))
    })
}

fn collect(
    ledger: &Ledger<'_>,
    resource: &Resource,
    key: &str,
    uid: &str,
    policy: Propagation,
) -> Outcome<()> {
    let preconditions = Preconditions { uid: Some(uid.to_string()), resource_version: None };
    let options = DeleteOptions { preconditions, propagation: Some(policy), ..DeleteOptions::default() };
    match delete::delete(ledger, resource, key, &options) {
        Err(failure) if !matches!(failure.code(), 404 | 409) => Err(failure),
        _ => Ok(()),
    }
}

/// If one of the dependents is itself being deleted in the foreground, nobody may wait for this object.
fn unblock_cycle(
    ledger: &Ledger<'_>,
    key: &Arc<str>,
    resource: &Resource,
    dependents: &[Arc<str>],
) -> Outcome<()> {
    let in_cycle = dependents.iter().any(|dependent| {
        load(ledger, dependent).is_some_and(|(_, _, object)| {
            object.metadata.is_terminating() && object.metadata.has_finalizer(FOREGROUND)
        })
    });
    if !in_cycle {
        return Ok(());
    }
    rewrite(ledger, key, resource, |object| {
        let Some(mut owners) = object.metadata.get(Field::OwnerReferences) else { return };
        for owner in owners.as_array_mut().into_iter().flatten().filter_map(|owner| owner.as_object_mut()) {
            owner.insert("blockOwnerDeletion".into(), false.into());
        }
        object.metadata.set(Field::OwnerReferences, owners);
    })?;
    let Some((_, _, object)) = load(ledger, key) else { return Ok(()) };
    let namespace = object.metadata.namespace().to_string();
    ledger.later(Work::DependentGone { owners: object.metadata.owner_references(), namespace });
    Ok(())
}

/// Takes owner references off an object; owners that waited for it are looked at again.
fn drop_owners(
    ledger: &Ledger<'_>,
    key: &Arc<str>,
    resource: &Resource,
    unwanted: impl Fn(&str) -> bool,
) -> Outcome<()> {
    let Some((_, _, object)) = load(ledger, key) else { return Ok(()) };
    let owners = object.metadata.owner_references();
    let namespace = object.metadata.namespace().to_string();
    rewrite(ledger, key, resource, |object| {
        object.metadata.retain_owners(|owner| !unwanted(&owner.uid));
    })?;
    let lost = owners.into_iter().filter(|owner| unwanted(&owner.uid)).collect();
    ledger.later(Work::DependentGone { owners: lost, namespace });
    Ok(())
}

/// The owner waits: its dependents are judged now, and perhaps there is none that blocks.
fn begin_foreground(ledger: &Ledger<'_>, key: &Arc<str>) -> Outcome<()> {
    let Some((_, _, object)) = load(ledger, key) else { return Ok(()) };
    for dependent in ledger.app.store.dependents(object.metadata.uid()) {
        judge(ledger, &dependent)?;
    }
    release_foreground(ledger, key)
}

/// Lets an owner go that waits for nobody any more.
fn release_foreground(ledger: &Ledger<'_>, key: &Arc<str>) -> Outcome<()> {
    let Some((resource, _, object)) = load(ledger, key) else { return Ok(()) };
    if !object.metadata.is_terminating() || !object.metadata.has_finalizer(FOREGROUND) {
        return Ok(());
    }
    let uid = object.metadata.uid();
    let blocked = ledger.app.store.dependents(uid).iter().any(|dependent| {
        load(ledger, dependent).is_some_and(|(_, _, dependent)| {
            let owners = dependent.metadata.owner_references();
            owners.iter().any(|owner| owner.uid == uid && owner.block_owner_deletion)
        })
    });
    if blocked { Ok(()) } else { drop_finalizer(ledger, key, &resource, FOREGROUND) }
}

/// Frees the dependents of an owner that goes without them.
fn orphan(ledger: &Ledger<'_>, key: &Arc<str>) -> Outcome<()> {
    let Some((resource, _, object)) = load(ledger, key) else { return Ok(()) };
    let uid = object.metadata.uid();
    for dependent in ledger.app.store.dependents(uid) {
        if let Some((resource, ..)) = load(ledger, &dependent) {
            drop_owners(ledger, &dependent, &resource, |owner| owner == uid)?;
        }
    }
    drop_finalizer(ledger, key, &resource, ORPHAN)
}

fn drop_finalizer(ledger: &Ledger<'_>, key: &Arc<str>, resource: &Resource, finalizer: &str) -> Outcome<()> {
    rewrite(ledger, key, resource, |object| {
        let rest = object.metadata.finalizers().into_iter().filter(|one| one != finalizer).collect();
        object.metadata.set_finalizers(rest);
    })
}

/// Changes an object whatever else happens to it meanwhile; an object that is gone needs no change.
pub(crate) fn rewrite(
    ledger: &Ledger<'_>,
    key: &str,
    resource: &Resource,
    change: impl Fn(&mut Object),
) -> Outcome<()> {
    while let Some(stored) = ledger.app.store.get(key) {
        let mut object = Object::of(&stored);
        change(&mut object);
        if crate::write::commit::commit(ledger, resource, key, &stored, &object).is_ok() {
            break;
        }
    }
    Ok(())
}

/// The keys of everything in a namespace.
pub(crate) fn keys_in_namespace(ledger: &Ledger<'_>, namespace: &str) -> Vec<(Arc<Resource>, Arc<str>)> {
    let index = ledger.index();
    let resources = index.each_preferred().filter(|resource| resource.is_namespaced());
    resources
        .flat_map(|resource| {
            let keys = keys_below(ledger, &resource.prefix(namespace));
            keys.into_iter().map(|key| (resource.clone(), key)).collect::<Vec<_>>()
        })
        .collect()
}

/// Whether nobody has to delete what is under a key: it is gone, or on its way.
pub(crate) fn is_ending(ledger: &Ledger<'_>, key: &str) -> bool {
    ledger.app.store.get(key).is_none_or(|stored| stored.record.is_terminating())
}

/// All keys with a prefix.
pub(crate) fn keys_below(ledger: &Ledger<'_>, prefix: &str) -> Vec<Arc<str>> {
    let page = ledger.app.store.range(Range { prefix, ..Range::default() });
    page.map(|page| page.items.into_iter().map(|(key, _)| key).collect()).unwrap_or_default()
}
