//! PATCH: applied to the newest state, and again if another client was faster.

use kubemerge::PatchType;

use crate::{
    catalog::call::Call,
    protocol::{
        media,
        query::WriteOptions,
        reply::Reply,
        status::{Failure, Outcome, unsupported_media_type},
    },
    read::present,
    write::{
        part::Part,
        patch,
        sequence::{self, Write},
        transaction::Transaction,
    },
};

const NO_APPLY: &str =
    "server-side apply is not implemented by this server yet - accepted media types include: ";

/// Whether strategic merge patches are accepted for custom resources.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CustomStrategicMerge {
    /// They are refused with 415, as Kubernetes does.
    #[default]
    Refused,
    /// They merge by the list keys of the resource's own schema.
    ByListKeys,
}

/// Patches an object, or the part of it that a subresource writes.
pub(crate) fn handle(
    transaction: &Transaction<'_>,
    call: &Call<'_>,
    custom: CustomStrategicMerge,
    part: Part,
) -> Outcome<Reply> {
    let patch_type = patch_type(call, custom)?;
    let options = WriteOptions::read(call.query, "PatchOptions")?;
    let patch = patch::read(call, patch_type)?;
    let write = Write { transaction, call, options, part };
    let done = sequence::change(write, |current, old| {
        patch::patched(call, &patch, current, old, options.field_validation)
    })?;
    present::object(call, 200, done.shown())
}

/// The type of patch that the content type names, if the resource accepts it.
pub(crate) fn patch_type(call: &Call<'_>, custom: CustomStrategicMerge) -> Outcome<PatchType> {
    let strategic = call.resource.custom().is_none() || custom == CustomStrategicMerge::ByListKeys;
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
    // Upstream: the list names server-side apply, which Kubernetes accepts.
    accepted.push(media::APPLY_PATCH);
    unsupported_media_type(&accepted)
}
