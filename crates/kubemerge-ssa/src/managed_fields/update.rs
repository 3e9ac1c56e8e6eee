//! Tracks writes other than applies: create, update, patch.

use std::fmt::{self, Display, Formatter};

use super::endpoint::{STRIPPED, entries_of};
use super::entry::{FieldsV1, ManagedFieldsEntry, Operation};
use super::{Endpoint, Live, ManagedFields, Requested, Time, Writer, cap};
use crate::fieldpath::{FieldSet, FieldsError, has_all, with_all};
use crate::typed::{
    Comparison, Duplicates, compare, compare_differing, compare_with_valid, is_valid, validate,
};
use crate::update::{self as updater, Context, Manager, Typed, UpdateError};
use crate::value::{Arena, ParsedValue, ValuePair};

/// Why a write could not be tracked. It does not fail the write: the entries stay as they were.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TrackError(pub(super) String);

impl Display for TrackError {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for TrackError {}

impl From<UpdateError<'_>> for TrackError {
    fn from(error: UpdateError<'_>) -> Self {
        match error {
            UpdateError::Failed(why) => TrackError(why),
            UpdateError::Conflicts(_) => TrackError("an update cannot conflict".to_owned()),
        }
    }
}

/// The entries that count for a write: those of the request, unless it has none or goes to a subresource.
pub fn chosen_for_update(live: &ManagedFields, requested: Requested, subresource: &str) -> ManagedFields {
    match requested {
        // A subresource cannot change the entries.
        _ if !subresource.is_empty() => live.clone(),
        Requested::Nothing => live.clone(),
        Requested::Reset => ManagedFields::new(),
        Requested::Entries(entries) => entries,
    }
}

/// Tracks a write of a whole object: what changed belongs to the manager.
///
/// `live.managed` are the entries that count ([`chosen_for_update`]); for a create, `live.object` is the
/// endpoint's empty object. Objects that exist without entries are not tracked.
///
/// # Errors
/// If an object does not have the form of its type. Keep the live entries then.
pub fn update<'a>(
    endpoint: &Endpoint<'a>,
    live: Live<'a>,
    new: ParsedValue<'a>,
    writer: Writer<'_>,
    arena: &'a Arena,
) -> Result<ManagedFields, TrackError> {
    let has_uid =
        live.object.at(&["metadata", "uid"]).and_then(ParsedValue::as_str).is_some_and(|uid| !uid.is_empty());
    // An object that was never tracked stays untracked until its first apply.
    if live.managed.is_empty() && has_uid {
        return Ok(ManagedFields::new());
    }
    track(endpoint, live, new, writer, arena)
}

/// The same for a live object that is known to have the form of its type, which is not validated again. Fields at the
/// top that are the same in both objects may be left out of both.
///
/// # Errors
/// If the new object does not have the form of its type. Keep the live entries then.
pub fn update_valid<'a>(
    endpoint: &Endpoint<'a>,
    live: Live<'a>,
    new: ParsedValue<'a>,
    writer: Writer<'_>,
    arena: &'a Arena,
) -> Result<ManagedFields, TrackError> {
    debug_assert_eq!(checked(endpoint, live.object, "live", arena).err(), None);
    match endpoint.typed(live.object) {
        // Without entries there may be nothing to track.
        Some(old) if !live.managed.is_empty() => track_typed(endpoint, old, live.managed, new, writer, arena),
        _ => update(endpoint, live, new, writer, arena),
    }
}

/// The same for what differs between two versions of a live object with entries; `None` if only the whole objects tell.
///
/// What is the same in both may be left out of both, except for scalars in items of lists, which may be keys. Items are
/// paired by their places for that; an item without another one at its place is whole, and so is a field that only one
/// version has.
pub fn update_differing<'a>(
    endpoint: &Endpoint<'a>,
    managed: &ManagedFields,
    differing: ValuePair<'a>,
    writer: Writer<'_>,
    arena: &'a Arena,
) -> Option<ManagedFields> {
    let is_other_version = |entry: &ManagedFieldsEntry| *entry.api_version != *endpoint.api_version;
    // Whole objects are converted, and an object without entries may be untracked.
    if managed.is_empty() || managed.entries().iter().any(is_other_version) {
        return None;
    }
    let old = endpoint.typed(differing.old)?;
    let compared = compare_differing(old.ty, old.value, differing.new, arena).ok()?;
    track_compared(endpoint, [old, old.with(differing.new)], Some(compared), managed, writer, arena).ok()
}

/// Tracks a write whether or not the object has entries.
pub(super) fn track<'a>(
    endpoint: &Endpoint<'a>,
    live: Live<'a>,
    new: ParsedValue<'a>,
    writer: Writer<'_>,
    arena: &'a Arena,
) -> Result<ManagedFields, TrackError> {
    let old = checked(endpoint, live.object, "live", arena)?;
    track_typed(endpoint, old, live.managed, new, writer, arena)
}

