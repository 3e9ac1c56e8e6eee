//! Which resources are served, and what the server must know about each.
//!
//! Built-in resources and those of OpenAPI documents come from the schema, custom ones from their definitions; handlers see only
//! [`Resource`]. The index is replaced as a whole when a definition changes, so that a request sees one state.

mod builtin;
pub(crate) mod cluster;
pub(crate) mod custom;
pub(crate) mod definition;
pub(crate) mod definition_names;
pub(crate) mod field_index;
mod index;
pub(crate) mod request_context;
pub(crate) mod reservations;
mod resource;
pub(crate) mod served;
pub(crate) mod shared_owners;
mod unserved;

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError, RwLock},
};

pub(crate) use index::{Group, Index, Resources};
pub use kubemerge_kinds::registry::Scope;
use kubemerge_schema::Schema;
pub(crate) use resource::{Origin, Resource, Subresource, key_name, split_key};
use tokio::sync::watch;

use crate::{
    catalog::served::ServedVersions,
    store::{Revision, Stored},
};

/// The resources of a definition, and the revision they were compiled from.
type Compiled = (Revision, Vec<Arc<Resource>>);

/// The catalog of a running server.
pub(crate) struct Catalog {
    built_in: Index,
    current: RwLock<Arc<Index>>,
    /// The resources of each definition, by uid, with the revision they were compiled from.
    compiled: Mutex<HashMap<String, Compiled>>,
    /// Held while custom resources are collected, so that a slow reader cannot replace a newer index.
    turn: Mutex<()>,
    /// How often the catalog has changed.
    changes: watch::Sender<u64>,
}

impl Catalog {
    /// The built-in resources.
    pub(crate) fn new(schema: &Schema, served: &ServedVersions) -> Self {
        let mut index = Index::default();
        builtin::resources(schema, served).into_iter().for_each(|resource| index.add(Arc::new(resource)));
        index.sort_groups();
        Catalog::of(index)
    }

    /// A catalog with the same built-in resources.
    pub(crate) fn fork(&self) -> Self {
        Catalog::of(self.built_in.clone())
    }

    fn of(index: Index) -> Self {
        Catalog {
            current: RwLock::new(Arc::new(index.clone())),
            built_in: index,
            compiled: Mutex::default(),
            turn: Mutex::default(),
            changes: watch::Sender::default(),
        }
    }

    /// The resources of all definitions, each computed once per change of it.
    pub(crate) fn compiled(
        &self,
        definitions: &[Stored],
        compute: impl Fn(&Stored) -> Vec<Resource>,
    ) -> Vec<Arc<Resource>> {
        let mut compiled = self.compiled.lock().unwrap_or_else(PoisonError::into_inner);
        // What is not taken over into the new map belongs to deleted definitions and is dropped.
        let mut before = std::mem::take(&mut *compiled);
        let mut all = Vec::new();
        for stored in definitions {
            // By uid, not by name: a definition that was deleted and created again is another one.
            let uid = stored.record.uid();
            let (uid, resources) = match before.remove_entry(&*uid) {
                Some((uid, (revision, resources))) if revision == stored.revision => (uid, resources),
                _ => (uid.into_owned(), compute(stored).into_iter().map(Arc::new).collect()),
            };
            all.extend(resources.iter().cloned());
            compiled.insert(uid, (stored.revision, resources));
        }
        all
    }

    /// What is served now.
    pub(crate) fn index(&self) -> Arc<Index> {
        self.current.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Serves the custom resources that `find` answers beside the built-in ones, and no others.
    pub(crate) fn set_custom(&self, find: impl FnOnce() -> Vec<Arc<Resource>>) {
        // Before reading the definitions: otherwise an older list could be installed after a newer one.
        let _turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        let mut index = self.built_in.clone();
        find().into_iter().for_each(|resource| index.add(resource));
        *self.current.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(index);
        self.changes.send_modify(|changes| *changes += 1);
    }

    /// Wakes when the catalog has changed.
    pub(crate) fn signal(&self) -> watch::Receiver<u64> {
        self.changes.subscribe()
    }

    pub(crate) fn is_built_in(&self, group: &str, plural: &str) -> bool {
        self.built_in.preferred(group, plural).is_some()
    }
}

#[cfg(test)]
mod tests {
    use kubemerge_schema::Dialect;
    use kubemerge_value::Canonical;

    use super::*;
    use crate::store::{Ownership, Record};

    #[test]
    fn definitions_are_compiled_once_and_forgotten_with_their_object() {
        let catalog =
            Catalog::new(&Schema::builtin("1.37", Dialect::Upstream).unwrap(), &ServedVersions::default());
        let text = br#"{"metadata":{"uid":"u"}}"#;
        let record = Record::new(Canonical::from_bytes(text).unwrap(), Vec::new(), Ownership::default());
        let definition = |revision| [Stored { record: record.clone(), revision }];
        let count = std::cell::Cell::new(0);
        let compute = |_: &Stored| {
            count.set(count.get() + 1);
            Vec::new()
        };
        for revision in [1, 1, 2, 2] {
            catalog.compiled(&definition(revision), compute);
        }
        assert_eq!(count.get(), 2);
        catalog.compiled(&[], compute);
        assert!(catalog.compiled.lock().unwrap().is_empty());
    }

    #[test]
    fn keys_lead_back_to_their_resource() {
        let catalog =
            Catalog::new(&Schema::builtin("1.37", Dialect::Upstream).unwrap(), &ServedVersions::default());
        let index = catalog.index();
        let pods = index.find("", "v1", "pods").unwrap();
        assert_eq!(pods.key("default", "p"), "/pods/default/p");
        assert_eq!(split_key("/pods/default/p"), Some(("", "pods")));
        let nodes = index.find("", "v1", "nodes").unwrap();
        assert_eq!(nodes.key("", "n"), "/nodes/n");
    }
}
