//! Rules about `x-kubernetes-patch-strategy` and `-patch-merge-key`, and about how they fit the list type.

use std::collections::HashSet;

use serde_json::{Map, Value};

use super::collect::{Check, RuleSet, type_of, words};
use super::extension::{INT_OR_STRING, LIST_MAP_KEYS, LIST_TYPE};
use crate::document::{DocumentPath, is_true};
use crate::model::{merge_key_names, parse_strategy, with_commas};

const STRATEGY: &str = "x-kubernetes-patch-strategy";
const MERGE_KEY: &str = "x-kubernetes-patch-merge-key";

pub(super) fn check<'v>(check: &mut Check<'v>, map: &'v Map<String, Value>, path: &DocumentPath<'_>) {
    for keyword in [STRATEGY, MERGE_KEY] {
        let Some(value) = map.get(keyword) else { continue };
        if !value.is_string() {
            check.broken("extension-value", &path.keyword(keyword), "must be a string");
        }
        // The API server decodes definitions into types that lack these extensions.
        if check.rules == RuleSet::CustomResource {
            let message =
                "the API server drops it; only the spec dialect and kustomize (after export) honour it";
            check.warn("patch-metadata-dropped", &path.keyword(keyword), message);
        }
    }
    let merges = strategy(check, map, path);
    merge_key(check, map, path, merges);
    if merges {
        keyless_maps(check, map, path);
        against_list_type(check, map, path);
    }
}

/// Checks the words of the strategy and says whether a list merges by it.
fn strategy(check: &mut Check<'_>, map: &Map<String, Value>, path: &DocumentPath<'_>) -> bool {
    let Some(text) = map.get(STRATEGY).and_then(Value::as_str) else { return false };
    let path = path.keyword(STRATEGY);
    if text.contains('|') {
        let message =
            format!("{text:?}: Kubernetes reads words between commas; only the spec dialect reads a bar");
        check.broken("patch-strategy-words", &path, message);
    }
    let text = &with_commas(text);
    // More than one word besides retainKeys: Kubernetes fails when it patches.
    let Some(strategy) = parse_strategy(text) else {
        check.broken("patch-strategy-words", &path, format!("unexpected patch strategy: {text:?}"));
        return false;
    };
    // Kubernetes ignores unknown words and replaces.
    if !matches!(strategy.word, "" | "merge" | "replace") {
        let message = format!("{:?} is none of merge, replace, retainKeys and has no effect", strategy.word);
        check.broken("patch-strategy-words", &path, message);
    }
    strategy.word == "merge"
}

fn merge_key<'v>(check: &mut Check<'v>, map: &'v Map<String, Value>, path: &DocumentPath<'_>, merges: bool) {
    let Some(keys) = map.get(MERGE_KEY).and_then(Value::as_str) else { return };
    let path = path.keyword(MERGE_KEY);
    if !merges {
        let message = "has no effect without merge in x-kubernetes-patch-strategy";
        return check.broken("merge-key-needs-merge", &path, message);
    }
    if type_of(check.resolve(map)) != "array" {
        return check.broken("merge-key-needs-array", &path, "must only be used on lists");
    }
    if keys.split(',').any(|name| name.trim().is_empty()) {
        check.broken("merge-key-empty", &path, "every key must have a name");
    }
    let Some(items) = check.items(map) else { return };
    if !matches!(type_of(items), "" | "object") || is_true(items, INT_OR_STRING) {
        return check.broken("merge-key-needs-maps", &path, "must only be used on lists of maps");
    }
    let mut seen = HashSet::new();
    // Several keys are an extension of the spec dialect; upstream takes the text as one name.
    for name in merge_key_names(keys) {
        if seen.insert(name) {
            key_property(check, items, name, &path);
        } else {
            check.broken("merge-key-repeated", &path, format!("{name:?} is named twice"));
        }
    }
}

fn key_property<'v>(
    check: &mut Check<'v>,
    items: &'v Map<String, Value>,
    name: &str,
    path: &DocumentPath<'_>,
) {
    // Items without declared fields may have any.
    let Some(properties) = items.get("properties").and_then(Value::as_object) else { return };
    match properties.get(name) {
        None => {
            check.broken("merge-key-unknown", path, format!("{name:?} is not a property of the items"));
        }
        Some(Value::Object(property)) if matches!(type_of(check.resolve(property)), "object" | "array") => {
            let message = format!("{name:?} must be a scalar property of the items");
            check.broken("merge-key-scalar", path, message);
        }
        Some(_) => {}
    }
}

/// Without a key Kubernetes takes the items of a list that merges for scalars, and fails on maps.
fn keyless_maps<'v>(check: &mut Check<'v>, map: &'v Map<String, Value>, path: &DocumentPath<'_>) {
    let is_map = |items: &Map<String, Value>| type_of(items) == "object" || items.contains_key("properties");
    let has_maps = check.items(map).is_some_and(is_map);
    // The spec dialect merges by the list-map-keys, and upstream never sees the strategy of a definition.
    let is_keyed = map.get(LIST_TYPE).and_then(Value::as_str) == Some("map")
        && !words(map, LIST_MAP_KEYS).is_empty()
        && check.rules == RuleSet::CustomResource;
    if has_maps && !is_keyed && !map.contains_key(MERGE_KEY) {
        let message = "merge of a list of maps needs x-kubernetes-patch-merge-key";
        check.broken("merge-key-missing", &path.keyword(STRATEGY), message);
    }
}

/// Server-side apply goes by the list type; the two should agree on which items are the same.
fn against_list_type<'v>(check: &mut Check<'v>, map: &'v Map<String, Value>, path: &DocumentPath<'_>) {
    let merge_key = map.get(MERGE_KEY).and_then(Value::as_str).unwrap_or_default();
    let keys = words(map, LIST_MAP_KEYS);
    let published: Vec<&str> = merge_key_names(merge_key).collect();
    let known: HashSet<&str> = keys.iter().copied().collect();
    let contained = published.iter().all(|key| known.contains(key));
    let message = match map.get(LIST_TYPE).and_then(Value::as_str) {
        Some("atomic") => "strategic merge patch merges the list, server-side apply replaces it".to_owned(),
        // The two merges would pair different items.
        Some("map") if !contained => {
            format!("strategic merge patch merges by {merge_key}, server-side apply by {}", keys.join(","))
        }
        // Service ports are of this kind: port alone is the merge key, port and protocol are the list-map-
        // keys.
        Some("map") if !published.is_empty() && keys.len() > published.len() => format!(
            "the merge key {merge_key} is narrower than the list-map-keys {}: items that differ only in the rest \
             collide in strategic merge patch",
            keys.join(",")
        ),
        _ => return,
    };
    check.warn("merges-disagree", &path.keyword(LIST_TYPE), message);
}
