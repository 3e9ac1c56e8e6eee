//! Entries of `managedFields`: who owns which fields since when.
//!
//! An entry holds its set as `fieldsV1` text and reads it only on demand. Texts are shared:
//! entries of objects from one template may point to one text.

use std::cmp::Ordering;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering as Memory};

use kubemerge_schema::TypeRef;

use super::Time;
use crate::fieldpath::{FieldOrder, FieldSet, FieldsError};
use crate::typed::reconcile;
use crate::value::{Arena, ParsedValue};

/// How a manager came to own its fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Operation {
    /// By server-side apply.
    Apply,
    /// By any other write.
    Update,
}

impl Operation {
    /// The word of the entry.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Operation::Apply => "Apply",
            Operation::Update => "Update",
        }
    }
}

/// Who owns fields. Appliers are distinguished by name and subresource, updaters by version too.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ManagerId {
    /// The name of the manager.
    pub manager: Arc<str>,
    /// How it came to own its fields.
    pub operation: Operation,
    /// The version of an updater; empty for appliers.
    pub api_version: Arc<str>,
    /// The subresource it wrote through; empty for the object itself.
    pub subresource: Arc<str>,
}

impl ManagerId {
    /// An applier of the object itself.
    #[must_use]
    pub fn applier(manager: &str) -> Self {
        let (manager, nothing) = (Arc::from(manager), Arc::from(""));
        ManagerId {
            manager,
            operation: Operation::Apply,
            api_version: Arc::clone(&nothing),
            subresource: nothing,
        }
    }

    /// An updater of the object itself in a version, e.g. `apps/v1`.
    #[must_use]
    pub fn updater(manager: &str, api_version: &str) -> Self {
        let (manager, api_version) = (Arc::from(manager), Arc::from(api_version));
        ManagerId { manager, operation: Operation::Update, api_version, subresource: Arc::from("") }
    }

    /// The id as upstream writes it, which is also what ids are sorted by.
    #[must_use]
    pub fn to_json(&self) -> String {
        let mut out = Vec::new();
        let mut member = |name: &str, text: &str| {
            if !text.is_empty() {
                out.extend_from_slice(if out.is_empty() { b"{\"" } else { b",\"" });
                out.extend_from_slice(name.as_bytes());
                out.extend_from_slice(b"\":");
                ParsedValue::String(text).write_json(&mut out);
            }
        };
        member("manager", &self.manager);
        member("operation", self.operation.word());
        member("apiVersion", &self.api_version);
        member("subresource", &self.subresource);
        out.push(b'}');
        // Made of strings only.
        String::from_utf8(out).unwrap_or_default()
    }
}

/// One entry of `managedFields`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ManagedFieldsEntry {
    /// The name of the manager.
    pub manager: Arc<str>,
    /// How it came to own its fields.
    pub operation: Operation,
    /// The version its fields are in.
    pub api_version: Arc<str>,
    /// The subresource it wrote through; empty for the object itself.
    pub subresource: Arc<str>,
    /// When it last changed something.
    pub time: Option<Time>,
    /// The fields it owns.
    pub fields: FieldsV1,
}

impl ManagedFieldsEntry {
    /// Who the entry belongs to.
    #[must_use]
    pub fn id(&self) -> ManagerId {
        let api_version = match self.operation {
            Operation::Apply => Arc::from(""),
            Operation::Update => Arc::clone(&self.api_version),
        };
        let (manager, subresource) = (Arc::clone(&self.manager), Arc::clone(&self.subresource));
        ManagerId { manager, operation: self.operation, api_version, subresource }
    }

    /// What distinguishes entries of one object, borrowed.
    pub(super) fn identity(&self) -> (Operation, [&str; 3]) {
        let api_version = if self.operation == Operation::Apply { "" } else { &self.api_version };
        (self.operation, [&self.manager, api_version, &self.subresource])
    }

