//! A watch of pods that goes on from where it was when the server is back.

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use serde_json::Value;
use tokio::task::JoinHandle;

use crate::connection::{Connection, Endpoint, json_request};

const PODS: &str = "/api/v1/namespaces/default/pods";
/// How long to wait for a server that is not there.
const INTERVAL: Duration = Duration::from_millis(100);

/// What the watch has seen.
#[derive(Default)]
struct Seen {
    /// The names of pods in the order of their creation.
    created: Vec<String>,
    /// The version of the last event.
    version: u64,
    reconnects: usize,
    complaint: Option<String>,
}

/// The events of pods so far, each once and in order.
pub(super) struct PodHistory {
    seen: Arc<Mutex<Seen>>,
    task: JoinHandle<()>,
}

impl PodHistory {
    /// Begins at the present state.
    pub(super) async fn watch(endpoint: Endpoint) -> Result<PodHistory, String> {
        let list = Connection::new(endpoint.clone()).ask("GET", PODS, &Value::Null).await?.json();
        let seen = Seen { version: version_of(&list), ..Seen::default() };
        let seen = Arc::new(Mutex::new(seen));
        Ok(PodHistory { task: tokio::spawn(follow(endpoint, seen.clone())), seen })
    }

    /// The names with this prefix, in the order of creation; a name that was created twice is there twice.
    pub(super) fn created(&self, prefix: &str) -> Vec<String> {
        lock(&self.seen).created.iter().filter(|name| name.starts_with(prefix)).cloned().collect()
    }

    /// Fails if an event came twice, out of order or not at all.
    pub(super) fn check(&self) -> Result<(), String> {
        let seen = lock(&self.seen);
        println!("a watch of pods saw {} creations over {} connections", seen.created.len(), seen.reconnects);
        seen.complaint.clone().map_or(Ok(()), Err)
    }
}

impl Drop for PodHistory {
    fn drop(&mut self) {
        self.task.abort();
    }
}

fn lock(seen: &Mutex<Seen>) -> MutexGuard<'_, Seen> {
    seen.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Watches for ever, from the last version that was seen.
async fn follow(endpoint: Endpoint, seen: Arc<Mutex<Seen>>) {
    loop {
        let version = lock(&seen).version;
        let path = format!("{PODS}?watch=true&resourceVersion={version}");
        let Ok(request) = json_request("GET", &path, &Value::Null) else { return };
        if let Ok(mut stream) = Connection::stream(endpoint.clone(), &request).await {
            lock(&seen).reconnects += 1;
            let mut text = Vec::new();
            while let Some(piece) = stream.next().await {
                text.extend_from_slice(&piece);
                while let Some(end) = text.iter().position(|byte| *byte == b'\n') {
                    let line: Vec<u8> = text.drain(..=end).collect();
                    note(&mut lock(&seen), &serde_json::from_slice(&line).unwrap_or_default());
                }
            }
        }
        tokio::time::sleep(INTERVAL).await;
    }
}

fn note(seen: &mut Seen, event: &Value) {
    let (kind, object) = (event["type"].as_str().unwrap_or_default(), &event["object"]);
    let version = version_of(object);
    let is_known = matches!(kind, "ADDED" | "MODIFIED" | "DELETED");
    if !is_known || version <= seen.version {
        seen.complaint.get_or_insert(format!("after version {}: {event}", seen.version));
        return;
    }
    seen.version = version;
    if kind == "ADDED" {
        seen.created.push(object["metadata"]["name"].as_str().unwrap_or_default().to_owned());
    }
}

fn version_of(object: &Value) -> u64 {
    let version = object["metadata"]["resourceVersion"].as_str().unwrap_or_default();
    version.parse().unwrap_or_default()
}
