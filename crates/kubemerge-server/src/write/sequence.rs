//! The sequence of every write: decode, default, track, admit, prepare, validate, commit, follow-ups.
//!
//! Callers decode: [`create`](super::create) and PUT a body, PATCH the result of a patch, `/scale` a changed copy.
//! All else is here. Follow-ups run after the handler, once per request.

use crate::{
    catalog::call::Call,
    object::{Object, view},
    protocol::{query::WriteOptions, status::Outcome},
    store::Stored,
    write::{
        commit::{self, Committed},
        decode::{Decoded, Tracking},
        default, kind_rules,
        part::Part,
        prepare, track,
        transaction::Transaction,
        validate,
    },
};

/// A request that writes.
#[derive(Clone, Copy)]
pub(crate) struct Write<'w> {
    pub(crate) transaction: &'w Transaction<'w>,
    pub(crate) call: &'w Call<'w>,
    pub(crate) options: WriteOptions,
    pub(crate) part: Part,
}

/// Changes the object in the path. `decode` makes the new state from the stored one; it runs again if another client
/// was faster.
pub(crate) fn change(
    write: Write<'_>,
    decode: impl Fn(&Stored, &Object) -> Outcome<Decoded>,
) -> Outcome<Committed> {
    commit::change(write.transaction, write.call, write.options.dry_run, |current| {
        let old = default::current(write.call, write.part, current);
        let new = decode(current, &old)?;
        state_to_store(write, new, Some(&old))
    })
}

/// Takes a decoded object through the steps up to the commit.
pub(crate) fn state_to_store(write: Write<'_>, decoded: Decoded, old: Option<&Object>) -> Outcome<Object> {
    let resource = write.call.resource;
    let Decoded { mut object, is_complete, tracking } = decoded;
    if old.is_none() {
        // Before defaults, so that the default of a status is not dropped with the client's status.
        prepare::reset_new(resource, &mut object);
    }
    if !is_complete {
        default::fill(resource, write.part, &mut object);
    }
    prepare::complete_before_tracking(resource, &mut object)?;
    // Before anything is prepared: no manager owns what the server sets.
    if tracking == Tracking::Pending {
        track::request(write.call, old, &mut object);
    }
    let ownership = object.ownership.clone();
    match old {
        None => prepare::prepare_create(write.call.cluster, resource, &mut object)?,
        Some(old) => prepare::prepare_update(resource, old, &mut object, write.part)?,
    }
    match kind_rules::of(write.call.cluster, resource) {
        Some(kind) => object = kind_rules::admit(write.call, kind, write.part, &object, old)?,
        None => validate::validate(write.call, write.part, &object, old)?,
    }
    object.ownership = ownership;
    view::store(resource, &mut object);
    Ok(object)
}
