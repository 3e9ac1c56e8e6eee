//! A schema with every kind of rule, and documents that fit it.

use kubemerge_schema::{Dialect, Schema, SchemaBuilder};
use proptest::prelude::*;
use serde_json::{Map, Value, json};
use std::sync::LazyLock;

/// The schema of these documents.
pub(crate) fn schema(dialect: Dialect) -> &'static Schema {
    static UPSTREAM: LazyLock<Schema> = LazyLock::new(|| compile(Dialect::Upstream));
    static SPEC: LazyLock<Schema> = LazyLock::new(|| compile(Dialect::Spec));
    static KUSTOMIZE: LazyLock<Schema> = LazyLock::new(|| compile(Dialect::Kustomize));
    match dialect {
        Dialect::Upstream => &UPSTREAM,
        Dialect::Spec => &SPEC,
        _ => &KUSTOMIZE,
    }
}

fn compile(dialect: Dialect) -> Schema {
    let text = json!({"type": "string"});
    let texts = json!({"type": "object", "additionalProperties": {"type": "string"}});
    let merged = |strategy: &str, key: &str, item: &str| {
        json!({
            "type": "array",
            "items": {"$ref": format!("#/components/schemas/{item}")},
            "x-kubernetes-patch-strategy": strategy,
            "x-kubernetes-patch-merge-key": key,
        })
    };
    let mut ports = merged("merge", "port", "Port");
    ports["x-kubernetes-list-type"] = json!("map");
    ports["x-kubernetes-list-map-keys"] = json!(["port", "protocol"]);
    let document = json!({"components": {"schemas": {
        "Port": {"type": "object", "properties": {
            "port": {"type": "integer"},
            "protocol": {"type": "string", "default": "TCP"},
            "name": text,
        }},
        "Item": {"type": "object", "properties": {
            "name": text, "bar": text, "value": text, "labels": texts, "ports": ports,
        }},
        "Union": {"type": "object", "properties": {"name": text, "value": text, "labels": texts}},
        "Bare": {"type": "object", "properties": {"name": text, "value": text, "bar": text, "labels": texts},
            "x-kubernetes-union": {"fields-to-discriminateBy": {"bar": "Bar", "labels": "Labels"}}},
        "Choice": {"type": "object", "properties": {
            "name": text, "value": text, "a": text, "b": {"$ref": "#/components/schemas/Bare"}, "c": texts,
        }, "x-kubernetes-unions": [{"discriminator": "value",
            "fields-to-discriminateBy": {"a": "A", "b": "B", "c": "C"}}]},
        "Root": {"type": "object", "properties": {
            "choice": {"$ref": "#/components/schemas/Choice"},
            "choices": merged("merge", "name", "Choice"),
            "value": text,
            "labels": texts,
            "whole": {"allOf": [{"$ref": "#/components/schemas/Item"}], "x-kubernetes-patch-strategy": "replace"},
            "union": {"allOf": [{"$ref": "#/components/schemas/Union"}], "x-kubernetes-patch-strategy": "retainKeys"},
            "args": {"type": "array", "items": text},
            "finalizers": {"type": "array", "items": text, "x-kubernetes-patch-strategy": "merge"},
            "tags": {"type": "array", "items": text, "x-kubernetes-list-type": "set"},
            "items": merged("merge", "name", "Item"),
            "pairs": merged("merge", "name,bar", "Item"),
            "volumes": merged("merge,retainKeys", "name", "Union"),
        }},
    }}});
    SchemaBuilder::new().openapi_v3(&document).unwrap().compile(dialect).unwrap()
}

type Json = BoxedStrategy<Value>;

fn word() -> Json {
    prop::sample::select(vec!["a", "b", "c"]).prop_map(Value::from).boxed()
}

