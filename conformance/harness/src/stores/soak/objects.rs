//! A client that writes objects in a namespace of its own in every way, and always knows what must be there.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use serde_json::{Value, json};

use super::session::{Session, Soak};

const PAUSE: Duration = Duration::from_millis(15);
/// The number of objects goes up to this, then all are deleted at once.
const MAX_OBJECTS: usize = 200;
/// The size of an object's data.
const DATA_BYTES: usize = 1800;

/// The client and what it has written.
struct Writer {
    session: Session,
    random: fastrand::Rng,
    collection: String,
    /// The values of the objects, by name.
    written: BTreeMap<String, u64>,
    next: u64,
}

/// Writes until the time is over.
pub(super) async fn run(soak: Arc<Soak>, number: usize) {
    let mut session = Session::new(soak.clone(), PAUSE);
    let name = namespace(number);
    let body = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}});
    session.expect(201, "POST", "/api/v1/namespaces", &body).await;
    let mut writer = Writer {
        session,
        random: fastrand::Rng::with_seed(number as u64),
        collection: format!("/api/v1/namespaces/{name}/configmaps"),
        written: BTreeMap::new(),
        next: 0,
    };
    while !soak.is_over() {
        writer.step().await;
    }
}

/// The namespace of a client.
pub(super) fn namespace(number: usize) -> String {
    format!("soak-{number}")
}

impl Writer {
    async fn step(&mut self) {
        if self.written.is_empty() {
            return self.create().await;
        }
        match self.random.u8(0..100) {
            0..25 => self.create().await,
            25..40 => self.patch().await,
            40..50 => self.apply().await,
            50..60 => self.replace().await,
            60..62 => self.replace_outdated().await,
            62..72 => self.delete().await,
            72..74 => self.list_pages().await,
            _ => self.get().await,
        }
    }

    /// A name that is there.
    fn any(&mut self) -> String {
        let at = self.random.usize(0..self.written.len().max(1));
        self.written.keys().nth(at).cloned().unwrap_or_default()
    }

    fn next_value(&mut self) -> u64 {
        self.next += 1;
        self.next
    }

    async fn create(&mut self) {
        if self.written.len() >= MAX_OBJECTS {
            return self.delete_all().await;
        }
        let value = self.next_value();
        let name = format!("object-{value}");
        let (collection, body) = (self.collection.clone(), object(&name, value));
        let created = self.session.expect(201, "POST", &collection, &body).await;
        self.check(&created, &name, value);
        self.written.insert(name, value);
    }

    async fn get(&mut self) {
        let name = self.any();
        let stored = self.session.expect(200, "GET", &self.path(&name), &Value::Null).await;
        self.check(&stored, &name, self.written[&name]);
    }

    async fn patch(&mut self) {
        let (name, value) = (self.any(), self.next_value());
        let patch = json!({"data": {"value": value.to_string()}});
        let patched = self.session.expect(200, "PATCH", &self.path(&name), &patch).await;
        self.check(&patched, &name, value);
        self.written.insert(name, value);
    }

    async fn apply(&mut self) {
        let (name, value) = (self.any(), self.next_value());
        // Another field than those of the other writers: there must be no conflict.
        let body = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name},
            "data": {"applied": value.to_string()}});
        let applied = self.session.expect_apply(&self.path(&name), &body).await;
        if applied["data"]["applied"].as_str() != Some(value.to_string().as_str()) {
            self.session.complain(format!("{name}: {value} was applied: {applied}"));
        }
    }

    async fn replace(&mut self) {
        let (name, value) = (self.any(), self.next_value());
        let mut stored = self.session.expect(200, "GET", &self.path(&name), &Value::Null).await;
        stored["data"]["value"] = value.to_string().into();
        let replaced = self.session.expect(200, "PUT", &self.path(&name), &stored).await;
        self.check(&replaced, &name, value);
        self.written.insert(name, value);
    }

    /// A write with a version that is not the newest one any more must not happen.
    async fn replace_outdated(&mut self) {
        let name = self.any();
        let stored = self.session.expect(200, "GET", &self.path(&name), &Value::Null).await;
        let value = self.next_value();
        let patch = json!({"data": {"value": value.to_string()}});
        self.session.expect(200, "PATCH", &self.path(&name), &patch).await;
        self.written.insert(name.clone(), value);
        self.session.expect(409, "PUT", &self.path(&name), &stored).await;
    }

    async fn delete(&mut self) {
        let name = self.any();
        self.session.expect(200, "DELETE", &self.path(&name), &Value::Null).await;
        self.session.expect(404, "GET", &self.path(&name), &Value::Null).await;
        self.written.remove(&name);
    }

    async fn delete_all(&mut self) {
        let collection = format!("{}?labelSelector=soak", self.collection);
        self.session.expect(200, "DELETE", &collection, &Value::Null).await;
        self.written.clear();
    }

    /// All pages together have what was written.
    async fn list_pages(&mut self) {
        let (mut found, mut rest) = (BTreeMap::new(), String::new());
        loop {
            let path = format!("{}?labelSelector=soak&limit=50{rest}", self.collection);
            let page = self.session.expect(200, "GET", &path, &Value::Null).await;
            found.extend(page["items"].as_array().into_iter().flatten().map(value_of));
            match page["metadata"]["continue"].as_str() {
                Some(token) if !token.is_empty() => rest = format!("&continue={token}"),
                _ => break,
            }
        }
        if found != self.written {
            let (found, written) = (found.len(), self.written.len());
            self.session.complain(format!("{}: {found} listed, {written} written", self.collection));
        }
    }

    fn check(&self, object: &Value, name: &str, value: u64) {
        // Null: there was a complaint already.
        if !object.is_null() && value_of(object) != (name.to_owned(), value) {
            self.session.complain(format!("{name} should have {value}: {object}"));
        }
    }

    fn path(&self, name: &str) -> String {
        format!("{}/{name}", self.collection)
    }
}

fn object(name: &str, value: u64) -> Value {
    json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, "labels": {"soak": "true"}},
        "data": {"value": value.to_string(), "text": "x".repeat(DATA_BYTES)}})
}

fn value_of(object: &Value) -> (String, u64) {
    let name = object["metadata"]["name"].as_str().unwrap_or_default();
    let value = object["data"]["value"].as_str().and_then(|text| text.parse().ok());
    (name.to_owned(), value.unwrap_or_default())
}
