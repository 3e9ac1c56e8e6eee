//! Where a write arrives: kind, version, subresource and what is reset there.

use std::sync::Arc;

use super::entry::{FieldsV1, ManagedFieldsEntry, ManagerId, Operation};
use super::{ManagedFields, Time};
use crate::fieldpath::{Element, FieldOrder, FieldSet, SetEntry, SetNode};
use crate::update::{Fields, Manager, Owner, Typed, VersionConverter};
use crate::value::ParsedValue;

/// Where a write arrives.
#[derive(Clone, Copy)]
pub struct Endpoint<'a> {
    /// The versions of the kind.
    pub versions: &'a dyn VersionConverter,
    /// The version of the request, e.g. `apps/v1`. Live and new objects are in this version.
    pub api_version: &'a str,
    /// The kind.
    pub kind: &'a str,
    /// The subresource; empty for the object itself.
    pub subresource: &'a str,
    /// Paths that the endpoint resets, in every version: no manager comes to own them here.
    pub reset_fields: &'a FieldSet<'a>,
    /// The order inside `fieldsV1`.
    pub order: FieldOrder,
    /// An object without content, in the form in which objects of the kind are tracked.
    pub empty: ParsedValue<'a>,
}

/// Who writes, and when.
#[derive(Clone, Copy, Debug)]
pub struct Writer<'a> {
    /// The field manager; a write without one is by `unknown`.
    pub manager: &'a str,
    /// The time of the write, which its entry gets.
    pub time: Option<Time>,
}

/// The stored object, without `metadata.managedFields`, and its entries.
#[derive(Clone, Copy)]
pub struct Live<'a> {
    /// The object.
    pub object: ParsedValue<'a>,
    /// Its entries.
    pub managed: &'a ManagedFields,
}

impl<'a> Endpoint<'a> {
    /// Who a manager is at this endpoint. A manager without name is called `unknown`.
    #[must_use]
    pub fn manager_id(&self, manager: &str, operation: Operation) -> ManagerId {
        // Clients without a user agent.
        let manager = if manager.is_empty() { "unknown" } else { manager };
        let api_version = match operation {
            // An applier is one manager in all versions.
            Operation::Apply => "",
            Operation::Update => self.api_version,
        };
        ManagerId {
            manager: Arc::from(manager),
            operation,
            api_version: Arc::from(api_version),
            subresource: Arc::from(self.subresource),
        }
    }

    /// Whether an entry is that of a manager that updates at this endpoint.
    pub(super) fn is_updater(&self, entry: &ManagedFieldsEntry, manager: &str) -> bool {
        let manager = if manager.is_empty() { "unknown" } else { manager };
        entry.identity() == (Operation::Update, [manager, self.api_version, self.subresource])
    }

    pub(super) fn typed(&self, value: ParsedValue<'a>) -> Option<Typed<'a>> {
        let ty = self.versions.type_of(self.api_version)?;
        Some(Typed { value, ty, version: self.api_version })
    }

    /// An object in messages: namespace, name and kind.
    pub(super) fn describe(&self, object: ParsedValue<'_>) -> String {
        let text = |path: &[&str]| object.at(path).and_then(ParsedValue::as_str).unwrap_or_default();
        let kind = kind_text(text(&["apiVersion"]), text(&["kind"]));
        format!("{}/{}; {kind}", text(&["metadata", "namespace"]), text(&["metadata", "name"]))
    }

    /// The entry of a set at this endpoint.
    pub(super) fn new_entry(
        &self,
        id: &ManagerId,
        set: &FieldSet<'_>,
        time: Option<Time>,
    ) -> ManagedFieldsEntry {
        self.entry_of(id, FieldsV1::of(set, self.order), time)
    }

    /// The entry of fields at this endpoint.
    pub(super) fn entry_of(
        &self,
        id: &ManagerId,
        fields: FieldsV1,
        time: Option<Time>,
    ) -> ManagedFieldsEntry {
        ManagedFieldsEntry {
            manager: Arc::clone(&id.manager),
            operation: id.operation,
            api_version: Arc::from(self.api_version),
            subresource: Arc::clone(&id.subresource),
            time,
            fields,
        }
    }
}

/// A group, version and kind as Go prints it.
pub(super) fn kind_text(api_version: &str, kind: &str) -> String {
    let (group, version) = match api_version.split_once('/') {
        // Upstream takes a malformed version as none.
        Some((_, version)) if version.contains('/') => ("", ""),
        Some(parts) => parts,
        None => ("", api_version),
    };
    format!("{group}/{version}, Kind={kind}")
}

/// Fields without owners: type and identity of an object, and what the server sets.
pub(super) const STRIPPED: FieldSet<'static> = FieldSet { nodes: &SetEntry::all(&STRIPPED_NODES) };

const STRIPPED_NODES: [SetNode<'static>; 3] = [
    SetNode::leaf(Element::Name("apiVersion")),
    SetNode::leaf(Element::Name("kind")),
    SetNode::new(Element::Name("metadata"), true, STRIPPED_METADATA),
];

const STRIPPED_METADATA: FieldSet<'static> = FieldSet { nodes: &SetEntry::all(&STRIPPED_METADATA_NODES) };

// Sorted, as all sets are.
const STRIPPED_METADATA_NODES: [SetNode<'static>; 9] = [
    SetNode::leaf(Element::Name("clusterName")),
    SetNode::leaf(Element::Name("creationTimestamp")),
    SetNode::leaf(Element::Name("generation")),
    SetNode::leaf(Element::Name("managedFields")),
    SetNode::leaf(Element::Name("name")),
    SetNode::leaf(Element::Name("namespace")),
    SetNode::leaf(Element::Name("resourceVersion")),
    SetNode::leaf(Element::Name("selfLink")),
    SetNode::leaf(Element::Name("uid")),
];

/// The entries of managers after an operation: texts that did not change are shared.
pub(super) fn entries_of(managers: &[Manager<'_>], order: FieldOrder) -> Vec<ManagedFieldsEntry> {
    let entry = |manager: &Manager<'_>| match (&manager.owner, &manager.fields) {
        // The entry of this write is made by the caller.
        (Owner::Me, _) => None,
        // Unread fields are unchanged, so their text is kept.
        (Owner::Entry(entry) | Owner::Writer(entry), Fields::Text { .. }) => Some(entry.clone()),
        (Owner::Entry(entry) | Owner::Writer(entry), Fields::Set(set)) => {
            Some(ManagedFieldsEntry { fields: FieldsV1::of(set, order), ..entry.clone() })
        }
    };
    managers.iter().filter_map(entry).collect()
}
