//! One comparison: an object and the operation that both sides are asked for.

use serde_json::{Value, json};

use super::objects::Base;
use super::operation::Operation;

/// What is asked: an object, and for updates the stored one.
pub(super) struct Trial<'b> {
    pub(super) base: &'b Base,
    pub(super) operation: Operation,
    pub(super) object: Value,
    /// What was done to the valid object, for people.
    pub(super) changes: Vec<String>,
}

impl Trial<'_> {
    /// The request to the oracle.
    pub(super) fn request(&self) -> Value {
        let mut request = json!({"op": "create", "object": self.object});
        if self.operation != Operation::Create {
            request["op"] = "update".into();
            // Some kinds may not be replaced without a resource version; what it says is not the question here.
            if let Some(metadata) = request["object"].get_mut("metadata").and_then(Value::as_object_mut) {
                metadata.entry("resourceVersion").or_insert_with(|| "1".into());
            }
            request["old"] = self.base.stored.clone().unwrap_or_default();
        }
        if let Some(name) = self.operation.subresource() {
            request["subresource"] = name.into();
        }
        request
    }
}
