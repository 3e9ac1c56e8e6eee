//! The step that fills in missing defaults.

use kubemerge_kinds::defaults;

use crate::{
    catalog::{Resource, call::Call},
    object::{Object, custom},
    store::{KnownForm, Stored},
    write::{kind_rules, part::Part},
};

/// The stored object with the defaults of today, so that a default is no change.
pub(crate) fn current(call: &Call<'_>, part: Part, stored: &Stored) -> Object {
    let mut object = Object::of_record(&stored.record);
    match call.resource.custom() {
        Some(version) => custom::reread(version, &mut object),
        // What the rules of a kind have completed is complete.
        None if kind_rules::of(call.cluster, call.resource).is_some() => {}
        None if stored.record.ownership().form() == KnownForm::Complete => {}
        None => fill(call.resource, part, &mut object),
    }
    object
}

/// Fills in the defaults of a kind.
pub(crate) fn fill(resource: &Resource, part: Part, object: &mut Object) {
    match resource.custom() {
        Some(version) => custom::fill(version, object),
        // Subresources take all but their own part from the stored object, which has its defaults.
        None if part == Part::Main => fill_built_in(resource, object),
        None => {}
    }
}

/// Fills in the defaults of a built-in kind.
pub(crate) fn fill_built_in(resource: &Resource, object: &mut Object) {
    for (name, default) in resource.defaults().into_iter().flat_map(|tree| tree.iter()) {
        let filled = object.text(name).and_then(|text| defaults::fill(text, default));
        if let Some(filled) = filled {
            object.set_text(name, filled.into());
        }
    }
}
