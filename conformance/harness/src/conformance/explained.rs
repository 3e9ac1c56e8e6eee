//! Differences that are wanted: the classes of `conformance/DIFFERENCES.md`.

use serde_json::{Map, Value};

use super::trial::Trial;
use kubemerge_test_support::verdict::{Verdict, has_integral_float};

/// From this many items on, Kubernetes' sort routine is not an insertion sort any more.
const SORT_ROUTINE_CHANGES: usize = 12;

/// The class that explains why an answer is not among the variants, if any does.
pub(crate) fn class(trial: &Trial<'_>, variants: &[Verdict], ours: &Verdict) -> Option<&'static str> {
    let Verdict::Result(ours) = ours else { return None };
    if trial.dialect == "kustomize" {
        return class_of_kustomize(trial, variants);
    }
    // All classes are about the order of items; nothing else is excused.
    let same_without_order = variants.iter().any(|variant| match variant {
        Verdict::Result(theirs) => unordered(theirs.clone()) == unordered(ours.clone()),
        Verdict::Error(_) => false,
    });
    if !same_without_order {
        return None;
    }
    let documents = || trial.inputs.values();
    let merges = matches!(trial.op, "apply" | "three-way" | "compose");
    if merges && documents().any(|document| any_list(document, &has_scalar_twice)) {
        return Some("live-duplicates");
    }
    documents()
        .any(|document| any_list(document, &|items| items.len() > SORT_ROUTINE_CHANGES))
        .then_some("sort-routine")
}

/// What kustomize does to an object besides merging, and to items that it finds twice.
fn class_of_kustomize(trial: &Trial<'_>, variants: &[Verdict]) -> Option<&'static str> {
    let is_of_references = |verdict: &Verdict| match verdict {
        Verdict::Error(fault) => fault.kind == "name-references",
        Verdict::Result(_) => false,
    };
    if variants.iter().any(is_of_references) {
        return Some("name-references");
    }
    let has_partial_keys = trial.inputs.values().any(|document| any_list(document, &lacks_some_keys));
    let patch = trial.inputs.get("patch").unwrap_or(&Value::Null);
    (has_partial_keys && any_list(patch, &has_directive_inside)).then_some("item-found-twice")
}

/// Whether items of a list have different ones of the keys that lists are merged by.
fn lacks_some_keys(items: &[Value]) -> bool {
    const KEYS: [&str; 6] = ["name", "port", "containerPort", "protocol", "topologyKey", "whenUnsatisfiable"];
    // An empty value counts as a missing one.
    let keys = |item: &Value| KEYS.map(|key| item.get(key).is_some_and(|value| value != ""));
    items.windows(2).any(|pair| keys(&pair[0]) != keys(&pair[1]))
}

/// Whether an item holds a directive that is not about the item itself.
fn has_directive_inside(items: &[Value]) -> bool {
    let members = items.iter().filter_map(Value::as_object).flat_map(Map::values);
    members.into_iter().any(|member| (member.is_object() || member.is_array()) && mentions_directive(member))
}

fn mentions_directive(value: &Value) -> bool {
    value.to_string().contains("\"$patch\"")
}

/// Whether an interface can carry a case.
pub(crate) fn can_carry(interface: &str, inputs: &Map<String, Value>) -> bool {
    // Canonical text writes 1.0 as 1, which is another value to Go's merge.
    interface != "canonical" || !inputs.values().any(has_integral_float)
}

/// A document in which the order of list items is of no meaning.
fn unordered(value: Value) -> Value {
    match value {
        Value::Array(items) => {
            let mut items: Vec<Value> = items.into_iter().map(unordered).collect();
            items.sort_by_key(Value::to_string);
            Value::Array(items)
        }
        Value::Object(members) => members.into_iter().map(|(key, value)| (key, unordered(value))).collect(),
        scalar => scalar,
    }
}

fn any_list(value: &Value, holds: &dyn Fn(&[Value]) -> bool) -> bool {
    match value {
        Value::Array(items) => holds(items) || items.iter().any(|item| any_list(item, holds)),
        Value::Object(members) => members.values().any(|member| any_list(member, holds)),
        _ => false,
    }
}

fn has_scalar_twice(items: &[Value]) -> bool {
    let scalars = || items.iter().filter(|item| !item.is_object() && !item.is_array());
    scalars().enumerate().any(|(at, item)| scalars().skip(at + 1).any(|other| other == item))
}
