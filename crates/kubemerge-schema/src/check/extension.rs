//! Rules about `x-kubernetes-*` extensions that hold in every kind of document.

use serde_json::{Map, Value, json};

use super::collect::{Check, members, type_of};
use super::finding::ViolationKind::{self, Forbidden, Invalid, NotSupported, Required};
use super::list_map;
use crate::document::{DocumentPath, is_true};

pub(super) const LIST_TYPE: &str = "x-kubernetes-list-type";
pub(super) const LIST_MAP_KEYS: &str = "x-kubernetes-list-map-keys";
pub(super) const MAP_TYPE: &str = "x-kubernetes-map-type";
pub(super) const PRESERVE_UNKNOWN: &str = "x-kubernetes-preserve-unknown-fields";
pub(super) const EMBEDDED: &str = "x-kubernetes-embedded-resource";
pub(super) const INT_OR_STRING: &str = "x-kubernetes-int-or-string";

type Schema = Map<String, Value>;

pub(super) fn check<'v>(check: &mut Check<'v>, map: &'v Schema, path: &DocumentPath<'_>) {
    flag_values(check, map, path);
    topology(check, map, path, &MAP_RULE);
    topology(check, map, path, &LIST_RULE);
    list_map_keys(check, map, path);
    match map.get(LIST_TYPE).and_then(Value::as_str) {
        Some("set") => set(check, map, path),
        Some("map") => list_map::check(check, map, path),
        _ => {}
    }
}

/// The three extensions that are either true or absent.
fn flag_values(check: &mut Check<'_>, map: &Schema, path: &DocumentPath<'_>) {
    for keyword in [PRESERVE_UNKNOWN, EMBEDDED, INT_OR_STRING] {
        match map.get(keyword) {
            None | Some(Value::Bool(true)) => {}
            // Pruning is the default, so false would say nothing; the API server refuses it for this keyword alone.
            Some(Value::Bool(false)) if keyword != PRESERVE_UNKNOWN => {}
            Some(Value::Bool(false)) => {
                let detail = "must be true or undefined";
                check.violates(
                    "preserve-unknown-fields",
                    &path.keyword(keyword),
                    Invalid(json!(false)),
                    detail,
                );
            }
            Some(_) => check.broken("extension-value", &path.keyword(keyword), "must be a boolean"),
        }
    }
}

/// Flags that exclude each other or need something else.
pub(super) fn check_flags(check: &mut Check<'_>, map: &Schema, path: &DocumentPath<'_>) {
    if is_true(map, INT_OR_STRING) {
        for keyword in [PRESERVE_UNKNOWN, EMBEDDED] {
            if is_true(map, keyword) {
                let message = "must be false if x-kubernetes-int-or-string is true";
                check.violates(
                    "int-or-string-excludes",
                    &path.keyword(keyword),
                    Invalid(json!(true)),
                    message,
                );
            }
        }
    }
    if is_true(map, EMBEDDED) {
        embedded(check, map, path);
    }
}

fn embedded(check: &mut Check<'_>, map: &Schema, path: &DocumentPath<'_>) {
    if type_of(map) != "object" {
        let message = "must be object if x-kubernetes-embedded-resource is true";
        check.violates("embedded-resource-type", &path.keyword("type"), wrong(type_of(map)), message);
    }
    // Nothing would be known of such an object, and everything in it would be pruned.
    if !is_true(map, PRESERVE_UNKNOWN) && members(map, "properties").next().is_none() {
        let message = "must not be empty if x-kubernetes-embedded-resource is true without \
                       x-kubernetes-preserve-unknown-fields";
        check.violates("embedded-resource-properties", &path.keyword("properties"), Required, message);
    }
    if map.get("additionalProperties").is_some_and(|value| !value.is_null()) {
        let message = "must not be used if x-kubernetes-embedded-resource is set";
        check.violates(
            "embedded-resource-additional",
            &path.keyword("additionalProperties"),
            Forbidden,
            message,
        );
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
    words: &["atomic", "set", "map"],
    needs: "array",
    value_rule: "list-type-value",
    type_rule: "list-type-needs-array",
};

fn topology<'v>(check: &mut Check<'v>, map: &'v Schema, path: &DocumentPath<'_>, rule: &TopologyRule) {
    let Some(value) = map.get(rule.keyword) else { return };
    let word = type_of(check.resolve(map));
    if word != rule.needs {
        let message = format!("must be {} if {} is specified", rule.needs, rule.keyword);
        check.violates(rule.type_rule, &path.keyword("type"), wrong(word), message);
    }
    if !value.as_str().is_some_and(|word| rule.words.contains(&word)) {
        let kind = NotSupported { value: value.clone(), supported: rule.words };
        check.not_supported(rule.value_rule, &path.keyword(rule.keyword), kind);
    }
}

