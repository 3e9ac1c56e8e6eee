//! A record as the resource shows it: whole, or as metadata only.

use serde_json::{Map, Value, json};

use crate::{
    catalog::Resource,
    object::view,
    protocol::media::MetaVersion,
    store::{Head, Record, Revision, Stored},
};

/// A record with the revision to show; none for an object that was never stored.
#[derive(Clone, Copy)]
pub(crate) struct Shown<'a> {
    pub(crate) record: &'a Record,
    pub(crate) revision: Option<Revision>,
}

impl<'a> Shown<'a> {
    /// A stored object.
    pub(crate) fn stored(stored: &'a Stored) -> Shown<'a> {
        Shown { record: &stored.record, revision: Some(stored.revision) }
    }

    /// Appends the whole object in the resource's version.
    pub(crate) fn write(self, resource: &Resource, out: &mut Vec<u8>) {
        match view::shown(resource, self.record) {
            None => self.write_as_stored(resource, out),
            // Converted objects are rare: they cost a second record.
            Some(record) => Shown { record: &record, ..self }.write_as_stored(resource, out),
        }
    }

    /// Appends the object without its type, as an item of a list of its kind.
    pub(crate) fn write_item(self, revision: Revision, resource: &Resource, out: &mut Vec<u8>) {
        match view::shown(resource, self.record) {
            None => self.record.write(revision, Head::Without, out),
            Some(record) => record.write(revision, Head::Without, out),
        }
    }

    fn write_as_stored(self, resource: &Resource, out: &mut Vec<u8>) {
        let wanted = &resource.api_version;
        // A kind with several versions is stored in one of them and shown in any.
        let head = if self.record.api_version() == wanted { Head::Stored } else { Head::Version(wanted) };
        match self.revision {
            Some(revision) => self.record.write(revision, head, out),
            None => self.record.write_unstored(head, out),
        }
    }

    /// The whole object as a tree.
    pub(crate) fn tree(self, resource: &Resource) -> Value {
        let mut text = Vec::new();
        self.write(resource, &mut text);
        serde_json::from_slice(&text).unwrap_or_default()
    }

    /// The object as `PartialObjectMetadata`.
    pub(crate) fn partial(self, version: MetaVersion) -> Value {
        let mut metadata = self.record.node().get("metadata").map(metadata_tree).unwrap_or_default();
        if let Some(revision) = self.revision {
            metadata.insert("resourceVersion".into(), revision.to_string().into());
        }
        json!({"kind": "PartialObjectMetadata", "apiVersion": version.api_version(), "metadata": metadata})
    }
}

fn metadata_tree(node: kubemerge_value::Node<'_>) -> Map<String, Value> {
    match kubemerge_value::to_value(node) {
        Ok(Value::Object(map)) => map,
        _ => Map::new(),
    }
}
