//! Objects that are not shown as they are stored: custom resources whose schema has changed since, or which
//! were stored in another version, Events in the words of `events.k8s.io`, and HorizontalPodAutoscalers of version v1.

use kubemerge_kinds::{
    autoscaler_to_v1, autoscaler_to_v2,
    tree::{Map, Value},
    typed::read_typed_form,
};

use crate::{
    catalog::Resource,
    object::{Object, custom},
    store::Record,
};

/// The fields of an Event as they are stored, and their names in `events.k8s.io`.
const EVENT: [(&str, &str); 7] = [
    ("count", "deprecatedCount"),
    ("firstTimestamp", "deprecatedFirstTimestamp"),
    ("involvedObject", "regarding"),
    ("lastTimestamp", "deprecatedLastTimestamp"),
    ("message", "note"),
    ("reportingComponent", "reportingController"),
    ("source", "deprecatedSource"),
];

/// Whether the resource shows a record as it is stored, but for its apiVersion.
pub(crate) fn is_as_stored(resource: &Resource, record: &Record) -> bool {
    let Some(version) = resource.custom() else {
        return !has_other_words(resource) && !is_converted(resource);
    };
    // Without a schema nothing is pruned or defaulted, so that all versions show the same fields.
    version.schema.is_none() || (!version.revised && record.api_version() == resource.api_version)
}

fn has_other_words(resource: &Resource) -> bool {
    resource.group != resource.home()
}

/// Whether the fields of the version that is served differ from those of the version that is stored.
pub(crate) fn is_converted(resource: &Resource) -> bool {
    resource.kind == "HorizontalPodAutoscaler"
        && resource.api_version == "autoscaling/v1"
        && resource.storage == "autoscaling/v2"
}

/// An object in another version, with the same owners of its fields.
fn converted(object: &Object, convert: fn(&serde_json::Value) -> serde_json::Value) -> Object {
    // What a conversion makes of an object is an object.
    let mut converted = Object::from_value(&convert(&object.to_value())).unwrap_or_else(|_| object.clone());
    converted.ownership = object.ownership.clone();
    converted
}

/// The record as the resource shows it; none if that is as it is stored.
pub(crate) fn shown(resource: &Resource, record: &Record) -> Option<Record> {
    if is_as_stored(resource, record) {
        return None;
    }
    let mut object = Object::of_record(record);
    match resource.custom() {
        Some(version) => custom::reread(version, &mut object),
        None if is_converted(resource) => object = converted(&object, autoscaler_to_v1),
        None => show_event(&mut object),
    }
    Some(object.record())
}

/// The newer group leaves out what is empty; the core group writes it.
fn show_event(event: &mut Object) {
    EVENT.iter().for_each(|(stored, shown)| event.rename(stored, shown));
    for name in ["reportingController", "reportingInstance"] {
        if event.get(name).is_some_and(|value| value == "") {
            event.remove(name);
        }
    }
}

/// A stored object with the names that its fields have in the resource's group; none if they are the same.
pub(crate) fn renamed(resource: &Resource, stored: &Object) -> Option<Object> {
    if is_converted(resource) {
        return Some(converted(stored, autoscaler_to_v1));
    }
    if !has_other_words(resource) {
        return None;
    }
    let mut object = stored.clone();
    EVENT.iter().for_each(|(stored, shown)| object.rename(stored, shown));
    Some(object)
}

/// Turns an object of the resource into what is stored.
pub(crate) fn store(resource: &Resource, object: &mut Object) {
    if is_converted(resource) {
        *object = converted(object, autoscaler_to_v2);
    }
    object.api_version.clone_from(&resource.storage);
    if has_other_words(resource) {
        EVENT.iter().for_each(|(stored, shown)| object.rename(shown, stored));
    }
}

/// Whether two versions of a built-in kind differ in more than their name.
pub(crate) fn has_other_fields(kind: &str, one: &str, other: &str) -> bool {
    let is_old = |api_version: &str| api_version == "autoscaling/v1";
    kind == "HorizontalPodAutoscaler" && is_old(one) != is_old(other)
}

/// An autoscaler of the other version.
pub(crate) fn autoscaler_in(autoscaler: &serde_json::Value, api_version: &str) -> serde_json::Value {
    match api_version {
        "autoscaling/v1" => autoscaler_to_v1(autoscaler),
        _ => autoscaler_to_v2(autoscaler),
    }
}

/// The same as [`store`] for the tree of an object.
pub(crate) fn store_tree<'a>(resource: &'a Resource, tree: &mut Map<'a>) {
    if is_converted(resource) {
        // What was written is JSON.
        let v1 = serde_json::from_str(&tree.to_text()).unwrap_or_default();
        let arena = tree.arena();
        if let Value::Map(v2) = read_typed_form(arena, arena.alloc_str(&autoscaler_to_v2(&v1).to_string())) {
            *tree = v2;
        }
    }
    tree.set("apiVersion", resource.storage.as_str());
    tree.set("kind", resource.kind.as_str());
    if has_other_words(resource) {
        for (stored, shown) in EVENT {
            if let Some(value) = tree.remove(shown) {
                tree.set(stored, value);
            }
        }
    }
}
