//! The two operations: a write of a whole object, and the application of a configuration.

use super::prune::{Last, prune};
use super::take::{Force, concerns_others, take};
use super::{Context, ConversionError, Fields, Manager, Owner, Typed, UpdateError};
use crate::fieldpath::FieldSet;
use crate::typed::merge;

/// Tracks a write of a whole object and gives the paths that it changed, which belong to its manager.
pub(crate) fn update<'a>(
    cx: Context<'a>,
    live: Typed<'a>,
    new: Typed<'a>,
    managers: &mut Vec<Manager<'a>>,
) -> Result<FieldSet<'a>, UpdateError<'a>> {
    // First: sets of an older schema may name parts of what is atomic now.
    reconcile_all(cx, live, managers)?;
    // An update never conflicts: it takes what it changes.
    let changes = take(cx, live, new, managers, Force::Yes)?;
    Ok(changes.modified.union(&changes.added))
}

/// What a configuration claims, beside what its manager had before.
pub(crate) struct Claims<'a> {
    /// The paths of the configuration, without those that the endpoint resets.
    pub(crate) claimed: FieldSet<'a>,
    pub(crate) before: Before<'a>,
}

/// What an applier owned before.
pub(crate) enum Before<'a> {
    Nothing,
    /// The same paths in the same version, as far as they can be owned.
    Same,
    /// Its entry, which is not among the other managers.
    Entry(Manager<'a>),
}

/// Applies a configuration and gives the new object; `None` if it is the live one.
pub(crate) fn apply<'a>(
    cx: Context<'a>,
    live: Typed<'a>,
    config: Typed<'a>,
    claims: Claims<'a>,
    managers: &mut Vec<Manager<'a>>,
    force: Force,
) -> Result<Option<Typed<'a>>, UpdateError<'a>> {
    reconcile_all(cx, live, managers)?;
    let Claims { claimed, before } = claims;
    let last = last_of(cx, live, before, &claimed)?;
    let merged = merge(live.ty, live.value, config.value, cx.arena)
        .map_err(|problems| UpdateError::failed("failed to merge config", problems))?;
    // Nothing to prune where everything of the last set is claimed again. Upstream: an item that is claimed
    // without any field is pruned all the same, since no manager owns its key.
    let last = last.filter(|last| {
        last.version != live.version || claimed.has_bare_key() || !last.set.is_subset(&claimed)
    });
    // Before pruning, so that fields which are claimed again are kept.
    managers.push(Manager { owner: Owner::Me, version: live.version, fields: Fields::Set(claimed) });
    let merged = live.with(merged);
    let new = match last {
        Some(last) => prune(cx, merged, managers, &last)?,
        None => merged,
    };
    // A single manager has no one to take fields from.
    if concerns_others(managers) {
        take(cx, live, new, managers, force)?;
    }
    // No object means that nothing is written.
    Ok((new.value != live.value).then_some(new))
}

/// The set to prune against; `None` if there is none, or if it is claimed again without a doubt.
fn last_of<'a>(
    cx: Context<'a>,
    live: Typed<'a>,
    before: Before<'a>,
    claimed: &FieldSet<'a>,
) -> Result<Option<Last<'a>>, UpdateError<'a>> {
    let entry = match before {
        Before::Nothing => return Ok(None),
        Before::Same if !claimed.has_bare_key() => return Ok(None),
        Before::Same => return Ok(Some(Last { set: claimed.clone(), version: live.version })),
        Before::Entry(entry) => entry,
    };
    let mut entry = vec![entry];
    reconcile_all(cx, live, &mut entry)?;
    match entry.pop() {
        Some(entry) => Ok(Some(Last { set: entry.set(cx.arena)?.clone(), version: entry.version })),
        None => Ok(None),
    }
}

/// Adapts all sets to the schema of today. Managers of versions that are gone are forgotten.
fn reconcile_all<'a>(
    cx: Context<'a>,
    live: Typed<'a>,
    managers: &mut Vec<Manager<'a>>,
) -> Result<(), UpdateError<'a>> {
    let mut place = 0;
    while place < managers.len() {
        let manager = &mut managers[place];
        let live = match live.convert(manager.version, cx.versions, cx.arena) {
            Ok(live) => live,
            Err(ConversionError::MissingVersion) => {
                managers.remove(place);
                continue;
            }
            Err(ConversionError::Failed(why)) => return Err(UpdateError::Failed(why)),
        };
        if let Fields::Text { text, .. } = &manager.fields {
            let reconciled = text.reconciled(live.ty, cx.arena);
            let reconciled = reconciled.map_err(|error| UpdateError::Failed(error.to_string()))?;
            if let Some(set) = reconciled {
                manager.fields = Fields::Set(set);
            }
        }
        place += 1;
    }
    Ok(())
}
