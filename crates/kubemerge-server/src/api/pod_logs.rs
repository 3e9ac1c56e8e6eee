//! The texts that tests put in place of containers' logs.

use std::{
    collections::HashMap,
    sync::{PoisonError, RwLock},
};

use bytes::Bytes;

/// Texts by namespace, pod and container.
#[derive(Default)]
pub(crate) struct PodLogs(RwLock<HashMap<[String; 3], Bytes>>);

impl PodLogs {
    pub(crate) fn set(&self, namespace: &str, pod: &str, container: &str, text: Bytes) {
        let key = [namespace, pod, container].map(str::to_string);
        self.0.write().unwrap_or_else(PoisonError::into_inner).insert(key, text);
    }

    /// The text; empty if there is none.
    pub(crate) fn get(&self, namespace: &str, pod: &str, container: &str) -> Bytes {
        let key = [namespace, pod, container].map(str::to_string);
        self.0.read().unwrap_or_else(PoisonError::into_inner).get(&key).cloned().unwrap_or_default()
    }
}
