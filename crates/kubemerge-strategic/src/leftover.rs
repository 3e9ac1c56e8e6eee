//! What the merge of a patch leaves of the patch, for messages.
//!
//! Upstream: Kubernetes takes a patch apart while it merges it, and quotes the rest where the result cannot be decoded:
//! ordered lists and directives are gone.

use kubemerge_schema::{ListStrategy, MapStrategy, Type};
use kubemerge_value::deep;
use serde_json::{Map, Value};

use crate::directive::{PATCH, REPLACE, RETAIN_KEYS, SET_ELEMENT_ORDER};

/// Takes out of a patch what a merge into `live` takes out. The patch is one that merges.
pub fn take_out_merged(ty: Type<'_>, live: &Value, patch: &mut Value) {
    if let (Value::Object(live), Value::Object(patch)) = (live, patch) {
        map(ty, live, patch);
    }
}

fn map(ty: Type<'_>, live: &Map<String, Value>, patch: &mut Map<String, Value>) {
    if let Some(word) = patch.get(PATCH) {
        // A map that replaces loses the word; of one that deletes all stays.
        if word == REPLACE {
            patch.remove(PATCH);
        }
        return;
    }
    patch.remove(RETAIN_KEYS);
    let ordered: Vec<String> = patch.keys().filter_map(|key| ordered_field(key)).map(str::to_owned).collect();
    for field in ordered {
        patch.remove(&format!("{SET_ELEMENT_ORDER}/{field}"));
        patch.remove(&field);
    }
    for (name, value) in patch.iter_mut() {
        match (live.get(name), value) {
            (_, Value::Null) => {}
            (Some(Value::Object(live)), Value::Object(patch)) => {
                let rule = ty.map_field(name).ok().filter(|rule| rule.strategy == MapStrategy::Merge);
                rule.into_iter().for_each(|rule| deep(|| map(rule.value, live, patch)));
            }
            (Some(Value::Array(live)), Value::Array(patch)) => list(ty, name, live, patch),
            (_, value) => clean(value),
        }
    }
}

/// The field whose list a directive orders.
fn ordered_field(key: &str) -> Option<&str> {
    key.strip_prefix(SET_ELEMENT_ORDER)?.strip_prefix('/')
}

/// Items that are in both lists are merged one by one; others and atomic lists are left as they are.
fn list(ty: Type<'_>, name: &str, live: &[Value], patch: &mut [Value]) {
    let Ok(rule) = ty.list_field(name) else { return };
    let ListStrategy::Keyed(keys) = rule.strategy else { return };
    let same = |one: &Map<String, Value>, other: &Map<String, Value>| {
        keys.iter().all(|key| one.get(&*key.name) == other.get(&*key.name))
    };
    for item in patch.iter_mut().filter_map(Value::as_object_mut).filter(|item| !item.contains_key(PATCH)) {
        if let Some(live) = live.iter().filter_map(Value::as_object).find(|live| same(live, item)) {
            deep(|| map(rule.item, live, item));
        }
    }
}

/// Cleans a value that finds nothing to merge with. Of a list itself only a copy loses items.
fn clean(value: &mut Value) {
    discard_nulls(value);
    match value {
        Value::Array(items) => items.iter_mut().for_each(|item| _ = keeps(item)),
        other => _ = keeps(other),
    }
}

fn discard_nulls(value: &mut Value) {
    match value {
        Value::Object(members) => {
            members.retain(|_, member| !member.is_null());
            members.values_mut().for_each(|member| deep(|| discard_nulls(member)));
        }
        Value::Array(items) => items.iter_mut().for_each(|item| deep(|| discard_nulls(item))),
        _ => {}
    }
}

/// Whether a value has no directive; it loses what has one.
fn keeps(value: &mut Value) -> bool {
    match value {
        Value::Object(members) if members.contains_key(PATCH) => return false,
        Value::Object(members) => members.retain(|_, member| deep(|| keeps(member))),
        Value::Array(items) => items.retain_mut(|item| deep(|| keeps(item))),
        _ => {}
    }
    true
}
