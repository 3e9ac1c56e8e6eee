//! The sequence of every write: decode, default, track, admit, prepare, validate, commit, follow-ups.
//!
//! Callers decode: [`create`](super::create) and PUT a body, PATCH the result of a patch, `/scale` a changed copy.
//! All else is here. Follow-ups run after the handler, once per request.

use crate::{
    object::{custom, view},
    protocol::{media, status::Outcome},
    store::Record,
    write::{
        commit::{self, Committed},
        decode::{Decoded, Tracking},
        default,
        kind_rules::{self, Typed},
        prepare,
        request::{Old, Write},
        track, validate,
    },
};

/// Changes the object in the path. `decode` makes the new state from the stored one; it runs again if another client
/// was faster.
pub(crate) fn change<'w>(
    write: Write<'w>,
    decode: impl Fn(Old<'_>) -> Outcome<Decoded<'w>>,
) -> Outcome<Committed> {
    commit::change(write.transaction, write.call, write.options.dry_run, |stored| {
        let object = default::current(write.call, write.part, stored);
        let old = Old { stored, object: &object };
        state_to_store(write, decode(old)?, Some(old))
    })
}

/// Takes a decoded object through the steps up to the commit.
pub(crate) fn state_to_store<'w>(
    write: Write<'w>,
    decoded: Decoded<'w>,
    old: Option<Old<'_>>,
) -> Outcome<Record> {
    let (resource, cluster) = (write.call.resource, write.call.cluster);
    let Decoded { mut object, is_complete, tracking, typed } = decoded;
    let mut typed = match (typed, kind_rules::of(cluster, resource)) {
        (None, Some(kind)) => Some(Typed::of_object(write, kind, &object)?),
        (typed, _) => typed,
    };
    if old.is_none() {
        // Before defaults, so that the default of a status is not dropped with the client's status.
        prepare::reset_new(resource, &mut object);
    }
    if !is_complete {
        default::fill(resource, write.part, &mut object);
    }
    if typed.is_none() {
        prepare::complete_before_tracking(resource, &mut object)?;
    }
    let stored = typed
        .as_ref()
        .zip(old)
        .and_then(|(typed, old)| kind_rules::stored_object(write, typed.kind, &old.stored.record));
    // Before anything is prepared: no manager owns what the server sets.
    match &mut typed {
        _ if tracking == Tracking::Done => {}
        Some(typed) => track::typed_request(write, old, stored.as_ref(), &mut object, typed),
        None => track::request(write, old, &mut object),
    }
    match old {
        None => prepare::identify(cluster, resource, &mut object),
        Some(old) => prepare::keep_metadata(resource, old.object, &mut object),
    }
    if let Some(typed) = typed {
        // The rules of the kind prepare and validate everything else.
        return kind_rules::admit(write, typed, &object, stored.as_ref());
    }
    match old {
        None => prepare::first_state(resource, &mut object)?,
        Some(old) => prepare::keep_content(resource, old.object, &mut object, write.part)?,
    }
    validate::validate(write.call, write.part, &object, old.map(|old| old.object))?;
    // Upstream: nulls that an apply has left and that pass validation are gone when the stored object is read.
    if let Some(version) = resource.custom().filter(|_| media::is_apply(write.call.headers)) {
        custom::reread(version, &mut object);
    }
    view::store(resource, &mut object);
    Ok(object.record())
}
