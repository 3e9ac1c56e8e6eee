//! The two operations: a write of a whole object, and the application of a configuration.

use kubemerge_value::part::item_at_mut;

use super::prune::{Last, prune};
use super::take::{Force, ObjectChange, concerns_others, take};
use super::{Context, ConversionError, Fields, Manager, Owner, Typed, UpdateError};
use crate::fieldpath::{Element, FieldSet};
use crate::typed::{Comparison, has_empty_part, has_unclaimed_content, merge};
use crate::unions;
use crate::value::ParsedValue;

/// Tracks a write of a whole object and gives the paths that it changed, which belong to its manager. `compared` is what
/// differs between both objects, if that is known.
pub(crate) fn update<'a>(
    cx: Context<'a>,
    live: Typed<'a>,
    new: Typed<'a>,
    managers: &mut Vec<Manager<'a>>,
    compared: Option<Comparison<'a>>,
) -> Result<FieldSet<'a>, UpdateError<'a>> {
    // First: sets of an older schema may name parts of what is atomic now.
    reconcile_all(cx, live, managers)?;
    // An update never conflicts: it takes what it changes.
    let changes = take(cx, ObjectChange { old: live, new, compared }, managers, Force::Yes)?;
    Ok(changes.modified.union(&changes.added, cx.arena))
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
    let before = reconciled(cx, live, before)?;
    let merged = merge(live.ty, live.value, config.value, cx.arena)
        .map_err(|problems| UpdateError::failed("failed to merge config", problems))?;
    // Before pruning, so that nothing of another member is put back.
    let merged = unions::normalized(cx.versions.unions(), config.value, merged, cx.arena)
        .map_err(UpdateError::InvalidUnions)?;
    let is_hollow = || has_hollow_claim(cx, live.with(merged), config.value, &claimed);
    let last = match before {
        Before::Nothing => None,
        // Nothing to prune where everything of the last set is claimed again, but for a hollow claim.
        Before::Same if !is_hollow() => None,
        Before::Same => Some(Last { set: claimed, version: live.version }),
        Before::Entry(entry) => {
            let last = Last { set: *entry.set(cx.arena)?, version: entry.version };
            let is_kept = last.version == live.version && last.set.is_subset(&claimed) && !is_hollow();
            (!is_kept).then_some(last)
        }
    };
    // Before pruning, so that fields which are claimed again are kept.
    managers.push(Manager { owner: Owner::Me, version: live.version, fields: Fields::Set(claimed) });
    let merged = live.with(merged);
    let new = match last {
        Some(last) => prune(cx, merged, managers, &last)?,
        None => merged,
    };
    // A single manager has no one to take fields from.
    if concerns_others(managers) {
        take(cx, ObjectChange { old: live, new, compared: None }, managers, force)?;
    }
    // No object means that nothing is written.
    Ok((new.value != live.value).then_some(new))
}

/// What an applier owned before, adapted to the schema of today.
fn reconciled<'a>(
    cx: Context<'a>,
    live: Typed<'a>,
    before: Before<'a>,
) -> Result<Before<'a>, UpdateError<'a>> {
    let Before::Entry(entry) = before else { return Ok(before) };
    let mut entry = vec![entry];
    reconcile_all(cx, live, &mut entry)?;
    Ok(entry.pop().map_or(Before::Nothing, Before::Entry))
}

/// Whether the configuration claims a map, a list or an item without its content, and the object has some.
///
/// Upstream: such a claim can be pruned although it is made again: an item loses its key, and a map in which
/// only empty lists are left claims nothing (`ssa/pruning.yaml`).
fn has_hollow_claim<'a>(
    cx: Context<'a>,
    merged: Typed<'a>,
    config: ParsedValue<'a>,
    claimed: &FieldSet<'a>,
) -> bool {
    // Scans the configuration first: nearly all claims lead to a value of their own.
    (has_empty_part(config) || sets_any(*cx.ignored, config))
        && has_unclaimed_content(merged.ty, merged.value, claimed, cx.arena)
}

/// Whether a configuration has one of the fields that the endpoint ignores, which leaves claims without content.
fn sets_any(ignored: FieldSet<'_>, config: ParsedValue<'_>) -> bool {
    ignored.nodes.iter().any(|child| match child.element {
        Element::Name(name) => {
            config.get(name).is_some_and(|value| child.is_member || sets_any(child.below, value))
        }
        _ => true,
    })
}

/// Adapts all sets to the schema of today. Managers of versions that are gone are forgotten.
fn reconcile_all<'a>(
    cx: Context<'a>,
    live: Typed<'a>,
    managers: &mut Vec<Manager<'a>>,
) -> Result<(), UpdateError<'a>> {
    let mut place = 0;
    while place < managers.len() {
        let manager = item_at_mut(managers, place);
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
