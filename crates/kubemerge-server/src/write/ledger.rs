//! The writes of one request, and the work they leave behind.
//!
//! Every write of a handler passes here: the store is changed by compare-and-swap, the change is noted for
//! the request log, and whatever follows from it (dependents to collect, a namespace to finish, a definition
//! to serve) is put on a list that is worked off before the request is answered.

use std::{
    cell::{Cell, RefCell},
    collections::VecDeque,
    sync::Arc,
};

use smallvec::SmallVec;

use crate::{
    api::app::App,
    catalog::{Index, Resource},
    object::Object,
    protocol::status::Outcome,
    store::{Expect, Mismatch, Record, Stored},
    write::collector::{self, Work},
};

/// One effective write: what was stored before and after.
#[derive(Clone, Debug)]
pub(crate) struct Change {
    pub(crate) key: Arc<str>,
    pub(crate) before: Option<Stored>,
    pub(crate) after: Option<Stored>,
}

/// The changes of one request: most change one object.
pub(crate) type Changes = SmallVec<[Change; 1]>;

/// The writes of one request.
pub(crate) struct Ledger<'a> {
    pub(crate) app: &'a App,
    index: RefCell<Arc<Index>>,
    work: RefCell<VecDeque<Work>>,
    changes: RefCell<Changes>,
    settling: Cell<bool>,
}

impl<'a> Ledger<'a> {
    pub(crate) fn new(app: &'a App) -> Self {
        Ledger {
            app,
            index: RefCell::new(app.catalog.index()),
            work: RefCell::default(),
            changes: RefCell::default(),
            settling: Cell::new(false),
        }
    }

    /// What is served, as of the request's last change to it.
    pub(crate) fn index(&self) -> Arc<Index> {
        self.index.borrow().clone()
    }

    pub(crate) fn create(&self, resource: &Resource, key: &str, record: Record) -> Result<Stored, Mismatch> {
        let revision = self.app.store.put(key, record.clone(), Expect::Absent)?;
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
    ) -> Result<Stored, Mismatch> {
        let revision = self.app.store.put(key, record.clone(), Expect::Unchanged(old.revision))?;
        let stored = Stored { record, revision };
        self.note(resource, key, Some(old.clone()), Some(stored.clone()));
        Ok(stored)
    }

    /// Removes an object; answers its last state with the revision of the removal.
    pub(crate) fn remove(&self, resource: &Resource, key: &str, old: &Stored) -> Result<Stored, Mismatch> {
        let revision = self.app.store.delete(key, old.revision)?;
        self.note(resource, key, Some(old.clone()), None);
        Ok(Stored { record: old.record.clone(), revision })
    }

    pub(crate) fn changes(&self) -> Changes {
        self.changes.take()
    }

    pub(crate) fn later(&self, work: Work) {
        self.work.borrow_mut().push_back(work);
    }

    /// Takes work off the list that somebody does just now.
    pub(crate) fn take_off(&self, done: impl Fn(&Work) -> bool) {
        self.work.borrow_mut().retain(|work| !done(work));
    }

    /// Works off what the writes left behind, including what that work leaves behind.
    pub(crate) fn settle(&self) -> Outcome<()> {
        if self.settling.replace(true) {
            return Ok(());
        }
        loop {
            let Some(work) = self.work.borrow_mut().pop_front() else { break };
            if let Err(failure) = collector::perform(self, work) {
                self.settling.set(false);
                return Err(failure);
            }
        }
        self.settling.set(false);
        Ok(())
    }

    fn note(&self, resource: &Resource, key: &str, before: Option<Stored>, after: Option<Stored>) {
        if resource.group == "apiextensions.k8s.io" && resource.plural == "customresourcedefinitions" {
            self.app.serve_definitions();
            *self.index.borrow_mut() = self.app.catalog.index();
        }
        self.leave_work(resource, key, before.as_ref(), after.as_ref());
        self.changes.borrow_mut().push(Change { key: key.into(), before, after });
    }

    fn leave_work(&self, resource: &Resource, key: &str, before: Option<&Stored>, after: Option<&Stored>) {
        match (before, after) {
            (Some(before), None) => {
                let object = Object::of_record(&before.record);
                let found = collector::after_removal(resource, &object);
                self.work.borrow_mut().extend(found);
            }
            (_, Some(after)) if after.record.is_terminating() => {
                let object = Object::of_record(&after.record);
                let found = collector::after_termination(resource, key, &object);
                self.work.borrow_mut().extend(found);
            }
            (None, Some(after)) if !after.record.owners().is_empty() => {
                self.later(Work::Newcomer { key: key.into() });
            }
            _ => {}
        }
    }
}
