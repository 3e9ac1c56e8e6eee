//! Applying a patch to the stored object: the decode step of PATCH.

use std::borrow::Cow;

use kubemerge::{Canonical, Error, Guide, Patch, PatchType, apply};
use kubemerge_kinds::{duplicate_fields, field_error::quoted, strategy::Permission};
use kubemerge_schema::Schema;
use kubemerge_value::SharedValue;

use crate::{
    catalog::call::Call,
    object::{shown::Shown, view},
    protocol::{
        query::FieldValidation,
        reason::Reason,
        status::{Cause, Failure, Outcome, bad_request, too_large, unclassified},
    },
    store::{ManagedFieldsView, Stored},
    write::{
        body,
        decode::{self, Decoded, Patched},
        precondition::{check_address, check_version},
        request::{Old, Write},
    },
};

const REJECTED: &str = "the server rejected our request due to an error in our request";

/// Reads the body as a patch.
pub(crate) fn read<'b>(call: &Call<'b>, patch_type: PatchType) -> Outcome<Patch<'b>> {
    body::check_depth(call.body)?;
    Patch::new(patch_type, &call.body[..]).map_err(|error| refused(&error))
}

/// Applies the body to an object that is not stored as it is, such as a Scale; no schema takes part.
pub(crate) fn apply_plain(call: &Call<'_>, patch_type: PatchType, live: &Canonical) -> Outcome<Canonical> {
    let patch_type = match patch_type {
        // A Scale has no lists, so that both types have the same result.
        PatchType::Strategic => PatchType::Merge,
        other => other,
    };
    let patch = read(call, patch_type)?;
    apply(Guide::None, live, &patch).map_err(|error| refused(&error))
}

/// The object that a patch makes of the stored one.
pub(crate) fn patched<'w>(write: Write<'w>, patch: &Patch<'_>, old: Old<'_>) -> Outcome<Decoded<'w>> {
    let call = write.call;
    let live = live(call, patch, old.stored)?;
    let result = SharedValue::from(apply_to(call, patch, &live)?);
    let duplicates = duplicate_fields(call, patch.patch_type(), write.options.field_validation);
    let patched = Patched { document: &result, patch_type: patch.patch_type(), old };
    let mut decoded = decode::patched_object(write, patched, duplicates)?;
    check_address(call, &mut decoded.object)?;
    // Only a patch that sets a resourceVersion can fail on it.
    check_version(call, &decoded.object, old.stored, Permission::Granted)?;
    Ok(decoded)
}

/// Complaints about duplicate fields in the patch itself.
fn duplicate_fields(call: &Call<'_>, patch_type: PatchType, validation: FieldValidation) -> Vec<String> {
    if validation == FieldValidation::Ignore {
        return Vec::new();
    }
    let prefix = if patch_type == PatchType::Json { "json patch " } else { "" };
    let duplicates = duplicate_fields::fields(call.body);
    duplicates.iter().map(|path| format!("{prefix}duplicate field {}", quoted(path))).collect()
}

/// The text to patch: as it is stored, unless the patch may look at the resourceVersion or another version.
fn live<'s>(call: &Call<'_>, patch: &Patch<'_>, current: &'s Stored) -> Outcome<Cow<'s, Canonical>> {
    let record = &current.record;
    let as_stored =
        record.api_version() == call.resource.api_version && view::is_as_stored(call.resource, record);
    // A JSON patch may test the resourceVersion, which the stored text does not have; others may change managedFields,
    // which it does not have either.
    let may_see_metadata = patch.patch_type() == PatchType::Json || names_managed_fields(call.body);
    if as_stored && !may_see_metadata {
        return Ok(Cow::Borrowed(record.canonical()));
    }
    let revision = (patch.patch_type() == PatchType::Json).then_some(current.revision);
    let mut text = Vec::new();
    let managed_fields = match may_see_metadata {
        true => ManagedFieldsView::Shown,
        false => ManagedFieldsView::Hidden,
    };
    Shown::new(record, revision).with(managed_fields).write(call.resource, &mut text);
    Canonical::from_bytes(&text).map(Cow::Owned).map_err(|error| unclassified(error.to_string()))
}

/// Whether a patch may say something about managedFields.
fn names_managed_fields(body: &[u8]) -> bool {
    let name = b"managedFields";
    body.windows(name.len()).any(|window| window == name)
}

/// The rules of a built-in kind.
fn merge_guide<'c>(call: &Call<'c>) -> Guide<'c> {
    let schema: &Schema = &call.cluster.schema;
    let ty = schema.type_of(&call.resource.api_version, &call.resource.kind);
    ty.map_or(Guide::Schema(schema), Guide::Type)
}

fn apply_to(call: &Call<'_>, patch: &Patch<'_>, live: &Canonical) -> Outcome<Canonical> {
    let result = match (patch.patch_type(), call.resource.custom()) {
        (PatchType::Strategic, Some(version)) => apply(version.merge_guide()?, live, patch),
        (PatchType::Strategic, None) => apply(merge_guide(call), live, patch),
        _ => apply(Guide::None, live, patch),
    };
    result.map_err(|error| refused(&error))
}

/// The engine's error with the API server's code and text, and a cause that says where and what to do.
fn refused(error: &Error) -> Failure {
    let failure = match (error.http_status(), error.kind()) {
        (400, _) => bad_request(error.message()),
        (413, _) => too_large(error.message().trim_start_matches("Request entity too large: ")),
        // Upstream: the reason is not in the message; it is in the cause that follows.
        (422, _) => Failure::new(422, Reason::Invalid, REJECTED),
        _ => unclassified(error.message()),
    };
    let message = match error.hint() {
        Some(hint) => format!("{} ({hint})", error.message()),
        None => error.message().to_string(),
    };
    failure.causes(vec![Cause { reason: error.kind().name(), message, field: error.path().to_string() }])
}
