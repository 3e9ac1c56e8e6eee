//! The store in etcd, which several processes share: together they are one API server.
//!
//! Reads come from memory. The state there is that of etcd at a revision, and only a watch of etcd moves it on
//! (`feed.rs`), in the order of revisions. A request begins with a linearizable read of the newest revision and waits
//! until the watch has reached it (`shared.rs`). A write is a transaction that compares and swaps (`write.rs`), and
//! returns when the watch has shown it, so that a request that reads after it has written sees every write before its
//! own, of whatever process. Everything in memory is durable, and nothing is ever taken back.
//!
//! The calls run on a thread of the store. Methods that wait for one stop their own thread; inside a runtime with
//! several threads they tell it, so that other requests go on.

mod adopt;
mod claims;
mod compaction;
mod connection;
mod feed;
mod keys;
mod options;
mod pending;
mod roots;
mod shared;
mod write;

use std::{
    future::Future,
    sync::{Arc, atomic::Ordering},
    time::Duration,
};

use tokio::{
    runtime::{Handle, Runtime, RuntimeFlavor},
    sync::{mpsc, oneshot},
    time::timeout,
};

pub use self::options::EtcdOptions;
use self::{
    connection::Connection,
    shared::{Shared, Waiting, let_begin},
    write::KeyChange,
};
use super::{
    Event, Expect, MemoryStore, OutOfRange, Page, Range, Record, RequestTicket, Revision, Signal, Store,
    StoreError, StoreSize, StoreStep, Stored, WriteError,
};

/// How long a server may take to read the state at its start.
const START_TIMEOUT: Duration = Duration::from_mins(2);

/// Keeps everything in etcd, and in memory for reading. Several processes can use one prefix of an etcd.
pub struct EtcdStore {
    shared: Arc<Shared>,
    requests: mpsc::UnboundedSender<Waiting>,
    /// None while the store is dropped.
    runtime: Option<Runtime>,
}

impl EtcdStore {
    /// Connects to etcd and reads the state.
    ///
    /// # Errors
    /// If etcd cannot be reached or refuses the user, or the prefix holds something else or a newer format. Nothing is
    /// changed then.
    pub fn open(options: EtcdOptions) -> Result<EtcdStore, StoreError> {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .thread_name("kubemerge-etcd")
            .enable_all()
            .build()
            .map_err(|error| StoreError::new(format!("cannot start a thread: {error}")))?;
        match wait_on(runtime.handle(), start(options)).and_then(|started| started) {
            Ok((shared, requests)) => Ok(EtcdStore { shared, requests, runtime: Some(runtime) }),
            Err(error) => {
                // Dropping a runtime inside another one is not allowed.
                runtime.shutdown_background();
                Err(error)
            }
        }
    }

    /// Carries out calls on the thread of the store, and stops this one until they are done.
    fn wait<T: Send + 'static, F>(&self, run: impl FnOnce(Arc<Shared>) -> F) -> Result<T, StoreError>
    where
        F: Future<Output = T> + Send + 'static,
    {
        match &self.runtime {
            Some(runtime) => wait_on(runtime.handle(), run(self.shared.clone())),
            None => Err(StoreError::new("the store is closed")),
        }
    }

    fn write(&self, key: &str, change: KeyChange, expect: Expect) -> Result<Revision, WriteError> {
        let key = key.to_string();
        self.wait(|shared| async move { shared.write(&key, change, expect).await })?
    }
}

impl Drop for EtcdStore {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

/// Runs a future in a runtime, and stops this thread until it is done.
fn wait_on<T: Send + 'static>(
    runtime: &Handle,
    future: impl Future<Output = T> + Send + 'static,
) -> Result<T, StoreError> {
    let (sender, receiver) = std::sync::mpsc::sync_channel(1);
    runtime.spawn(async move { drop(sender.send(future.await)) });
    let receive = || receiver.recv().map_err(|_| StoreError::new("the store is closed"));
    match Handle::try_current().map(|handle| handle.runtime_flavor()) {
        Ok(RuntimeFlavor::MultiThread) => tokio::task::block_in_place(receive),
        // One thread has no other to go on with, and it is not the one that the calls run on.
        _ => receive(),
    }
}

