//! The logs of containers: what tests write in place of them, line by line with the time of each.

use std::{
    collections::HashMap,
    sync::{PoisonError, RwLock},
};

use bytes::Bytes;
use kubemerge_kinds::timestamp::Timestamp;
use tokio::sync::watch;

/// The container of a pod.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct ContainerKey {
    pub(crate) namespace: String,
    pub(crate) pod: String,
    pub(crate) container: String,
}

impl ContainerKey {
    pub(crate) fn new(namespace: &str, pod: &str, container: &str) -> ContainerKey {
        let [namespace, pod, container] = [namespace, pod, container].map(str::to_string);
        ContainerKey { namespace, pod, container }
    }
}

/// One line, with the line break that ended it.
#[derive(Clone, Debug)]
pub(crate) struct LogLine {
    pub(crate) time: Timestamp,
    pub(crate) text: Bytes,
}

/// The log of one container.
#[derive(Clone, Debug, Default)]
pub(crate) struct ContainerLog {
    pub(crate) lines: Vec<LogLine>,
    /// The log of the container that ran before this one.
    pub(crate) previous: Option<Vec<LogLine>>,
    /// How often the whole log was replaced: readers begin again.
    pub(crate) replaced: u64,
    /// Whether no line will follow.
    pub(crate) has_ended: bool,
}

/// The logs of all containers.
#[derive(Default)]
pub(crate) struct PodLogs {
    containers: RwLock<HashMap<ContainerKey, ContainerLog>>,
    changed: watch::Sender<u64>,
}

impl PodLogs {
    fn change(&self, key: ContainerKey, change: impl FnOnce(&mut ContainerLog)) {
        change(self.containers.write().unwrap_or_else(PoisonError::into_inner).entry(key).or_default());
        self.changed.send_modify(|changes| *changes += 1);
    }

    /// Replaces the log.
    pub(crate) fn set(&self, key: ContainerKey, text: Bytes, time: Timestamp) {
        self.change(key, |log| {
            log.lines = lines(&text, time);
            log.replaced += 1;
            log.has_ended = false;
        });
    }

    /// Adds lines to the log.
    pub(crate) fn append(&self, key: ContainerKey, text: &Bytes, time: Timestamp) {
        self.change(key, |log| log.lines.extend(lines(text, time)));
    }

    /// The log of the container before.
    pub(crate) fn set_previous(&self, key: ContainerKey, text: &Bytes, time: Timestamp) {
        self.change(key, |log| log.previous = Some(lines(text, time)));
    }

    /// Ends the log: nothing follows.
    pub(crate) fn end(&self, key: ContainerKey) {
        self.change(key, |log| log.has_ended = true);
    }

    /// The log of a container; empty if there is none.
    pub(crate) fn get(&self, key: &ContainerKey) -> ContainerLog {
        self.containers.read().unwrap_or_else(PoisonError::into_inner).get(key).cloned().unwrap_or_default()
    }

    /// Changes with every change of a log.
    pub(crate) fn subscribe(&self) -> watch::Receiver<u64> {
        self.changed.subscribe()
    }
}

/// The lines of a text, each with its line break.
fn lines(text: &Bytes, time: Timestamp) -> Vec<LogLine> {
    let parts = text.split_inclusive(|byte| *byte == b'\n');
    parts.map(|part| LogLine { time, text: text.slice_ref(part) }).collect()
}
