//! The state that a server serves: the store, what is served of it, and where time and randomness come from.

use std::{
    sync::{
        Arc, Weak,
        atomic::{AtomicU64, Ordering},
    },
    thread,
};

use kubemerge_kinds::custom::names::TakenNames;
use kubemerge_schema::{Overlay, Schema};

use crate::{
    catalog::{
        Catalog, custom, definition, definition_names::DefinitionNames, field_index::FieldIndexes,
        reservations::Reservations, shared_owners::SharedOwners,
    },
    protocol::{clock::Clock, entropy::Entropy, json::tree},
    store::{ManagedFieldsView, Store, StoreError, StoreStep, Stored},
};

/// Whether objects are validated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Validation {
    /// By every rule of their kind, as the API server does.
    #[default]
    Full,
    /// Not at all, so that tests may use incomplete objects. Everything else stays: objects are decoded, unknown fields
    /// reported, defaults filled in and status and generation prepared as with [`Validation::Full`]. Definitions are
    /// always validated, because what they serve depends on it.
    Off,
}

/// What reading and writing share.
pub(crate) struct Cluster {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) catalog: Catalog,
    pub(crate) schema: Schema,
    pub(crate) shared_owners: SharedOwners,
    pub(crate) validation: Validation,
    /// Rules of the caller for types of definitions; those for other types are in the schema.
    pub(crate) overlays: Arc<[Overlay]>,
    /// Whether answers have managedFields.
    pub(crate) managed_fields: ManagedFieldsView,
    pub(crate) clock: Clock,
    pub(crate) entropy: Arc<Entropy>,
    /// Fields that selectors may name besides those of the kinds.
    pub(crate) field_indexes: FieldIndexes,
    /// Addresses and ports of requests in progress.
    pub(crate) reservations: Reservations,
    pub(crate) names: DefinitionNames,
    /// Definitions up to this revision are served, as far as other processes have written them.
    pub(crate) followed: AtomicU64,
}

impl Cluster {
    /// All stored CustomResourceDefinitions.
    pub(crate) fn definitions(&self) -> Vec<Stored> {
        self.store.newest(definition::PREFIX).into_iter().map(|(_, stored)| stored).collect()
    }

    /// Asks something of the names that definitions have now.
    pub(crate) fn with_taken_names<T>(&self, ask: impl FnOnce(&TakenNames) -> T) -> T {
        self.names.with(&*self.store, ask)
    }

    /// Serves the custom resources of all stored definitions.
    pub(crate) fn serve_definitions(&self) {
        let compile = |stored: &Stored| definition::resources(&tree(stored.record.node()), &self.overlays);
        self.catalog.set_custom(|| self.catalog.compiled(&self.definitions(), compile));
    }

    /// Refuses overlays about types that neither the schema nor a stored definition has.
    pub(crate) fn check_overlays(&self) -> Result<(), String> {
        if self.overlays.is_empty() {
            return Ok(());
        }
        let definitions: Vec<_> =
            self.definitions().iter().map(|stored| tree(stored.record.node())).collect();
        custom::check_overlays(&definitions, &self.overlays)
    }

    /// Serves the definitions that other processes have changed since the last call.
    pub(crate) fn follow_definitions(&self) {
        if !self.store.is_shared() {
            return;
        }
        let (followed, newest) = (self.followed.load(Ordering::Acquire), self.store.revision());
        if followed == newest {
            return;
        }
        // A history that does not go back so far may have had one.
        let changed =
            self.store.events(definition::PREFIX, followed, 1).map_or(true, |(found, _)| !found.is_empty());
        if changed {
            self.serve_definitions();
        }
        // After they are served: no request may believe that they are before.
        self.followed.fetch_max(newest, Ordering::AcqRel);
    }

    /// Follows the definitions of other processes until the cluster is dropped: watches must end with their resource,
    /// even if there is no request.
    pub(crate) fn spawn_follower(self: &Arc<Self>) -> std::io::Result<()> {
        if !self.store.is_shared() {
            return Ok(());
        }
        let (cluster, mut signal) = (Arc::downgrade(self), self.store.signal());
        let follow = move || {
            let closed = |_| StoreError::new("the store is closed");
            while StoreStep::Later(Box::pin(async { signal.changed().await.map_err(closed) })).wait().is_ok()
            {
                let Some(cluster) = Weak::upgrade(&cluster) else { return };
                cluster.follow_definitions();
            }
        };
        thread::Builder::new().name("kubemerge-definitions".into()).spawn(follow).map(drop)
    }

    /// An independent cluster with the same state.
    pub(crate) fn fork(&self) -> Cluster {
        let forked = Cluster {
            store: self.store.fork().into(),
            catalog: self.catalog.fork(),
            schema: self.schema.clone(),
            shared_owners: SharedOwners::default(),
            validation: self.validation,
            overlays: self.overlays.clone(),
            managed_fields: self.managed_fields,
            clock: self.clock.fork(),
            entropy: Arc::new(self.entropy.fork()),
            field_indexes: self.field_indexes.fork(),
            reservations: Reservations::default(),
            names: DefinitionNames::default(),
            followed: AtomicU64::new(0),
        };
        forked.serve_definitions();
        forked
    }
}
