//! Moves ownership: what changed belongs to the manager of the operation, removed fields belong to no manager.

use kubemerge_value::part::{item_at, item_at_mut};

use super::{Context, ConversionError, Manager, Owner, Typed, UpdateError};
use crate::fieldpath::{Element, FieldSet, may_intersect};
use crate::managed_fields::ManagedFieldsEntry;
use crate::typed::{Comparison, compare};
use crate::update::Fields;

/// Whether an operation takes fields from other managers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Force {
    No,
    Yes,
}

/// A path that another manager owns and the operation would change.
#[derive(Clone, Debug)]
pub(crate) struct Contested<'a> {
    pub(crate) owner: ManagedFieldsEntry,
    pub(crate) path: Vec<Element<'a>>,
}

/// An object before and after an operation.
pub(super) struct ObjectChange<'a> {
    pub(super) old: Typed<'a>,
    pub(super) new: Typed<'a>,
    /// What differs, if it is known.
    pub(super) compared: Option<Comparison<'a>>,
}

/// Compares old and new object and takes changed paths from the other managers.
///
/// Removed paths leave every manager. Without force, a changed path that another manager owns is a
/// conflict, and nothing moves.
pub(super) fn take<'a>(
    cx: Context<'a>,
    ObjectChange { old, new, compared }: ObjectChange<'a>,
    managers: &mut Vec<Manager<'a>>,
    force: Force,
) -> Result<Comparison<'a>, UpdateError<'a>> {
    let first = match compared {
        Some(comparison) => Changes::of(cx, &comparison),
        None => changes(cx, old, new)?,
    };
    // Comparisons are made once per version: managers of one version share them.
    let mut versions = vec![(old.version, first)];
    let mut conflicts: Vec<(usize, FieldSet<'a>)> = Vec::new();
    let mut place = 0;
    while place < managers.len() {
        let manager = item_at(managers, place);
        if !manager.is_me() {
            let Some(changes) = changes_in(cx, old, new, manager.version, &mut versions)? else {
                // A version that is gone: its manager is forgotten.
                managers.remove(place);
                continue;
            };
            let contested = contested(cx, manager, changes)?;
            if !contested.is_empty() {
                conflicts.push((place, contested));
            }
        }
        place += 1;
    }
    // All conflicts are found before the first is reported.
    if force == Force::No && !conflicts.is_empty() {
        return Err(UpdateError::Conflicts(listed(managers, &conflicts)));
    }
    for (place, contested) in &conflicts {
        item_at_mut(managers, *place).subtract(contested, cx.arena)?;
    }
    for manager in managers.iter_mut().filter(|manager| !manager.is_me()) {
        let removed = versions.iter().find(|(version, _)| *version == manager.version);
        if let Some((_, Changes { comparison, .. })) = removed
            // Fields that no longer exist have no owner.
            && may_meet(manager, &comparison.removed)
        {
            manager.subtract(&comparison.removed, cx.arena)?;
        }
    }
    // Managers that lost everything have no entry.
    managers.retain(|manager| !manager.is_empty());
    Ok(versions.swap_remove(0).1.comparison)
}

/// Whether an apply has to be compared with the live object: only other managers can lose fields by it.
pub(super) fn concerns_others(managers: &[Manager<'_>]) -> bool {
    managers.iter().any(|manager| !manager.is_me())
}

/// What changed in one version.
struct Changes<'a> {
    comparison: Comparison<'a>,
    /// Modified and added paths.
    written: FieldSet<'a>,
}

impl<'a> Changes<'a> {
    fn of(cx: Context<'a>, comparison: &Comparison<'a>) -> Self {
        let comparison = comparison.without(cx.ignored, cx.arena);
        let written = comparison.modified.union(&comparison.added, cx.arena);
        Changes { comparison, written }
    }
}

fn changes<'a>(cx: Context<'a>, old: Typed<'a>, new: Typed<'a>) -> Result<Changes<'a>, UpdateError<'a>> {
    let comparison = compare(old.ty, old.value, new.value, cx.arena)
        .map_err(|problems| UpdateError::failed("failed to compare objects", problems))?;
    Ok(Changes::of(cx, &comparison))
}

/// What changed in the version of a manager; `None` if there is no such version.
fn changes_in<'v, 'a>(
    cx: Context<'a>,
    old: Typed<'a>,
    new: Typed<'a>,
    version: &'a str,
    known: &'v mut Vec<(&'a str, Changes<'a>)>,
) -> Result<Option<&'v Changes<'a>>, UpdateError<'a>> {
    if let Some(place) = known.iter().position(|(known, _)| *known == version) {
        return Ok(known.get(place).map(|(_, changes)| changes));
    }
    let convert = |object: Typed<'a>, which: &str| match object.convert(version, cx.versions, cx.arena) {
        Ok(object) => Ok(Some(object)),
        Err(ConversionError::MissingVersion) => Ok(None),
        Err(ConversionError::Failed(why)) => {
            Err(UpdateError::failed(&format!("failed to convert {which} object"), why))
        }
    };
    let Some(old) = convert(old, "old")? else { return Ok(None) };
    let Some(new) = convert(new, "new")? else { return Ok(None) };
    known.push((version, changes(cx, old, new)?));
    Ok(known.last().map(|(_, changes)| changes))
}

fn contested<'a>(
    cx: Context<'a>,
    manager: &Manager<'a>,
    changes: &Changes<'a>,
) -> Result<FieldSet<'a>, UpdateError<'a>> {
    // No manager takes fields from itself.
    if manager.is_writer() || !may_meet(manager, &changes.written) {
        return Ok(FieldSet::new());
    }
    Ok(manager.set(cx.arena)?.intersection(&changes.written, cx.arena))
}

/// Whether a manager may own one of some paths. A set that is still text is not read for the answer.
fn may_meet(manager: &Manager<'_>, paths: &FieldSet<'_>) -> bool {
    match &manager.fields {
        _ if paths.is_empty() => false,
        // A text search is much cheaper than reading the set, and mostly finds nothing.
        Fields::Text { text, set } if set.get().is_none() => may_intersect(text.as_str(), paths),
        _ => true,
    }
}

fn listed<'a>(managers: &[Manager<'a>], conflicts: &[(usize, FieldSet<'a>)]) -> Vec<Contested<'a>> {
    let mut listed = Vec::new();
    for (place, paths) in conflicts {
        if let Owner::Entry(owner) = &item_at(managers, *place).owner {
            paths.each_path(|path| listed.push(Contested { owner: owner.clone(), path: path.to_vec() }));
        }
    }
    listed
}
