//! The two operations: a write of a whole object, and the application of a configuration.

use super::prune::{Last, prune};
use super::take::{Force, take};
use super::{Context, ConversionError, Fields, Manager, Owner, Typed, UpdateError};
use crate::fieldpath::FieldSet;
use crate::typed::{claim, merge};

/// Tracks a write of a whole object and gives the paths that it changed, which belong to its manager.
pub(crate) fn update<'a>(
    cx: Context<'a>,
    live: Typed<'a>,
    new: Typed<'a>,
    managers: &mut Vec<Manager<'a>>,
) -> Result<FieldSet<'a>, UpdateError<'a>> {
    reconcile_all(cx, live, managers)?;
    let changes = take(cx, live, new, managers, Force::Yes)?;
    Ok(changes.modified.union(&changes.added))
}

/// Applies a configuration and gives the new object; `None` if it is the live one.
///
/// `last` is the manager's entry, which must not be among the others.
pub(crate) fn apply<'a>(
    cx: Context<'a>,
    live: Typed<'a>,
    config: Typed<'a>,
    managers: &mut Vec<Manager<'a>>,
    last: Option<Manager<'a>>,
    force: Force,
) -> Result<Option<Typed<'a>>, UpdateError<'a>> {
    reconcile_all(cx, live, managers)?;
    let mut last: Vec<Manager<'a>> = last.into_iter().collect();
    reconcile_all(cx, live, &mut last)?;
    let merged = merge(live.ty, live.value, config.value, cx.arena)
        .map_err(|problems| UpdateError::failed("failed to merge config", problems))?;
    let claimed = claim(config.ty, config.value, cx.arena).recursive_difference(cx.ignored);
    let mut new = live.with(merged);
    if let Some(last) = last.pop() {
        let last = Last { set: last.set(cx.arena)?.clone(), version: last.version };
        // Nothing to prune where everything of the last set is claimed again. Upstream: an item that is claimed
        // without any field is pruned all the same, since nobody owns its key.
        let drops_nothing =
            last.version == live.version && !claimed.has_bare_key() && last.set.is_subset(&claimed);
        managers.push(Manager { owner: Owner::Me, version: live.version, fields: Fields::Set(claimed) });
        if !drops_nothing {
            new = prune(cx, new, managers, &last)?;
        }
    } else {
        managers.push(Manager { owner: Owner::Me, version: live.version, fields: Fields::Set(claimed) });
    }
    take(cx, live, new, managers, force)?;
    Ok((new.value != live.value).then_some(new))
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
