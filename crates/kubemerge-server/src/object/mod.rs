//! An API object while a request is processed.
//!
//! Metadata is split into its members; they and all other top-level fields stay canonical JSON text and are
//! only parsed where a caller reads them. Equal text means equal values.

pub(crate) mod differing_tree;
pub(crate) mod draft;
pub(crate) mod kept;
pub(crate) mod members;
pub(crate) mod meta;
pub(crate) mod parsed;

use kubemerge_value::{Kind, Node, SharedValue, Str, to_value, write::MapWriter};
use serde_json::{Map, Value};

use crate::{
    object::{members::Members, meta::Metadata},
    protocol::{
        json::{canonical, tree},
        status::{Outcome, bad_request},
    },
    store::{
        KnownForm, Ownership, Record, RecordWriter, Stored, field_name::field_name, metadata_field::Field,
    },
};

/// An object in parts. Copies share the text.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Object {
    pub(crate) api_version: String,
    pub(crate) kind: String,
    pub(crate) metadata: Metadata,
    fields: Members,
    /// Who owns which fields; `metadata` has managedFields only between decoding and tracking.
    pub(crate) ownership: Ownership,
    /// What is known about the stored text that the object was made from.
    form: KnownForm,
}

/// Room for the type of an object and the brackets around its parts.
const MAX_HEAD_BYTES: usize = 96;

impl Object {
    /// Takes apart a JSON object; its metadata, if any, must be an object too.
    pub(crate) fn read(document: &SharedValue) -> Outcome<Object> {
        Object::read_with(document, Metadata::read)
    }

    fn read_with(
        document: &SharedValue,
        read_metadata: impl Fn(&SharedValue) -> Outcome<Metadata>,
    ) -> Outcome<Object> {
        // Upstream: any other JSON value has no kind and cannot be decoded.
        if document.node().kind() != Kind::Map {
            return Err(bad_request("the body of the request is not a JSON object"));
        }
        let mut object = Object::default();
        for (name, text) in document.members() {
            if name.is("apiVersion") {
                object.api_version = text_of(text.node(), "apiVersion")?;
            } else if name.is("kind") {
                object.kind = text_of(text.node(), "kind")?;
            } else if name.is("metadata") {
                object.metadata = read_metadata(&text)?;
            } else {
                object.fields.push(field_name(name), text);
            }
        }
        Ok(object)
    }

    /// What the server itself has stored.
    pub(crate) fn of(stored: &Stored) -> Object {
        let mut object = Object::of_record(&stored.record);
        // Records have no resourceVersion: their revision is only known after the write.
        object.metadata.set_text(Field::ResourceVersion, &stored.revision.to_string());
        object
    }

    /// What the server itself has written, without a resourceVersion.
    pub(crate) fn of_record(record: &Record) -> Object {
        let document = record.shared();
        let mut fields = Members::with_capacity(record.fields().len());
        record.fields().for_each(|(name, span)| fields.push(name.clone(), document.at(span)));
        Object {
            api_version: record.api_version().to_string(),
            kind: record.kind().to_string(),
            metadata: Metadata::at(&document, record.metadata_spans()),
            fields,
            ownership: record.ownership().clone(),
            form: record.form(),
        }
    }

    pub(crate) fn from_value(value: &Value) -> Outcome<Object> {
        Object::read(&canonical(value)?.into())
    }

    /// The whole object as a tree.
    pub(crate) fn to_value(&self) -> Value {
        let mut map = Map::new();
        map.insert("apiVersion".into(), self.api_version.as_str().into());
        map.insert("kind".into(), self.kind.as_str().into());
        map.insert("metadata".into(), Value::Object(self.metadata.to_map()));
        for (name, text) in self.fields.iter() {
            map.insert(name.to_string(), tree(text));
        }
        Value::Object(map)
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
            return value_at(self.metadata.member(member)?, rest);
        }
        value_at(self.fields.get(first)?, rest)
    }

    pub(crate) fn set(&mut self, name: &str, value: &Value) -> Outcome<()> {
        self.set_text(name, canonical(value)?.into());
        Ok(())
    }

    /// Sets a field to a text.
    pub(crate) fn set_text(&mut self, name: &str, text: SharedValue) {
        self.fields.put(field_name(Str::plain(name)), text);
    }

    /// Replaces a value at a path of names, making the maps on the way; the type and metadata are not reached so.
    pub(crate) fn set_at(&mut self, path: &[&str], value: Value) -> Outcome<()> {
        let Some((first, rest)) = path.split_first() else { return Ok(()) };
        // These have fields of their own in `Object`; a second copy in `fields` would win when it is written.
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

    /// About how many bytes the text to store takes.
    fn size(&self) -> usize {
        self.fields.size() + self.metadata.size() + MAX_HEAD_BYTES
    }

    /// What to store: everything but the resourceVersion.
    pub(crate) fn record(&self) -> Record {
        let mut writer = RecordWriter::with_capacity(self.size());
        let mut rest = self.fields.iter().peekable();
        // Canonical text is sorted by name, so that the other fields are written between these three.
        for own in ["apiVersion", "kind", "metadata"] {
            while let Some((name, text)) = rest.next_if(|(name, _)| ***name < *own) {
                writer.field(name, text);
            }
            match own {
                "apiVersion" => writer.api_version(&self.api_version),
                "kind" => writer.kind(&self.kind),
                _ => writer.metadata(self.metadata.fields(), MapWriter::copy_plain),
            }
        }
        rest.for_each(|(name, text)| writer.field(name, text));
        writer.finish(self.metadata.owner_uids(), self.ownership.clone(), self.form)
    }
}

/// The value at a path of names below a value.
fn value_at(text: &SharedValue, path: &[&str]) -> Option<Value> {
    let node = path.iter().try_fold(text.node(), |at, name| at.get(name))?;
    to_value(node).ok()
}

fn text_of(node: Node<'_>, name: &str) -> Outcome<String> {
    // Go reads a null into a string as the empty string.
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
    use kubemerge_value::Canonical;
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
