//! A record as its kind shows it: whole, or as metadata only. Objects that are not shown as they are stored are custom
//! resources whose schema has changed since, or which were stored in another version, Events in the words of
//! `events.k8s.io`, and HorizontalPodAutoscalers of version v1.

use kubemerge_kinds::tree::Arena;
use serde_json::{Map, Value, json};

use crate::{
    catalog::Resource,
    kind::Kind,
    object::draft,
    protocol::{json::written_tree, media::MetaVersion},
    store::{Head, ManagedFieldsView, Ownership, Record, RecordForm, Revision, Stored},
};

/// A record with the revision to show; none for an object that was never stored.
#[derive(Clone, Copy)]
pub(crate) struct Shown<'a> {
    pub(crate) record: &'a Record,
    pub(crate) revision: Option<Revision>,
    managed_fields: ManagedFieldsView,
}

impl<'a> Shown<'a> {
    pub(crate) fn new(record: &'a Record, revision: Option<Revision>) -> Shown<'a> {
        Shown { record, revision, managed_fields: ManagedFieldsView::Shown }
    }

    /// A stored object.
    pub(crate) fn stored(stored: &'a Stored) -> Shown<'a> {
        Shown::new(&stored.record, Some(stored.revision))
    }

    /// The same with or without managedFields.
    pub(crate) fn with(self, managed_fields: ManagedFieldsView) -> Shown<'a> {
        Shown { managed_fields, ..self }
    }

    /// Appends the whole object in the resource's version.
    pub(crate) fn write(self, kind: Kind<'_>, out: &mut Vec<u8>) {
        match served(kind, self.record) {
            None => self.write_as_stored(kind.resource(), out),
            // Converted objects are rare: they cost a second record.
            Some(record) => Shown { record: &record, ..self }.write_as_stored(kind.resource(), out),
        }
    }

    /// Appends the object without its type, as an item of a list of its kind.
    pub(crate) fn write_item(self, revision: Revision, kind: Kind<'_>, out: &mut Vec<u8>) {
        let form = RecordForm { head: Head::Without, managed_fields: self.managed_fields };
        match served(kind, self.record) {
            None => self.record.write(revision, form, out),
            Some(record) => record.write(revision, form, out),
        }
    }

    fn write_as_stored(self, resource: &Resource, out: &mut Vec<u8>) {
        let wanted = &resource.api_version;
        // A kind with several versions is stored in one of them and shown in any.
        let head = if self.record.api_version() == wanted { Head::Stored } else { Head::Version(wanted) };
        let form = RecordForm { head, managed_fields: self.managed_fields };
        match self.revision {
            Some(revision) => self.record.write(revision, form, out),
            None => self.record.write_unstored(form, out),
        }
    }

    /// The whole object as a tree.
    pub(crate) fn tree(self, kind: Kind<'_>) -> Value {
        let mut text = Vec::new();
        self.write(kind, &mut text);
        written_tree(&text)
    }

    /// The object as `PartialObjectMetadata`.
    pub(crate) fn partial(self, version: MetaVersion) -> Value {
        let mut metadata = self.record.node().get("metadata").map(metadata_tree).unwrap_or_default();
        if self.record.kind() == "DaemonSet" {
            hide_template_generation(&mut metadata);
        }
        if let Some(revision) = self.revision {
            metadata.insert("resourceVersion".into(), revision.to_string().into());
        }
        let ownership = self.record.ownership();
        if self.managed_fields == ManagedFieldsView::Shown && !ownership.is_empty() {
            metadata.insert("managedFields".into(), managed_fields_tree(ownership));
        }
        json!({"kind": "PartialObjectMetadata", "apiVersion": version.api_version(), "metadata": metadata})
    }
}

/// A record in the version of the kind; none if that is as it is stored.
fn served(kind: Kind<'_>, record: &Record) -> Option<Record> {
    if kind.is_as_stored(record) {
        return None;
    }
    let arena = Arena::new();
    // In the arena of this function, so that its own kind is asked.
    let tree = kind.served(record, &arena);
    Some(draft::record(&tree, record.ownership().clone(), record.form()))
}

/// Upstream: metadata alone is read from the internal form, which has this annotation as a field of its spec.
fn hide_template_generation(metadata: &mut Map<String, Value>) {
    let Some(Value::Object(annotations)) = metadata.get_mut("annotations") else { return };
    annotations.remove("deprecated.daemonset.template.generation");
    if annotations.is_empty() {
        metadata.remove("annotations");
    }
}

fn managed_fields_tree(ownership: &Ownership) -> Value {
    let mut text = Vec::new();
    ownership.write(&mut text);
    written_tree(&text)
}

fn metadata_tree(node: kubemerge_value::Node<'_>) -> Map<String, Value> {
    match kubemerge_value::to_value(node) {
        Ok(Value::Object(map)) => map,
        _ => Map::new(),
    }
}
