//! The requests of the load, the same for every server.

use std::sync::atomic::{AtomicU64, Ordering};

use bytes::Bytes;
use http::Request;
use serde_json::{Value, json};

use crate::connection::{Connection, Endpoint, json_request};

pub(super) const LOAD_NAMESPACE: &str = "load";
pub(super) const LIST_NAMESPACE: &str = "listed";
pub(super) const WATCH_NAMESPACE: &str = "watched";
/// How many objects a list has.
pub(super) const LIST_SIZE: usize = 500;
/// With metadata and owners of fields, an object then has 2 KB.
const TEXT_BYTES: usize = 1550;

/// The objects of the namespace `load`, by the client that creates them.
pub(super) struct Created(Vec<AtomicU64>);

impl Created {
    pub(super) fn new(clients: usize) -> Created {
        Created((0..clients).map(|_| AtomicU64::new(0)).collect())
    }

    pub(super) fn count(&self) -> u64 {
        self.0.iter().map(|count| count.load(Ordering::Relaxed)).sum()
    }

    /// Creates the next object of a client.
    pub(super) fn create(&self, client: usize) -> Request<Bytes> {
        let number = self.0[client].fetch_add(1, Ordering::Relaxed);
        request("POST", &collection(LOAD_NAMESPACE), &object(&name(client, number)))
    }

    /// Reads any object.
    pub(super) fn get(&self) -> Request<Bytes> {
        request("GET", &self.path(fastrand::usize(..self.0.len())), &Value::Null)
    }

    /// Changes one of a client's own objects, so that no write meets another.
    pub(super) fn patch(&self, client: usize) -> Request<Bytes> {
        let patch = json!({"data": {"changed": fastrand::u64(..).to_string()}});
        request("PATCH", &self.path(client), &patch)
    }

    fn path(&self, client: usize) -> String {
        let count = self.0[client].load(Ordering::Relaxed).max(1);
        format!("{}/{}", collection(LOAD_NAMESPACE), name(client, fastrand::u64(..count)))
    }
}

fn name(client: usize, number: u64) -> String {
    format!("object-{client}-{number}")
}

/// Lists a whole namespace.
pub(super) fn list() -> Request<Bytes> {
    request("GET", &collection(LIST_NAMESPACE), &Value::Null)
}

/// Creates the namespaces, and the objects of the one that is listed.
pub(super) async fn prepare(endpoint: Endpoint) -> Result<(), String> {
    let mut connection = Connection::new(endpoint);
    for name in [LOAD_NAMESPACE, LIST_NAMESPACE, WATCH_NAMESPACE] {
        let namespace = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}});
        connection.ask("POST", "/api/v1/namespaces", &namespace).await?;
    }
    for number in 0..LIST_SIZE {
        let object = object(&format!("object-{number}"));
        let answer = connection.ask("POST", &collection(LIST_NAMESPACE), &object).await?;
        if answer.status != 201 {
            return Err(String::from_utf8_lossy(&answer.body).into_owned());
        }
    }
    Ok(())
}

pub(super) fn collection(namespace: &str) -> String {
    format!("/api/v1/namespaces/{namespace}/configmaps")
}

pub(super) fn object(name: &str) -> Value {
    json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, "labels": {"app": "load"}},
        "data": {"text": "0123456789abcdef".repeat(TEXT_BYTES / 16), "changed": ""}})
}

/// Paths and bodies of this file are always valid.
pub(super) fn request(method: &str, path: &str, body: &Value) -> Request<Bytes> {
    json_request(method, path, body).unwrap_or_default()
}
