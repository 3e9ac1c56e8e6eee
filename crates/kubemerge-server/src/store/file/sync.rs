//! The thread that makes writes durable, and what it shares with the store.

use std::{
    collections::VecDeque,
    sync::{
        Condvar, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use super::{
    disk::Files,
    load,
    log::{Commit, Log, Revisions},
};
use crate::store::{Event, MemoryStore, Range, RequestTicket, Revision, Store, StoreError, state::State};

/// How often a log that failed is tried again, and how exact the age of the history is.
const TICK: Duration = Duration::from_secs(1);

/// The state in memory and the way of its changes to the disk.
///
/// Locks are taken in this order: the log, the state, the signals.
pub(super) struct Shared {
    pub(super) index: MemoryStore,
    /// How often writes were taken back.
    pub(super) rollbacks: AtomicU64,
    log: Mutex<Journal>,
    signals: Mutex<Signals>,
    changed: Condvar,
    max_age: Duration,
}

/// The log and what the next commit has to do besides new events.
struct Journal {
    files: Files,
    /// None after a failure, until it could be opened again.
    log: Option<Log>,
    /// Entries that left the history since the last commit.
    obsolete: Vec<Revision>,
    /// The oldest revision as the log has it.
    oldest: Revision,
    /// No revision up to this one is given to a write again.
    floor: Revision,
    /// When which revision was the newest, oldest first.
    ages: VecDeque<(Instant, Revision)>,
}

/// What wakes the thread.
#[derive(Default)]
struct Signals {
    has_work: bool,
    stops: bool,
    failure: Option<StoreError>,
}

impl Shared {
    pub(super) fn new(index: MemoryStore, log: Log, files: Files, max_age: Duration) -> Self {
        let journal = Journal {
            files,
            log: Some(log),
            obsolete: Vec::new(),
            floor: 0,
            oldest: index.oldest(),
            ages: VecDeque::new(),
        };
        Shared {
            index,
            rollbacks: AtomicU64::new(0),
            log: Mutex::new(journal),
            signals: Mutex::default(),
            changed: Condvar::new(),
            max_age,
        }
    }

    fn signals(&self) -> MutexGuard<'_, Signals> {
        self.signals.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn journal(&self) -> MutexGuard<'_, Journal> {
        self.log.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Tells the thread that something was written.
    pub(super) fn wake(&self) {
        let mut signals = self.signals();
        // Most writes find that another one has told it.
        if !std::mem::replace(&mut signals.has_work, true) {
            self.changed.notify_one();
        }
    }

    /// Ends the thread once everything is written.
    pub(super) fn stop(&self) {
        self.signals().stops = true;
        self.changed.notify_one();
    }

    pub(super) fn health(&self) -> Result<(), StoreError> {
        self.signals().failure.clone().map_or(Ok(()), Err)
    }

    /// The result of waiting for a revision, if it is known.
    pub(super) fn progress(&self, ticket: RequestTicket, wanted: Revision) -> Option<Result<(), StoreError>> {
        // Before this: a revision that was taken back seems durable as soon as a later one is.
        let durable = self.index.announced();
        if self.rollbacks.load(Ordering::Acquire) != ticket.0 {
            let lost = || StoreError::new("writes that this request may have seen could not be kept");
            return Some(Err(self.health().err().unwrap_or_else(lost)));
        }
        (durable >= wanted).then_some(Ok(()))
    }

    /// Waits until everything up to a revision is durable.
    pub(super) async fn wait(&self, ticket: RequestTicket, wanted: Revision) -> Result<(), StoreError> {
        let mut signal = self.index.signal();
        loop {
            signal.borrow_and_update();
            if let Some(result) = self.progress(ticket, wanted) {
                return result;
            }
            // The sender is as old as this store.
            signal.changed().await.map_err(|_| StoreError::new("the store is closed"))?;
        }
    }

    /// Tells watches and waiting requests which revision is durable.
    fn announce(&self, durable: Revision) {
        self.index.newest.send_replace(durable);
    }

    /// What the thread does until the store is dropped.
    pub(super) fn run(&self) {
        while self.wait_for_work() {
            let mut journal = self.journal();
            let flushed = match journal.log {
                Some(_) => self.flush(&mut journal),
                None => self.recover(&mut journal),
            };
            match flushed {
                Ok(()) => self.signals().failure = None,
                Err(error) => self.fail(&mut journal, error),
            }
        }
    }

    /// Answers false when the store was dropped and nothing is left to write.
    fn wait_for_work(&self) -> bool {
        let signals = self.signals();
        let waiting = |signals: &mut Signals| !signals.has_work && !signals.stops;
        let waited = self.changed.wait_timeout_while(signals, TICK, waiting);
        let (mut signals, _) = waited.unwrap_or_else(PoisonError::into_inner);
        let is_over = signals.stops && (!signals.has_work || signals.failure.is_some());
        signals.has_work = false;
        !is_over
    }

    /// Writes what is not durable yet.
    fn flush(&self, journal: &mut Journal) -> Result<(), StoreError> {
        let durable = self.index.announced();
        let state = self.index.read();
        let (events, newest, oldest) = (state.events_after(durable), state.revision, state.oldest);
        drop(state);
        let has_changed = !events.is_empty() || !journal.obsolete.is_empty() || journal.oldest != oldest;
        if let Some(log) = journal.log.as_mut().filter(|_| has_changed) {
            log.commit(&Commit { events: &events, obsolete: &journal.obsolete, newest, oldest })?;
        }
        // After the commit, which may have gone to a file that no name leads to any more.
        journal.files.disk.check()?;
        if has_changed {
            journal.obsolete.clear();
            journal.oldest = oldest;
            self.announce(newest);
        }
        self.forget_old(journal, newest);
        Ok(())
    }

    /// Drops the part of the history that is too long or too old; the next commit drops its entries.
    fn forget_old(&self, journal: &mut Journal, durable: Revision) {
        let now = Instant::now();
        // One mark a tick is enough for ages of minutes and hours.
        if journal.ages.back().is_none_or(|(time, _)| now.duration_since(*time) >= TICK) {
            journal.ages.push_back((now, durable));
        }
        let mut to = 0;
        while let Some((_, revision)) =
            journal.ages.front().copied().filter(|(time, _)| now.duration_since(*time) > self.max_age)
        {
            to = revision;
            journal.ages.pop_front();
        }
        let mut state = self.index.write();
        let obsolete = &mut journal.obsolete;
        state.forget(to.min(durable), |dropped| note(obsolete, dropped));
        // What is not durable yet must stay, to be taken back if need be; it counts a moment later.
        state.trim(self.index.history, durable, |dropped| note(obsolete, dropped));
    }

    pub(super) fn compact(&self, to: Revision) {
        let mut journal = self.journal();
        let durable = self.index.announced();
        let mut state = self.index.write();
        state.forget(to.min(durable), |dropped| note(&mut journal.obsolete, dropped));
        drop((state, journal));
        self.wake();
    }

    /// Takes back what could not be written. Reads go on with the state before, writes are refused from now on.
    fn fail(&self, journal: &mut Journal, error: StoreError) {
        journal.log = None;
        let mut state = self.index.write();
        let durable = self.index.announced();
        journal.floor = journal.floor.max(state.revision);
        state.undo_after(durable);
        self.signals().failure = Some(error);
        self.rollbacks.fetch_add(1, Ordering::AcqRel);
        // Wakes the requests that wait.
        self.announce(durable);
    }

    /// Makes the log work again.
    fn recover(&self, journal: &mut Journal) -> Result<(), StoreError> {
        journal.files.disk.check()?;
        let (log, revisions) = if journal.files.are_uncertain() {
            self.write_again(journal)?
        } else {
            self.read_again(journal)?
        };
        journal.obsolete.clear();
        journal.oldest = revisions.oldest;
        journal.log = Some(log);
        self.announce(revisions.newest);
        Ok(())
    }

    /// Opens the log again and reads it: the commit that failed is there as a whole or not at all. If it is, its writes
    /// happen now; its requests were told that they may have happened.
    fn read_again(&self, journal: &Journal) -> Result<(Log, Revisions), StoreError> {
        let (mut log, mut fresh) = load(&journal.files)?;
        // Requests that are still running must not find another write with a revision that was taken back.
        fresh.revision = fresh.revision.max(journal.floor);
        let (newest, oldest) = (fresh.revision, fresh.oldest);
        log.commit(&Commit { newest, oldest, ..Commit::default() })?;
        *self.index.write() = fresh;
        Ok((log, Revisions { newest, oldest }))
    }

    /// Begins a new log with the state in memory, which is the last that was durable.
    fn write_again(&self, journal: &Journal) -> Result<(Log, Revisions), StoreError> {
        let state = self.index.read();
        let revisions = Revisions { newest: state.revision.max(journal.floor), oldest: state.oldest };
        let log = Log::begin(&journal.files, state.entries(), revisions)?;
        drop(state);
        self.index.write().revision = revisions.newest;
        Ok((log, revisions))
    }

    /// Takes over another store's newest state.
    pub(super) fn adopt(&self, other: &dyn Store) -> Result<(), StoreError> {
        let page = other.range(Range::default()).map_err(|error| StoreError::new(error.to_string()))?;
        let mut journal = self.journal();
        self.health()?;
        let mut state = self.index.write();
        let newest = state.revision.max(page.revision) + 1;
        let Some(log) = &mut journal.log else { return Err(StoreError::new("the log is not open")) };
        if let Err(error) = log.replace(page.items.iter().map(|(key, stored)| (&**key, stored)), newest) {
            drop(state);
            self.fail(&mut journal, error.clone());
            return Err(error);
        }
        journal.obsolete.clear();
        journal.oldest = newest;
        *state = State::of(page.items, newest);
        self.announce(newest);
        Ok(())
    }
}

/// Notes the entries that no state has any more after an event has left the history.
fn note(obsolete: &mut Vec<Revision>, event: &Event) {
    obsolete.extend(event.previous.as_ref().map(|previous| previous.revision));
    if event.value.is_none() {
        obsolete.push(event.revision);
    }
}