fn track_typed<'a>(
    endpoint: &Endpoint<'a>,
    old: Typed<'a>,
    managed: &ManagedFields,
    new: ParsedValue<'a>,
    writer: Writer<'_>,
    arena: &'a Arena,
) -> Result<ManagedFields, TrackError> {
    // Only what changed is validated, while it is compared; the slow way makes the message.
    let compared = compare_with_valid(old.ty, old.value, new, arena).ok();
    debug_assert!(compared.is_none() || is_valid(old.ty, new, Duplicates::Allowed, arena));
    debug_assert!(compared.is_none() || compared == compare(old.ty, old.value, new, arena).ok());
    let new = match compared {
        Some(_) => old.with(new),
        None => checked(endpoint, new, "new", arena)?,
    };
    track_compared(endpoint, [old, new], compared, managed, writer, arena)
}

/// Tracks a write of an old and a new object, whose differences may be known.
fn track_compared<'a>(
    endpoint: &Endpoint<'a>,
    [old, new]: [Typed<'a>; 2],
    compared: Option<Comparison<'a>>,
    managed: &ManagedFields,
    writer: Writer<'_>,
    arena: &'a Arena,
) -> Result<ManagedFields, TrackError> {
    let entries = managed.decoded();
    let cx = Context { versions: endpoint.versions, ignored: endpoint.reset_fields, arena };
    let manager = |entry: &ManagedFieldsEntry| match endpoint.is_updater(entry, writer.manager) {
        true => Manager::of_writer(entry, arena),
        false => Manager::of_entry(entry, arena),
    };
    let mut managers: Vec<Manager<'a>> = entries.entries().iter().map(manager).collect();
    let written = updater::update(cx, old, new, &mut managers, compared).map_err(|error| {
        let TrackError(why) = error.into();
        TrackError(format!("failed to update ManagedFields ({}): {why}", endpoint.describe(new.value)))
    })?;
    // Every write changes resourceVersion and such, which no manager owns.
    let changed = written.difference(&STRIPPED, arena);
    let unowned = written.intersection(&STRIPPED, arena);
    if !unowned.is_empty() {
        managers
            .iter_mut()
            .filter(|one| one.is_writer())
            .try_for_each(|one| one.subtract(&unowned, arena))?;
        managers.retain(|manager| !manager.is_empty());
    }
    let mut managed = ManagedFields::from_entries(entries_of(&managers, endpoint.order));
    if !changed.is_empty() {
        let is_own = |entry: &&ManagedFieldsEntry| endpoint.is_updater(entry, writer.manager);
        let entry = match entries.entries().iter().find(is_own) {
            // The fields that the manager had before the write, as far as they are still there.
            Some(before) => {
                joined(endpoint, before, managed.entries().iter().find(is_own), &changed, writer.time)?
            }
            None => {
                let id = endpoint.manager_id(writer.manager, Operation::Update);
                endpoint.new_entry(&id, &changed, Some(writer.time))
            }
        };
        managed.put(entry);
    }
    // After the new entry is in, which may be the one too many.
    cap::cap_update_managers(&mut managed, endpoint.order)?;
    managed.sort();
    Ok(managed)
}

fn checked<'a>(
    endpoint: &Endpoint<'a>,
    object: ParsedValue<'a>,
    which: &str,
    arena: &'a Arena,
) -> Result<Typed<'a>, TrackError> {
    let failed = |why: String| {
        TrackError(format!(
            "failed to convert {which} object ({}) to smd typed: {why}",
            endpoint.describe(object)
        ))
    };
    let typed = endpoint
        .typed(object)
        .ok_or_else(|| failed(format!("no corresponding type for {}", endpoint.kind)))?;
    validate(typed.ty, object, Duplicates::Allowed, arena)
        .map_err(|problems| failed(problems.to_string()))?;
    Ok(typed)
}

/// The entry of a manager that had fields before: what is left of them, and what it changed now.
fn joined(
    endpoint: &Endpoint<'_>,
    before: &ManagedFieldsEntry,
    left: Option<&ManagedFieldsEntry>,
    changed: &FieldSet<'_>,
    now: Time,
) -> Result<ManagedFieldsEntry, TrackError> {
    let unreadable = |error: FieldsError| TrackError(error.to_string());
    let left_arena = Arena::new();
    let fields = match left {
        // Most managers write the same fields again and again.
        Some(left) if has_all(left.fields.as_str(), changed) => left.fields.clone(),
        Some(left) => match with_all(left.fields.as_str(), changed, endpoint.order) {
            Some(text) => FieldsV1::trusted(text.into()),
            None => {
                let left = left.fields.set(&left_arena).map_err(unreadable)?;
                FieldsV1::of(&changed.union(&left, &left_arena), endpoint.order)
            }
        },
        None => FieldsV1::of(changed, endpoint.order),
    };
    // A write that changes only what the manager owns already leaves its text as it was, and shared.
    let fields = if fields == before.fields { before.fields.clone() } else { fields };
    Ok(ManagedFieldsEntry { time: Some(now), fields, ..before.clone() })
}
