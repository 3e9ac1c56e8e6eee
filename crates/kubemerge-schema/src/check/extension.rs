//! Rules about `x-kubernetes-*` extensions that hold in every kind of document.

use std::collections::HashSet;

use serde_json::{Map, Value};

use super::collect::{Check, members, type_of, words};
use crate::document::{DocumentPath, is_true};

pub(super) const LIST_TYPE: &str = "x-kubernetes-list-type";
pub(super) const LIST_MAP_KEYS: &str = "x-kubernetes-list-map-keys";
pub(super) const MAP_TYPE: &str = "x-kubernetes-map-type";
pub(super) const PRESERVE_UNKNOWN: &str = "x-kubernetes-preserve-unknown-fields";
pub(super) const EMBEDDED: &str = "x-kubernetes-embedded-resource";
pub(super) const INT_OR_STRING: &str = "x-kubernetes-int-or-string";

type Schema = Map<String, Value>;

pub(super) fn check<'v>(check: &mut Check<'v>, map: &'v Schema, place: &DocumentPath<'_>) {
    flags(check, map, place);
    topology(check, map, place, &MAP_RULE);
    topology(check, map, place, &LIST_RULE);
    list_map_keys(check, map, place);
    match map.get(LIST_TYPE).and_then(Value::as_str) {
        Some("set") => set(check, map, place),
        Some("map") => keyed(check, map, place),
        _ => {}
    }
}

/// The three extensions that are either true or absent.
fn flags(check: &mut Check<'_>, map: &Schema, place: &DocumentPath<'_>) {
    for keyword in [PRESERVE_UNKNOWN, EMBEDDED, INT_OR_STRING] {
        match map.get(keyword) {
            None | Some(Value::Bool(true)) => {}
            Some(Value::Bool(false)) if keyword != PRESERVE_UNKNOWN => {}
            Some(Value::Bool(false)) => {
                check.broken("preserve-unknown-fields", &place.keyword(keyword), "must be true or undefined");
            }
            Some(_) => check.broken("extension-value", &place.keyword(keyword), "must be a boolean"),
        }
    }
    if is_true(map, INT_OR_STRING) {
        for keyword in [PRESERVE_UNKNOWN, EMBEDDED] {
            if is_true(map, keyword) {
                let message = "must be false if x-kubernetes-int-or-string is true";
                check.broken("int-or-string-excludes", &place.keyword(keyword), message);
            }
        }
    }
    if is_true(map, EMBEDDED) {
        embedded(check, map, place);
    }
}

fn embedded(check: &mut Check<'_>, map: &Schema, place: &DocumentPath<'_>) {
    if type_of(map) != "object" {
        let message = "must be object if x-kubernetes-embedded-resource is true";
        check.broken("embedded-resource-type", &place.keyword("type"), message);
    }
    if !is_true(map, PRESERVE_UNKNOWN) && members(map, "properties").next().is_none() {
        let message = "must not be empty if x-kubernetes-embedded-resource is true without \
                       x-kubernetes-preserve-unknown-fields";
        check.broken("embedded-resource-properties", &place.keyword("properties"), message);
    }
    if map.contains_key("additionalProperties") {
        let message = "must not be used if x-kubernetes-embedded-resource is set";
        check.broken("embedded-resource-additional", &place.keyword("additionalProperties"), message);
    }
}

/// An extension that takes one of some words, on schemas of one type.
struct TopologyRule {
    keyword: &'static str,
    words: &'static [&'static str],
    needs: &'static str,
    value_rule: &'static str,
    type_rule: &'static str,
}

const MAP_RULE: TopologyRule = TopologyRule {
    keyword: MAP_TYPE,
    words: &["atomic", "granular"],
    needs: "object",
    value_rule: "map-type-value",
    type_rule: "map-type-needs-object",
};

const LIST_RULE: TopologyRule = TopologyRule {
    keyword: LIST_TYPE,
    words: &["atomic", "map", "set"],
    needs: "array",
    value_rule: "list-type-value",
    type_rule: "list-type-needs-array",
};

fn topology<'v>(check: &mut Check<'v>, map: &'v Schema, place: &DocumentPath<'_>, rule: &TopologyRule) {
    let Some(value) = map.get(rule.keyword) else { return };
    if !value.as_str().is_some_and(|word| rule.words.contains(&word)) {
        let words: Vec<String> = rule.words.iter().map(|word| format!("{word:?}")).collect();
        let message = format!("Unsupported value: {value}: supported values: {}", words.join(", "));
        check.broken(rule.value_rule, &place.keyword(rule.keyword), message);
    }
    if type_of(check.resolve(map)) != rule.needs {
        let message = format!("must be {} if {} is specified", rule.needs, rule.keyword);
        check.broken(rule.type_rule, &place.keyword("type"), message);
    }
}

