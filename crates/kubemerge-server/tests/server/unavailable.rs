//! A store that cannot be reached: requests fail with 503 and nothing is answered that is not kept.

use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    task::Poll,
};

use kubemerge_server::{
    ApiServer,
    store::{
        Event, Expect, MemoryStore, OutOfRange, Page, Range, Record, RequestTicket, Revision, Signal, Store,
        StoreError, StoreSize, StoreStep, Stored, WriteError,
    },
};
use serde_json::Value;

use crate::server::support::{CONFIG_MAPS, ask, config_map, get};

/// The step of a request that fails.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Failing {
    #[default]
    Nothing,
    Begin,
    Write,
    Finish,
}

/// A store in memory with faults. Every step waits once, as one in a network does.
#[derive(Clone, Default)]
struct UnreliableStore {
    inner: Arc<MemoryStore>,
    failing: Arc<Mutex<Failing>>,
    was_read: Arc<AtomicBool>,
}

impl UnreliableStore {
    fn fail(&self, failing: Failing) {
        *self.failing.lock().unwrap() = failing;
    }

    fn check(&self, step: Failing) -> Result<(), StoreError> {
        if *self.failing.lock().unwrap() == step { Err(StoreError::new("no connection")) } else { Ok(()) }
    }
}

/// Waits as long as a wake takes.
async fn wait_once() {
    let mut has_waited = false;
    let wait = std::future::poll_fn(|context| {
        if std::mem::replace(&mut has_waited, true) {
            Poll::Ready(())
        } else {
            context.waker().wake_by_ref();
            Poll::Pending
        }
    });
    wait.await;
}

impl Store for UnreliableStore {
    fn begin(&self) -> StoreStep<'_, RequestTicket> {
        StoreStep::Later(Box::pin(async {
            wait_once().await;
            self.check(Failing::Begin).map(|()| RequestTicket::default())
        }))
    }

    fn finish(&self, _: RequestTicket) -> StoreStep<'_, ()> {
        StoreStep::Later(Box::pin(async {
            wait_once().await;
            self.check(Failing::Finish)
        }))
    }

    fn health(&self) -> Result<(), StoreError> {
        self.check(Failing::Begin)
    }

    fn size(&self) -> StoreSize {
        self.inner.size()
    }

    fn revision(&self) -> Revision {
        self.inner.revision()
    }

    fn oldest(&self) -> Revision {
        self.inner.oldest()
    }

    fn get(&self, key: &str) -> Option<Stored> {
        self.was_read.store(true, Ordering::Relaxed);
        self.inner.get(key)
    }

    fn range(&self, range: Range<'_>) -> Result<Page, OutOfRange> {
        self.inner.range(range)
    }

    fn put(&self, key: &str, record: Record, expect: Expect) -> Result<Revision, WriteError> {
        self.check(Failing::Write).map_err(WriteError::Store)?;
        self.inner.put(key, record, expect)
    }

    fn delete(&self, key: &str, unchanged_since: Revision) -> Result<Revision, WriteError> {
        self.check(Failing::Write).map_err(WriteError::Store)?;
        self.inner.delete(key, unchanged_since)
    }

    fn events(
        &self,
        prefix: &str,
        after: Revision,
        limit: usize,
    ) -> Result<(Vec<Event>, Revision), OutOfRange> {
        self.inner.events(prefix, after, limit)
    }

    fn signal(&self) -> Signal {
        self.inner.signal()
    }

    fn compact(&self, to: Revision) {
        self.inner.compact(to);
    }

    fn dependents(&self, owner_uid: &str) -> Vec<Arc<str>> {
        self.inner.dependents(owner_uid)
    }

    fn fork(&self) -> Box<dyn Store> {
        self.inner.fork()
    }

    fn adopt(&self, other: &dyn Store) -> Result<(), StoreError> {
        self.inner.adopt(other)
    }
}

fn server() -> (ApiServer, UnreliableStore) {
    let store = UnreliableStore::default();
    let server = ApiServer::builder().objects([config_map("a")]).store(store.clone()).build().unwrap();
    (server, store)
}

#[tokio::test]
async fn a_store_that_cannot_be_reached_is_told_and_never_read() {
    let (server, store) = server();
    let path = format!("{CONFIG_MAPS}/a");
    assert_eq!(get(&server, &path).await.code, 200);
    store.fail(Failing::Begin);
    store.was_read.store(false, Ordering::Relaxed);
    let answer = get(&server, &path).await;
    assert_eq!((answer.code, answer.message()), (503, "the store is not available: no connection"));
    assert_eq!(answer.body["reason"], "ServiceUnavailable");
    assert_eq!(answer.headers["retry-after"], "1");
    assert!(!store.was_read.load(Ordering::Relaxed));
    assert_eq!(server.set(config_map("b")).unwrap_err().code(), 503);
    assert_eq!(get(&server, "/version").await.code, 200, "it needs no store");
    store.fail(Failing::Nothing);
    assert_eq!(get(&server, &path).await.code, 200);
}

#[tokio::test]
async fn a_write_that_fails_is_no_conflict_and_is_not_tried_for_ever() {
    let (server, store) = server();
    let path = format!("{CONFIG_MAPS}/a");
    store.fail(Failing::Write);
    assert_eq!(ask(&server, "POST", CONFIG_MAPS, config_map("b")).await.code, 503);
    let mut changed = config_map("a");
    changed["data"]["a"] = "2".into();
    assert_eq!(ask(&server, "PUT", &path, changed).await.code, 503);
    assert_eq!(ask(&server, "DELETE", &path, Value::Null).await.code, 503);
    assert_eq!(server.set(config_map("a")).unwrap_err().code(), 503);
    assert!(!server.remove("v1", "ConfigMap", "default", "a"));
    assert_eq!(get(&server, &path).await.body["data"]["a"], "1");
}

#[tokio::test]
async fn an_answer_that_is_not_durable_does_not_leave() {
    let (server, store) = server();
    store.fail(Failing::Finish);
    assert_eq!(ask(&server, "POST", CONFIG_MAPS, config_map("b")).await.code, 503);
    assert_eq!(get(&server, CONFIG_MAPS).await.code, 503);
    let logged = server.requests().last().map(|entry| entry.code);
    assert_eq!(logged, Some(503));
}

#[tokio::test]
async fn a_server_without_its_store_is_not_ready() {
    let (server, store) = server();
    assert_eq!(get(&server, "/readyz").await.code, 200);
    store.fail(Failing::Begin);
    let answer = get(&server, "/readyz").await;
    let text = answer.body.as_str().unwrap();
    assert_eq!(answer.code, 500);
    assert!(text.contains("[+]log ok\n[-]etcd failed: reason withheld\n[-]etcd-readiness failed"), "{text}");
    assert!(text.ends_with("\nreadyz check failed\n"), "{text}");
    assert_eq!(get(&server, "/readyz/etcd").await.body, "internal server error: no connection\n");
    assert_eq!(get(&server, "/readyz/ping").await.code, 200);
    assert_eq!(get(&server, "/readyz?exclude=etcd&exclude=etcd-readiness").await.code, 200);
}
