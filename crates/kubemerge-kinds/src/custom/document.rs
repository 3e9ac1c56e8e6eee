//! Schemas of the kinds in OpenAPI documents that a caller brings along: what they require, allow and limit.

use std::{
    collections::HashMap,
    fmt,
    sync::{Arc, Mutex, PoisonError},
};

use serde_json::{Map, Value};

use super::structural::Structural;

/// How many schemas one kind may have, references included. A document in which each refers to many others would
/// grow without end.
const MAX_SCHEMAS: usize = 50_000;

/// The schemas of the kinds in some documents, each compiled when it is first wanted.
#[derive(Default)]
pub struct DocumentSchemas {
    documents: Vec<Value>,
    compiled: Mutex<HashMap<String, Option<Arc<Structural>>>>,
}

impl fmt::Debug for DocumentSchemas {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DocumentSchemas").field("documents", &self.documents.len()).finish_non_exhaustive()
    }
}

impl DocumentSchemas {
    /// The kinds of OpenAPI documents, v2 or v3.
    pub fn new(documents: Vec<Value>) -> DocumentSchemas {
        DocumentSchemas { documents, compiled: Mutex::default() }
    }

    /// The schema of a kind, if a document has it. Of several documents the last one counts.
    pub fn of_kind(&self, group: &str, version: &str, kind: &str) -> Option<Arc<Structural>> {
        if self.documents.is_empty() {
            return None;
        }
        let mut compiled = self.compiled.lock().unwrap_or_else(PoisonError::into_inner);
        let find =
            || self.documents.iter().rev().find_map(|document| schema_of(document, [group, version, kind]));
        compiled.entry(format!("{group}/{version} {kind}")).or_insert_with(find).clone()
    }
}

fn schema_of(document: &Value, wanted: [&str; 3]) -> Option<Arc<Structural>> {
    let schemas =
        document.get("definitions").or_else(|| document.pointer("/components/schemas"))?.as_object()?;
    let schema = schemas.values().find(|schema| is_of_kind(schema, wanted))?;
    let mut resolver = Resolver { schemas, open: Vec::new(), count: 0 };
    let mut resolved = resolver.resolve(schema)?;
    // The type and the metadata of an object have rules of their own.
    if let Some(Value::Object(properties)) = resolved.get_mut("properties") {
        for name in ["apiVersion", "kind", "metadata"] {
            properties.remove(name);
        }
    }
    Structural::compile(&resolved).ok().map(Arc::new)
}

fn is_of_kind(schema: &Value, [group, version, kind]: [&str; 3]) -> bool {
    let listed =
        schema.get("x-kubernetes-group-version-kind").and_then(Value::as_array).into_iter().flatten();
    let text =
        |one: &Value, name: &str| one.get(name).and_then(Value::as_str).unwrap_or_default().to_string();
    listed.into_iter().any(|one| {
        text(one, "group") == group && text(one, "version") == version && text(one, "kind") == kind
    })
}

/// Puts schemas in the place of references.
struct Resolver<'d> {
    schemas: &'d Map<String, Value>,
    /// References that are being resolved: one of them in itself is left open, anything passes there.
    open: Vec<String>,
    count: usize,
}

impl Resolver<'_> {
    /// None if there are too many schemas.
    fn resolve(&mut self, schema: &Value) -> Option<Value> {
        self.count += 1;
        if self.count > MAX_SCHEMAS {
            return None;
        }
        if let Some(reference) = schema.get("$ref").and_then(Value::as_str) {
            let name = reference.rsplit('/').next().unwrap_or_default().to_string();
            let schemas = self.schemas;
            let Some(target) = schemas.get(&name).filter(|_| !self.open.contains(&name)) else {
                // A reference to nowhere or into itself: an empty schema accepts everything.
                return Some(Value::Object(Map::new()));
            };
            self.open.push(name);
            let resolved = self.resolve(target);
            self.open.pop();
            return resolved;
        }
        let Some(map) = schema.as_object() else { return Some(schema.clone()) };
        let mut resolved = Map::new();
        for (keyword, value) in map {
            let value = match (keyword.as_str(), value) {
                ("properties", Value::Object(properties)) => Value::Object(
                    properties
                        .iter()
                        .map(|(name, one)| Some((name.clone(), self.resolve(one)?)))
                        .collect::<Option<_>>()?,
                ),
                ("items" | "additionalProperties" | "not", Value::Object(_)) => self.resolve(value)?,
                ("allOf" | "anyOf" | "oneOf", Value::Array(list)) => {
                    Value::Array(list.iter().map(|one| self.resolve(one)).collect::<Option<_>>()?)
                }
                _ => value.clone(),
            };
            resolved.insert(keyword.clone(), value);
        }
        Some(Value::Object(resolved))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::{
        custom::{decode, validate::validate},
        tree::Arena,
    };

    #[test]
    fn documents_limit_the_values_of_their_kinds() {
        let document = json!({"definitions": {
            "Shape": {"type": "object", "required": ["spec"], "properties": {"spec": {"$ref": "#/definitions/Spec"},
                "metadata": {"type": "string"}},
                "x-kubernetes-group-version-kind": [{"group": "g.io", "version": "v1", "kind": "Shape"}]},
            "Spec": {"type": "object", "required": ["size"], "properties": {
                "size": {"type": "integer", "minimum": 1}, "color": {"type": "string", "enum": ["red"]},
                "parts": {"type": "array", "items": {"$ref": "#/definitions/Spec"}}}},
        }});
        let schemas = DocumentSchemas::new(vec![document]);
        let schema = schemas.of_kind("g.io", "v1", "Shape").unwrap();
        let texts = |object: Value| -> Vec<String> {
            let (arena, text) = (Arena::new(), object.to_string());
            validate(&decode(&arena, &text), None, &schema).iter().map(ToString::to_string).collect()
        };
        assert_eq!(texts(json!({"metadata": {}, "spec": {"size": 1, "parts": [{"any": 1}]}})), [""; 0]);
        assert_eq!(texts(json!({})), ["spec: Required value"]);
        assert_eq!(
            texts(json!({"spec": {"size": 0, "color": "blue"}})),
            [
                "spec.color: Unsupported value: \"blue\": supported values: \"red\"",
                "spec.size: Invalid value: 0: spec.size in body should be greater than or equal to 1",
            ]
        );
        assert!(schemas.of_kind("g.io", "v1", "Other").is_none());
    }
}
