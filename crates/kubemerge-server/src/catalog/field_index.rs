//! Fields that a test adds to those a field selector may name.

use std::{fmt, sync::Arc};

use serde_json::Value;

use crate::catalog::resource::Resource;

/// What an index finds in an object.
type Read = dyn Fn(&Value) -> Vec<String> + Send + Sync;

/// A field of one kind and how its values are found in an object.
#[derive(Clone)]
pub(crate) struct FieldIndex {
    pub(crate) group: String,
    pub(crate) kind: String,
    pub(crate) field: String,
    pub(crate) read: Arc<Read>,
}

impl FieldIndex {
    /// Whether this is the index of a resource's field.
    pub(crate) fn is_of(&self, resource: &Resource, field: &str) -> bool {
        self.field == field && self.kind == resource.kind && self.group == resource.group
    }
}

impl fmt::Debug for FieldIndex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "FieldIndex({}/{} {})", self.group, self.kind, self.field)
    }
}