    /// Whether the entry belongs to a manager.
    #[must_use]
    pub fn is_of(&self, id: &ManagerId) -> bool {
        self.operation == id.operation
            && self.manager == id.manager
            && self.subresource == id.subresource
            && (self.operation == Operation::Apply || self.api_version == id.api_version)
    }

    /// The order of entries: appliers first, then the oldest first.
    pub(super) fn order(&self, other: &ManagedFieldsEntry) -> Ordering {
        // Appliers first, then by time, then by name: upstream's order.
        let key = |entry: &ManagedFieldsEntry| (entry.operation, entry.time.map_or(0, |time| time.0));
        let text = |one: &ManagedFieldsEntry, two: &ManagedFieldsEntry| {
            let names = one.manager.cmp(&two.manager).then_with(|| one.api_version.cmp(&two.api_version));
            names.then_with(|| one.subresource.cmp(&two.subresource))
        };
        key(self).cmp(&key(other)).then_with(|| text(self, other))
    }
}

/// A set of fields as text, in the order of the wire. Clones share the text.
#[derive(Clone)]
pub struct FieldsV1(Arc<FieldsText>);

struct FieldsText {
    text: Box<str>,
    /// The type under which the set was found to need no adaption, as a fingerprint.
    reconciled: AtomicU64,
}

impl FieldsV1 {
    /// Reads and normalises a text.
    ///
    /// # Errors
    /// If it is no `fieldsV1`.
    pub fn parse(text: &str, order: FieldOrder) -> Result<FieldsV1, FieldsError> {
        let arena = Arena::new();
        Ok(FieldsV1::of(&FieldSet::read(text, &arena)?, order))
    }

    /// The text of a set.
    #[must_use]
    pub fn of(set: &FieldSet<'_>, order: FieldOrder) -> FieldsV1 {
        FieldsV1::trusted(set.to_fields_v1(order).into())
    }

    /// A text that was written by this crate.
    #[must_use]
    pub fn trusted(text: Box<str>) -> FieldsV1 {
        // Shared, because entries are cloned with every write.
        FieldsV1(Arc::new(FieldsText { text, reconciled: AtomicU64::new(0) }))
    }

    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0.text
    }

    /// The set.
    ///
    /// # Errors
    /// If a text that was passed as trusted is no `fieldsV1`.
    pub fn set<'a>(&'a self, arena: &'a Arena) -> Result<FieldSet<'a>, FieldsError> {
        FieldSet::read(&self.0.text, arena)
    }

    /// The set, with the text copied into the arena, so that the set may outlive the entry.
    ///
    /// # Errors
    /// If a text that was passed as trusted is no `fieldsV1`.
    pub fn set_in<'a>(&self, arena: &'a Arena) -> Result<FieldSet<'a>, FieldsError> {
        FieldSet::read(arena.alloc_str(&self.0.text), arena)
    }

    /// Whether both are one text in memory.
    #[must_use]
    pub fn is_shared_with(&self, other: &FieldsV1) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// The set as a type of today would have it; `None` if it needs no adaption. The answer is remembered.
    pub(crate) fn reconciled<'a>(
        &self,
        ty: TypeRef<'_>,
        arena: &'a Arena,
    ) -> Result<Option<FieldSet<'a>>, FieldsError> {
        // A text that needed no change for this type needs none again; a lost note only costs time.
        if self.0.reconciled.load(Memory::Relaxed) == ty.fingerprint() {
            return Ok(None);
        }
        let reconciled = reconcile(ty, &self.set_in(arena)?, arena);
        if reconciled.is_none() {
            self.0.reconciled.store(ty.fingerprint(), Memory::Relaxed);
        }
        Ok(reconciled)
    }
}

impl PartialEq for FieldsV1 {
    fn eq(&self, other: &Self) -> bool {
        self.is_shared_with(other) || self.as_str() == other.as_str()
    }
}

impl Eq for FieldsV1 {}

impl std::fmt::Debug for FieldsV1 {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}
