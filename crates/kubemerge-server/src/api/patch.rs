//! PATCH: applied to the newest state, and again if another client was faster.

use kubemerge::PatchType;
use kubemerge_schema::StrategicPatch;

use crate::{
    catalog::request_context::RequestContext,
    kind::{Reading, shown::Shown},
    protocol::{
        media,
        query::{ApplyOptions, DryRun, OptionsKind, WriteOptions},
        reason::Reason,
        reply::Reply,
        status::{Failure, Outcome, unsupported_media_type},
    },
    read::present,
    write::{
        commit::transaction::Transaction,
        create,
        decode::{apply, patch},
        part::Part,
        request::WriteScope,
        sequence,
    },
};

/// How long the text of an object that is patched is, roughly.
const PATCHED_BYTES: usize = 2048;

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
    call: &RequestContext<'_>,
    custom: CustomStrategicMerge,
    part: Part,
) -> Outcome<Reply> {
    if is_apply(call) {
        return apply(transaction, call, part);
    }
    let patch_type = patch_type(call, custom)?;
    let options = WriteOptions::read(call.query, OptionsKind::Patch)?;
    let patch = patch::read(call, patch_type)?;
    let scope = WriteScope::new(transaction, call, PATCHED_BYTES + call.body.len());
    let write = scope.write(options, part, patch::reading(patch_type));
    let done = sequence::change(write, |old| patch::patched(write, &patch, old))?;
    present::object(call, 200, done.shown())
}

/// Whether a request is a server-side apply.
pub(crate) fn is_apply(call: &RequestContext<'_>) -> bool {
    media::is_apply(call.headers)
}

/// Applies a configuration; an object that does not exist is created.
fn apply(transaction: &Transaction<'_>, call: &RequestContext<'_>, part: Part) -> Outcome<Reply> {
    let options = ApplyOptions::read(call.query)?;
    let scope = WriteScope::new(transaction, call, PATCHED_BYTES + call.body.len());
    let write = scope.write(options.write, part, Reading::Applied);
    let config = apply::read(call, options)?;
    loop {
        // Upstream: a subresource of an object that does not exist is not found.
        if part == Part::Main && call.cluster.store.get(&call.key()).is_none() {
            let draft = apply::created(write, &config)?;
            match create::create(write, draft) {
                // Another client was faster: its object is changed instead.
                Err(failure)
                    if failure.reason() == Reason::AlreadyExists && options.write.dry_run == DryRun::No =>
                {
                    continue;
                }
                created => {
                    let (record, revision) = created?;
                    return present::object(call, 201, Shown::new(&record, revision));
                }
            }
        }
        let changed = sequence::change(write, |old| apply::applied(write, &config, old));
        match changed {
            // Deleted meanwhile: created again.
            Err(failure) if failure.code() == 404 && part == Part::Main => {}
            done => return present::object(call, 200, done?.shown()),
        }
    }
}

/// The type of patch that the content type names, if the resource accepts it.
pub(crate) fn patch_type(call: &RequestContext<'_>, custom: CustomStrategicMerge) -> Outcome<PatchType> {
    let strategic = call.resource.strategic_patch == StrategicPatch::Accepted
        || custom == CustomStrategicMerge::ByListKeys;
    let given = media::content_type(call.headers).unwrap_or_default();
    match PatchType::from_content_type(given) {
        // An apply goes another way: what arrives here has no configuration and no manager.
        Some(PatchType::Apply) => Err(unusable(strategic)),
        Some(patch_type) if strategic || patch_type != PatchType::Strategic => Ok(patch_type),
        _ => Err(unusable(strategic)),
    }
}

/// 415 with the types that are accepted.
fn unusable(strategic: bool) -> Failure {
    let mut accepted = vec![media::JSON_PATCH, media::MERGE_PATCH];
    if strategic {
        accepted.push(media::STRATEGIC_MERGE_PATCH);
    }
    accepted.push(media::APPLY_PATCH);
    unsupported_media_type(&accepted)
}
