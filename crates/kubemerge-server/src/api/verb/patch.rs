//! PATCH: the engine of kubemerge applies it to the newest state, and again if somebody else was faster.

use std::borrow::Cow;

use kubemerge::{Canonical, Error, Guide, Patch, PatchType, apply};
use kubemerge_kinds::{duplicate_fields, field_error::quoted, strategy::Permission};
use kubemerge_schema::Schema;
use kubemerge_value::Excerpt;

use crate::{
    api::{app::CustomStrategicMerge, call::Call, verb::update},
    object::{Object, successor::Successor, view},
    protocol::{
        media,
        query::{FieldValidation, WriteOptions},
        reply::Reply,
        status::{Cause, Failure, Outcome, bad_request, too_large, unclassified, unsupported_media_type},
    },
    read::present::{self, Shown},
    store::Stored,
    write::{
        admit, commit,
        decode::{self, Source},
        fields,
        strategy::{self, Part},
    },
};

const REJECTED: &str = "the server rejected our request due to an error in our request";
const NO_APPLY: &str =
    "server-side apply is not implemented by this server yet - accepted media types include: ";

/// Patches an object, or the part of it that a subresource stands for.
pub(crate) fn handle(call: &Call<'_>, part: Part) -> Outcome<Reply> {
    let patch_type = patch_type(call)?;
    let options = WriteOptions::read(call.query, "PatchOptions")?;
    let patch = read(call, patch_type)?;
    let compute = |current: &Stored| patched(call, &patch, current, (part, options.field_validation));
    let done = commit::change(call, options.dry_run, compute)?;
    present::object(call, 200, done.shown())
}

/// Applies the body to an object that is not stored as it is, such as a Scale; no schema takes part.
pub(crate) fn apply_plain(call: &Call<'_>, live: &Canonical) -> Outcome<Canonical> {
    let patch_type = match patch_type(call)? {
        // A Scale has no lists, so that maps merge and nothing else happens.
        PatchType::Strategic => PatchType::Merge,
        other => other,
    };
    let patch = read(call, patch_type)?;
    apply(Guide::None, live, &patch).map_err(|error| refused(&error))
}

fn read<'b>(call: &Call<'b>, patch_type: PatchType) -> Outcome<Patch<'b>> {
    decode::check_depth(call.body)?;
    Patch::new(patch_type, &call.body[..]).map_err(|error| refused(&error))
}

/// The type of patch that the content type names, if the resource accepts it.
fn patch_type(call: &Call<'_>) -> Outcome<PatchType> {
    let by_list_keys = call.app().settings.custom_strategic_merge == CustomStrategicMerge::ByListKeys;
    let strategic = call.resource.custom().is_none() || by_list_keys;
    let given = media::content_type(call.headers).unwrap_or_default();
    match PatchType::from_content_type(given) {
        Some(patch_type) if strategic || patch_type != PatchType::Strategic => Ok(patch_type),
        _ => Err(unusable(given, strategic)),
    }
}

/// 415 with the types that are accepted.
fn unusable(given: &str, strategic: bool) -> Failure {
    let mut accepted = vec![media::JSON_PATCH, media::MERGE_PATCH];
    if strategic {
        accepted.push(media::STRATEGIC_MERGE_PATCH);
    }
    if matches!(given, media::APPLY_PATCH | media::APPLY_CBOR) {
        let text = format!("{NO_APPLY}{}", accepted.join(", "));
        return Failure::new(415, "UnsupportedMediaType", text);
    }
    accepted.push(media::APPLY_PATCH);
    unsupported_media_type(&accepted)
}

fn patched(
    call: &Call<'_>,
    patch: &Patch<'_>,
    current: &Stored,
    (part, validation): (Part, FieldValidation),
) -> Outcome<Object> {
    let live = live(call, patch, current)?;
    let result = Excerpt::from(apply_to(call, patch, &live)?);
    let mut old = Object::of_record(&current.record);
    let repeated = repeated(call, patch.patch_type(), validation);
    let mut new = match sound(call, &result, current, &old) {
        Some(new) => {
            fields::report(call, repeated, validation, Source::Patch(&old), &new)?;
            new
        }
        None => {
            let mut new = decode::patched(call, &result, patch.patch_type(), (current, &old))?;
            fields::settle(call, &mut new, (validation, repeated), Source::Patch(&old))?;
            new
        }
    };
    update::check_address(call, &mut new)?;
    // Only a patch that sets a resourceVersion can fail on it.
    update::check_version(call, &new, current, Permission::Granted)?;
    strategy::complete(call.resource, &mut old, &mut new, part);
    strategy::prepare_update(call.resource, &old, &mut new, part)?;
    admit::update(call, &old, &mut new, part)?;
    Ok(new)
}

/// The patched object, if it is of a built-in kind, one field changed, and there is nothing to put right.
fn sound(call: &Call<'_>, result: &Excerpt, current: &Stored, old: &Object) -> Option<Object> {
    let pattern = call.resource.pattern(&call.app().schema).filter(|pattern| old.conforms_to(pattern))?;
    let as_stored = current.record.api_version() == call.resource.api_version;
    if as_stored { Successor::read(result, &current.record, old, pattern) } else { None }
}

/// Complaints about fields that stand twice in the patch itself.
fn repeated(call: &Call<'_>, patch_type: PatchType, validation: FieldValidation) -> Vec<String> {
    if validation == FieldValidation::Ignore {
        return Vec::new();
    }
    let prefix = if patch_type == PatchType::Json { "json patch " } else { "" };
    let repeated = duplicate_fields::fields(call.body);
    repeated.iter().map(|path| format!("{prefix}duplicate field {}", quoted(path))).collect()
}

/// The text to patch: as it is stored, unless the patch may look at the resourceVersion or another version.
fn live<'s>(call: &Call<'_>, patch: &Patch<'_>, current: &'s Stored) -> Outcome<Cow<'s, Canonical>> {
    let record = &current.record;
    let as_stored =
        record.api_version() == call.resource.api_version && view::is_as_stored(call.resource, record);
    if as_stored && patch.patch_type() != PatchType::Json {
        return Ok(Cow::Borrowed(record.canonical()));
    }
    let revision = (patch.patch_type() == PatchType::Json).then_some(current.revision);
    let mut text = Vec::new();
    Shown { record, revision }.write(call.resource, &mut text);
    Canonical::from_bytes(&text).map(Cow::Owned).map_err(|error| unclassified(error.to_string()))
}

/// The rules of a built-in kind.
fn merge_guide<'c>(call: &Call<'c>) -> Guide<'c> {
    let schema: &Schema = &call.app().schema;
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
        (422, _) => Failure::new(422, "Invalid", REJECTED),
        _ => unclassified(error.message()),
    };
    let message = match error.hint() {
        Some(hint) => format!("{} ({hint})", error.message()),
        None => error.message().to_string(),
    };
    failure.causes(vec![Cause { reason: error.kind().name(), message, field: error.path().to_string() }])
}
