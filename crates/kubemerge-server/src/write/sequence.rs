//! The sequence of every write: decode, default, track, admit, prepare, validate, commit, follow-ups.
//!
//! Callers decode: [`create`](super::create) and PUT a body, PATCH the result of a patch, `/scale` a changed copy.
//! All else is here. Follow-ups run after the handler, once per request.

use crate::{
    object::draft::Draft,
    protocol::status::Outcome,
    store::Record,
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
        let tree = write.arena.alloc(write.kind.served(&stored.record, write.arena));
        let old = Old { stored, tree };
        state_to_store(write, decode(old)?, Some(old))
    })
}

/// Takes a decoded object through the steps up to the commit.
pub(crate) fn state_to_store<'w>(
    write: Write<'w>,
    mut draft: Draft<'w>,
    old: Option<Old<'w>>,
) -> Outcome<Record> {
    prepare::reset(write, &mut draft, old);
    unions::normalize(write, &mut draft, old)?;
    write.kind.default(&mut draft.tree);
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
    Ok(draft.record())
}
