//! The store in a folder: the state of [`MemoryStore`], and a log on the disk that it is read from at the start.
//!
//! A write changes the memory at once and is then not durable yet. A thread of the store (`sync.rs`) takes all such
//! writes together, appends them to the log and syncs the disk once for all of them; requests wait for that in
//! `finish`. If the log cannot be written, the writes are taken back, all requests that may have seen them fail, and no
//! write is accepted until the log works again; reads go on with the durable state. A log whose sync failed is not used
//! again: the durable state is written from memory to a new one.

mod digest;
mod disk;
mod folder;
mod log;
mod sync;

#[cfg(test)]
mod crash_tests;
#[cfg(test)]
mod tests;

use std::{
    path::Path,
    sync::{Arc, atomic::Ordering},
    thread::JoinHandle,
    time::Duration,
};

use self::{
    disk::{Disk, Files},
    folder::Folder,
    log::{Log, Revisions},
    sync::Shared,
};
use super::{
    Event, Expect, MemoryStore, OutOfRange, Page, Range, Record, RequestTicket, Revision, Signal, Store,
    StoreError, StoreSize, StoreStep, Stored, WriteError,
    memory::{MAX_HISTORY_BYTES, MAX_HISTORY_EVENTS},
    state::{Limits, State},
};

/// Watches that were away longer begin again with a list, as clients of Kubernetes do after 410.
const MAX_HISTORY_AGE: Duration = Duration::from_hours(1);

/// How much history a [`FileStore`] keeps.
#[derive(Clone, Copy, Debug)]
pub struct HistoryLimits {
    /// How many events; 65,536 by default.
    pub events: usize,
    /// Events that are older than this are forgotten; an hour by default. The time is that of the running process,
    /// which no change of the system's clock moves.
    pub age: Duration,
}

impl Default for HistoryLimits {
    fn default() -> Self {
        HistoryLimits { events: MAX_HISTORY_EVENTS, age: MAX_HISTORY_AGE }
    }
}

/// Keeps everything in a folder, and in memory for reading. One process can use a folder at a time.
pub struct FileStore {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
    folder: Option<Arc<Folder>>,
}

impl FileStore {
    /// Opens the store in a folder; one is created if the folder is missing or empty.
    ///
    /// # Errors
    /// If another process uses the folder, it holds something else, its format is newer, or it cannot be read or
    /// written. Nothing is changed then.
    pub fn open(folder: impl AsRef<Path>) -> Result<FileStore, StoreError> {
        Self::open_with(folder, HistoryLimits::default())
    }

    /// The same with another history.
    ///
    /// # Errors
    /// As [`FileStore::open`].
    pub fn open_with(folder: impl AsRef<Path>, history: HistoryLimits) -> Result<FileStore, StoreError> {
        let path = folder.as_ref();
        let folder = Arc::new(Folder::open(path)?);
        let store = Self::start(folder.clone(), history);
        let mut store = store.map_err(|error| StoreError::new(format!("{}: {error}", path.display())))?;
        store.folder = Some(folder);
        Ok(store)
    }

    fn start(disk: Arc<dyn Disk>, history: HistoryLimits) -> Result<FileStore, StoreError> {
        let files = Files::new(disk);
        if !files.disk.has_log() {
            drop(Log::begin(&files, std::iter::empty(), Revisions { newest: 1, oldest: 1 })?);
        }
        let (log, state) = load(&files)?;
        let limits = Limits { events: history.events, bytes: MAX_HISTORY_BYTES };
        let index = MemoryStore::with_state(state, limits);
        let shared = Arc::new(Shared::new(index, log, files, history.age));
        let run = shared.clone();
        let thread = std::thread::Builder::new().name("kubemerge-store".into()).spawn(move || run.run());
        let thread = thread.map_err(|error| StoreError::new(format!("cannot start a thread: {error}")))?;
        Ok(FileStore { shared, thread: Some(thread), folder: None })
    }

    fn write<T>(&self, write: impl FnOnce(&mut State) -> Result<T, WriteError>) -> Result<T, WriteError> {
        let mut state = self.shared.index.write();
        // Under the lock, so that nothing is written after the writes before were taken back.
        self.shared.health().map_err(WriteError::Store)?;
        let written = write(&mut state)?;
        drop(state);
        self.shared.wake();
        Ok(written)
    }
}

/// A log with its state and history.
fn load(files: &Files) -> Result<(Log, State), StoreError> {
    let mut state = State::default();
    let (log, revisions) = Log::open(files, |revision, key, record| state.replay(revision, key, record))?;
    state.forget(revisions.oldest, |_| {});
    // Taken back revisions have no entries.
    state.revision = revisions.newest;
    Ok((log, state))
}

impl Drop for FileStore {
    fn drop(&mut self) {
        self.shared.stop();
        if let Some(thread) = self.thread.take() {
            // It panics at a defect only, which its own message has told.
            drop(thread.join());
        }
    }
}

impl Store for FileStore {
    fn begin(&self) -> StoreStep<'_, RequestTicket> {
        StoreStep::Done(Ok(RequestTicket(self.shared.rollbacks.load(Ordering::Acquire))))
    }

    fn finish(&self, ticket: RequestTicket) -> StoreStep<'_, ()> {
        let newest = self.shared.index.revision();
        match self.shared.progress(ticket, newest) {
            Some(result) => StoreStep::Done(result),
            None => StoreStep::Later(Box::pin(self.shared.wait(ticket, newest))),
        }
    }

    fn health(&self) -> Result<(), StoreError> {
        self.shared.health()
    }

    fn size(&self) -> StoreSize {
        let disk_bytes = self.folder.as_ref().map_or(0, |folder| folder.disk_bytes());
        StoreSize { disk_bytes, ..self.shared.index.size() }
    }

    fn revision(&self) -> Revision {
        self.shared.index.revision()
    }

    fn durable(&self) -> Revision {
        self.shared.index.announced()
    }

    fn oldest(&self) -> Revision {
        self.shared.index.oldest()
    }

    fn get(&self, key: &str) -> Option<Stored> {
        self.shared.index.get(key)
    }

    fn range(&self, range: Range<'_>) -> Result<Page, OutOfRange> {
        self.shared.index.range(range)
    }

    fn put(&self, key: &str, record: Record, expect: Expect) -> Result<Revision, WriteError> {
        self.write(|state| state.put(key, record, expect))
    }

    fn delete(&self, key: &str, unchanged_since: Revision) -> Result<Revision, WriteError> {
        self.write(|state| state.delete(key, unchanged_since))
    }

    fn events(
        &self,
        prefix: &str,
        after: Revision,
        limit: usize,
    ) -> Result<(Vec<Event>, Revision), OutOfRange> {
        self.shared.index.events(prefix, after, limit)
    }

    fn signal(&self) -> Signal {
        self.shared.index.signal()
    }

    fn compact(&self, to: Revision) {
        self.shared.compact(to);
    }

    fn dependents(&self, owner_uid: &str) -> Vec<Arc<str>> {
        self.shared.index.dependents(owner_uid)
    }

    fn fork(&self) -> Box<dyn Store> {
        self.shared.index.fork()
    }

    fn adopt(&self, other: &dyn Store) -> Result<(), StoreError> {
        self.shared.adopt(other)
    }
}
