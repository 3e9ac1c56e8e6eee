//! Definitions as they were given. The model has the types of their objects; what else a definition says, such as where
//! `/scale` finds its numbers, is read by those who need it.

use std::collections::HashSet;
use std::sync::Arc;

use serde_json::Value;

use super::{Model, Origin};

impl Model {
    /// Keeps a definition.
    pub(crate) fn keep_definition(&mut self, document: &Value) {
        self.declared.push(Arc::new(without_descriptions(document)));
    }

    /// Kind, group and version of every built-in kind.
    pub(super) fn built_in_kinds(&self) -> HashSet<[&str; 3]> {
        let is_built_in = |id: u32| self.definition(id).origin == Origin::BuiltIn;
        let kinds = self.kinds.iter().filter(|entry| is_built_in(entry.definition));
        kinds.map(|entry| [entry.kind, entry.group, entry.version].map(|part| self.text(part))).collect()
    }
}

/// A copy without descriptions, which are most of the text of a document.
fn without_descriptions(value: &Value) -> Value {
    match value {
        Value::Object(members) => {
            // A property may have that name; then its value is a schema.
            let is_kept = |name: &str, value: &Value| name != "description" || !value.is_string();
            let copy = |name: &str, value: &Value| match name {
                // What objects may have, not what documents say about it.
                "default" | "enum" => value.clone(),
                _ => without_descriptions(value),
            };
            let kept = members.iter().filter(|(name, value)| is_kept(name, value));
            Value::Object(kept.map(|(name, value)| (name.clone(), copy(name, value))).collect())
        }
        Value::Array(items) => Value::Array(items.iter().map(without_descriptions).collect()),
        scalar => scalar.clone(),
    }
}
