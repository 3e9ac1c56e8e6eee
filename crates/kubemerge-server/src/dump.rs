//! The whole state as objects, and back: to move it from one store to another.

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

use serde_json::Value;

use crate::protocol::json::Members;
use crate::{
    api::state::Api,
    catalog::cluster::Cluster,
    given::{BuildError, Given},
    load,
    store::{Expect, MemoryStore, Revision, Stored, WriteError, store_failure},
};

/// Takes over the objects of a dump in place of the state; they have the resourceVersions of the dump again.
pub(crate) fn restore(api: &Api, objects: Vec<Value>) -> Result<(), BuildError> {
    let staged = api.cluster.fork();
    // Kinds are looked up among the definitions of the dump, not among those that it replaces.
    staged.store.adopt(&MemoryStore::default()).map_err(BuildError::new)?;
    staged.serve_definitions();
    let is_definition = |object: &Value| object["kind"] == "CustomResourceDefinition";
    let (definitions, others): (Vec<Value>, Vec<Value>) = objects.into_iter().partition(is_definition);
    let mut values = Values::default();
    for definition in definitions {
        let (key, stored) = values.add(&staged, definition)?;
        if let Err(WriteError::Store(error)) = staged.store.put(&key, stored.record, Expect::Absent) {
            return Err(BuildError::new(error));
        }
    }
    staged.serve_definitions();
    for object in others {
        values.add(&staged, object)?;
    }
    let store = values.into_store();
    let adopt = || api.cluster.store.adopt(&store).map_err(|error| store_failure(&error));
    api.durably(adopt).map_err(|failure| BuildError::new(failure.message()))?;
    api.cluster.serve_definitions();
    Ok(())
}

/// The values of a dump that was read so far.
#[derive(Default)]
struct Values {
    items: HashMap<Arc<str>, Stored>,
    revisions: HashSet<Revision>,
    /// Keys of objects without a resourceVersion of their own.
    unversioned: Vec<Arc<str>>,
}

impl Values {
    fn add(&mut self, cluster: &Cluster, object: Value) -> Result<(Arc<str>, Stored), BuildError> {
        let given = Given { value: object, source: None };
        let loaded = load::exact(cluster, &given.value);
        let (key, record) = loaded.map_err(|failure| BuildError::about(&given, failure.message()))?;
        let key: Arc<str> = key.into();
        if self.items.contains_key(&key) {
            return Err(BuildError::about(&given, "the object is given twice"));
        }
        let version = given
            .value
            .member("metadata")
            .member("resourceVersion")
            .as_str()
            .and_then(|text| text.parse().ok());
        let revision = version.filter(|revision| *revision > 0 && self.revisions.insert(*revision));
        if revision.is_none() {
            self.unversioned.push(key.clone());
        }
        let stored = Stored { record, revision: revision.unwrap_or_default() };
        self.items.insert(key.clone(), stored.clone());
        Ok((key, stored))
    }

    /// Objects without a resourceVersion get new ones, after all others.
    fn into_store(mut self) -> MemoryStore {
        let mut newest = self.revisions.into_iter().max().unwrap_or(1);
        for key in self.unversioned {
            newest += 1;
            if let Some(stored) = self.items.get_mut(&key) {
                stored.revision = newest;
            }
        }
        MemoryStore::of(self.items.into_iter().collect(), newest)
    }
}
