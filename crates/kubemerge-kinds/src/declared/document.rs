//! The schema of a kind in an OpenAPI document: what it requires, allows and limits, with its references resolved.

use serde_json::{Map, Value};

use crate::custom::structural::Structural;

/// How many schemas one kind may have, references included. A document in which each refers to many others would
/// grow without end.
const MAX_SCHEMAS: usize = 50_000;

/// Compiles the schema of a kind; none if it is too large or has a pattern that is no regular expression.
pub(super) fn compile(schemas: &Map<String, Value>, schema: &Value) -> Option<Structural> {
    let mut resolver = Resolver { schemas, open: Vec::new(), count: 0 };
    let mut resolved = resolver.resolve(schema)?;
    // The type and the metadata of an object have rules of their own.
    if let Some(Value::Object(properties)) = resolved.get_mut("properties") {
        for name in ["apiVersion", "kind", "metadata"] {
            properties.remove(name);
        }
    }
    if let Some(Value::Array(required)) = resolved.get_mut("required") {
        required.retain(|name| !matches!(name.as_str(), Some("apiVersion" | "kind" | "metadata")));
    }
    Structural::compile(&resolved).ok()
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
        if let Some(only) = only_reference(map) {
            return self.described(map, only);
        }
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
        // Documents of version 2 have no other way to say it.
        if map.get("format").and_then(Value::as_str) == Some("int-or-string") {
            resolved.insert("x-kubernetes-int-or-string".into(), true.into());
        }
        Some(Value::Object(resolved))
    }

    /// A reference with words of its own beside it, such as a default, which are added to those of its target.
    fn described(&mut self, map: &Map<String, Value>, reference: &Value) -> Option<Value> {
        let mut resolved = self.resolve(reference)?;
        if let Value::Object(target) = &mut resolved {
            let own = map.iter().filter(|(name, _)| *name != "allOf");
            target.extend(own.map(|(name, value)| (name.clone(), value.clone())));
        }
        Some(resolved)
    }
}

/// The reference of a schema that is nothing else: `allOf` with one item, since words beside `$ref` have no effect.
fn only_reference(map: &Map<String, Value>) -> Option<&Value> {
    let [only] = map.get("allOf")?.as_array()?.as_slice() else { return None };
    let says_more = ["type", "properties", "items", "additionalProperties"];
    let is_reference = only.get("$ref").is_some() && !says_more.iter().any(|name| map.contains_key(*name));
    is_reference.then_some(only)
}
