//! Changes that the server makes to stored objects on its own: each is read into a tree, changed and written again.

use kubemerge_kinds::{
    tree::{Arena, KnownParts, List, Map, Value, read_noting},
    typed::{read_node, read_typed_form},
};

use super::draft;
use crate::store::{Record, metadata_field::Field};

/// The tree of a stored object, as it is in its text.
pub(crate) fn tree<'a>(record: &'a Record, arena: &'a Arena) -> Map<'a> {
    tree_noting(record, arena, None)
}

/// The same; notes which parts the pieces of the text are, if they are asked for.
pub(crate) fn tree_noting<'a>(
    record: &'a Record,
    arena: &'a Arena,
    noted: Option<&mut KnownParts<'a>>,
) -> Map<'a> {
    let text = record.canonical().as_str();
    let value = match noted {
        Some(parts) => read_noting(arena, text, parts),
        None => read_typed_form(arena, text),
    };
    match value {
        Value::Map(tree) => tree,
        // Every record is a map.
        _ => Map::new_in(arena),
    }
}

/// A stored object after a change; the owners of its fields stay.
pub(crate) fn changed(record: &Record, change: impl FnOnce(&mut Map<'_>)) -> Record {
    let arena = Arena::new();
    let mut object = tree(record, &arena);
    change(&mut object);
    draft::record(&object, record.ownership().clone(), record.form())
}

/// The same for a change of the metadata only: nothing else is read, which every deletion of a pod would pay for.
pub(crate) fn with_metadata(record: &Record, change: impl FnOnce(&mut Map<'_>)) -> Record {
    let arena = Arena::new();
    let mut metadata = match record.at(&["metadata"]).map(|node| read_node(&arena, node, None)) {
        Some(Value::Map(metadata)) => metadata,
        _ => Map::new_in(&arena),
    };
    change(&mut metadata);
    draft::record_with_metadata(record, &metadata)
}

/// Sets a field to a JSON value.
pub(crate) fn set_json(object: &mut Map<'_>, name: &'static str, value: &serde_json::Value) {
    object.set(name, Value::of_json(value, object.arena()));
}

/// Replaces the finalizers of an object; the typed encoder leaves empty lists out.
pub(crate) fn set_finalizers(object: &mut Map<'_>, finalizers: &[String]) {
    let metadata = object.ensure_map("metadata");
    if finalizers.is_empty() {
        metadata.remove(Field::Finalizers.name());
        return;
    }
    let arena = metadata.arena();
    let mut list = List::new_in(arena);
    finalizers.iter().for_each(|one| list.push(&*arena.alloc_str(one)));
    metadata.set(Field::Finalizers.name(), list);
}

/// Removes a finalizer of an object.
pub(crate) fn remove_finalizer(object: &mut Map<'_>, name: &str) {
    retain(object, Field::Finalizers, |one| one.as_str() != Some(name));
}

/// Removes the references to owners whose uids a test accepts.
pub(crate) fn remove_owners(object: &mut Map<'_>, unwanted: impl Fn(&str) -> bool) {
    retain(object, Field::OwnerReferences, |owner| {
        !unwanted(owner.as_map().map_or("", |owner| owner.str("uid")))
    });
}

/// Keeps the items of a list in the metadata that a test accepts, and the list if any is left.
fn retain(object: &mut Map<'_>, field: Field, keep: impl Fn(&Value<'_>) -> bool) {
    let metadata = object.ensure_map("metadata");
    let Some(list) = metadata.list_mut(field.name()) else { return };
    list.retain(|item| keep(item));
    if list.is_empty() {
        metadata.remove(field.name());
    }
}

#[cfg(test)]
mod tests {
    use kubemerge_value::Canonical;
    use serde_json::json;

    use super::*;
    use crate::store::Ownership;

    fn record(metadata: &str) -> Record {
        let text = format!(
            r#"{{"action":1,"apiVersion":"v1","kind":"K","metadata":{metadata},"spec":{{"a":[1,"<"]}}}}"#
        );
        Record::new(Canonical::from_bytes(text.as_bytes()).unwrap(), Vec::new(), Ownership::default())
    }

    #[test]
    fn an_object_without_a_change_keeps_its_text() {
        for metadata in
            ["{}", r#"{"name":"a"}"#, r#"{"uid":"u"}"#, r#"{"finalizers":["x"],"name":"a","uid":"u"}"#]
        {
            let record = record(metadata);
            assert_eq!(changed(&record, |_| ()).render(7), record.render(7));
            assert_eq!(with_metadata(&record, |_| ()).render(7), record.render(7));
        }
    }

    #[test]
    fn lists_that_become_empty_are_left_out() {
        let before = record(r#"{"finalizers":["x"],"ownerReferences":[{"uid":"1"},{"uid":"2"}]}"#);
        let after = changed(&before, |object| {
            remove_finalizer(object, "x");
            remove_owners(object, |uid| uid == "1");
            set_json(object, "status", &json!({"done": null}));
        });
        let metadata = r#""metadata":{"ownerReferences":[{"uid":"2"}]},"spec""#;
        assert!(after.canonical().as_str().contains(metadata), "{:?}", after.canonical());
        assert!(after.canonical().as_str().ends_with(r#""status":{"done":null}}"#));
        assert_eq!(after.owners(), ["2"]);
        let none = changed(&after, |object| remove_owners(object, |_| true));
        assert!(none.metadata(Field::OwnerReferences).is_none());
    }
}
