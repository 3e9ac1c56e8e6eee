//! Random objects of a schema, and random changes to them.

use serde_json::{Map, Value, json};

use super::subject::Subject;
use crate::rng::Rng;

/// What an object is made for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// Lists have each item once.
    Config,
    /// Lists may repeat items.
    Live,
}

pub(crate) struct Objects<'d> {
    pub(crate) subject: &'d Subject,
    pub(crate) role: Role,
}

impl Objects<'_> {
    fn resolve<'s>(&'s self, schema: &'s Value) -> &'s Value {
        match reference(schema) {
            Some(name) => &self.subject.document["components"]["schemas"][name],
            None => schema,
        }
    }

    /// Any value of a schema.
    pub(crate) fn value(&self, rng: &mut Rng, schema: &Value, depth: usize) -> Value {
        if rng.chance(4) && schema["format"] != "byte" && !is_quantity(schema) {
            return Value::Null;
        }
        if let Some(known) = reference(schema).and_then(|name| well_known(rng, name)) {
            return known;
        }
        let schema = self.resolve(schema);
        match schema["type"].as_str() {
            // Built-in types refer to each other without end.
            Some("object" | "array") if depth == 0 && self.subject.is_typed() => Value::Null,
            Some("object") if schema["x-kubernetes-embedded-resource"] == true => embedded(rng),
            Some("object") => self.map(rng, schema, depth),
            Some("array") => self.list(rng, schema, depth),
            Some("string") if schema["format"] == "int-or-string" && rng.chance(50) => json!(rng.below(3)),
            Some("string") if schema["format"] == "byte" => json!(rng.pick(&["YQ==", "Yg=="])),
            Some("string") if schema["format"] == "date-time" => json!("2020-01-01T00:00:00Z"),
            Some("string") => text(rng),
            Some("integer") => json!(rng.below(3)),
            Some("number") => {
                rng.pick(&[json!(1), json!(1.0), json!(1.5), json!(2), json!(3_000_000)]).clone()
            }
            Some("boolean") => json!(rng.chance(50)),
            _ => anything(rng, depth.min(2)),
        }
    }

    /// Objects are dense at the top and sparse below.
    fn density(&self, depth: usize) -> usize {
        if self.subject.is_typed() && depth > 3 { 60 } else { self.subject.density }
    }

    pub(crate) fn map(&self, rng: &mut Rng, schema: &Value, depth: usize) -> Value {
        let mut map = Map::new();
        if rng.chance(8) {
            return Value::Object(map);
        }
        for (name, field) in schema["properties"].as_object().into_iter().flatten() {
            // Go keeps the text of raw JSON, escapes and all, and compares it (conformance/DIFFERENCES.md).
            if name == "fieldsV1" {
                continue;
            }
            // The made schemas call the keys of their lists so; an item without them is mostly just an error.
            let is_key = name == "k" || name == "j";
            if rng.chance(if is_key { 95 } else { self.density(depth) }) {
                map.insert(name.clone(), self.value(rng, field, depth.saturating_sub(1)));
            }
        }
        if let Some(additional) = schema.get("additionalProperties") {
            for _ in 0..rng.below(3) {
                map.insert(key(rng), self.value(rng, additional, depth.saturating_sub(1)));
            }
        }
        let is_open = schema["x-kubernetes-preserve-unknown-fields"] == true
            || (schema.get("properties").is_none() && schema.get("additionalProperties").is_none());
        if is_open && rng.chance(60) {
            map.insert(format!("x{}", rng.below(3)), anything(rng, 2));
        }
        Value::Object(map)
    }

    fn list(&self, rng: &mut Rng, schema: &Value, depth: usize) -> Value {
        let mut items: Vec<Value> = Vec::new();
        for _ in 0..rng.below(4) {
            let mut item = self.value(rng, &schema["items"], depth.saturating_sub(1));
            // A null item fails the whole step; a few are enough.
            if is_associative(schema) && item.is_null() && rng.chance(90) {
                continue;
            }
            if let Some(keys) = keys_of(schema) {
                self.complete_keys(rng, schema, &keys, &mut item);
            }
            items.push(item);
        }
        if is_associative(schema) && (self.role == Role::Config || rng.chance(80)) && rng.chance(98) {
            drop_repeated(schema, &mut items);
        }
        Value::Array(items)
    }

    /// Most items have their keys, and most keys are not null.
    fn complete_keys(&self, rng: &mut Rng, schema: &Value, keys: &[String], item: &mut Value) {
        let Some(map) = item.as_object_mut() else { return };
        for key in keys {
            let ty = &self.resolve(&schema["items"])["properties"][key];
            if map.get(key).is_none_or(Value::is_null) && rng.chance(93) {
                // Keys with a default may be absent: the item's identity comes from the default then.
                match ty.get("default") {
                    Some(_) if rng.chance(60) => map.remove(key),
                    _ => map.insert(key.clone(), scalar_of(rng, ty)),
                };
            }
        }
    }

    /// A value with some parts changed, added or removed.
    pub(crate) fn changed(&self, rng: &mut Rng, schema: &Value, value: &Value, percent: usize) -> Value {
        // A fresh value in place of a changed one, so that types of values change too.
        if rng.chance(percent / 4) {
            return self.value(rng, schema, 3);
        }
        let schema = self.resolve(schema);
        match value {
            Value::Object(map) if schema.get("properties").is_some() => {
                let mut changed = Map::new();
                for (name, field) in schema["properties"].as_object().into_iter().flatten() {
                    match map.get(name) {
                        Some(_) if rng.chance(percent / 3) => {}
                        Some(value) => {
                            changed.insert(name.clone(), self.changed(rng, field, value, percent));
                        }
                        None if rng.chance(percent * self.subject.density / 90) => {
                            changed.insert(name.clone(), self.value(rng, field, 3));
                        }
                        None => {}
                    }
                }
                Value::Object(changed)
            }
            Value::Array(items) if is_associative(schema) => {
                let mut changed: Vec<Value> = Vec::new();
                for item in items {
                    if !rng.chance(percent / 3) {
                        changed.push(self.changed_item(rng, schema, item, percent));
                    }
                }
                if rng.chance(percent) {
                    let more = self.list(rng, schema, 2);
                    changed.extend(more.as_array().cloned().unwrap_or_default());
                }
                // The order of items is merged as well.
                if rng.chance(20) {
                    rng.shuffle(&mut changed);
                }
                // Configurations with an item twice are refused; live objects may have one.
                if self.role == Role::Config || rng.chance(80) {
                    drop_repeated(schema, &mut changed);
                }
                Value::Array(changed)
            }
            other => other.clone(),
        }
    }

    fn changed_item(&self, rng: &mut Rng, schema: &Value, item: &Value, percent: usize) -> Value {
        let mut changed = self.changed(rng, &schema["items"], item, percent);
        // With another key it would be another item.
        for key in keys_of(schema).unwrap_or_default() {
            match (item.get(&key), changed.as_object_mut()) {
                (Some(value), Some(map)) => map.insert(key, value.clone()),
                (None, Some(map)) => map.remove(&key),
                _ => None,
            };
        }
        changed
    }
}

