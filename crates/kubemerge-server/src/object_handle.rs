//! One object of a server: to look at it, to wait for it, to make assertions about it.

use std::{fmt, future::Future, panic::Location, sync::Arc, time::Duration};

use kubemerge_yaml as yaml;
use serde_json::Value;

use crate::{
    catalog::Resource,
    kind::{Kind, shown::Shown},
    load,
    protocol::status::Outcome,
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
    /// As it was when the handle was made: a kind whose definition was deleted since has no objects.
    resource: Option<Arc<Resource>>,
}

impl fmt::Display for ObjectHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ObjectHandle { kind, namespace, name, .. } = self;
        if namespace.is_empty() { write!(f, "{kind} {name}") } else { write!(f, "{kind} {namespace}/{name}") }
    }
}

impl ApiServer {
    /// An object, whether it exists or not; the namespace is ignored for cluster-scoped kinds.
    ///
    /// A custom resource may be defined later: until then only [`ObjectHandle::wait_for`] can be used.
    ///
    /// # Panics
    /// If the kind is not served and no definition can add it.
    #[track_caller]
    pub fn object(&self, api_version: &str, kind: &str, namespace: &str, name: &str) -> ObjectHandle {
        let resource = load::resource_if_defined(self.cluster(), api_version, kind);
        let resource = resource.unwrap_or_else(|failure| panic!("{}", failure.message()));
        let [api_version, kind, namespace, name] = [api_version, kind, namespace, name].map(str::to_string);
        ObjectHandle { server: self.clone(), api_version, kind, namespace, name, resource }
    }
}

impl ObjectHandle {
    /// The object as it is now, if it exists.
    ///
    /// # Panics
    /// If the kind is not served.
    #[track_caller]
    pub fn value(&self) -> Option<Value> {
        let resource = self.served();
        self.stored(&resource).map(|stored| self.server.shown(&resource, &stored))
    }

    /// Who owns its fields.
    ///
    /// # Panics
    /// If the kind is not served.
    #[track_caller]
    pub fn owners(&self) -> FieldOwners {
        let stored = self.stored(&self.served());
        stored.map(|stored| FieldOwners::of_record(&stored.record)).unwrap_or_default()
    }

    /// Removes it at once, as [`ApiServer::remove`] does.
    ///
    /// # Panics
    /// If the kind is not served.
    #[track_caller]
    pub fn remove(&self) -> bool {
        let resource = self.served();
        self.server.remove_stored(&resource, &self.key(&resource))
    }

    /// Asserts that the object has these fields with these values; it may have others. Lists must have the same number
    /// of items.
    ///
    /// # Panics
    /// If it has not, with what differs, or if the kind is not served.
    #[track_caller]
    pub fn assert_has(&self, wanted: &Value) {
        let Some(found) = self.value() else { panic!("there is no {self}") };
        let lines = differences(wanted, &part_of(&found, wanted));
        assert!(lines.is_empty(), "{self} differs (wanted -> found):\n  {}", lines.join("\n  "));
    }

    /// Waits until the condition holds, which sees null while there is no object, and answers the object. It is not
    /// asked before the kind is served.
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
        let cluster = self.server.cluster();
        let (mut changes, mut definitions) = (cluster.store.signal(), cluster.catalog.signal());
        loop {
            // Marked as seen before reading, so that a change in between is not missed.
            changes.borrow_and_update();
            definitions.borrow_and_update();
            // A kind that is not served has no object that could be missing: a misspelt one would pass as deleted.
            if self.resource().is_ok() {
                let value = self.value().unwrap_or_default();
                if condition(&value) {
                    return value;
                }
            }
            tokio::select! {
                Ok(()) = changes.changed() => {}
                Ok(()) = definitions.changed() => {}
                // The store is gone and nothing will change: the timeout ends the wait.
                else => std::future::pending().await,
            }
        }
    }

    /// What there is to see of an object for which a wait failed.
    fn report(&self, timeout: Duration) -> String {
        let resource = match self.resource() {
            Ok(resource) => resource,
            Err(failure) => return format!("waited {timeout:?} for {self}, but {}", failure.message()),
        };
        let state = match self.value() {
            Some(value) => indented(&yaml_text(&value)),
            None => "  there is none\n".into(),
        };
        let changes = self.changes(&self.key(&resource)).join("\n  ");
        let events = self.events().join("\n  ");
        format!(
            "the condition for {self} did not hold within {timeout:?}\nobject:\n{state}last changes:\n  {changes}\nlast \
             events:\n  {events}"
        )
    }

    /// The resource as it is served now, or was served.
    fn resource(&self) -> Outcome<Arc<Resource>> {
        let now = load::resource(self.server.cluster(), &self.api_version, &self.kind);
        now.or_else(|failure| self.resource.clone().ok_or(failure))
    }

    #[track_caller]
    fn served(&self) -> Arc<Resource> {
        self.resource().unwrap_or_else(|failure| panic!("{}", failure.message()))
    }

    fn key(&self, resource: &Resource) -> String {
        resource.key(resource.namespace_of_key(&self.namespace), &self.name)
    }

    fn stored(&self, resource: &Resource) -> Option<Stored> {
        self.server.cluster().store.get(&self.key(resource))
    }

    /// The last changes in the history, oldest first.
    fn changes(&self, key: &str) -> Vec<String> {
        let store = &self.server.cluster().store;
        // What is compacted cannot be shown.
        let (events, _) = store.events(key, store.oldest(), usize::MAX).unwrap_or_default();
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