fn list_map_keys(check: &mut Check<'_>, map: &Schema, place: &DocumentPath<'_>) {
    let Some(value) = map.get(LIST_MAP_KEYS) else { return };
    let at = place.keyword(LIST_MAP_KEYS);
    match value.as_array() {
        None => check.broken("extension-value", &at, "must be a list of strings"),
        Some(keys) if !keys.iter().all(Value::is_string) => {
            check.broken("extension-value", &at, "must be a list of strings");
        }
        Some(keys) if !keys.is_empty() && map.get(LIST_TYPE).and_then(Value::as_str) != Some("map") => {
            let message = "must be map if x-kubernetes-list-map-keys is non-empty";
            check.broken("list-map-keys-need-map", &place.keyword(LIST_TYPE), message);
        }
        Some(_) => {}
    }
}

fn set<'v>(check: &mut Check<'v>, map: &'v Schema, place: &DocumentPath<'_>) {
    let Some(items) = check.items(map) else { return };
    let message = "must be atomic as item of a list with x-kubernetes-list-type=set";
    let word = |keyword: &str| items.get(keyword).and_then(Value::as_str);
    match type_of(items) {
        "object" if word(MAP_TYPE) != Some("atomic") => {
            check.broken("set-items-atomic", &place.keyword("items").keyword(MAP_TYPE), message);
        }
        "array" if !matches!(word(LIST_TYPE), None | Some("atomic")) => {
            check.broken("set-items-atomic", &place.keyword("items").keyword(LIST_TYPE), message);
        }
        _ => {}
    }
    not_nullable(check, items, &place.keyword("items"), "set");
}

fn not_nullable(check: &mut Check<'_>, items: &Schema, place: &DocumentPath<'_>, list_type: &str) {
    if is_true(items, "nullable") {
        let message = format!("cannot be nullable when x-kubernetes-list-type is {list_type}");
        check.broken("items-nullable", &place.keyword("nullable"), message);
    }
}

fn keyed<'v>(check: &mut Check<'v>, map: &'v Schema, place: &DocumentPath<'_>) {
    let keys = words(map, LIST_MAP_KEYS);
    let at = place.keyword(LIST_MAP_KEYS);
    if keys.is_empty() {
        check.broken("list-map-keys-missing", &at, "must not be empty if x-kubernetes-list-type is map");
    }
    let mut sorted = keys.clone();
    sorted.sort_unstable();
    if sorted.windows(2).any(|pair| pair[0] == pair[1]) {
        check.broken("list-map-keys-repeated", &at, "must not contain duplicate entries");
    }
    let place = place.keyword("items");
    match check.resolve(map).get("items") {
        None => check.broken("list-map-items", &place, "must have a schema if x-kubernetes-list-type is map"),
        Some(Value::Array(_)) => {
            let message = "must only have a single schema if x-kubernetes-list-type is map";
            check.broken("list-map-items", &place, message);
        }
        Some(_) => {
            let Some(items) = check.items(map) else { return };
            keyed_items(check, items, &keys, &place);
        }
    }
}

fn keyed_items<'v>(check: &mut Check<'v>, items: &'v Schema, keys: &[&str], place: &DocumentPath<'_>) {
    if type_of(items) != "object" {
        let message = "must be object if parent array's x-kubernetes-list-type is map";
        check.broken("list-map-items", &place.keyword("type"), message);
    }
    not_nullable(check, items, place, "map");
    let properties = items.get("properties").and_then(Value::as_object);
    let required: HashSet<&str> = words(items, "required").into_iter().collect();
    for key in keys {
        match properties.and_then(|properties| properties.get(*key)).and_then(Value::as_object) {
            None => {
                let message = format!("{key:?}: entries must all be names of item properties");
                check.broken("list-map-key-unknown", &place.keyword(LIST_MAP_KEYS), message);
            }
            Some(property) => {
                let place = place.keyword("properties");
                key_property(check, property, required.contains(key), &place.key(key));
            }
        }
    }
}

fn key_property<'v>(
    check: &mut Check<'v>,
    property: &'v Schema,
    is_required: bool,
    place: &DocumentPath<'_>,
) {
    let described = check.resolve(property);
    if matches!(type_of(described), "object" | "array") {
        let message = "must be a scalar type if parent array's x-kubernetes-list-type is map";
        check.broken("list-map-key-scalar", &place.keyword("type"), message);
    }
    if !is_required && !property.contains_key("default") {
        let message = "this property is in x-kubernetes-list-map-keys, so it must have a default or be a required \
                       property";
        check.broken("list-map-key-optional", &place.keyword("default"), message);
    }
    if is_true(described, "nullable") {
        let message = "this property is in x-kubernetes-list-map-keys, so it cannot be nullable";
        check.broken("list-map-key-nullable", &place.keyword("nullable"), message);
    }
}

/// `x-kubernetes-group-version-kind` of a definition: a list of maps, or one map.
pub(super) fn kinds(check: &mut Check<'_>, schema: &Value, place: &DocumentPath<'_>) {
    let place = place.keyword("x-kubernetes-group-version-kind");
    let listed = match schema.get("x-kubernetes-group-version-kind") {
        None => return,
        Some(Value::Array(list)) => list.as_slice(),
        Some(one) => std::slice::from_ref(one),
    };
    for (index, kind) in listed.iter().enumerate() {
        let has = |part: &str| kind.get(part).is_some_and(Value::is_string);
        if !has("version") || !has("kind") {
            check.broken("extension-value", &place.index(index), "must have a version and a kind");
        }
    }
}
