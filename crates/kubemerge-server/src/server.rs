//! The public handle of a server: clients, access to the store, faults, the log, snapshots.

#[cfg(feature = "serve")]
use std::{future::Future, io};
use std::{sync::Arc, time::Duration};

use bytes::Bytes;
use http::{Request, Response};
use serde_json::Value;

#[cfg(feature = "serve")]
use crate::{
    api::streams::{ExecProcess, ForwardedPort, ProcessAccess},
    transport::{
        listener::{self, Serving},
        options::ServeOptions,
    },
};
use crate::{
    api::{
        metrics::Metrics, openapi::V2Cache, pod_logs::ContainerKey, state::Api,
        watch_settings::BookmarkTrigger,
    },
    apply,
    builder::Builder,
    catalog::{Resource, cluster::Cluster, field_index::FieldIndex, split_key},
    dump,
    given::BuildError,
    kind::{Kind, shown::Shown},
    load,
    protocol::{reply::Body, status::Failure},
    store::{Expect, RecordForm, Revision, Store, StoreError, Stored, WriteError, store_failure},
    testing::{
        TestHooks, assert_requests, assert_requests_among_others,
        fault::{FaultRule, On},
        intercept::Interceptor,
        log::{Log, LoggedRequest},
        owners::FieldOwners,
    },
    transport::service::Service,
};

/// An API server in this process. Clones are handles on the same server.
#[derive(Clone)]
#[must_use]
pub struct ApiServer {
    api: Arc<Api>,
    testing: Arc<TestHooks>,
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

    pub(crate) fn new(api: Api, testing: Arc<TestHooks>) -> Self {
        ApiServer { api: Arc::new(api), testing }
    }

    /// The server as a `tower::Service`; it needs no runtime but for watches and delays.
    ///
    /// Clients of any version of kube are made of it: `kube::Client::new(server.service(), "default")`.
    pub fn service(&self) -> Service {
        Service::new(self.api.clone())
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
        self.api.handle(parts, body).await
    }

    /// Listens; the socket is open when this returns.
    ///
    /// # Errors
    /// If the address cannot be bound, a certificate cannot be made, or an address other than loopback has no token.
    #[cfg(feature = "serve")]
    pub async fn serve(&self, options: ServeOptions) -> io::Result<Serving> {
        listener::serve(self.api.clone(), &options).await
    }

    /// An object, without a request; the namespace is ignored for cluster-scoped kinds.
    ///
    /// # Panics
    /// If the kind is not served.
    #[track_caller]
    pub fn get(&self, api_version: &str, kind: &str, namespace: &str, name: &str) -> Option<Value> {
        self.object(api_version, kind, namespace, name).value()
    }

    /// The objects of a kind in a namespace, or in all of them if it is empty, in the order of their keys.
    ///
    /// # Panics
    /// If the kind is not served.
    #[track_caller]
    pub fn list(&self, api_version: &str, kind: &str, namespace: &str) -> Vec<Value> {
        let resource = load::resource(&self.api.cluster, api_version, kind);
        let resource = resource.unwrap_or_else(|failure| panic!("{}", failure.message()));
        let items = self.api.cluster.store.newest(&resource.prefix(resource.namespace_of_key(namespace)));
        items.iter().map(|(_, stored)| self.shown(&resource, stored)).collect()
    }

    /// Who owns the fields of an object; nothing if there is no such object.
    ///
    /// # Panics
    /// If the kind is not served.
    #[track_caller]
    pub fn owners(&self, api_version: &str, kind: &str, namespace: &str, name: &str) -> FieldOwners {
        self.object(api_version, kind, namespace, name).owners()
    }

    /// An object in the form in which the server shows it.
    pub(crate) fn shown(&self, resource: &Resource, stored: &Stored) -> Value {
        let cluster = &self.api.cluster;
        Shown::stored(stored).with(cluster.managed_fields).tree(Kind::of(cluster, resource))
    }

    /// Every object, in the order of their keys.
    pub fn dump(&self) -> Vec<Value> {
        let items = self.api.cluster.store.newest("");
        let form = RecordForm { managed_fields: self.api.cluster.managed_fields, ..RecordForm::default() };
        let tree = |stored: &Stored| {
            let mut text = Vec::new();
            stored.record.write(stored.revision, form, &mut text);
            serde_json::from_slice(&text).ok()
        };
        items.iter().filter_map(|(_, stored)| tree(stored)).collect()
    }

