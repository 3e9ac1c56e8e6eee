//! Objects of one template have the same owners of the same fields: they share one copy of them.

use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
};

use kubemerge_ssa::managed_fields::{ManagedFields, ManagedFieldsEntry};

use crate::{catalog::Resource, store::Ownership};

/// The owners of the object of each kind that was created last. One is enough: a controller creates its objects one after
/// the other.
#[derive(Default)]
pub(crate) struct SharedOwners(Mutex<HashMap<String, Ownership>>);

impl SharedOwners {
    /// The owners of the object of the kind that was created last.
    pub(crate) fn last(&self, resource: &Resource) -> Ownership {
        let last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        last.get(&resource.kind).cloned().unwrap_or_default()
    }

    /// The owners of a new object, shared with the one before if only times differ.
    pub(crate) fn share(&self, resource: &Resource, managed: ManagedFields) -> Ownership {
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let owners = match last.get(&resource.kind) {
            Some(before) if *before.entries() == managed => return before.clone(),
            Some(before) if before.entries().is_same_without_times(&managed) => retimed(before, &managed),
            _ => managed,
        };
        let owners = Ownership::new(owners);
        last.insert(resource.kind.clone(), owners.clone());
        owners
    }
}

/// The same entries at other times: their texts are shared.
fn retimed(before: &Ownership, managed: &ManagedFields) -> ManagedFields {
    let pairs = before.entries().entries().iter().zip(managed.entries());
    ManagedFields::from_entries(
        pairs.map(|(before, new)| ManagedFieldsEntry { time: new.time, ..before.clone() }),
    )
}
