//! What the handlers of one server share.

use std::sync::Arc;

#[cfg(feature = "serve")]
use crate::api::streams::StreamHandlers;
use crate::{
    api::{
        hooks::Hooks,
        metrics::Metrics,
        openapi::V2Cache,
        patch::CustomStrategicMerge,
        pod_logs::PodLogs,
        watch_settings::{BookmarkTrigger, WatchSettings},
    },
    catalog::cluster::Cluster,
    protocol::status::Outcome,
    store::{StoreError, store_failure},
    write::{commit::transaction::Transaction, settings::WriteSettings},
};

/// Everything that can be chosen about the API.
#[derive(Clone, Debug)]
pub(crate) struct ApiSettings {
    /// The version of Kubernetes.
    pub(crate) version: String,
    pub(crate) custom_strategic_merge: CustomStrategicMerge,
    /// The bearer token that requests need, if any.
    pub(crate) token: Option<String>,
    pub(crate) watch: WatchSettings,
    pub(crate) write: WriteSettings,
}

/// A server without transport.
pub(crate) struct Api {
    pub(crate) cluster: Arc<Cluster>,
    pub(crate) settings: ApiSettings,
    pub(crate) hooks: Arc<dyn Hooks>,
    pub(crate) pod_logs: Arc<PodLogs>,
    /// What is in the containers of pods for clients that connect to them.
    #[cfg(feature = "serve")]
    pub(crate) streams: StreamHandlers,
    pub(crate) bookmarks: BookmarkTrigger,
    pub(crate) metrics: Metrics,
    pub(crate) open_api: V2Cache,
}

impl Api {
    /// The writes of one request.
    pub(crate) fn transaction(&self) -> Transaction<'_> {
        Transaction::new(&self.cluster, &self.settings.write)
    }

    /// Does something without a request, and stops the thread until its result is durable.
    pub(crate) fn durably<T>(&self, run: impl FnOnce() -> Outcome<T>) -> Outcome<T> {
        let unavailable = |error: StoreError| store_failure(&error);
        let ticket = self.cluster.store.begin().wait().map_err(unavailable)?;
        self.cluster.follow_definitions();
        let result = run();
        self.finished(self.cluster.store.finish(ticket).wait())?;
        result
    }

    /// What a request answers whose changes may have been taken back.
    pub(super) fn finished(&self, finished: Result<(), StoreError>) -> Outcome<()> {
        finished.map_err(|error| {
            // A definition may be among what was taken back.
            self.cluster.names.forget();
            self.cluster.serve_definitions();
            store_failure(&error)
        })
    }
}
