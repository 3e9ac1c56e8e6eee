//! Rules about `x-kubernetes-patch-strategy` and `-patch-merge-key`, and about how they fit the list type.

use std::collections::HashSet;

use serde_json::{Map, Value};

use super::collect::{Check, RuleSet, type_of, words};
use super::extension::{LIST_MAP_KEYS, LIST_TYPE};
use crate::document::DocumentPath;
use crate::model::parse_strategy;

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
        against_list_type(check, map, path);
    }
}

/// Checks the words of the strategy and tells whether a list merges by it.
fn strategy(check: &mut Check<'_>, map: &Map<String, Value>, path: &DocumentPath<'_>) -> bool {
    let Some(text) = map.get(STRATEGY).and_then(Value::as_str) else { return false };
    let path = path.keyword(STRATEGY);
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
    let properties = check.items(map).and_then(|items| items.get("properties")).and_then(Value::as_object);
    // Several keys are an extension of the spec dialect; upstream takes the text as one name.
    for key in keys.split(',').filter(|key| properties.is_some_and(|known| !known.contains_key(*key))) {
        check.broken("merge-key-unknown", &path, format!("{key:?} is not a property of the items"));
    }
}

/// Server-side apply goes by the list type; the two should agree on which items are the same.
fn against_list_type<'v>(check: &mut Check<'v>, map: &'v Map<String, Value>, path: &DocumentPath<'_>) {
    let merge_key = map.get(MERGE_KEY).and_then(Value::as_str).unwrap_or_default();
    let keys = words(map, LIST_MAP_KEYS);
    let published: Vec<&str> = merge_key.split(',').filter(|key| !key.is_empty()).collect();
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
        Some("map") if keys.len() > published.len() => format!(
            "the merge key {merge_key} is narrower than the list-map-keys {}: items that differ only in the rest \
             collide in strategic merge patch",
            keys.join(",")
        ),
        _ => return,
    };
    check.warn("merges-disagree", &path.keyword(LIST_TYPE), message);
}