    /// Replaces the whole state by the objects of a [`ApiServer::dump`], with their uids, resourceVersions and field
    /// owners. Watches end with 410.
    ///
    /// # Errors
    /// If an object cannot be loaded, is given twice, or the store cannot write; the state is then the one before.
    pub fn restore_dump(&self, objects: Vec<Value>) -> Result<(), BuildError> {
        dump::restore(&self.api, objects)
    }

    /// Stores an object as it is, without a request: to set a status, or to store an invalid object. Watches see it.
    ///
    /// # Errors
    /// If the kind is not served, the object has no name, or the store cannot write it.
    pub fn set(&self, object: Value) -> Result<(), Failure> {
        self.api.durably(|| load::put(&self.api.transaction(), &object))
    }

    /// Removes an object at once, regardless of finalizers and grace periods; returns whether it was there. A store on
    /// a disk has written that once [`ApiServer::flush`] returns.
    ///
    /// # Panics
    /// If the kind is not served.
    #[track_caller]
    pub fn remove(&self, api_version: &str, kind: &str, namespace: &str, name: &str) -> bool {
        self.object(api_version, kind, namespace, name).remove()
    }

    pub(crate) fn remove_stored(&self, resource: &Resource, key: &str) -> bool {
        let transaction = self.api.transaction();
        // Another client may write in between; the removal is tried until it wins.
        while let Some(stored) = self.api.cluster.store.get(key) {
            match transaction.remove(resource, key, &stored) {
                Ok(_) => return true,
                Err(WriteError::Mismatch(_)) => {}
                Err(WriteError::Store(_)) => return false,
            }
        }
        false
    }

    /// Waits until everything that was written so far is durable. Requests wait by themselves.
    ///
    /// # Errors
    /// If the store cannot write.
    pub fn flush(&self) -> Result<(), Failure> {
        self.api.durably(|| Ok(()))
    }

    /// Applies the objects of a YAML text in their order, as `kubectl apply --server-side --force-conflicts` does, and
    /// answers them. Faults, interceptors and the request log have nothing to do with it.
    ///
    /// # Errors
    /// If the text is not YAML, or at the first object that is refused, which the error names with its line.
    pub fn apply_yaml(&self, text: &str) -> Result<Vec<Value>, BuildError> {
        apply::apply_yaml(&self.api, text)
    }

    /// The log that `pods/log` answers for a container; its lines have the present time.
    pub fn set_pod_log(&self, namespace: &str, pod: &str, container: &str, text: impl Into<Bytes>) {
        let (key, now) = (ContainerKey::new(namespace, pod, container), self.cluster().clock.now());
        self.api.pod_logs.set(key, text.into(), now);
    }

    /// Adds to the log of a container; clients that follow it see the new lines.
    pub fn append_pod_log(&self, namespace: &str, pod: &str, container: &str, text: impl Into<Bytes>) {
        let (key, now) = (ContainerKey::new(namespace, pod, container), self.cluster().clock.now());
        self.api.pod_logs.append(key, &text.into(), now);
    }

    /// The log of the container that ran before the present one: `kubectl logs --previous`.
    pub fn set_previous_pod_log(&self, namespace: &str, pod: &str, container: &str, text: impl Into<Bytes>) {
        let (key, now) = (ContainerKey::new(namespace, pod, container), self.cluster().clock.now());
        self.api.pod_logs.set_previous(key, &text.into(), now);
    }

    /// Ends the log of a container, as its exit does: clients that follow it see the end. A log also ends when its pod
    /// is deleted or has finished.
    pub fn end_pod_log(&self, namespace: &str, pod: &str, container: &str) {
        self.api.pod_logs.end(ContainerKey::new(namespace, pod, container));
    }