/// Reads the state and starts the tasks that keep it.
async fn start(options: EtcdOptions) -> Result<(Arc<Shared>, mpsc::UnboundedSender<Waiting>), StoreError> {
    let connection = Connection::open(&options).await?;
    let shared = Arc::new(Shared::new(connection, options.keys.clone(), MemoryStore::default()));
    let (after, head) = match timeout(START_TIMEOUT, feed::begin(&shared)).await {
        Ok(begun) => begun?,
        Err(_) => return Err(StoreError::new("etcd does not answer fast enough")),
    };
    let (requests, waiting) = mpsc::unbounded_channel();
    spawn(&shared, move |shared| async move { feed::run(&shared, after).await });
    spawn(&shared, |shared| async move { feed::heartbeat(&shared).await });
    spawn(&shared, |shared| async move { let_begin(&shared, waiting).await });
    spawn(&shared, |shared| async move { claims::keep_session(&shared).await });
    if let Some(interval) = options.compaction_interval {
        spawn(&shared, move |shared| async move { compaction::run(&shared, interval).await });
    }
    shared.reached_within(head, START_TIMEOUT).await?;
    Ok((shared, requests))
}

fn spawn<F: Future<Output = ()> + Send + 'static>(shared: &Arc<Shared>, run: impl FnOnce(Arc<Shared>) -> F) {
    tokio::spawn(run(shared.clone()));
}

impl Store for EtcdStore {
    fn begin(&self) -> StoreStep<'_, RequestTicket> {
        // While etcd is known to be away, no request waits for it.
        if let Err(error) = self.shared.health() {
            return StoreStep::Done(Err(error));
        }
        let (sender, receiver) = oneshot::channel();
        if self.requests.send(sender).is_err() {
            return StoreStep::Done(Err(StoreError::new("the store is closed")));
        }
        StoreStep::Later(Box::pin(async move {
            let begun = receiver.await.map_err(|_| StoreError::new("the store is closed"))?;
            begun.map(|()| RequestTicket::default())
        }))
    }

    fn health(&self) -> Result<(), StoreError> {
        self.shared.health()
    }

    fn is_shared(&self) -> bool {
        true
    }

    fn claim(&self, name: &str) -> Result<bool, StoreError> {
        let name = name.to_string();
        self.wait(|shared| async move { shared.claim(&name).await })?
    }

    fn release(&self, name: &str) {
        let name = name.to_string();
        // A claim that cannot be given back ends with the lease.
        drop(self.wait(|shared| async move { shared.release(&name).await }));
    }

    fn size(&self) -> StoreSize {
        let disk_bytes = self.shared.disk_bytes.load(Ordering::Relaxed);
        StoreSize { disk_bytes, ..self.shared.index.size() }
    }

    fn revision(&self) -> Revision {
        self.shared.index.revision()
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
        self.write(key, KeyChange::Put(record), expect)
    }

    fn delete(&self, key: &str, unchanged_since: Revision) -> Result<Revision, WriteError> {
        self.write(key, KeyChange::Delete, Expect::Unchanged(unchanged_since))
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
        let to = to.min(self.shared.index.revision());
        self.shared.index.compact(to);
        // Other servers hear of it if etcd does; it is no promise.
        drop(self.wait(|shared| async move { shared.forget(to).await }));
    }

    fn dependents(&self, owner_uid: &str) -> Vec<Arc<str>> {
        self.shared.index.dependents(owner_uid)
    }

    fn fork(&self) -> Box<dyn Store> {
        self.shared.index.fork()
    }

    fn adopt(&self, other: &dyn Store) -> Result<(), StoreError> {
        let page = other.range(Range::default()).map_err(|error| StoreError::new(error.to_string()))?;
        self.wait(|shared| async move { shared.adopt(page).await })?
    }
}