fn is_associative(schema: &Value) -> bool {
    matches!(schema["x-kubernetes-list-type"].as_str(), Some("set" | "map"))
        || schema["x-kubernetes-patch-strategy"] == "merge"
}

fn keys_of(schema: &Value) -> Option<Vec<String>> {
    if let Some(key) = schema["x-kubernetes-patch-merge-key"].as_str() {
        return Some(vec![key.to_owned()]);
    }
    let keys = schema["x-kubernetes-list-map-keys"].as_array()?;
    Some(keys.iter().filter_map(Value::as_str).map(str::to_owned).collect())
}

/// Keeps the first item of each identity, as far as that can be told without defaults.
fn drop_repeated(schema: &Value, items: &mut Vec<Value>) {
    let identity = |item: &Value| match keys_of(schema) {
        Some(keys) => {
            let defaults = &schema["items"]["properties"];
            let key =
                |key: &String| item.get(key).cloned().unwrap_or_else(|| defaults[key]["default"].clone());
            Value::Array(keys.iter().map(key).collect())
        }
        None => item.clone(),
    };
    // 1 and 1.0 are the same key.
    let number = |value: &Value| value.as_f64().map_or_else(|| value.to_string(), |float| float.to_string());
    let text = |item: &Value| match identity(item) {
        Value::Array(keys) => keys.iter().map(number).collect::<Vec<_>>().join(","),
        other => number(&other),
    };
    let mut seen = std::collections::HashSet::new();
    items.retain(|item| seen.insert(text(item)));
}

