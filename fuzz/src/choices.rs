//! Documents and patches from the bytes of a fuzzer: small vocabularies make rules meet directives often.

use kubemerge_schema::{Dialect, Schema, SchemaBuilder};
use serde_json::{Map, Value, json};

/// A type that has every rule, and holds itself.
pub fn schema(dialect: Dialect) -> Schema {
    let thing = json!({"$ref": "#/components/schemas/Thing"});
    let list = |extra: Value| {
        let mut list = json!({"type": "array", "items": thing});
        list.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
        list
    };
    let merge =
        |key: &str| json!({"x-kubernetes-patch-strategy": "merge", "x-kubernetes-patch-merge-key": key});
    let scalars =
        json!({"type": "array", "items": {"type": "string"}, "x-kubernetes-patch-strategy": "merge"});
    let set = json!({"type": "array", "items": {"type": "string"}, "x-kubernetes-list-type": "set"});
    let map_with = |strategy: &str| json!({"allOf": [thing], "x-kubernetes-patch-strategy": strategy});
    let ports = json!({
        "x-kubernetes-patch-strategy": "merge", "x-kubernetes-patch-merge-key": "port",
        "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["port", "protocol"],
    });
    SchemaBuilder::new()
        .document(&json!({"openapi": "3.0.0", "components": {"schemas": {"Thing": {
            "type": "object",
            "properties": {
                "name": {"type": "string"},
                "value": {"type": "string"},
                "port": {"type": "integer"},
                "protocol": {"type": "string", "default": "TCP"},
                "keyed": list(merge("name")),
                "ports": list(ports),
                "atomic": list(json!({})),
                "scalars": scalars,
                "set": set,
                "child": {"allOf": [thing]},
                "replaced": map_with("replace"),
                "retained": map_with("retainKeys"),
                "labels": {"type": "object", "additionalProperties": {"type": "string"}},
                "free": {"type": "object", "x-kubernetes-preserve-unknown-fields": true},
            },
        }}}}))
        .expect("the schema of the fuzz targets loads")
        .compile(dialect)
        .expect("the schema of the fuzz targets compiles")
}

const FIELDS: [&str; 13] = [
    "name", "value", "port", "protocol", "keyed", "ports", "atomic", "scalars", "set", "child", "replaced",
    "retained", "free",
];
const LISTS: [&str; 5] = ["keyed", "ports", "atomic", "scalars", "set"];
const WORDS: [&str; 6] = ["a", "b", "c", "é\"\\", "<&>", "delete"];

/// Whether a document is an object or a patch.
#[derive(Clone, Copy, PartialEq)]
pub enum Role {
    Object,
    Patch,
}

/// A document and other versions of it.
pub fn versions<const N: usize>(data: &[u8]) -> [Value; N] {
    let mut choices = Choices(data);
    let first = choices.thing(Role::Object, 4);
    std::array::from_fn(|at| if at == 0 { first.clone() } else { choices.version(&first, 4) })
}

/// The bytes of the fuzzer, taken one by one; zeros when they run out.
pub struct Choices<'d>(pub &'d [u8]);

