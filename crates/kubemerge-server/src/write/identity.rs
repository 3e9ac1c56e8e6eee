//! What makes a new object one of its own.

use kubemerge_kinds::tree::{Arena, Map, Value};

use crate::{
    catalog::{Resource, cluster::Cluster},
    object::draft,
    store::{Ownership, Record, StoredForm, metadata_field::Field},
};

/// Sets the uid of a new object, when it was created, and its first generation.
pub(crate) fn set_identity(cluster: &Cluster, resource: &Resource, object: &mut Map<'_>) {
    let metadata = object.ensure_map("metadata");
    metadata.set_text(Field::CreationTimestamp.name(), &cluster.clock.now().text());
    metadata.set_text(Field::Uid.name(), &cluster.entropy.uid());
    // Kinds without a generation keep what a client gives.
    if let Some(generation) = resource.strategy.generation.first() {
        metadata.set(Field::Generation.name(), generation);
    }
}

/// A new object that the server creates on its own.
pub(crate) fn new_record(
    cluster: &Cluster,
    resource: &Resource,
    value: &serde_json::Value,
    ownership: Ownership,
) -> Record {
    let arena = Arena::new();
    let mut object = Map::new_in(&arena);
    for (name, value) in value.as_object().into_iter().flatten() {
        object.set(arena.alloc_str(name), Value::of_json(value, &arena));
    }
    set_identity(cluster, resource, &mut object);
    draft::record(&object, ownership, StoredForm::Unchecked)
}
