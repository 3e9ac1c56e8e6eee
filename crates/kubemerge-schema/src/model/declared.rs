//! Documents about kinds that are not built in, as they were given. The model has what merges need of them; what values
//! must satisfy is compiled by the crate that validates, when an object of such a kind is first judged.

use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;

use serde_json::{Map, Value};

use super::{Model, Origin};

/// A document, without its descriptions.
#[derive(Clone, Debug)]
pub(crate) enum DeclaredDocument {
    /// A CustomResourceDefinition.
    Definition(Arc<Value>),
    /// The named schemas of an OpenAPI document, as far as kinds that are not built in use them.
    Schemas(Arc<Map<String, Value>>),
}

impl Model {
    /// Keeps a definition.
    pub(crate) fn keep_definition(&mut self, document: &Value) {
        self.declared.push(DeclaredDocument::Definition(Arc::new(without_descriptions(document))));
    }

    /// Keeps the schemas of a document that describe kinds which are not built in, and those that they refer to.
    pub(crate) fn keep_schemas(&mut self, schemas: &Map<String, Value>) {
        let built_in = self.built_in_kinds();
        let is_other = |schema: &Value| kinds_of(schema).any(|kind| !built_in.contains(&kind));
        let mut wanted: Vec<&str> =
            schemas.iter().filter(|(_, schema)| is_other(schema)).map(|(name, _)| name.as_str()).collect();
        let mut kept = Map::new();
        let mut seen: BTreeSet<&str> = wanted.iter().copied().collect();
        while let Some(name) = wanted.pop() {
            let Some(schema) = schemas.get(name) else { continue };
            references(schema, &mut |target| {
                if seen.insert(target) {
                    wanted.push(target);
                }
            });
            kept.insert(name.to_owned(), without_descriptions(schema));
        }
        if !kept.is_empty() {
            self.declared.push(DeclaredDocument::Schemas(Arc::new(kept)));
        }
    }

    /// Kind, group and version of every built-in kind.
    pub(super) fn built_in_kinds(&self) -> HashSet<[&str; 3]> {
        let is_built_in = |id: u32| self.definition(id).origin == Origin::BuiltIn;
        let kinds = self.kinds.iter().filter(|entry| is_built_in(entry.definition));
        kinds.map(|entry| [entry.kind, entry.group, entry.version].map(|part| self.text(part))).collect()
    }
}

/// Kind, group and version of each kind that a schema says it is: a list of maps, or one map.
pub(crate) fn kinds_of(schema: &Value) -> impl Iterator<Item = [&str; 3]> {
    let listed = match schema.get("x-kubernetes-group-version-kind") {
        Some(Value::Array(list)) => list.as_slice(),
        Some(one) => std::slice::from_ref(one),
        None => &[],
    };
    listed.iter().map(|one| ["kind", "group", "version"].map(|name| text(one, name)))
}

fn text<'v>(value: &'v Value, name: &str) -> &'v str {
    value.get(name).and_then(Value::as_str).unwrap_or_default()
}

/// Calls `found` with the last part of every reference. Loaders have bounded the depth of the document.
fn references<'v>(value: &'v Value, found: &mut impl FnMut(&'v str)) {
    match value {
        Value::Object(members) => {
            if let Some(reference) = members.get("$ref").and_then(Value::as_str) {
                found(reference.rsplit('/').next().unwrap_or_default());
            }
            members.values().for_each(|value| references(value, found));
        }
        Value::Array(items) => items.iter().for_each(|value| references(value, found)),
        _ => {}
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
