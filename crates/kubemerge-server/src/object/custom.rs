//! What the schema of a custom resource does to an object: pruning and defaults.

use kubemerge_kinds::{
    custom::{default, embedded, prune, structural::Structural},
    tree::{Arena, Map, Value},
};
use kubemerge_value::Canonical;

use crate::{
    catalog::custom::CustomVersion,
    object::Object,
    protocol::status::{Outcome, bad_request},
};

/// Brings a stored object in line with the current schema.
pub(crate) fn reread(version: &CustomVersion, object: &mut Object) {
    if let Some(schema) = &version.schema {
        // What was stored can be written again, so that this cannot fail.
        drop(prune(object, schema));
        fill(version, object);
    }
}

/// The tree of an object; floats without a fraction stay floats.
pub(crate) fn tree<'a>(object: &serde_json::Value, arena: &'a Arena) -> Map<'a> {
    match Value::of_json(object, arena) {
        Value::Map(tree) => tree,
        _ => Map::new_in(arena),
    }
}

/// Fills in the defaults of the schema.
pub(crate) fn fill(version: &CustomVersion, object: &mut Object) {
    let Some(schema) = &version.schema else { return };
    let arena = Arena::new();
    let mut tree = tree(&object.to_value(), &arena);
    default::fill(&mut tree, schema);
    // The type and metadata have no defaults: ObjectMeta has its own rules.
    let own = |name: &str| !matches!(name, "apiVersion" | "kind" | "metadata");
    for (name, value) in tree.iter().filter(|(name, _)| own(name)) {
        drop(set(object, name, value));
    }
}

/// Drops what a schema does not declare; answers the paths.
pub(crate) fn prune(object: &mut Object, schema: &Structural) -> Outcome<Vec<String>> {
    let arena = Arena::new();
    let mut tree = tree(&object.to_value(), &arena);
    let mut removed = prune::prune(&mut tree, schema);
    // After pruning: a null that is pruned anyway must not be reported twice.
    prune::drop_nulls(&mut tree, schema);
    removed.extend(embedded::coerce(&mut tree, schema).map_err(|error| bad_request(error.to_string()))?);
    replace_fields(object, &tree)?;
    Ok(removed)
}

fn replace_fields(object: &mut Object, tree: &Map<'_>) -> Outcome<()> {
    object.retain_fields(|name| tree.has(name));
    for name in object.names() {
        if let Some(value) = tree.get(&name) {
            set(object, &name, value)?;
        }
    }
    Ok(())
}

fn set(object: &mut Object, name: &str, value: &Value<'_>) -> Outcome<()> {
    let text = Canonical::from_bytes(value.to_text().as_bytes());
    object.set_text(name, text.map_err(|error| bad_request(error.to_string()))?.into());
    Ok(())
}
