//! The sequence of every write: decode, default, track, admit, prepare, validate, commit, follow-ups.
//!
//! Callers decode: [`create`](super::create) and PUT a body, PATCH the result of a patch, `/scale` a changed copy.
//! All else is here. Follow-ups run after the handler, once per request.

use kubemerge_kinds::tree::KnownParts;

use crate::{
    kind::Reading,
    object::draft::Draft,
    protocol::status::Outcome,
    store::{Ownership, Record, Revision, Stored},
    write::{
        admission,
        commit::{self, Committed},
        prepare,
        request::{Old, Write},
        track, unions, validate,
    },
};

/// Changes the object in the path. `decode` makes the new state from the stored one; it runs again if another client
/// was faster.
pub(crate) fn change<'w>(
    write: Write<'w>,
    decode: impl Fn(Old<'w>) -> Outcome<Draft<'w>>,
) -> Outcome<Committed> {
    commit::change(write.transaction, write.call, write.options.dry_run, |stored| {
        let stored = write.kept.stored.keep(stored.clone());
        let old = old(write, stored);
        state_to_store(write, decode(old)?, Some(old))
    })
}

/// The stored object as a tree.
fn old<'w>(write: Write<'w>, stored: &'w Stored) -> Old<'w> {
    // The result of a patch has most of the stored text; a body has a text of its own.
    let is_patch = matches!(write.reading, Reading::Patched | Reading::Merged);
    let mut known = is_patch.then(|| KnownParts::new_in(write.arena));
    let tree = write.kind.served_noting(&stored.record, write.arena, known.as_mut());
    let known = known.map(|known| &*write.arena.alloc(known));
    Old { stored, tree: write.arena.alloc(tree), known }
}

/// Takes a decoded object through the steps up to the commit.
pub(crate) fn state_to_store<'w>(
    write: Write<'w>,
    mut draft: Draft<'w>,
    old: Option<Old<'w>>,
) -> Outcome<Record> {
    prepare::reset(write, &mut draft, old);
    unions::normalize(write, &mut draft, old)?;
    let had_status = draft.tree.has("status");
    write.kind.default(&mut draft.tree)?;
    let is_completed = old.is_none() && write.kind.is_completed_by_reading(had_status, &draft.tree);
    // Before anything is prepared: no manager owns what the server sets.
    track::request(write, old, &mut draft);
    prepare::identify(write, &mut draft, old);
    let stored = prepare::in_rules_version(write, &mut draft, old);
    let old = stored.as_ref().or(old.map(|old| old.tree));
    // Steps that change the object and depend on others; they may run again until none of them changes it any more.
    admission::mutate(write, &mut draft.tree, old)?;
    prepare::prepare(write, &mut draft.tree, old)?;
    validate::validate(write, &draft.tree, old)?;
    prepare::finish(write, &mut draft.tree, old);
    let record = fitting(write, draft.record());
    Ok(if is_completed { record.completed_by_reading() } else { record })
}

/// Upstream: an object that is too large for etcd is tried again without managedFields, unless it is applied.
fn fitting(write: Write<'_>, record: Record) -> Record {
    let limit = write.transaction.settings.object_size;
    if write.reading == Reading::Applied || limit.check(record.max_size(Revision::default())).is_ok() {
        return record;
    }
    record.owned(Ownership::default(), record.form())
}
