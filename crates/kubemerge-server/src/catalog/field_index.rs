//! Fields that a test adds to those a field selector may name.

use std::{
    fmt,
    sync::{Arc, PoisonError, RwLock},
};

use serde_json::Value;

use crate::{catalog::resource::Resource, protocol::group_version::split_api_version};

/// What an index finds in an object.
type Read = dyn Fn(&Value) -> Vec<String> + Send + Sync;

/// A field of one kind and how its values are found in an object.
#[derive(Clone)]
pub(crate) struct FieldIndex {
    pub(crate) api_version: String,
    pub(crate) kind: String,
    pub(crate) field: String,
    pub(crate) read: Arc<Read>,
}

/// The indexes of a server; tests may add some at any time.
#[derive(Debug, Default)]
pub(crate) struct FieldIndexes(RwLock<Vec<FieldIndex>>);

impl FieldIndexes {
    pub(crate) fn new(indexes: Vec<FieldIndex>) -> FieldIndexes {
        FieldIndexes(RwLock::new(indexes))
    }

    pub(crate) fn add(&self, index: FieldIndex) {
        // The newest comes first, so that it replaces one of the same field.
        self.0.write().unwrap_or_else(PoisonError::into_inner).insert(0, index);
    }

    /// The index of a resource's field.
    pub(crate) fn find(&self, resource: &Resource, field: &str) -> Option<FieldIndex> {
        let indexes = self.0.read().unwrap_or_else(PoisonError::into_inner);
        indexes.iter().find(|index| index.is_of(resource, field)).cloned()
    }

    pub(crate) fn fork(&self) -> FieldIndexes {
        FieldIndexes::new(self.0.read().unwrap_or_else(PoisonError::into_inner).clone())
    }
}

impl FieldIndex {
    /// The index of a kind's field; its version makes no difference.
    pub(crate) fn new(
        api_version: &str,
        kind: &str,
        field: &str,
        read: impl Fn(&Value) -> Vec<String> + Send + Sync + 'static,
    ) -> FieldIndex {
        let [api_version, kind, field] = [api_version, kind, field].map(str::to_string);
        FieldIndex { api_version, kind, field, read: Arc::new(read) }
    }

    /// Whether this is the index of a resource's field.
    pub(crate) fn is_of(&self, resource: &Resource, field: &str) -> bool {
        let (group, _) = split_api_version(&self.api_version);
        self.field == field && self.kind == resource.kind && group == resource.group
    }
}

impl fmt::Debug for FieldIndex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "FieldIndex({} {} {})", self.api_version, self.kind, self.field)
    }
}
