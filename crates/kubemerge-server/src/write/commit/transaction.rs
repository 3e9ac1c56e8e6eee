//! The writes of one request, and the follow-ups they cause.
//!
//! Every write passes here: the store is changed by compare-and-swap, the change is noted for the request log, and
//! what follows from it (dependents to collect, a namespace to finish, a definition to serve) is queued. The queue
//! is worked off before the request is answered.

use std::{
    cell::{Cell, RefCell},
    collections::VecDeque,
    sync::Arc,
};

use smallvec::SmallVec;

use crate::{
    catalog::{Index, Resource, cluster::Cluster, definition::is_definition, reservations::Reserved},
    store::{Expect, Record, Revision, StoreError, Stored, WriteError},
    write::{
        commit::{
            cluster_addresses,
            followup::{self, Followup},
        },
        settings::{AdmissionPlugin, WriteSettings},
    },
};

/// One effective write: what was stored before and after.
#[derive(Clone, Debug)]
pub(crate) struct StoredChange {
    pub(crate) key: Arc<str>,
    pub(crate) before: Option<Stored>,
    pub(crate) after: Option<Stored>,
}

/// The changes of one request: most change one object.
pub(crate) type Changes = SmallVec<[StoredChange; 1]>;

/// The writes of one request.
#[must_use]
pub(crate) struct Transaction<'a> {
    pub(crate) cluster: &'a Cluster,
    pub(crate) settings: &'a WriteSettings,
    index: RefCell<Arc<Index>>,
    followups: RefCell<VecDeque<Followup>>,
    changes: RefCell<Changes>,
    reserved: RefCell<Vec<Reserved>>,
    is_running_followups: Cell<bool>,
}

impl<'a> Transaction<'a> {
    pub(crate) fn new(cluster: &'a Cluster, settings: &'a WriteSettings) -> Self {
        Transaction {
            cluster,
            settings,
            index: RefCell::new(cluster.catalog.index()),
            followups: RefCell::default(),
            changes: RefCell::default(),
            reserved: RefCell::default(),
            is_running_followups: Cell::new(false),
        }
    }

    /// What is served, including the changes of this request.
    pub(crate) fn index(&self) -> Arc<Index> {
        self.index.borrow().clone()
    }

    pub(crate) fn create(
        &self,
        resource: &Resource,
        key: &str,
        record: Record,
    ) -> Result<Stored, WriteError> {
        self.check_size(key, &record)?;
        let revision = self.cluster.store.put(key, record.clone(), Expect::Absent)?;
        let stored = Stored { record, revision };
        self.note(resource, key, None, Some(stored.clone()));
        Ok(stored)
    }

    pub(crate) fn update(
        &self,
        resource: &Resource,
        key: &str,
        record: Record,
        old: &Stored,
    ) -> Result<Stored, WriteError> {
        self.check_size(key, &record)?;
        let revision = self.cluster.store.put(key, record.clone(), Expect::Unchanged(old.revision))?;
        let stored = Stored { record, revision };
        self.note(resource, key, Some(old.clone()), Some(stored.clone()));
        Ok(stored)
    }

    /// Refuses what would be too large for etcd.
    fn check_size(&self, key: &str, record: &Record) -> Result<(), WriteError> {
        let bytes = key.len() + record.max_size(Revision::default());
        self.settings.object_size.check(bytes).map_err(WriteError::Store)
    }

    /// Removes an object; answers its last state with the revision of the removal.
    pub(crate) fn remove(&self, resource: &Resource, key: &str, old: &Stored) -> Result<Stored, WriteError> {
        let revision = self.cluster.store.delete(key, old.revision)?;
        self.note(resource, key, Some(old.clone()), None);
        Ok(Stored { record: old.record.clone(), revision })
    }

    pub(crate) fn changes(&self) -> Changes {
        self.changes.take()
    }

    pub(crate) fn enqueue(&self, followup: Followup) {
        self.followups.borrow_mut().push_back(followup);
    }

    /// Drops queued follow-ups that the caller is about to do.
    pub(crate) fn drop_followups(&self, done: impl Fn(&Followup) -> bool) {
        self.followups.borrow_mut().retain(|followup| !done(followup));
    }

