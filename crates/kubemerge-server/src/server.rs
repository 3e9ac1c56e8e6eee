//! The server as its user sees it: clients, a look into the store, faults, the log, snapshots.

use std::{sync::Arc, time::Duration};

use bytes::Bytes;
use http::{Request, Response};
use serde_json::Value;

use crate::{
    api::{app::App, pod_logs::PodLogs, verb::watch::Bell},
    builder::Builder,
    catalog::{Catalog, split_key},
    load,
    protocol::{reply::Body, status::Failure},
    read::present::Shown,
    store::{Range, Revision, Store},
    testing::{
        fault::Rule,
        log::{Entry, Log},
    },
    transport::service::Service,
    write::ledger::Ledger,
};

/// An API server in this process. Clones are handles on the same server.
#[derive(Clone)]
pub struct ApiServer {
    app: Arc<App>,
}

/// The whole state of a server at one moment.
pub struct Snapshot {
    store: Box<dyn Store>,
}

/// How watches learn that a snapshot was restored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Restore {
    /// As events: what was created since is DELETED, what was changed is MODIFIED, what was deleted is ADDED.
    AsEvents,
    /// They end with 410, and objects have the resourceVersions of the snapshot again.
    EndWatches,
}

impl ApiServer {
    /// Begins a server.
    pub fn builder() -> Builder {
        Builder::default()
    }

    pub(crate) fn new(app: App) -> Self {
        ApiServer { app: Arc::new(app) }
    }

    /// The server as a `tower::Service`; it needs no runtime but for watches and delays.
    pub fn service(&self) -> Service {
        Service::new(self.app.clone())
    }

    /// A client without a socket; `kube::Client::default_namespace` is `default`.
    ///
    /// Must be called inside a Tokio runtime, as `kube::Client::new` must.
    #[cfg(feature = "client")]
    pub fn client(&self) -> kube::Client {
        kube::Client::new(self.service(), "default")
    }

    /// Answers one request.
    pub async fn handle(&self, request: Request<Bytes>) -> Response<Body> {
        let (parts, body) = request.into_parts();
        self.app.handle(parts, body).await
    }

    #[cfg(feature = "serve")]
    pub(crate) fn app(&self) -> &Arc<App> {
        &self.app
    }

    /// An object, past the API; the namespace is ignored for cluster-scoped kinds.
    pub fn get(&self, api_version: &str, kind: &str, namespace: &str, name: &str) -> Option<Value> {
        let resource = load::resource(&self.app, api_version, kind).ok()?;
        let key = resource.key(if resource.is_namespaced() { namespace } else { "" }, name);
        Some(Shown::stored(&self.app.store.get(&key)?).tree(&resource))
    }

    /// Every object, in the order of their keys.
    pub fn dump(&self) -> Vec<Value> {
        let page = self.app.store.range(Range::default());
        let items = page.map(|page| page.items).unwrap_or_default();
        items.iter().filter_map(|(_, stored)| serde_json::from_slice(&stored.render()).ok()).collect()
    }

    /// Stores an object as it is, past the API: to set a status, or to damage things. Watches see it.
    ///
    /// # Errors
    /// If the kind is not served, or the object has no name.
    pub fn set(&self, object: Value) -> Result<(), Failure> {
        load::put(&Ledger::new(&self.app), &object)
    }

    /// Removes an object at once, past finalizers and grace periods; tells whether it was there.
    pub fn remove(&self, api_version: &str, kind: &str, namespace: &str, name: &str) -> bool {
        let Ok(resource) = load::resource(&self.app, api_version, kind) else { return false };
        let key = resource.key(if resource.is_namespaced() { namespace } else { "" }, name);
        let ledger = Ledger::new(&self.app);
        while let Some(stored) = self.app.store.get(&key) {
            if ledger.remove(&resource, &key, &stored).is_ok() {
                return true;
            }
        }
        false
    }

    /// The text that `pods/log` answers for a container.
    pub fn set_pod_log(&self, namespace: &str, pod: &str, container: &str, text: impl Into<Bytes>) {
        self.app.logs.set(namespace, pod, container, text.into());
    }

    /// The newest revision.
    pub fn revision(&self) -> Revision {
        self.app.store.revision()
    }

    /// Forgets the history: older watches and pages get 410.
    pub fn compact(&self) {
        self.app.store.compact(self.app.store.revision());
    }

    /// Sends a bookmark on every open watch that wants them, now.
    pub fn send_bookmarks(&self) {
        self.app.bell.ring();
    }

    /// Moves a fixed clock.
    pub fn advance(&self, by: Duration) {
        self.app.clock.advance(by);
    }

    /// Adds a fault.
    pub fn inject(&self, rule: Rule) {
        self.app.faults.add(rule);
    }

    /// Takes all faults away.
    pub fn clear_faults(&self) {
        self.app.faults.clear();
    }

    /// The requests so far, oldest first.
    pub fn requests(&self) -> Vec<Entry> {
        self.app.log.entries()
    }

    /// Forgets the requests so far.
    pub fn clear_requests(&self) {
        self.app.log.clear();
    }

    /// The whole state as it is now.
    pub fn snapshot(&self) -> Snapshot {
        Snapshot { store: self.app.store.fork() }
    }

    /// Goes back to a snapshot.
    pub fn restore(&self, snapshot: &Snapshot, how: Restore) {
        match how {
            Restore::EndWatches => self.app.store.adopt(&*snapshot.store),
            Restore::AsEvents => self.replay(snapshot),
        }
        self.app.serve_definitions();
    }

    /// Writes the difference between now and then.
    fn replay(&self, snapshot: &Snapshot) {
        let all =
            |store: &dyn Store| store.range(Range::default()).map(|page| page.items).unwrap_or_default();
        for (key, stored) in all(&*self.app.store) {
            if snapshot.store.get(&key).is_none() {
                drop(self.app.store.delete(&key, stored.revision));
            }
        }
        for (key, wanted) in all(&*snapshot.store) {
            let held = self.app.store.get(&key);
            let same = held.as_ref().is_some_and(|held| held.record.canonical() == wanted.record.canonical());
            if !same {
                let expect = held.map_or(crate::store::Expect::Absent, |held| {
                    crate::store::Expect::Unchanged(held.revision)
                });
                drop(self.app.store.put(&key, wanted.record, expect));
            }
        }
    }

    /// An independent server with the same state and settings; faults and the log begin anew.
    pub fn fork(&self) -> ApiServer {
        let app = &self.app;
        let forked = App {
            store: app.store.fork().into(),
            catalog: Catalog::new(&app.schema),
            schema: app.schema.clone(),
            clock: app.clock.fork(),
            entropy: app.entropy.fork(),
            settings: app.settings.clone(),
            faults: Arc::default(),
            log: Log::new(app.log.most()),
            logs: PodLogs::default(),
            bell: Bell::default(),
        };
        forked.serve_definitions();
        ApiServer::new(forked)
    }

    /// The kinds that have objects, with their counts: for a quick look in tests.
    pub fn counts(&self) -> Vec<(String, usize)> {
        let page = self.app.store.range(Range::default());
        let mut counts: Vec<(String, usize)> = Vec::new();
        for (key, _) in page.map(|page| page.items).unwrap_or_default() {
            let Some((group, plural)) = split_key(&key) else { continue };
            let name = if group.is_empty() { plural.to_string() } else { format!("{plural}.{group}") };
            match counts.last_mut() {
                Some((last, count)) if *last == name => *count += 1,
                _ => counts.push((name, 1)),
            }
        }
        counts
    }
}
