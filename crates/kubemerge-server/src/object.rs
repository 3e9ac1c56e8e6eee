//! An API object on its way through a request.
//!
//! Metadata is split into its members; they and all other top-level fields stay canonical JSON text and are
//! only opened by those who ask. Equal text means equal values.

use std::collections::BTreeMap;

use kubemerge_value::{Canonical, Kind, Node, to_canonical, to_value};
use serde_json::{Map, Value};

use crate::{
    meta::Metadata,
    status::{Outcome, bad_request},
    store::{Record, RecordWriter, Stored},
};

/// An object in parts.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Object {
    pub(crate) api_version: String,
    pub(crate) kind: String,
    pub(crate) metadata: Metadata,
    fields: BTreeMap<String, Canonical>,
}

impl Object {
    /// Takes apart a JSON object; its metadata, if any, must be an object too.
    pub(crate) fn from_canonical(document: &Canonical) -> Outcome<Object> {
        Object::read(document, Metadata::from_node)
    }

    /// Takes apart what became of a stored object; metadata that is still the same is not read again.
    pub(crate) fn successor(document: &Canonical, stored: &Stored, old: &Object) -> Outcome<Object> {
        let before = stored.record.node().get("metadata").and_then(Node::as_text);
        Object::read(document, |metadata| {
            if before.is_none() || metadata.as_text() != before {
                return Metadata::from_node(metadata);
            }
            let mut same = old.metadata.clone();
            same.remove("resourceVersion");
            Ok(same)
        })
    }