fn list_map_keys(check: &mut Check<'_>, map: &Schema, path: &DocumentPath<'_>) {
    let Some(value) = map.get(LIST_MAP_KEYS) else { return };
    let at = path.keyword(LIST_MAP_KEYS);
    match value.as_array() {
        None => check.broken("extension-value", &at, "must be a list of strings"),
        Some(keys) if !keys.iter().all(Value::is_string) => {
            check.broken("extension-value", &at, "must be a list of strings");
        }
        // Keys without list type `map` have no effect, which is surely not intended.
        Some(keys) if !keys.is_empty() && map.get(LIST_TYPE).and_then(Value::as_str) != Some("map") => {
            let message = "must be map if x-kubernetes-list-map-keys is non-empty";
            let word = map.get(LIST_TYPE).and_then(Value::as_str).unwrap_or_default();
            check.violates("list-map-keys-need-map", &path.keyword(LIST_TYPE), wrong(word), message);
        }
        Some(_) => {}
    }
}

fn set<'v>(check: &mut Check<'v>, map: &'v Schema, path: &DocumentPath<'_>) {
    let Some(items) = check.items(map) else { return };
    let message = "must be atomic as item of a list with x-kubernetes-list-type=set";
    let word = |keyword: &str| items.get(keyword).and_then(Value::as_str);
    // Upstream: the message shows the list type of the items for maps, too.
    let value = Invalid(json!(word(LIST_TYPE)));
    match type_of(items) {
        // A set of another type is no list: that is reported instead.
        _ if type_of(check.resolve(map)) != "array" => {}
        // Items of a set are compared as a whole, so they must also be owned as a whole.
        "object" if word(MAP_TYPE) != Some("atomic") => {
            let path = path.keyword("items");
            check.violates("set-items-atomic", &path.keyword(MAP_TYPE), value, message);
        }
        // A list without a list type is atomic already; a map is not.
        "array" if !matches!(word(LIST_TYPE), None | Some("atomic")) => {
            let path = path.keyword("items");
            check.violates("set-items-atomic", &path.keyword(LIST_TYPE), value, message);
        }
        _ => {}
    }
    not_nullable(check, items, &path.keyword("items"), "set");
}

pub(super) fn not_nullable(check: &mut Check<'_>, items: &Schema, path: &DocumentPath<'_>, list_type: &str) {
    if is_true(items, "nullable") {
        let message = format!("cannot be nullable when x-kubernetes-list-type is {list_type}");
        check.violates("items-nullable", &path.keyword("nullable"), Forbidden, message);
    }
}

/// A keyword without a value is required, one with another value is invalid.
fn wrong(word: &str) -> ViolationKind {
    // Kubernetes calls an absent word required and a wrong one invalid.
    if word.is_empty() { Required } else { Invalid(json!(word)) }
}

/// `x-kubernetes-group-version-kind` of a definition: a list of maps, or one map.
pub(super) fn kinds(check: &mut Check<'_>, schema: &Value, path: &DocumentPath<'_>) {
    let path = path.keyword("x-kubernetes-group-version-kind");
    let listed = match schema.get("x-kubernetes-group-version-kind") {
        None => return,
        Some(Value::Array(list)) => list.as_slice(),
        // Operations have a single kind, definitions a list.
        Some(one) => std::slice::from_ref(one),
    };
    for (index, kind) in listed.iter().enumerate() {
        let at = path.index(index);
        if kind.get("version").is_none() || kind.get("kind").is_none() {
            check.broken("extension-value", &at, "must have a version and a kind");
        }
        for part in ["group", "version", "kind"] {
            if kind.get(part).is_some_and(|value| !value.is_string()) {
                check.broken("extension-value", &at.keyword(part), "must be a string");
            }
        }
    }
}

/// The branches of an int-or-string may only spell out its two types. Definitions are held to more by
/// [`super::restriction`].
pub(super) fn int_or_string(check: &mut Check<'_>, map: &Schema, path: &DocumentPath<'_>) {
    if !is_true(map, INT_OR_STRING) {
        return;
    }
    any_of(check, map, path, 0);
    let branches = map.get("allOf").and_then(Value::as_array).into_iter().flatten();
    for (index, branch) in branches.enumerate() {
        if let Value::Object(branch) = branch {
            any_of(check, branch, &path.keyword("allOf").index(index), index);
        }
    }
}

/// `anyOf` of an int-or-string, or of a branch of its `allOf`, which may declare the types in the first one only.
fn any_of(check: &mut Check<'_>, map: &Schema, path: &DocumentPath<'_>, index: usize) {
    let Some(Value::Array(branches)) = map.get("anyOf") else { return };
    let is_spelled_out = index == 0 && **branches == [json!({"type": "integer"}), json!({"type": "string"})];
    if !is_spelled_out && branches.iter().any(|branch| branch.get("type").is_some()) {
        let message = "must be [{type: integer}, {type: string}] if x-kubernetes-int-or-string is true";
        check.broken("int-or-string-any-of", &path.keyword("anyOf"), message);
    }
}
