//! Between objects and the trees that the rules of built-in kinds work on.
//!
//! Until the rules run, metadata is that of an [`Object`](super::Object), so that all steps of a write treat it alike;
//! all other fields are in the tree. The record is written from the tree.

use std::sync::LazyLock;

use kubemerge_kinds::{
    tree::{Arena, Map, Value},
    typed::read_typed_form,
};
use kubemerge_value::{Node, SharedValue, shared::ByteSpan, to_canonical, write::MapWriter};

use crate::{
    object::meta::Metadata,
    store::{Ownership, Record, RecordWriter, metadata_field::Field},
};

/// Room for the metadata of most objects.
const METADATA_BYTES: usize = 512;
/// Room for the text of most objects.
const RECORD_BYTES: usize = 2048;

/// The metadata of a tree, which keeps only what it has: a zero value that Go writes is none.
pub(crate) fn metadata(tree: &mut Map<'_>) -> Metadata {
    let given = tree.ensure_map("metadata");
    let mut writer = MapWriter::with_capacity(METADATA_BYTES);
    let mut spans = [ByteSpan::default(); Field::COUNT];
    for (field, value) in metadata_fields(given) {
        spans[field as usize] = writer.append_plain(field.plain_name(), |out| value.append_to(out));
    }
    let mut metadata = Metadata::at(&SharedValue::from(writer.finish()), &spans);
    let is_reset = given.is_given_empty("managedFields");
    given.retain(|name, _| Field::of_bytes(name.as_bytes()).is_some_and(|field| metadata.has(field)));
    if is_reset {
        // Go leaves out an empty list, which here means to forget all owners.
        metadata.set_managed_fields(NO_ITEMS.clone());
    }
    metadata
}

static NO_ITEMS: LazyLock<SharedValue> = LazyLock::new(|| {
    let empty = serde_json::json!([]);
    // An empty list is not nested too deep.
    to_canonical(Node::from_value(&empty).unwrap_or(Node::NULL)).into()
});

/// The fields of ObjectMeta: a tree in its typed form has no others.
fn metadata_fields<'t, 'a>(metadata: &'t Map<'a>) -> impl Iterator<Item = (Field, &'t Value<'a>)> {
    metadata.iter().filter_map(|(name, value)| Some((Field::of_bytes(name.as_bytes())?, value)))
}

/// Gives a tree other metadata.
pub(crate) fn set_metadata(tree: &mut Map<'_>, metadata: &Metadata) {
    let arena = tree.arena();
    let mut fields = Map::new_in(arena);
    for (field, text) in metadata.fields() {
        fields.set(field.name(), read(arena, text));
    }
    tree.set("metadata", fields);
}

/// Writes what has changed in the metadata of a tree.
pub(crate) fn change_metadata(tree: &mut Map<'_>, before: &Metadata, metadata: &Metadata) {
    let fields = tree.ensure_map("metadata");
    let arena = fields.arena();
    for field in Field::all().filter(|field| !before.same(metadata, *field)) {
        match metadata.shared(field) {
            Some(text) => fields.set(field.name(), read(arena, text)),
            None => drop(fields.remove(field.name())),
        }
    }
}

fn read<'a>(arena: &'a Arena, text: &SharedValue) -> Value<'a> {
    read_typed_form(arena, arena.alloc_str(text.as_str()))
}

/// The record to store.
pub(crate) fn record(tree: &Map<'_>, ownership: Ownership) -> Record {
    let mut writer = RecordWriter::with_capacity(RECORD_BYTES);
    let mut owners = Vec::new();
    for (name, value) in tree.iter() {
        match (name, value) {
            ("apiVersion", _) => writer.api_version(tree.str(name)),
            ("kind", _) => writer.kind(tree.str(name)),
            ("metadata", Value::Map(metadata)) => {
                writer.metadata(metadata_fields(metadata), |out, name, value| {
                    out.append_plain(name, |out| value.append_to(out))
                });
                owners = owner_uids(metadata);
            }
            _ => writer.append(name, |out| value.append_to(out)),
        }
    }
    writer.finish(owners, ownership)
}

fn owner_uids(metadata: &Map<'_>) -> Vec<String> {
    let uids = metadata.maps("ownerReferences").map(|owner| owner.str("uid"));
    uids.filter(|uid| !uid.is_empty()).map(str::to_owned).collect()
}