    fn read(document: &Canonical, read_metadata: impl Fn(Node<'_>) -> Outcome<Metadata>) -> Outcome<Object> {
        let node = document.node();
        if node.kind() != Kind::Map {
            return Err(bad_request("the body of the request is not a JSON object"));
        }
        let mut object = Object::default();
        for entry in node.sorted_entries() {
            match &*entry.key.text() {
                "apiVersion" => object.api_version = text_of(entry.value, "apiVersion")?,
                "kind" => object.kind = text_of(entry.value, "kind")?,
                "metadata" => object.metadata = read_metadata(entry.value)?,
                name => {
                    object.fields.insert(name.to_string(), to_canonical(entry.value));
                }
            }
        }
        Ok(object)
    }

    /// What the server itself has stored.
    pub(crate) fn of(stored: &Stored) -> Object {
        let mut object = Object::of_record(&stored.record);
        object.metadata.set_text("resourceVersion", &stored.revision.to_string());
        object
    }

    /// What the server itself has written, without a resourceVersion.
    pub(crate) fn of_record(record: &Record) -> Object {
        Object::from_canonical(record.canonical()).expect("stored objects are well-formed")
    }

    pub(crate) fn from_value(value: &Value) -> Outcome<Object> {
        Object::from_canonical(&canonical(value)?)
    }

    /// The whole object as a tree.
    pub(crate) fn to_value(&self) -> Value {
        let mut map = Map::new();
        map.insert("apiVersion".into(), self.api_version.as_str().into());
        map.insert("kind".into(), self.kind.as_str().into());
        map.insert("metadata".into(), Value::Object(self.metadata.to_map()));
        for (name, text) in &self.fields {
            map.insert(name.clone(), tree(text));
        }
        Value::Object(map)
    }

    /// The text of a top-level field.
    pub(crate) fn text(&self, name: &str) -> Option<&Canonical> {
        self.fields.get(name)
    }

    /// The tree of a top-level field.
    pub(crate) fn get(&self, name: &str) -> Option<Value> {
        self.fields.get(name).map(tree)
    }

    /// The value at a path of names, such as `["spec", "replicas"]`.
    pub(crate) fn at(&self, path: &[&str]) -> Option<Value> {
        let (first, rest) = path.split_first()?;
        if *first == "metadata" {
            let Some((member, rest)) = rest.split_first() else {
                return Some(Value::Object(self.metadata.to_map()));
            };
            return rest.iter().try_fold(self.metadata.get(member)?, |at, name| at.get(name)).cloned();
        }
        let node = rest.iter().try_fold(self.fields.get(*first)?.node(), |at, name| at.get(name))?;
        to_value(node).ok()
    }

    pub(crate) fn set(&mut self, name: &str, value: &Value) -> Outcome<()> {
        self.fields.insert(name.to_string(), canonical(value)?);
        Ok(())
    }

    pub(crate) fn set_text(&mut self, name: &str, text: Canonical) {
        self.fields.insert(name.to_string(), text);
    }

    /// Replaces a value at a path of names, making the maps on the way; the type and metadata are not reached so.
    pub(crate) fn set_at(&mut self, path: &[&str], value: Value) -> Outcome<()> {
        let Some((first, rest)) = path.split_first() else { return Ok(()) };
        if matches!(*first, "apiVersion" | "kind" | "metadata") {
            return Err(bad_request(format!("{}: cannot be written by its path", path.join("."))));
        }
        let mut root = self.get(first).unwrap_or(Value::Null);
        let place = rest.iter().fold(&mut root, |at, name| {
            if !at.is_object() {
                *at = Value::Object(Map::new());
            }
            &mut at[*name]
        });
        *place = value;
        self.set(first, &root)
    }

    /// Takes a top-level field from another object, or loses it if the other has none.
    pub(crate) fn take_field(&mut self, name: &str, from: &Object) {
        match from.fields.get(name) {
            Some(text) => self.fields.insert(name.to_string(), text.clone()),
            None => self.fields.remove(name),
        };
    }

    pub(crate) fn remove(&mut self, name: &str) -> Option<Canonical> {
        self.fields.remove(name)
    }

    /// The names of all fields but apiVersion, kind and metadata.
    pub(crate) fn field_names(&self) -> impl Iterator<Item = &str> {
        self.fields.keys().map(String::as_str)
    }

    /// Whether both have the same value in a top-level field.
    pub(crate) fn same_field(&self, other: &Object, name: &str) -> bool {
        self.fields.get(name) == other.fields.get(name)
    }

    /// Whether everything but apiVersion, kind and metadata is the same.
    pub(crate) fn same_fields(&self, other: &Object) -> bool {
        self.fields == other.fields
    }

    /// The text to store: everything but the resourceVersion.
    pub(crate) fn record(&self) -> Record {
        let length: usize = self.fields.iter().map(|(name, text)| name.len() + text.as_bytes().len()).sum();
        let mut writer = RecordWriter::with_capacity(length + 512);
        let mut rest = self.fields.iter().peekable();
        for own in ["apiVersion", "kind", "metadata"] {
            while let Some((name, text)) = rest.next_if(|(name, _)| name.as_str() < own) {
                writer.field(name, text.node());
            }
            match own {
                "apiVersion" => writer.api_version(&self.api_version),
                "kind" => writer.kind(&self.kind),
                _ => writer.metadata(self.metadata.members()),
            }
        }
        rest.for_each(|(name, text)| writer.field(name, text.node()));
        writer.finish(self.metadata.owner_uids())
    }
}

/// The canonical text of a tree.
pub(crate) fn canonical(value: &Value) -> Outcome<Canonical> {
    let node = Node::from_value(value).map_err(|error| bad_request(error.to_string()))?;
    Ok(to_canonical(node))
}

/// The tree of canonical text.
pub(crate) fn tree(text: &Canonical) -> Value {
    to_value(text.node()).unwrap_or(Value::Null)
}

fn text_of(node: Node<'_>, name: &str) -> Outcome<String> {
    if node.is_null() {
        return Ok(String::new());
    }
    match node.as_str() {
        Some(text) => Ok(text.text().into_owned()),
        None => Err(bad_request(format!("the field {name:?} of the object is not a string"))),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn stored(value: Value) -> String {
        let record = Object::from_value(&value).unwrap().record();
        String::from_utf8(record.render(7).to_vec()).unwrap()
    }

    #[test]
    fn an_object_comes_back_with_its_revision() {
        for metadata in [
            json!({}),
            json!({"name": "a"}),
            json!({"uid": "u"}),
            json!({"name": "a", "uid": "u", "resourceVersion": "3", "finalizers": ["x"]}),
        ] {
            let mut value = json!({"action": 1, "apiVersion": "v1", "kind": "K", "spec": {"a": [1, "<"]}});
            value["metadata"] = metadata;
            let text = stored(value.clone());
            value["metadata"]["resourceVersion"] = json!("7");
            assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), value);
            let canonical = Canonical::from_bytes(text.as_bytes()).unwrap();
            assert_eq!(canonical.as_bytes(), text.as_bytes(), "the rendered text is canonical");
        }
    }

    #[test]
    fn values_are_read_and_replaced_by_path() {
        let mut object =
            Object::from_value(&json!({"metadata": {"name": "n"}, "spec": {"a": {"b": 1}}})).unwrap();
        assert_eq!(object.at(&["spec", "a", "b"]), Some(json!(1)));
        assert_eq!(object.at(&["metadata", "name"]), Some(json!("n")));
        assert_eq!(object.at(&["spec", "x"]), None);
        object.set_at(&["status", "replicas"], json!(2)).unwrap();
        assert_eq!(object.get("status"), Some(json!({"replicas": 2})));
        for path in [&["apiVersion"][..], &["kind", "a"], &["metadata", "generation"]] {
            let before = object.clone();
            assert!(object.set_at(path, json!(2)).is_err(), "{path:?}");
            assert_eq!(object, before);
        }
    }
}
