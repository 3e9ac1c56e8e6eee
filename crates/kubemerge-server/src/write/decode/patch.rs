//! Applying a patch to the stored object: the decode step of PATCH.

use kubemerge::{Canonical, Error, Patch, PatchType, RuleSource, apply, apply_node};
use kubemerge_kinds::{duplicate_fields, field_error::quoted, strategy::Permission};
use serde_json::Value;

use crate::{
    catalog::request_context::RequestContext,
    kind::{Kind, Reading, shown::Shown},
    object::draft::Draft,
    protocol::{
        json::any_tree,
        query::FieldValidation,
        reason::Reason,
        status::{Cause, Failure, Outcome, bad_request, too_large, unclassified},
    },
    store::{ManagedFieldsView, Stored, metadata_field::Field},
    write::{
        decode::{
            self, body,
            precondition::{check_address, check_version},
            undecodable::Patching,
        },
        request::{Old, Write},
    },
};

const REJECTED: &str = "the server rejected our request due to an error in our request";

/// Reads the body as a patch.
pub(crate) fn read<'b>(call: &RequestContext<'b>, patch_type: PatchType) -> Outcome<Patch<'b>> {
    body::check_depth(call.body)?;
    if call.body.trim_ascii().is_empty() {
        return Err(bad_request("invalid JSON patch"));
    }
    if patch_type == PatchType::Strategic
        && let Some(what) = other_than_object(call.body)
    {
        let text = format!("json: cannot unmarshal {what} into Go value of type map[string]interface {{}}");
        return Err(bad_request(text));
    }
    Patch::new(patch_type, &call.body[..]).map_err(|error| refused(&error))
}

/// Upstream: the library that merges by RFC 7396 refuses to put nothing in place of an object.
fn refuse_null(call: &RequestContext<'_>, patch_type: PatchType) -> Outcome<()> {
    let is_null = patch_type == PatchType::Merge && call.body.trim_ascii() == b"null";
    if is_null { Err(bad_request("Invalid JSON Patch")) } else { Ok(()) }
}

/// What a body is, in Go's words, if it is JSON other than an object or null.
fn other_than_object(body: &[u8]) -> Option<&'static str> {
    match any_tree(body)? {
        Value::Object(_) | Value::Null => None,
        Value::Array(_) => Some("array"),
        Value::String(_) => Some("string"),
        Value::Number(_) => Some("number"),
        Value::Bool(_) => Some("bool"),
    }
}

/// Applies the body to an object that is not stored as it is, such as a Scale; no schema takes part.
pub(crate) fn apply_plain(
    call: &RequestContext<'_>,
    patch_type: PatchType,
    live: &Canonical,
) -> Outcome<Canonical> {
    refuse_null(call, patch_type)?;
    let patch_type = match patch_type {
        // A Scale has no lists, so that both types have the same result.
        PatchType::Strategic => PatchType::Merge,
        other => other,
    };
    let patch = read(call, patch_type)?;
    apply(RuleSource::None, live, &patch).map_err(|error| refused(&error))
}

/// How the result of a patch is read.
pub(crate) fn reading(patch_type: PatchType) -> Reading {
    match patch_type {
        // Upstream: the result is converted into the kind that was patched, whatever the patch says it is.
        PatchType::Strategic => Reading::Merged,
        _ => Reading::Patched,
    }
}

/// The object that a patch makes of the stored one.
pub(crate) fn patched<'w>(write: Write<'w>, patch: &'w Patch<'_>, old: Old<'w>) -> Outcome<Draft<'w>> {
    let call = write.call;
    refuse_null(call, patch.patch_type())?;
    let live = live(write, patch, old.stored)?;
    let result = apply_node(merge_rules(call, patch)?, live.node(), patch, write.arena);
    let result = result.map_err(|error| refused(&error))?;
    let duplicates = duplicate_fields(call, patch.patch_type(), write.options.field_validation);
    let patching = Patching { patch_type: patch.patch_type(), stored: old.stored };
    let mut draft = decode::patched_object(write, result, old.known, patching, duplicates)?;
    check_address(call, &mut draft)?;
    // Only a patch that sets a resourceVersion can fail on it.
    check_version(call, draft.text(Field::ResourceVersion), old.stored, Permission::Granted)?;
    Ok(draft)
}

/// Complaints about duplicate fields in the patch itself.
fn duplicate_fields(
    call: &RequestContext<'_>,
    patch_type: PatchType,
    validation: FieldValidation,
) -> Vec<String> {
    if validation == FieldValidation::Ignore {
        return Vec::new();
    }
    let prefix = if patch_type == PatchType::Json { "json patch " } else { "" };
    let duplicates = duplicate_fields::fields(call.body);
    duplicates.iter().map(|path| format!("{prefix}duplicate field {}", quoted(path))).collect()
}

/// The text to patch: as it is stored, unless the patch may look at the resourceVersion or another version.
fn live<'w>(write: Write<'w>, patch: &Patch<'_>, current: &'w Stored) -> Outcome<&'w Canonical> {
    let (call, record) = (write.call, &current.record);
    let as_stored = record.api_version() == call.resource.api_version && write.kind.is_as_stored(record);
    // A JSON patch may test the resourceVersion, which the stored text does not have; others may change managedFields,
    // which it does not have either.
    let may_see_metadata = patch.patch_type() == PatchType::Json || names_managed_fields(call.body);
    if as_stored && !may_see_metadata {
        return Ok(record.canonical());
    }
    let revision = (patch.patch_type() == PatchType::Json).then_some(current.revision);
    let mut text = Vec::new();
    let managed_fields = if may_see_metadata { ManagedFieldsView::Shown } else { ManagedFieldsView::Hidden };
    Shown::new(record, revision).with(managed_fields).write(write.kind, &mut text);
    let text = Canonical::from_bytes(&text).map_err(|error| unclassified(error.to_string()))?;
    Ok(write.kept.patched.keep(text))
}

/// Whether a patch may say something about managedFields.
fn names_managed_fields(body: &[u8]) -> bool {
    let name = b"managedFields";
    body.windows(name.len()).any(|window| window == name)
}

/// The rules by which a patch merges; only strategic merge patches need any.
fn merge_rules<'c>(call: &RequestContext<'c>, patch: &Patch<'_>) -> Outcome<RuleSource<'c>> {
    match patch.patch_type() {
        PatchType::Strategic => Kind::of(call.cluster, call.resource).merge_rules(),
        _ => Ok(RuleSource::None),
    }
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
