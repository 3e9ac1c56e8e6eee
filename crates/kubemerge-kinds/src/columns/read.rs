//! Reads parts of objects for cells, and writes what many cells have in common.

use serde_json::Value;

use crate::{label_selector::LabelSelector, timestamp::Timestamp};

/// A part of an object; null if it is absent.
pub(super) fn part<'v>(object: &'v Value, pointer: &str) -> &'v Value {
    object.pointer(pointer).unwrap_or(&Value::Null)
}

pub(super) fn number(object: &Value, pointer: &str) -> i64 {
    object.pointer(pointer).and_then(Value::as_i64).unwrap_or(0)
}

pub(super) fn text<'v>(object: &'v Value, pointer: &str) -> Option<&'v str> {
    object.pointer(pointer).and_then(Value::as_str).filter(|text| !text.is_empty())
}

pub(super) fn moment(object: &Value, pointer: &str) -> Option<Timestamp> {
    text(object, pointer).and_then(Timestamp::parse)
}

pub(super) fn list<'v>(object: &'v Value, pointer: &str) -> impl Iterator<Item = &'v Value> {
    object.pointer(pointer).and_then(Value::as_array).into_iter().flatten()
}

pub(super) fn word(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

pub(super) fn or_none(text: String) -> String {
    if text.is_empty() { "<none>".into() } else { text }
}

pub(super) fn labels_text(labels: Option<&Value>) -> String {
    let labels = labels.and_then(Value::as_object).into_iter().flatten();
    labels.map(|(key, value)| format!("{key}={}", word(value))).collect::<Vec<_>>().join(",")
}

/// The label selector of a workload as a string, for scale.
pub fn selector_text(selector: &Value) -> String {
    // Replication controllers have a plain map of labels.
    let parsed = if selector.get("matchLabels").is_some() || selector.get("matchExpressions").is_some() {
        LabelSelector::from_object(selector)
    } else {
        Some(LabelSelector::from_map(selector))
    };
    parsed.map(|selector| selector.to_string()).unwrap_or_default()
}
