//! Preparation of kinds without rules of their own: the object and its status are written apart, and the server counts
//! the generations of the rest.

use std::collections::BTreeSet;

use serde_json::{Value as Json, json};

use super::DeclaredRules;
use crate::{
    field_error::{FieldError, quoted},
    meta::fields::MetadataField,
    tree::{Map, Value},
};

const STATUS: &str = "status";

/// Drops the status of a new object. Before defaults, so that the default of a status is not dropped with it.
pub(super) fn reset_new(rules: &DeclaredRules, object: &mut Map<'_>) {
    if rules.has_status() {
        object.remove(STATUS);
    }
}

/// Takes from the stored object what a request to the object, or to its status, does not write.
pub(super) fn prepare<'a>(
    rules: &DeclaredRules,
    object: &mut Map<'a>,
    old: &Map<'a>,
    subresource: Option<&str>,
) {
    if subresource.is_some() {
        // Upstream: `/status` of custom resources ignores all metadata of the request.
        object.retain(|name, _| name == STATUS);
        for (name, value) in old.iter().filter(|(name, _)| *name != STATUS) {
            object.set(name, value.copy_in(object.arena()));
        }
        return;
    }
    if rules.has_status() {
        match old.get(STATUS) {
            Some(status) => object.set(STATUS, status.copy_in(object.arena())),
            None => drop(object.remove(STATUS)),
        }
    }
    // After the status was restored, so that a change of it does not count.
    rules.strategy.generation.count(object, old);
}

/// The complaints about metadata that replaces older metadata.
pub(super) fn metadata_changes(old: &Map<'_>, new: &Map<'_>) -> Vec<FieldError> {
    let mut errors = Vec::new();
    // The order in which kube-apiserver compares them.
    let fixed = [
        MetadataField::Name,
        MetadataField::Namespace,
        MetadataField::Uid,
        MetadataField::CreationTimestamp,
        MetadataField::DeletionTimestamp,
        MetadataField::DeletionGracePeriodSeconds,
    ];
    for field in fixed {
        let [before, after] = [old, new].map(|object| value(object, field));
        if before != after {
            let value = after.unwrap_or(json!(""));
            let place = format!("metadata.{}", field.name());
            errors.push(FieldError::invalid(place, &value, "field is immutable"));
        }
    }
    // Finalizers may be removed while an object is deleted, never added: it would not end.
    if value(old, MetadataField::DeletionTimestamp).is_some() {
        let before: BTreeSet<&str> = finalizers(old).collect();
        let added: Vec<String> = finalizers(new).filter(|one| !before.contains(one)).map(quoted).collect();
        if !added.is_empty() {
            let why = format!(
                "no new finalizers can be added if the object is being deleted, found new finalizers []string{{{}}}",
                added.join(", ")
            );
            errors.push(FieldError::forbidden("metadata.finalizers", &why));
        }
    }
    errors
}

fn value(object: &Map<'_>, field: MetadataField) -> Option<Json> {
    match object.map("metadata")?.get(field.name())? {
        Value::Int(number) => Some((*number).into()),
        other => Some(other.as_str().unwrap_or_default().into()),
    }
}

fn finalizers<'a>(object: &'a Map<'_>) -> impl Iterator<Item = &'a str> {
    let list =
        object.map("metadata").map_or(&[][..], |metadata| metadata.list(MetadataField::Finalizers.name()));
    list.iter().filter_map(Value::as_str)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{tree::Arena, typed::read_typed_form};

    #[test]
    fn server_owned_metadata_cannot_change() {
        let arena = Arena::new();
        let read = |text| match read_typed_form(&arena, text) {
            Value::Map(object) => object,
            other => panic!("{other:?} is no map"),
        };
        let old = r#"{"metadata":{"name":"a","uid":"u","deletionTimestamp":"t","finalizers":["x/y"]}}"#;
        let new = r#"{"metadata":{"name":"a","uid":"w","deletionTimestamp":"t","finalizers":["x/y","x/z"]}}"#;
        let found: Vec<String> =
            metadata_changes(&read(old), &read(new)).iter().map(ToString::to_string).collect();
        assert_eq!(found.len(), 2, "{found:?}");
        assert_eq!(found[0], "metadata.uid: Invalid value: \"w\": field is immutable");
        assert!(found[1].ends_with("found new finalizers []string{\"x/z\"}"));
    }
}
