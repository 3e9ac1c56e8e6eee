//! What the tasks of a store share: the state in memory, the connection, and whether both agree.

use std::{
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, AtomicUsize, Ordering},
    },
    time::Duration,
};

use tokio::{
    sync::{Notify, mpsc, oneshot},
    time::timeout,
};

use super::{
    connection::Connection,
    keys::Keys,
    options::CALL_TIMEOUT,
    pending::Pending,
    roots::{Generation, Roots, load},
};
use crate::store::{MemoryStore, Revision, Store, StoreError, state::State};

/// The state in memory and its connection to etcd.
pub(super) struct Shared {
    /// Fed by the watch of `feed.rs` only.
    pub(super) index: MemoryStore,
    pub(super) connection: Connection,
    pub(super) keys: Keys,
    pub(super) pending: Pending,
    /// Tells the watch to begin again.
    pub(super) restart: Notify,
    /// The lease of this process, once it has claimed something.
    pub(super) session: tokio::sync::Mutex<Option<i64>>,
    /// How many claims this process has.
    claims: AtomicUsize,
    /// How large the whole etcd is.
    pub(super) disk_bytes: AtomicU64,
    generation: Mutex<Generation>,
    failures: Mutex<Failures>,
}

/// What does not work now.
#[derive(Default)]
struct Failures {
    /// The watch.
    feed: Option<StoreError>,
    /// Reading the newest revision, and the watch reaching it.
    heartbeat: Option<StoreError>,
}

/// Which part of the store an error is about.
#[derive(Clone, Copy, Debug)]
pub(super) enum Part {
    Feed,
    Heartbeat,
}

impl Shared {
    pub(super) fn new(connection: Connection, keys: Keys, index: MemoryStore) -> Shared {
        Shared {
            index,
            connection,
            keys,
            pending: Pending::default(),
            restart: Notify::new(),
            session: tokio::sync::Mutex::default(),
            claims: AtomicUsize::new(0),
            disk_bytes: AtomicU64::new(0),
            generation: Mutex::default(),
            failures: Mutex::default(),
        }
    }

    fn failures(&self) -> MutexGuard<'_, Failures> {
        self.failures.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn health(&self) -> Result<(), StoreError> {
        let failures = self.failures();
        // The heartbeat knows the reason; the watch often knows only that it was told to begin again.
        failures.heartbeat.as_ref().or(failures.feed.as_ref()).map_or(Ok(()), |error| Err(error.clone()))
    }

    /// Notes whether a part works.
    pub(super) fn note(&self, part: Part, result: Result<(), StoreError>) {
        let mut failures = self.failures();
        match part {
            Part::Feed => failures.feed = result.err(),
            Part::Heartbeat => failures.heartbeat = result.err(),
        }
    }

    pub(super) fn generation(&self) -> Generation {
        *self.generation.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn has_claims(&self) -> bool {
        self.claims.load(Ordering::Acquire) > 0
    }

    pub(super) fn claims(&self) -> &AtomicUsize {
        &self.claims
    }

    /// Replaces the whole state.
    pub(super) fn install(&self, generation: Generation, state: State) {
        let revision = state.revision;
        *self.index.write() = state;
        *self.generation.lock().unwrap_or_else(PoisonError::into_inner) = generation;
        self.announce(revision);
    }

    /// Tells watches and waiting requests what can be read.
    pub(super) fn announce(&self, revision: Revision) {
        self.index.newest.send_replace(revision);
    }

    /// Waits until the state in memory has everything up to a revision.
    pub(super) async fn reached(&self, revision: Revision) -> Result<(), StoreError> {
        self.reached_within(revision, CALL_TIMEOUT).await
    }

    pub(super) async fn reached_within(&self, revision: Revision, limit: Duration) -> Result<(), StoreError> {
        let mut signal = self.index.signal();
        let waiting = signal.wait_for(|reached| *reached >= revision);
        match timeout(limit, waiting).await {
            Ok(Ok(_)) => Ok(()),
            _ => Err(StoreError::new(format!(
                "etcd has revision {revision}, but its watch has shown no more than {} yet",
                self.index.revision()
            ))),
        }
    }

    /// Waits until the state in memory has everything that any client was told of before this call.
    pub(super) async fn catch_up(&self) -> Result<(), StoreError> {
        // Before asking: the watch may go on meanwhile.
        let known = self.index.revision();
        let head = self.connection.head(&self.keys).await?;
        if head < known {
            return Err(went_back(known, head));
        }
        self.reached(head).await
    }

    /// Reads the whole state again, since the watch cannot go on from where it was. Answers the revision of etcd after
    /// which it can.
    pub(super) async fn reload(&self) -> Result<Revision, StoreError> {
        let known = self.index.revision();
        // Not opened: an etcd that has lost its data is no new one.
        let roots = match Roots::read(&self.connection, &self.keys).await? {
            Some(roots) if roots.head >= known => roots,
            other => return Err(went_back(known, other.map_or(0, |roots| roots.head))),
        };
        let items = load(&self.connection, &self.keys, roots.generation.id, roots.revision).await?;
        self.install(roots.generation, State::of(items, roots.head));
        Ok(roots.revision)
    }
}

fn went_back(known: Revision, head: Revision) -> StoreError {
    StoreError::new(format!(
        "etcd went back from revision {known} to {head}: its data was replaced; start the server again"
    ))
}

/// A request that waits until it may read.
pub(super) type Waiting = oneshot::Sender<Result<(), StoreError>>;

/// Lets requests begin. All that came while the last question was on its way share the next one.
pub(super) async fn let_begin(shared: &Shared, mut requests: mpsc::UnboundedReceiver<Waiting>) {
    let mut waiting = Vec::new();
    while requests.recv_many(&mut waiting, usize::MAX).await > 0 {
        let result = shared.catch_up().await;
        for request in waiting.drain(..) {
            // A client that is gone does not wait.
            drop(request.send(result.clone()));
        }
    }
}
