//! The gate before the store: defaults, and every complaint about the object that is about to be written.

use kubemerge_kinds::field_error::FieldError;

use crate::{
    api::call::Call,
    catalog::custom,
    object::{Object, meta::check, view},
    protocol::status::{Outcome, invalid},
    write::{defaults, strategy::Part},
};

/// Completes and checks a new object.
pub(crate) fn create(call: &Call<'_>, object: &mut Object) -> Outcome<()> {
    match call.resource.custom() {
        Some(version) => {
            custom::fill(version, object);
            refuse_any(call, object, &custom::check(version, object, None))?
        }
        None => defaults::fill(call.resource, object),
    }
    let mut errors = check::values(&object.metadata, call.resource.rules.name);
    errors.extend(crate::write::definition::check(call, object, None)?);
    finish(call, object, errors)
}

/// Completes and checks an object that replaces an older one.
pub(crate) fn update(call: &Call<'_>, old: &Object, new: &mut Object, part: Part) -> Outcome<()> {
    match call.resource.custom() {
        Some(version) => refuse_any(call, new, &custom::check(version, new, Some(old)))?,
        None if part == Part::Main => defaults::fill(call.resource, new),
        None => {}
    }
    let mut errors = match new.conforms_like(old) && check::same_values(&old.metadata, &new.metadata) {
        true => Vec::new(),
        false => check::values(&new.metadata, call.resource.rules.name),
    };
    errors.extend(crate::write::definition::check(call, new, Some(old))?);
    finish(call, new, errors)
}

/// The last word: what is stored is written in the version for storage.
fn finish(call: &Call<'_>, object: &mut Object, errors: Vec<FieldError>) -> Outcome<()> {
    view::store(call.resource, object);
    refuse_any(call, object, &errors)
}

fn refuse_any(call: &Call<'_>, object: &Object, errors: &[FieldError]) -> Outcome<()> {
    if errors.is_empty() {
        return Ok(());
    }
    Err(invalid(call.resource.qualified_kind(), object.metadata.name(), errors))
}
