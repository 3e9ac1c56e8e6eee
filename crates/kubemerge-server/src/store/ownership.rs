//! Who owns the fields of an object: kept beside its text and put into `metadata.managedFields` when it is shown.
//!
//! The store never looks into it. Copies share the entries, and entries share their texts with the version before.

use std::sync::{Arc, LazyLock};

use kubemerge_ssa::managed_fields::ManagedFields;

static NO_ENTRIES: LazyLock<ManagedFields> = LazyLock::new(ManagedFields::new);

/// Room for the manager, the version and the time of an entry, and the names of its members.
const MAX_ENTRY_HEAD_BYTES: usize = 256;

/// The entries of an object.
#[derive(Clone, Debug, Default)]
pub struct Ownership {
    entries: Option<Arc<ManagedFields>>,
}

impl Ownership {
    /// Shares entries.
    pub fn new(entries: ManagedFields) -> Self {
        let entries = (!entries.is_empty()).then(|| Arc::new(entries));
        Ownership { entries }
    }

    /// The entries.
    pub fn entries(&self) -> &ManagedFields {
        self.entries.as_deref().unwrap_or(&NO_ENTRIES)
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.entries.is_none()
    }

    /// Whether both are the same apart from times: a write that changes nothing else stores nothing.
    pub(crate) fn is_same_without_times(&self, other: &Ownership) -> bool {
        match (&self.entries, &other.entries) {
            (None, None) => true,
            // Writes that change no owner share the entries.
            (Some(one), Some(two)) => Arc::ptr_eq(one, two) || one.is_same_without_times(two),
            _ => false,
        }
    }

    /// Appends the entries as a JSON list.
    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        self.entries().write_json(out);
    }

    /// At most how many bytes the list takes.
    pub(super) fn max_size(&self) -> usize {
        self.entries().entries().iter().map(|entry| entry.fields.as_str().len() + MAX_ENTRY_HEAD_BYTES).sum()
    }
}

impl PartialEq for Ownership {
    fn eq(&self, other: &Self) -> bool {
        self.entries() == other.entries()
    }
}
