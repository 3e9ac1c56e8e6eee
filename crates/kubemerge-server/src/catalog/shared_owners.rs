//! Objects of one template have the same owners of the same fields: they share one copy of them.

use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
};

use kubemerge_ssa::managed_fields::{ManagedFields, ManagedFieldsEntry, Time};

use crate::{catalog::Resource, store::Ownership};

/// All that the owners of a new object depend on, as texts: who creates it where, what it has besides its metadata, and
/// the shape of its metadata. It is the same for objects of one template.
pub(crate) type Content<'c> = [&'c [u8]];

/// The object of a kind that was created last.
#[derive(Default)]
struct Template {
    ownership: Ownership,
    content: Vec<Box<[u8]>>,
}

/// The object of each kind that was created last. One is enough: a controller creates its objects one after the other.
#[derive(Default)]
pub(crate) struct SharedOwners(Mutex<HashMap<String, Template>>);

impl SharedOwners {
    /// The owners of the object of the kind that was created last.
    pub(crate) fn last(&self, resource: &Resource) -> Ownership {
        let last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        last.get(&resource.kind).map(|template| template.ownership.clone()).unwrap_or_default()
    }

    /// The owners of a new object with the content of the one before; `None` if it has other content.
    pub(crate) fn of_content(
        &self,
        resource: &Resource,
        content: &Content<'_>,
        now: Time,
    ) -> Option<Ownership> {
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let Template { ownership, content: known } = last.get_mut(&resource.kind)?;
        if content.is_empty() || !known.iter().map(|part| &**part).eq(content.iter().copied()) {
            return None;
        }
        let entries = ownership.entries().entries();
        if entries.iter().any(|entry| entry.time != Some(now)) {
            let entry = |entry: &ManagedFieldsEntry| ManagedFieldsEntry { time: Some(now), ..entry.clone() };
            *ownership = Ownership::new(ManagedFields::from_entries(entries.iter().map(entry)));
        }
        Some(ownership.clone())
    }

    /// The owners of a new object, shared with the one before if only times differ.
    pub(crate) fn share(
        &self,
        resource: &Resource,
        managed: ManagedFields,
        content: &Content<'_>,
    ) -> Ownership {
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let before = last.get(&resource.kind).map(|template| &template.ownership);
        let ownership = match before {
            Some(before) if *before.entries() == managed => before.clone(),
            Some(before) if before.entries().is_same_without_times(&managed) => {
                Ownership::new(retimed(before, &managed))
            }
            _ => Ownership::new(managed),
        };
        let content = content.iter().map(|part| Box::from(*part)).collect();
        last.insert(resource.kind.clone(), Template { ownership: ownership.clone(), content });
        ownership
    }
}

/// The same entries at other times: their texts are shared.
fn retimed(before: &Ownership, managed: &ManagedFields) -> ManagedFields {
    let pairs = before.entries().entries().iter().zip(managed.entries());
    ManagedFields::from_entries(
        pairs.map(|(before, new)| ManagedFieldsEntry { time: new.time, ..before.clone() }),
    )
}
