//! Objects that are not shown as they are stored: custom resources whose schema has changed since, or which
//! were stored in another version, and Events in the words of `events.k8s.io`.

use kubemerge_kinds::tree::Map;

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
    let Some(version) = resource.custom() else { return !has_other_words(resource) };
    // Without a schema nothing is pruned or defaulted, so that all versions show the same fields.
    version.schema.is_none() || (!version.revised && record.api_version() == resource.api_version)
}

fn has_other_words(resource: &Resource) -> bool {
    resource.group != resource.home()
}

/// The record as the resource shows it; none if that is as it is stored.
pub(crate) fn shown(resource: &Resource, record: &Record) -> Option<Record> {
    if is_as_stored(resource, record) {
        return None;
    }
    let mut object = Object::of_record(record);
    match resource.custom() {
        Some(version) => custom::reread(version, &mut object),
        None => EVENT.iter().for_each(|(stored, shown)| object.rename(stored, shown)),
    }
    Some(object.record())
}

/// A stored object with the names that its fields have in the resource's group; none if they are the same.
pub(crate) fn renamed(resource: &Resource, stored: &Object) -> Option<Object> {
    if !has_other_words(resource) {
        return None;
    }
    let mut object = stored.clone();
    EVENT.iter().for_each(|(stored, shown)| object.rename(stored, shown));
    Some(object)
}

/// Turns an object of the resource into what is stored.
pub(crate) fn store(resource: &Resource, object: &mut Object) {
    object.api_version.clone_from(&resource.storage);
    if has_other_words(resource) {
        EVENT.iter().for_each(|(stored, shown)| object.rename(shown, stored));
    }
}

/// The same for the tree of an object.
pub(crate) fn store_tree<'a>(resource: &'a Resource, tree: &mut Map<'a>) {
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