/// A map in which each member may be absent.
fn object(members: Vec<(&'static str, Json)>) -> Json {
    let (names, values): (Vec<_>, Vec<_>) = members.into_iter().unzip();
    let values: Vec<_> = values.into_iter().map(|value| prop::option::of(value).boxed()).collect();
    values
        .prop_map(move |values| {
            let present = names.iter().zip(values).filter_map(|(name, value)| Some(((*name).into(), value?)));
            Value::Object(present.collect::<Map<_, _>>())
        })
        .boxed()
}

fn labels() -> Json {
    object(vec![("a", word()), ("b", word())])
}

/// A list in which no two elements have the same keys; all keys of an element at least partly there.
fn unique(item: Json, keys: &'static [&'static str]) -> Json {
    prop::collection::vec(item, 0..4)
        .prop_map(move |items| {
            let identity = |item: &Value| -> Vec<Value> {
                let part = |key: &&str| match (*key, item.get(*key)) {
                    ("protocol", None) => json!("TCP"),
                    (_, value) => value.cloned().unwrap_or_default(),
                };
                if keys.is_empty() { vec![item.clone()] } else { keys.iter().map(part).collect() }
            };
            let mut kept: Vec<Value> = Vec::new();
            for item in items {
                let is_new = kept.iter().all(|known| identity(known) != identity(&item));
                let has_key = keys.is_empty() || keys.iter().any(|key| item.get(key).is_some());
                if is_new && has_key {
                    kept.push(item);
                }
            }
            Value::from(kept)
        })
        .boxed()
}

fn with(object: Json, name: &'static str, value: Json) -> Json {
    (object, value)
        .prop_map(move |(mut object, value)| {
            object[name] = value;
            object
        })
        .boxed()
}

fn port() -> Json {
    let number = prop::sample::select(vec![53, 80]).prop_map(Value::from).boxed();
    let protocol = prop::sample::select(vec!["TCP", "UDP"]).prop_map(Value::from).boxed();
    with(object(vec![("protocol", protocol), ("name", word())]), "port", number)
}

fn item(keys: Vec<(&'static str, Json)>) -> Json {
    let mut members = keys;
    members.push(("value", word()));
    members.push(("labels", labels()));
    members.push(("ports", unique(port(), &["port", "protocol"])));
    object(members)
}

fn union() -> Json {
    object(vec![("name", word()), ("value", word()), ("labels", labels())])
}

fn bare() -> Json {
    let member = prop_oneof![
        Just(json!({})),
        word().prop_map(|word| json!({"bar": word})),
        labels().prop_map(|labels| json!({"labels": labels})),
    ];
    joined(object(vec![("name", word()), ("value", word())]), member.boxed())
}

/// At most one member of its union, and with a discriminator the one that it selects.
fn choice() -> Json {
    let member = prop_oneof![
        Just(json!({})),
        Just(json!({"value": "unknown"})),
        word().prop_map(|word| json!({"value": "A", "a": word})),
        word().prop_map(|word| json!({"a": word})),
        bare().prop_map(|bare| json!({"value": "B", "b": bare})),
        bare().prop_map(|bare| json!({"b": bare})),
        labels().prop_map(|labels| json!({"value": "C", "c": labels})),
    ];
    joined(object(vec![("name", word())]), member.boxed())
}

/// A patch of a union that may contradict itself.
pub(crate) fn choice_patch() -> Json {
    let removed = || prop_oneof![word(), Just(Value::Null)].boxed();
    let kind = prop::sample::select(vec!["A", "B", "C", "a", "unknown", ""]).prop_map(Value::from).boxed();
    let bare = prop_oneof![bare(), Just(Value::Null), Just(json!({"$patch": "delete"}))].boxed();
    object(vec![("name", word()), ("value", kind), ("a", removed()), ("b", bare), ("c", labels())])
}

fn joined(one: Json, other: Json) -> Json {
    (one, other)
        .prop_map(|(one, other)| {
            let members = [one, other].into_iter().filter_map(|value| value.as_object().cloned()).flatten();
            Value::Object(members.collect())
        })
        .boxed()
}

/// A document that fits the schema, has no nulls and no repeated identities.
pub(crate) fn document() -> Json {
    let named = with(item(Vec::new()), "name", word());
    object(vec![
        ("choice", choice()),
        ("choices", unique(with(choice(), "name", word()), &["name"])),
        ("value", word()),
        ("labels", labels()),
        ("whole", item(Vec::new())),
        ("union", union()),
        ("args", prop::collection::vec(word(), 0..3).prop_map(Value::from).boxed()),
        ("finalizers", unique(word(), &[])),
        ("tags", unique(word(), &[])),
        ("items", unique(named, &["name"])),
        ("pairs", unique(item(vec![("name", word()), ("bar", word())]), &["name", "bar"])),
        ("volumes", unique(with(union(), "name", word()), &["name"])),
    ])
}
