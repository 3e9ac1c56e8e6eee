//! The step that collects every complaint about an object that is about to be written.

use kubemerge_kinds::{custom::check::check as check_custom, field_error::FieldError};

use crate::{
    catalog::{call::Call, custom::CustomVersion},
    object::{Object, meta::check},
    protocol::status::{Outcome, invalid},
    write::definition,
};

/// Refuses an object that breaks a rule; definitions are completed on the way.
pub(crate) fn validate(call: &Call<'_>, object: &mut Object, old: Option<&Object>) -> Outcome<()> {
    if let Some(version) = call.resource.custom() {
        // Complaints about the schema come alone; the rules for metadata follow once it is satisfied.
        refuse_any(call, object, &custom_errors(version, object, old))?;
    }
    let mut errors = check::values(&object.metadata, call.resource.strategy.name);
    errors.extend(definition::complete_and_check(call.cluster, call.resource, object, old)?);
    refuse_any(call, object, &errors)
}

fn custom_errors(version: &CustomVersion, object: &Object, old: Option<&Object>) -> Vec<FieldError> {
    let Some(schema) = &version.schema else { return Vec::new() };
    check_custom(schema, &version.rules, &object.to_value(), old.map(Object::to_value).as_ref())
}

fn refuse_any(call: &Call<'_>, object: &Object, errors: &[FieldError]) -> Outcome<()> {
    if errors.is_empty() {
        return Ok(());
    }
    Err(invalid(call.resource.qualified_kind(), object.metadata.name(), errors))
}
