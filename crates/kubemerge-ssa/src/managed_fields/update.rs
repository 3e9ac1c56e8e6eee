//! Tracks writes other than applies: create, update, patch.

use std::fmt::{self, Display, Formatter};

use super::endpoint::{STRIPPED, entries_of};
use super::entry::{FieldsV1, ManagedFieldsEntry, Operation};
use super::{Endpoint, Live, ManagedFields, Requested, Time, Writer, cap};
use crate::fieldpath::{FieldSet, FieldsError, has_all, with_all};
use crate::typed::{Duplicates, compare, compare_with_valid, is_valid, validate};
use crate::update::{self as updater, Context, Manager, Typed, UpdateError};
use crate::value::{Arena, ParsedValue};

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
            UpdateError::InvalidUnions(errors) => TrackError(errors.to_string()),
        }
    }
}

/// The entries that count for a write: those of the request, unless it has none or goes to a subresource.
#[must_use]
pub fn chosen_for_update(live: &ManagedFields, requested: Requested, subresource: &str) -> ManagedFields {
    match requested {
        // A subresource cannot change the entries.
        _ if !subresource.is_empty() => live.clone(),
        Requested::Nothing => live.clone(),
        Requested::Reset => ManagedFields::new(),
        Requested::Entries(entries) => entries,
    }
}

/// What is known about the form of a live object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LiveForm {
    /// Nothing: it is validated.
    Unchecked,
    /// It has the form of its type, and is not validated again.
    Valid,
}

/// Tracks a write of a whole object: what changed belongs to the manager.
///
/// `live.managed` are the entries that count ([`chosen_for_update`]); for a create, `live.object` is the
/// endpoint's empty object. Objects that exist without entries are not tracked. Fields at the top that are the same in
/// both objects, other than `metadata`, may be left out of both.
///
/// # Errors
/// If an object does not have the form of its type. Keep the live entries then.
pub fn update<'a>(
    endpoint: &Endpoint<'a>,
    live: Live<'a>,
    form: LiveForm,
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
    track(endpoint, live, form, new, writer, arena)
}

/// Tracks a write whether or not the object has entries.
pub(super) fn track<'a>(
    endpoint: &Endpoint<'a>,
    live: Live<'a>,
    form: LiveForm,
    new: ParsedValue<'a>,
    writer: Writer<'_>,
    arena: &'a Arena,
) -> Result<ManagedFields, TrackError> {
    let old = match form {
        LiveForm::Valid => typed(endpoint, live.object, "live"),
        LiveForm::Unchecked => checked(endpoint, live.object, "live", arena),
    }?;
    debug_assert!(is_valid(old.ty, old.value, Duplicates::Allowed, arena));
    // Only what changed is validated, while it is compared; the slow way makes the message.
    let compared = compare_with_valid(old.ty, old.value, new, arena).ok();
    debug_assert!(compared.is_none() || is_valid(old.ty, new, Duplicates::Allowed, arena));
    debug_assert!(compared.is_none() || compared == compare(old.ty, old.value, new, arena).ok());
    let new = match compared {
        Some(_) => old.with(new),
        None => checked(endpoint, new, "new", arena)?,
    };
    let managed = live.managed;
    let entries = managed.decoded();
    let cx = Context { versions: endpoint.versions, ignored: endpoint.reset_fields, arena };
    let manager = |entry: &ManagedFieldsEntry| {
        if endpoint.is_updater(entry, writer.manager) {
            Manager::of_writer(entry, arena)
        } else {
            Manager::of_entry(entry, arena)
        }
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
        let entry = if let Some(before) = entries.entries().iter().find(is_own) {
            // The fields that the manager had before the write, as far as they are still there.
            joined(endpoint, before, managed.entries().iter().find(is_own), &changed, writer.time)?
        } else {
            let id = endpoint.manager_id(writer.manager, Operation::Update);
            endpoint.new_entry(&id, &changed, writer.time)
        };
        managed.put(entry);
    }
    // After the new entry is in, which may be the one too many.
    cap::cap_update_managers(&mut managed, endpoint.order)?;
    managed.sort();
    Ok(managed)
}

fn typed<'a>(endpoint: &Endpoint<'a>, object: ParsedValue<'a>, which: &str) -> Result<Typed<'a>, TrackError> {
    let untyped =
        || not_typed(endpoint, object, which, format!("no corresponding type for {}", endpoint.kind));
    endpoint.typed(object).ok_or_else(untyped)
}

fn checked<'a>(
    endpoint: &Endpoint<'a>,
    object: ParsedValue<'a>,
    which: &str,
    arena: &'a Arena,
) -> Result<Typed<'a>, TrackError> {
    let typed = typed(endpoint, object, which)?;
    match validate(typed.ty, object, Duplicates::Allowed, arena) {
        Ok(()) => Ok(typed),
        Err(problems) => Err(not_typed(endpoint, object, which, problems.to_string())),
    }
}

fn not_typed(endpoint: &Endpoint<'_>, object: ParsedValue<'_>, which: &str, why: String) -> TrackError {
    TrackError(format!(
        "failed to convert {which} object ({}) to smd typed: {why}",
        endpoint.describe(object)
    ))
}

/// The entry of a manager that had fields before: what is left of them, and what it changed now.
fn joined(
    endpoint: &Endpoint<'_>,
    before: &ManagedFieldsEntry,
    left: Option<&ManagedFieldsEntry>,
    changed: &FieldSet<'_>,
    now: Option<Time>,
) -> Result<ManagedFieldsEntry, TrackError> {
    let unreadable = |error: FieldsError| TrackError(error.to_string());
    let left_arena = Arena::new();
    let fields = match left {
        // Most managers write the same fields again and again.
        Some(left) if has_all(left.fields.as_str(), changed) => left.fields.clone(),
        Some(left) => {
            if let Some(text) = with_all(left.fields.as_str(), changed, endpoint.order) {
                FieldsV1::trusted(text.into())
            } else {
                let left = left.fields.set(&left_arena).map_err(unreadable)?;
                FieldsV1::of(&changed.union(&left, &left_arena), endpoint.order)
            }
        }
        None => FieldsV1::of(changed, endpoint.order),
    };
    // A write that changes only what the manager owns already leaves its text as it was, and shared.
    let fields = if fields == before.fields { before.fields.clone() } else { fields };
    Ok(ManagedFieldsEntry { time: now, fields, ..before.clone() })
}