    /// Lets a closure be the commands in a pod: `kubectl exec`, `Api::exec`. It answers the exit code. Without a handler
    /// such requests are answered with 501.
    #[cfg(feature = "serve")]
    pub fn on_exec<F>(
        &self,
        namespace: &str,
        pod: &str,
        handler: impl Fn(ExecProcess) -> F + Send + Sync + 'static,
    ) where
        F: Future<Output = io::Result<i32>> + Send + 'static,
    {
        let handler = Arc::new(move |process| Box::pin(handler(process)) as _);
        self.api.streams.set_process(ProcessAccess::Exec, (namespace.into(), pod.into()), handler);
    }

    /// The same for clients that attach to a pod.
    #[cfg(feature = "serve")]
    pub fn on_attach<F>(
        &self,
        namespace: &str,
        pod: &str,
        handler: impl Fn(ExecProcess) -> F + Send + Sync + 'static,
    ) where
        F: Future<Output = io::Result<i32>> + Send + 'static,
    {
        let handler = Arc::new(move |process| Box::pin(handler(process)) as _);
        self.api.streams.set_process(ProcessAccess::Attach, (namespace.into(), pod.into()), handler);
    }

    /// Lets a closure serve the ports of a pod, one call for each connection that is forwarded.
    #[cfg(feature = "serve")]
    pub fn on_port_forward<F>(
        &self,
        namespace: &str,
        pod: &str,
        handler: impl Fn(ForwardedPort) -> F + Send + Sync + 'static,
    ) where
        F: Future<Output = io::Result<()>> + Send + 'static,
    {
        let handler = Arc::new(move |connection| Box::pin(handler(connection)) as _);
        self.api.streams.set_ports((namespace.into(), pod.into()), handler);
    }

    /// Lets field selectors name a field of a kind, as [`Builder::field_index`] does, from now on.
    ///
    /// # Panics
    /// If the kind is not served and no definition can add it.
    #[track_caller]
    pub fn field_index(
        &self,
        api_version: &str,
        kind: &str,
        field: &str,
        read: impl Fn(&Value) -> Vec<String> + Send + Sync + 'static,
    ) {
        if let Err(failure) = load::resource_if_defined(self.cluster(), api_version, kind) {
            panic!("{}", failure.message());
        }
        self.cluster().field_indexes.add(FieldIndex::new(api_version, kind, field, read));
    }

    /// The newest revision.
    pub fn revision(&self) -> Revision {
        self.api.cluster.store.revision()
    }

    /// Drops the history: older watches and pages get 410.
    pub fn compact(&self) {
        self.api.cluster.store.compact(self.api.cluster.store.revision());
    }

    /// Sends a bookmark on every open watch that wants them, now.
    pub fn send_bookmarks(&self) {
        self.api.bookmarks.fire();
    }

    /// Moves a fixed clock.
    pub fn advance(&self, by: Duration) {
        self.api.cluster.clock.advance(by);
    }

    /// Adds a fault.
    ///
    /// # Panics
    /// If its matcher names a resource that is not served.
    #[track_caller]
    pub fn inject(&self, rule: FaultRule) {
        self.check_matcher(rule.on());
        self.testing.faults.add(rule);
    }

    /// Adds a closure that sees requests: [`On::before`], [`On::instead`], [`On::after`].
    ///
    /// # Panics
    /// If its matcher names a resource that is not served.
    #[track_caller]
    pub fn intercept(&self, interceptor: Interceptor) {
        self.check_matcher(&interceptor.on);
        self.testing.interceptors.add(interceptor);
    }

    /// Removes all interceptors.
    pub fn clear_interceptors(&self) {
        self.testing.interceptors.clear();
    }

    /// A matcher that cannot match is a mistake that a test would never notice.
    #[track_caller]
    fn check_matcher(&self, on: &On) {
        if let Some(problem) = on.problem(&self.cluster().catalog.index()) {
            panic!("{problem}");
        }
    }

    #[cfg(all(test, feature = "serve"))]
    pub(crate) fn api(&self) -> Arc<Api> {
        self.api.clone()
    }

    pub(crate) fn cluster(&self) -> &Cluster {
        &self.api.cluster
    }

    /// Removes all faults.
    pub fn clear_faults(&self) {
        self.testing.faults.clear();
    }

    /// The requests so far, oldest first.
    pub fn requests(&self) -> Vec<LoggedRequest> {
        self.testing.log.entries()
    }

