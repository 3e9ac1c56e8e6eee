//! What follows from a write. Pure: the follow-ups are queued by the transaction and done by the collector.

use std::sync::Arc;

use kubemerge_kinds::strategy::Deletion;

use crate::{
    catalog::{Resource, definition::is_definition},
    store::{OwnerReference, Record},
    write::storage_protection,
};

/// The finalizer of an owner whose dependents stay.
pub(crate) const ORPHAN: &str = "orphan";
/// The finalizer of an owner that waits for its dependents.
pub(crate) const FOREGROUND: &str = "foregroundDeletion";

/// Something to do once the request's own write is done.
#[derive(Clone, Debug)]
pub(crate) enum Followup {
    /// An owner is gone: each dependent may have to go.
    OwnerGone { uid: String },
    /// An owner waits until its dependents are gone.
    Foreground { key: Arc<str> },
    /// An owner is deleted without its dependents.
    Orphan { key: Arc<str> },
    /// An object lost an owner, or one of its owners waits.
    Dependent { key: Arc<str> },
    /// A dependent is new: its owner may be gone already.
    CheckNewDependent { key: Arc<str> },
    /// A dependent is gone: its owners may have waited for it.
    DependentGone { owners: Vec<OwnerReference>, namespace: String },
    /// Storage is being deleted: it goes when nothing uses it.
    Unprotect { key: Arc<str> },
    /// A namespace is to be emptied and finished.
    Namespace { name: String },
    /// A custom resource definition is to be emptied and finished.
    Definition { name: String },
    /// The conditions that a controller of the API server writes are to be judged.
    Conditions { key: Arc<str> },
    /// Something was created or removed that quotas of the namespace may count.
    Quotas { namespace: String },
    /// A priority level is new or gone, which is a condition of FlowSchemas.
    PriorityLevels,
    /// A custom resource definition was written: its names, its approval and whether it is served are to be judged.
    Names { name: String },
    /// A custom resource definition is gone: others of its group may get its names.
    NamesFree { group: String },
}

/// What a controller of the API server has to look at after any change of an object.
pub(crate) fn of_controllers(resource: &Resource, key: &str) -> Option<Followup> {
    match (resource.group.as_str(), resource.kind.as_str()) {
        ("flowcontrol.apiserver.k8s.io", "FlowSchema") | ("apiregistration.k8s.io", "APIService") => {
            Some(Followup::Conditions { key: key.into() })
        }
        ("flowcontrol.apiserver.k8s.io", "PriorityLevelConfiguration") => Some(Followup::PriorityLevels),
        _ => None,
    }
}

/// What follows from the removal of an object.
pub(crate) fn after_removal(resource: &Resource, record: &Record) -> Vec<Followup> {
    // Every object may be an owner; the store knows of whom.
    let mut followups = vec![Followup::OwnerGone { uid: record.uid().into_owned() }];
    let owners = record.owner_references();
    let namespace = record.namespace().into_owned();
    if !owners.is_empty() {
        followups.push(Followup::DependentGone { owners, namespace: namespace.clone() });
    }
    if resource.is_namespaced() {
        followups.push(Followup::Namespace { name: namespace });
    }
    let released = storage_protection::released_by(resource, record).into_iter();
    followups.extend(released.map(|key| Followup::Unprotect { key: key.into() }));
    if is_definition(resource) {
        let group = record.text_at(&["spec", "group"]).into_owned();
        followups.push(Followup::NamesFree { group });
    }
    // A definition that is being deleted waits for its last object.
    followups.extend(resource.definition().map(|name| Followup::Definition { name }));
    followups
}

/// What follows when an object begins to terminate.
pub(crate) fn after_termination(resource: &Resource, key: &str, record: &Record) -> Vec<Followup> {
    let mut followups = Vec::new();
    if record.has_finalizer(FOREGROUND) {
        followups.push(Followup::Foreground { key: key.into() });
    }
    if record.has_finalizer(ORPHAN) {
        followups.push(Followup::Orphan { key: key.into() });
    }
    if storage_protection::finalizer(resource).is_some_and(|one| record.has_finalizer(one)) {
        followups.push(Followup::Unprotect { key: key.into() });
    }
    let name = record.name().into_owned();
    if resource.strategy.deletion == Deletion::AfterContent {
        followups.push(Followup::Namespace { name });
    } else if is_definition(resource) {
        followups.push(Followup::Definition { name });
    }
    followups
}
