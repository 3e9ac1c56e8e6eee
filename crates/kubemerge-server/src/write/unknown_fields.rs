//! Fields that a kind does not have: dropped, with a warning or a refusal as the request wants.
//!
//! Built-in kinds are checked with their pattern first, and field by field with their schema where that is not enough;
//! custom ones are pruned by their own schema. Objects without unknown fields are only read, never rewritten.

use std::borrow::Cow;

use kubemerge_kinds::{
    field_error::{MAX_COMPLAINTS, quoted},
    pattern::Verdict,
    unknown_fields::{clean_field, survey},
};
use kubemerge_schema::Type;
use serde_json::Value;

use crate::{
    catalog::call::Call,
    object::{Object, custom},
    protocol::{query::FieldValidation, status::Outcome},
    store::field_name::Name,
    write::{
        decode::{Decoded, Tracking},
        undecodable::{Source, undecodable},
    },
};

/// What is known about a text before its fields are checked.
pub(crate) struct Found<'p> {
    pub(crate) validation: FieldValidation,
    /// Complaints so far, such as duplicate fields; unknown fields come after them.
    pub(crate) complaints: Vec<String>,
    pub(crate) source: Source<'p>,
    /// A stored object of the kind whose fields were checked before.
    pub(crate) checked: Option<&'p Object>,
}

/// Drops what the kind does not have, and reports it as the request wants.
pub(super) fn drop_unknown(
    call: &Call<'_>,
    mut object: Object,
    mut found: Found<'_>,
) -> Outcome<Decoded<'static>> {
    let mut unknown = drop_unknown_metadata(&mut object);
    let mut is_complete = false;
    match call.resource.custom() {
        // Upstream: the result of an apply is not decoded. Its type has no other fields; nulls are left to validation.
        Some(_) if matches!(found.source, Source::Apply) => {}
        Some(version) => {
            if let Some(schema) = &version.schema {
                unknown.extend(custom::prune(&mut object, schema)?);
            }
        }
        None => is_complete = check_built_in(call, &mut object, &found, &mut unknown)?,
    }
    // Metadata and fields are checked separately, but reported in one order.
    unknown.sort();
    // Upstream: no more than this many complaints, duplicates first.
    let room = MAX_COMPLAINTS.saturating_sub(found.complaints.len());
    let complaints = unknown.iter().take(room).map(|path| format!("unknown field {}", quoted(path)));
    found.complaints.extend(complaints);
    report(call, found, || object.to_value())?;
    Ok(Decoded { object, is_complete, tracking: Tracking::Pending, typed: None })
}

/// Reports complaints about the fields of an object as the request wants; `object` is asked if it is refused.
pub(crate) fn report(call: &Call<'_>, found: Found<'_>, object: impl Fn() -> Value) -> Outcome<()> {
    let Found { validation, complaints, source, .. } = found;
    match validation {
        // First, so that a strict request without complaints passes.
        _ if complaints.is_empty() => Ok(()),
        FieldValidation::Ignore => Ok(()),
        FieldValidation::Warn => {
            complaints.into_iter().for_each(|complaint| call.warn(complaint));
            Ok(())
        }
        FieldValidation::Strict => {
            let text = format!("strict decoding error: {}", complaints.join(", "));
            Err(undecodable(call, &text, source, &object().to_string()))
        }
    }
}

fn drop_unknown_metadata(object: &mut Object) -> Vec<String> {
    let unknown = object.metadata.unknown().map(|name| format!("metadata.{name}")).collect();
    object.metadata.drop_unknown();
    unknown
}

/// Checks all fields of a built-in kind; answers whether no default is missing.
fn check_built_in(
    call: &Call<'_>,
    object: &mut Object,
    found: &Found<'_>,
    unknown: &mut Vec<String>,
) -> Outcome<bool> {
    let source = found.source;
    let Some(pattern) = call.resource.pattern(&call.cluster.schema) else { return Ok(false) };
    let (mut is_complete, mut undeclared) = (true, Vec::new());
    for name in object.names() {
        let Some(text) = object.text(&name) else { continue };
        // Most patches leave most fields alone.
        if found.checked.is_some_and(|checked| checked.text(&name) == Some(text)) {
            continue;
        }
        let verdict = pattern.check_field(&name, text);
        is_complete &= verdict == Verdict::Complete;
        // Most fields are as the schema wants them, and end here.
        if verdict != Verdict::NeedsFullCheck {
            continue;
        }
        match field_type(call, &name) {
            Some(ty) => clean(call, object, Checked { name: &name, ty, source }, unknown)?,
            None => undeclared.push(name),
        }
    }
    drop_fields(object, &undeclared);
    unknown.extend(undeclared.into_iter().map(Cow::into_owned));
    Ok(is_complete)
}

/// The type of a top-level field, if the kind has it.
fn field_type<'c>(call: &Call<'c>, name: &str) -> Option<Type<'c>> {
    let ty = call.cluster.schema.type_of(&call.resource.api_version, &call.resource.kind)?;
    ty.field(name).map(|field| field.ty)
}

/// Drops fields, all at once since there may be very many; their names are sorted.
fn drop_fields(object: &mut Object, names: &[Name]) {
    if !names.is_empty() {
        object.retain_fields(|field| names.binary_search_by(|name| (**name).cmp(field)).is_err());
    }
}

/// A field that needs the full check.
struct Checked<'f> {
    name: &'f str,
    ty: Type<'f>,
    source: Source<'f>,
}

/// Checks a field and rewrites it if something has to be dropped.
fn clean(call: &Call<'_>, object: &mut Object, field: Checked<'_>, unknown: &mut Vec<String>) -> Outcome<()> {
    let Some(text) = object.text(field.name) else { return Ok(()) };
    let found = survey(text, field.ty, field.name);
    if let Some(text) = found.mismatch {
        return Err(undecodable(call, &text, field.source, &object.to_value().to_string()));
    }
    if !found.needs_rewrite {
        return Ok(());
    }
    match object.get(field.name) {
        None | Some(Value::Null) => {
            object.remove(field.name);
            Ok(())
        }
        Some(mut value) => {
            clean_field(&mut value, field.ty, field.name, unknown);
            object.set(field.name, &value)
        }
    }
}