    /// The requests that match, oldest first.
    ///
    /// # Panics
    /// If the matcher names a resource that is not served.
    #[track_caller]
    pub fn requests_to(&self, on: &On) -> Vec<LoggedRequest> {
        self.check_matcher(on);
        self.requests().into_iter().filter(|entry| entry.matches(on)).collect()
    }

    /// Asserts that the log holds exactly these requests for objects, in this order; discovery does not count.
    ///
    /// # Panics
    /// If it does not, with what was wanted beside what was made; the first difference is marked.
    #[track_caller]
    pub fn assert_requests(&self, wanted: &[On]) {
        wanted.iter().for_each(|on| self.check_matcher(on));
        assert_requests(self.requests(), wanted);
    }

    /// Asserts that the log holds these requests in this order, whatever was asked before, between and after.
    ///
    /// # Panics
    /// If it does not, with what was wanted beside what was made; the first that is missing is marked.
    #[track_caller]
    pub fn assert_requests_among_others(&self, wanted: &[On]) {
        wanted.iter().for_each(|on| self.check_matcher(on));
        assert_requests_among_others(&self.requests(), wanted);
    }

    /// Forgets the requests so far.
    pub fn clear_requests(&self) {
        self.testing.log.clear();
    }

    /// The whole state as it is now.
    pub fn snapshot(&self) -> Snapshot {
        Snapshot { store: self.api.cluster.store.fork() }
    }

    /// Goes back to a snapshot.
    ///
    /// # Errors
    /// If the store cannot write.
    pub fn restore(&self, snapshot: &Snapshot, how: Restore) -> Result<(), Failure> {
        let restored = self.api.durably(|| match how {
            Restore::EndWatches => {
                let adopted = self.api.cluster.store.adopt(&*snapshot.store);
                adopted.map_err(|error| store_failure(&error))
            }
            Restore::AsEvents => self.replay(snapshot).map_err(|error| store_failure(&error)),
        });
        // The store was changed without a transaction, which would have done this.
        self.api.cluster.serve_definitions();
        restored
    }

    /// Writes the difference between now and then.
    fn replay(&self, snapshot: &Snapshot) -> Result<(), StoreError> {
        // A client that writes at the same time wins.
        let unless_changed = |written| match written {
            Err(WriteError::Store(error)) => Err(error),
            Ok(_) | Err(WriteError::Mismatch(_)) => Ok(()),
        };
        for (key, stored) in self.api.cluster.store.newest("") {
            if snapshot.store.get(&key).is_none() {
                unless_changed(self.api.cluster.store.delete(&key, stored.revision))?;
            }
        }
        for (key, wanted) in snapshot.store.newest("") {
            let held = self.api.cluster.store.get(&key);
            let same = held.as_ref().is_some_and(|held| held.record.has_same_content(&wanted.record));
            // Unchanged objects keep their resourceVersion, and watches see no event.
            if !same {
                let expect = held.map_or(Expect::Absent, |held| Expect::Unchanged(held.revision));
                unless_changed(self.api.cluster.store.put(&key, wanted.record, expect))?;
            }
        }
        Ok(())
    }

    /// What those should know who gave documents: built-in kinds that a document describes again, kinds that are not
    /// served because it has no paths for them.
    pub fn notes(&self) -> Vec<String> {
        self.api.cluster.schema.notes_for_servers()
    }

    /// An independent server with the same state and settings; without its faults and its log.
    pub fn fork(&self) -> ApiServer {
        let api = &self.api;
        let cluster = api.cluster.fork();
        let log = Log::new(self.testing.log.max_entries());
        let testing = Arc::new(TestHooks::new(log, cluster.entropy.clone()));
        let forked = Api {
            cluster: Arc::new(cluster),
            settings: api.settings.clone(),
            hooks: testing.clone(),
            pod_logs: Arc::default(),
            #[cfg(feature = "serve")]
            streams: Default::default(),
            bookmarks: BookmarkTrigger::default(),
            metrics: Metrics::default(),
            open_api: V2Cache::default(),
        };
        ApiServer::new(forked, testing)
    }

    /// The kinds that have objects, with their counts: for a quick look in tests.
    pub fn counts(&self) -> Vec<(String, usize)> {
        let mut counts: Vec<(String, usize)> = Vec::new();
        for (key, _) in self.api.cluster.store.newest("") {
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
