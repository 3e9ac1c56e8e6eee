//! One object of a server: to look at it, to wait for it, to make assertions about it.

use std::{fmt, future::Future, panic::Location, time::Duration};

use kubemerge_yaml as yaml;
use serde_json::Value;

use crate::{
    kind::{Kind, shown::Shown},
    load,
    server::ApiServer,
    store::{Event, Stored},
    testing::{
        difference::{differences, part_of},
        owners::FieldOwners,
    },
};

/// How many changes and events a failed wait shows.
const MAX_SHOWN_EVENTS: usize = 5;

/// An object, whether it exists or not; [`ApiServer::object`] returns one.
#[derive(Clone)]
pub struct ObjectHandle {
    server: ApiServer,
    api_version: String,
    kind: String,
    namespace: String,
    name: String,
}

impl fmt::Display for ObjectHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ObjectHandle { kind, namespace, name, .. } = self;
        if namespace.is_empty() { write!(f, "{kind} {name}") } else { write!(f, "{kind} {namespace}/{name}") }
    }
}

impl ApiServer {
    /// An object, whether it exists or not; the namespace is ignored for cluster-scoped kinds.
    pub fn object(&self, api_version: &str, kind: &str, namespace: &str, name: &str) -> ObjectHandle {
        let [api_version, kind, namespace, name] = [api_version, kind, namespace, name].map(str::to_string);
        ObjectHandle { server: self.clone(), api_version, kind, namespace, name }
    }
}

impl ObjectHandle {
    /// The object as it is now, if it exists.
    pub fn value(&self) -> Option<Value> {
        self.server.get(&self.api_version, &self.kind, &self.namespace, &self.name)
    }

    /// Who owns its fields.
    pub fn owners(&self) -> FieldOwners {
        self.server.owners(&self.api_version, &self.kind, &self.namespace, &self.name)
    }

    /// Asserts that the object has these fields with these values; it may have others. Lists must have the same number
    /// of items.
    ///
    /// # Panics
    /// If it has not, with what differs.
    #[track_caller]
    pub fn assert_has(&self, wanted: &Value) {
        let Some(found) = self.value() else { panic!("there is no {self}") };
        let lines = differences(wanted, &part_of(&found, wanted));
        assert!(lines.is_empty(), "{self} differs (wanted -> found):\n  {}", lines.join("\n  "));
    }

    /// Waits until the condition holds, which sees null while there is no object, and answers the object.
    ///
    /// # Panics
    /// If it does not hold in time: with the place of this call, the object, its last changes and the last Events about
    /// it.
    #[track_caller]
    pub fn wait_for<C: Fn(&Value) -> bool + Send>(
        &self,
        condition: C,
        timeout: Duration,
    ) -> impl Future<Output = Value> + Send + use<C> {
        // An async function does not know its caller.
        let (place, object) = (Location::caller(), self.clone());
        async move {
            let held = tokio::time::timeout(timeout, object.hold(condition)).await;
            held.unwrap_or_else(|_| panic!("{place}: {}", object.report(timeout)))
        }
    }

    async fn hold(&self, condition: impl Fn(&Value) -> bool) -> Value {
        let mut signal = self.server.cluster().store.signal();
        loop {
            // Marked as seen before reading, so that a change in between is not missed.
            signal.borrow_and_update();
            let value = self.value().unwrap_or_default();
            if condition(&value) {
                return value;
            }
            if signal.changed().await.is_err() {
                // The store is gone and nothing will change: the timeout ends the wait.
                std::future::pending::<()>().await;
            }
        }
    }

    /// What there is to see of an object for which a wait failed.
    fn report(&self, timeout: Duration) -> String {
        let state = match self.value() {
            Some(value) => indented(&yaml_text(&value)),
            None => "  there is none\n".into(),
        };
        let (changes, events) = (self.changes().join("\n  "), self.events().join("\n  "));
        format!(
            "the condition for {self} did not hold within {timeout:?}\nobject:\n{state}last changes:\n  {changes}\nlast \
             events:\n  {events}"
        )
    }

    fn key(&self) -> Option<String> {
        let resource = load::resource(self.server.cluster(), &self.api_version, &self.kind).ok()?;
        Some(resource.key(if resource.is_namespaced() { &self.namespace } else { "" }, &self.name))
    }

    /// The last changes in the history, oldest first.
    fn changes(&self) -> Vec<String> {
        let Some(key) = self.key() else { return vec![format!("no kind {} is served", self.kind)] };
        let store = &self.server.cluster().store;
        // What is compacted cannot be shown.
        let (events, _) = store.events(&key, store.oldest(), usize::MAX).unwrap_or_default();
        let mut lines: Vec<String> =
            events.iter().filter(|event| *event.key == *key).map(change_line).collect();
        lines.drain(..lines.len().saturating_sub(MAX_SHOWN_EVENTS));
        if lines.is_empty() { vec!["none".into()] } else { lines }
    }

    /// The last Events about the object, oldest first.
    fn events(&self) -> Vec<String> {
        let Ok(resource) = load::resource(self.server.cluster(), "v1", "Event") else { return Vec::new() };
        let mut found: Vec<(u64, Value)> = self
            .server
            .cluster()
            .store
            .newest(&resource.prefix(&self.namespace))
            .iter()
            .map(|(_, stored)| {
                (stored.revision, Shown::stored(stored).tree(Kind::of(self.server.cluster(), &resource)))
            })
            .filter(|(_, event)| {
                let about = &event["involvedObject"];
                about["kind"] == *self.kind && about["name"] == *self.name
            })
            .collect();
        found.sort_by_key(|(revision, _)| *revision);
        found.drain(..found.len().saturating_sub(MAX_SHOWN_EVENTS));
        let line = |event: &Value| {
            let text = |name: &str| event[name].as_str().unwrap_or("-").to_string();
            format!("{} {}: {}", text("type"), text("reason"), text("message"))
        };
        if found.is_empty() {
            vec!["none".into()]
        } else {
            found.iter().map(|(_, event)| line(event)).collect()
        }
    }
}

fn change_line(event: &Event) -> String {
    // Records are JSON that is not nested too deep.
    let tree = |bytes: &[u8]| serde_json::from_slice::<Value>(bytes).unwrap_or_default();
    let before = event.previous.as_ref().map(|stored: &Stored| tree(stored.record.canonical().as_bytes()));
    let after = event.value.as_ref().map(|record| tree(record.canonical().as_bytes()));
    let what = match (before, after) {
        (None, _) => "created".to_string(),
        (Some(_), None) => "deleted".to_string(),
        (Some(before), Some(after)) => differences(&before, &after).join(", "),
    };
    format!("resourceVersion {}: {what}", event.revision)
}

fn yaml_text(value: &Value) -> String {
    let json = value.to_string();
    // What cannot be YAML is still readable as JSON.
    yaml::write_json(json.as_bytes(), &yaml::WriteOptions::default()).unwrap_or(json)
}

fn indented(text: &str) -> String {
    text.lines().map(|line| format!("  {line}\n")).collect()
}