    /// Hands each queued follow-up to `run`, including those that `run` queues; stops at the first failure.
    pub(crate) fn run_followups<E>(&self, run: impl Fn(Followup) -> Result<(), E>) -> Result<(), E> {
        // A follow-up may delete objects, which would come here again: the outer loop does that work.
        if self.is_running_followups.replace(true) {
            return Ok(());
        }
        let mut result = Ok(());
        while result.is_ok() {
            let Some(followup) = self.followups.borrow_mut().pop_front() else { break };
            result = run(followup);
        }
        self.is_running_followups.set(false);
        result
    }

    fn note(&self, resource: &Resource, key: &str, before: Option<Stored>, after: Option<Stored>) {
        // Before the next step of this request, which may use the new resource.
        if is_definition(resource) {
            self.cluster.serve_definitions();
            *self.index.borrow_mut() = self.cluster.catalog.index();
        }
        self.enqueue_followups(resource, key, before.as_ref(), after.as_ref());
        let change = StoredChange { key: key.into(), before, after };
        let service = cluster_addresses::has_addresses(resource).then(|| change.clone());
        self.changes.borrow_mut().push(change);
        if let Some(service) = service {
            self.keep_addresses(&service);
        }
    }

    /// Keeps the IPAddress objects as the Services are.
    fn keep_addresses(&self, service: &StoredChange) {
        let index = self.index();
        let addresses = index.find("networking.k8s.io", "v1", "ipaddresses");
        let Some(resource) = addresses else { return };
        let changed = cluster_addresses::changed(service.before.as_ref(), service.after.as_ref());
        for address in changed.released {
            let key = resource.key("", &address);
            // A client may have removed it already, or have taken it over meanwhile.
            if let Some(stored) = self.cluster.store.get(&key) {
                drop(self.remove(resource, &key, &stored));
            }
        }
        let Some(after) = &service.after else { return };
        for address in changed.claimed {
            let record = cluster_addresses::object(self.cluster, resource, &address, &after.record);
            drop(self.create(resource, &resource.key("", &address), record));
        }
    }

    /// Reserves something until this request is done; what it has already is its own. Answers false if another request
    /// has it, here or in another process.
    pub(crate) fn reserve(&self, wanted: Reserved) -> Result<bool, StoreError> {
        let mut reserved = self.reserved.borrow_mut();
        if reserved.contains(&wanted) {
            return Ok(true);
        }
        if !self.cluster.reservations.take(wanted.clone()) {
            return Ok(false);
        }
        let claimed = self.cluster.store.claim(&wanted.claim());
        match claimed {
            Ok(true) => reserved.push(wanted),
            _ => self.cluster.reservations.release(&[wanted]),
        }
        claimed
    }

    /// Whether this request has written the value.
    pub(crate) fn has_written(&self, stored: &Stored) -> bool {
        let is_written = |after: &Stored| after.revision == stored.revision;
        self.changes.borrow().iter().rev().any(|change| change.after.as_ref().is_some_and(is_written))
    }

    fn enqueue_followups(
        &self,
        resource: &Resource,
        key: &str,
        before: Option<&Stored>,
        after: Option<&Stored>,
    ) {
        if let (true, Some(after)) = (is_definition(resource), after) {
            let name = after.record.name().into_owned();
            self.enqueue(Followup::Names { name });
        }
        self.followups.borrow_mut().extend(followup::of_controllers(resource, key));
        if self.settings.plugins.has(AdmissionPlugin::ResourceQuota) && resource.is_namespaced() {
            let namespace = after.or(before).map(|stored| stored.record.namespace().into_owned());
            self.followups.borrow_mut().extend(namespace.map(|namespace| Followup::Quotas { namespace }));
        }
        match (before, after) {
            (Some(before), None) => {
                let found = followup::after_removal(resource, &before.record);
                self.followups.borrow_mut().extend(found);
            }
            // Every write to a terminating object may have removed what it waited for.
            (_, Some(after)) if after.record.is_terminating() => {
                let found = followup::after_termination(resource, key, &after.record);
                self.followups.borrow_mut().extend(found);
            }
            // The owner may have been deleted while the client was creating the dependent.
            (None, Some(after)) if !after.record.owners().is_empty() => {
                self.enqueue(Followup::CheckNewDependent { key: key.into() });
            }
            _ => {}
        }
    }
}

impl Drop for Transaction<'_> {
    fn drop(&mut self) {
        let reserved = self.reserved.get_mut();
        // Most requests reserve nothing and need not wait for the lock.
        if !reserved.is_empty() {
            // Other processes first: a request of this one that finds it free here must find it free there.
            reserved.iter().for_each(|one| self.cluster.store.release(&one.claim()));
            self.cluster.reservations.release(reserved);
        }
    }
}