impl Choices<'_> {
    /// A number that is less than this one.
    pub fn take(&mut self, below: usize) -> usize {
        let Some((first, rest)) = self.0.split_first() else { return 0 };
        self.0 = rest;
        usize::from(*first) % below
    }

    fn word(&mut self) -> &'static str {
        WORDS[self.take(WORDS.len())]
    }

    /// A document of the type.
    pub fn thing(&mut self, role: Role, depth: usize) -> Value {
        let mut map = Map::new();
        for _ in 0..self.take(5) {
            let field = FIELDS[self.take(FIELDS.len())];
            let value = self.field(field, role, depth);
            map.insert(field.to_string(), value);
        }
        if role == Role::Patch && self.take(4) == 0 {
            self.directive(&mut map);
        }
        Value::Object(map)
    }

    /// Another version of a document: what it holds stays, changes, moves or goes, and something may be new.
    pub fn version(&mut self, document: &Value, depth: usize) -> Value {
        self.version_of("child", document, depth)
    }

    fn version_of(&mut self, field: &str, value: &Value, depth: usize) -> Value {
        match value {
            Value::Object(members) if depth > 0 => self.version_of_map(members, depth),
            Value::Array(items) if depth > 0 => self.version_of_list(field, items, depth),
            _ => self.field(field, Role::Object, depth),
        }
    }

    fn version_of_map(&mut self, members: &Map<String, Value>, depth: usize) -> Value {
        let mut map = Map::new();
        for (field, value) in members {
            match self.take(8) {
                0..=3 => drop(map.insert(field.clone(), value.clone())),
                4..=6 => drop(map.insert(field.clone(), self.version_of(field, value, depth - 1))),
                _ => {}
            }
        }
        if self.take(3) == 1 {
            let field = FIELDS[self.take(FIELDS.len())];
            let value = self.field(field, Role::Object, depth - 1);
            map.insert(field.to_string(), value);
        }
        Value::Object(map)
    }

    fn version_of_list(&mut self, field: &str, items: &[Value], depth: usize) -> Value {
        let mut list = Vec::new();
        for item in items {
            match self.take(8) {
                0..=3 => list.push(item.clone()),
                4..=6 if item.is_object() => list.push(self.version_of("child", item, depth - 1)),
                _ => {}
            }
        }
        match self.take(4) {
            1 => list.reverse(),
            2 if !list.is_empty() => list.rotate_left(1),
            3 => list
                .extend(self.field(field, Role::Object, depth - 1).as_array().cloned().unwrap_or_default()),
            _ => {}
        }
        Value::Array(list)
    }

    fn field(&mut self, field: &str, role: Role, depth: usize) -> Value {
        match self.take(16) {
            0 => return Value::Null,
            1 => return self.scalar(),
            _ => {}
        }
        match field {
            "name" | "value" | "protocol" => json!(self.word()),
            "port" => json!(self.take(3)),
            "scalars" | "set" => self.list(|choices| choices.scalar()),
            _ if depth == 0 => self.scalar(),
            "keyed" | "ports" | "atomic" => self.list(|choices| choices.item(role, depth - 1)),
            _ => self.thing(role, depth - 1),
        }
    }

    fn list(&mut self, mut item: impl FnMut(&mut Self) -> Value) -> Value {
        (0..self.take(5)).map(|_| item(self)).collect()
    }

    fn item(&mut self, role: Role, depth: usize) -> Value {
        let mut item = self.thing(role, depth);
        if self.take(8) > 0 {
            item["name"] = json!(self.word());
            item["port"] = json!(self.take(3));
        }
        if role == Role::Patch && self.take(4) == 0 {
            item["$patch"] = json!(["delete", "replace", "merge", "other"][self.take(4)]);
        }
        item
    }

    fn scalar(&mut self) -> Value {
        match self.take(8) {
            0 => Value::Null,
            1 => json!(self.take(3)),
            2 => json!(self.take(2) == 0),
            _ => json!(self.word()),
        }
    }

    fn directive(&mut self, map: &mut Map<String, Value>) {
        let list = LISTS[self.take(LISTS.len())];
        let order = |choices: &mut Self| json!({"name": choices.word(), "port": choices.take(3)});
        let (key, value) = match self.take(5) {
            0 => ("$patch".to_string(), json!(["delete", "replace", "merge", "x"][self.take(4)])),
            1 => ("$retainKeys".to_string(), self.list(|choices| json!(FIELDS[choices.take(FIELDS.len())]))),
            2 => (format!("$deleteFromPrimitiveList/{list}"), self.list(Self::scalar)),
            3 => (format!("$setElementOrder/{list}"), self.list(Self::scalar)),
            _ => (format!("$setElementOrder/{list}"), self.list(order)),
        };
        map.insert(key, value);
    }
}
