//! The step that collects every complaint about an object that is about to be written.

use kubemerge_kinds::{
    custom::{
        check::{Subject, WrittenPart, check as check_custom},
        correlation::Correlated,
        metadata,
        validate::validate as validate_schema,
    },
    field_error::FieldError,
    meta::{NameRule, metadata_errors},
    tree::{Arena, Map},
};

use crate::{
    catalog::{Resource, call::Call, cluster::Validation, custom::CustomVersion},
    object::{Object, custom, typed},
    protocol::{
        media,
        status::{Outcome, invalid},
    },
    store::KnownForm,
    write::{floats, part::Part},
};

/// Refuses an object that breaks a rule.
pub(crate) fn validate(call: &Call<'_>, part: Part, object: &Object, old: Option<&Object>) -> Outcome<()> {
    let mut errors = match call.resource.custom() {
        Some(version) => custom_errors(call, version, part, object, old),
        None => metadata_of_kind(call.resource, object, old),
    };
    errors.extend(document_errors(call, object, old));
    refuse_any(call, object, &errors)
}

/// What holds for the metadata of built-in kinds whose rules are off.
fn metadata_of_kind(resource: &Resource, object: &Object, old: Option<&Object>) -> Vec<FieldError> {
    let is_checked = |old: &Object| old.ownership.form() == KnownForm::Complete;
    if old.is_some_and(|old| is_checked(old) && old.metadata == object.metadata) {
        return Vec::new();
    }
    let arena = Arena::new();
    let mut tree = Map::new_in(&arena);
    typed::set_metadata(&mut tree, &object.metadata);
    metadata_errors(&tree, resource.scope, resource.strategy.name)
}

fn custom_errors(
    call: &Call<'_>,
    version: &CustomVersion,
    part: Part,
    object: &Object,
    old: Option<&Object>,
) -> Vec<FieldError> {
    let mut object = object.to_value();
    // Configurations are YAML, which becomes JSON without such floats.
    if !media::is_apply(call.headers) {
        floats::restore(&mut object, call.body);
    }
    // Names cannot change, so those of stored objects are not held to the rules of today.
    let rule = if old.is_some() { NameRule::PathSegment } else { NameRule::Subdomain };
    let arena = Arena::new();
    let object = custom::tree(&object, &arena);
    let given = object.map("metadata");
    let errors = given.map(|given| metadata::validate(given, call.resource.scope, rule, "metadata"));
    let errors = errors.unwrap_or_default();
    let Some(schema) = &version.schema else { return errors };
    let part = if part == Part::Status { WrittenPart::Status } else { WrittenPart::Main };
    let old = old.map(|old| custom::tree(&old.to_value(), &arena));
    let subject = Subject { object: &object, old: old.as_ref(), part, scale: version.scale.as_ref() };
    check_custom(schema, &version.rules, subject, errors)
}

/// What a document of the caller says about an object; what was wrong before and is unchanged passes.
fn document_errors(call: &Call<'_>, object: &Object, old: Option<&Object>) -> Vec<FieldError> {
    let Resource { group, version, kind, .. } = call.resource;
    if call.cluster.validation == Validation::Off {
        return Vec::new();
    }
    let Some(schema) = call.cluster.document_schemas.of_kind(group, version, kind) else { return Vec::new() };
    let arena = Arena::new();
    let object = custom::tree(&object.to_value(), &arena);
    let old = old.map(|old| custom::tree(&old.to_value(), &arena));
    let correlated = old.as_ref().map(|old| Correlated::new(&object, old, &schema));
    validate_schema(&object, correlated.as_ref(), &schema)
}

fn refuse_any(call: &Call<'_>, object: &Object, errors: &[FieldError]) -> Outcome<()> {
    if errors.is_empty() {
        return Ok(());
    }
    Err(invalid(call.resource.qualified_kind(), object.metadata.name(), errors))
}
