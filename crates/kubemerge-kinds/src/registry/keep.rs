//! Parts of the stored object that an update keeps.

use super::hook::Context;
use crate::tree::Map;

/// A write to `status` that changes no metadata but who manages fields.
pub(crate) fn keep_whole_metadata(object: &mut Map<'_>, old: &Map<'_>, _: Context) {
    // Owners of the status change with it, although all other metadata stays.
    let managers = object.map_mut("metadata").and_then(|metadata| metadata.remove("managedFields"));
    keep_field(object, old, "metadata");
    let metadata = object.ensure_map("metadata");
    match managers {
        Some(managers) => metadata.set("managedFields", managers),
        None => drop(metadata.remove("managedFields")),
    }
}

/// Gives a field the value that the stored object has.
pub(crate) fn keep_field(object: &mut Map<'_>, old: &Map<'_>, name: &'static str) {
    match old.get(name) {
        Some(value) => {
            let copy = value.copy_in(object.arena());
            object.set(name, copy);
        }
        None => {
            object.remove(name);
        }
    }
}