fn text(rng: &mut Rng) -> Value {
    json!(rng.pick(&["p", "q", "r", "", "a<b", "x y", "x\"y"]))
}

fn key(rng: &mut Rng) -> String {
    (*rng.pick(&["p", "q", "r", "x/y", "a<b", "x.y z", "é"])).to_owned()
}

fn scalar_of(rng: &mut Rng, schema: &Value) -> Value {
    match schema["type"].as_str() {
        Some("integer") => json!(rng.below(3)),
        Some("number") => json!(rng.below(3) as f64 / 2.0),
        Some("boolean") => json!(rng.chance(50)),
        _ => text(rng),
    }
}

fn anything(rng: &mut Rng, depth: usize) -> Value {
    match rng.below(if depth == 0 { 4 } else { 8 }) {
        0 => json!(rng.below(3)),
        1 | 2 => text(rng),
        3 => json!(true),
        4 => Value::Null,
        5 => Value::Array((0..rng.below(3)).map(|_| anything(rng, depth - 1)).collect()),
        _ => {
            let mut map = Map::new();
            for _ in 0..rng.below(3) {
                map.insert(key(rng), anything(rng, depth - 1));
            }
            Value::Object(map)
        }
    }
}

/// A whole object inside another, whose metadata has ObjectMeta's types.
fn embedded(rng: &mut Rng) -> Value {
    let mut finalizers = vec!["p", "q", "r"];
    finalizers.truncate(rng.below(4));
    json!({"apiVersion": "v1", "kind": "Part", "x": anything(rng, 2), "metadata": {
        "name": "part", "finalizers": finalizers, "labels": {"p": text(rng)},
        "ownerReferences": [{"apiVersion": "v1", "kind": "Whole", "name": text(rng), "uid": text(rng)}],
    }})
}

/// The definition that a schema refers to.
fn reference(schema: &Value) -> Option<&str> {
    let wrapped = schema["allOf"].get(0).unwrap_or(schema);
    wrapped["$ref"].as_str().and_then(|name| name.rsplit('/').next())
}

/// A quantity, of which Go tells null from `"0"` where no text shows it (conformance/DIFFERENCES.md).
fn is_quantity(schema: &Value) -> bool {
    reference(schema).is_some_and(|name| name.ends_with(".Quantity"))
}

/// Values of types that Go reads in its own way.
fn well_known(rng: &mut Rng, name: &str) -> Option<Value> {
    Some(match name.rsplit('.').next()? {
        "Quantity" => json!(rng.pick(&["1", "500m", "1Gi", "0"])),
        "IntOrString" => rng.pick(&[json!(80), json!("http"), json!("50%")]).clone(),
        "Time" => json!(rng.pick(&["2020-01-01T00:00:00Z", "2021-06-01T12:00:00Z"])),
        "MicroTime" => json!("2020-01-01T00:00:00.000000Z"),
        "RawExtension" => json!({"a": rng.below(3)}),
        _ => return None,
    })
}
