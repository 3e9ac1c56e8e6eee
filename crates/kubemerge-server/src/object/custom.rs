//! What the schema of a custom resource does to an object: pruning and defaults.

use kubemerge_kinds::custom::{default, embedded, prune, structural::Structural};
use serde_json::Value;

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

/// Fills in the defaults of the schema.
pub(crate) fn fill(version: &CustomVersion, object: &mut Object) {
    let Some(schema) = &version.schema else { return };
    let mut tree = object.to_value();
    default::fill(&mut tree, schema);
    // The type and metadata have no defaults: ObjectMeta has its own rules.
    let own = |name: &str| !matches!(name, "apiVersion" | "kind" | "metadata");
    for (name, value) in tree.as_object().into_iter().flatten().filter(|(name, _)| own(name)) {
        drop(object.set(name, value));
    }
}

/// Drops what a schema does not declare; answers the paths.
pub(crate) fn prune(object: &mut Object, schema: &Structural) -> Outcome<Vec<String>> {
    let Value::Object(mut tree) = object.to_value() else { return Ok(Vec::new()) };
    let mut removed = prune::prune(&mut tree, schema);
    let mut tree = Value::Object(tree);
    // After pruning: a null that is pruned anyway must not be reported twice.
    prune::drop_nulls(&mut tree, schema);
    removed.extend(embedded::coerce(&mut tree, schema).map_err(|error| bad_request(error.to_string()))?);
    replace_fields(object, &tree)?;
    Ok(removed)
}

fn replace_fields(object: &mut Object, tree: &Value) -> Outcome<()> {
    object.retain_fields(|name| tree.get(name).is_some());
    for name in object.names() {
        if let Some(value) = tree.get(&*name) {
            object.set(&name, value)?;
        }
    }
    Ok(())
}
