//! Server-side apply: a configuration becomes part of an object.

use std::borrow::Cow;
use std::fmt::{self, Display, Formatter};

use super::conflict::{Conflicts, ManagerConflict, conflict};
use super::endpoint::{STRIPPED, entries_of, kind_text};
use super::entry::Operation;
use super::find::Finder;
use super::last_applied;
use super::update::{LiveForm, track};
use super::{Endpoint, Live, ManagedFields, Writer};
use crate::fieldpath::FieldSet;
use crate::typed::{Duplicates, ValidationErrors, claim, compare, is_valid_beside, validate};
use crate::unions;
use crate::update::{
    self as updater, Before, Claims, Contested, Context, Fields, Force, Manager, Typed, UpdateError,
};
use crate::value::{Arena, ParsedValue};

/// What to do about fields that other managers own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Conflicting {
    /// Refuse the apply.
    Refuse,
    /// Take the fields from their owners.
    Force,
}

/// The result of an apply.
#[derive(Clone, Debug)]
pub struct Applied<'a> {
    /// The new object, before defaulting; `None` if it is the live one.
    pub object: Option<ParsedValue<'a>>,
    /// The new entries.
    pub managed: ManagedFields,
}

/// Why an apply was refused. Nothing has changed.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ApplyError {
    /// The request is malformed: HTTP 400.
    BadRequest(String),
    /// Other managers own what would change: HTTP 409.
    Conflicts(Conflicts),
    /// The configuration contradicts itself about unions: HTTP 422.
    InvalidUnions(ValidationErrors),
    /// The configuration does not fit its type, or cannot be applied: HTTP 500.
    Failed(String),
}

impl Display for ApplyError {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            ApplyError::BadRequest(message) | ApplyError::Failed(message) => f.write_str(message),
            ApplyError::Conflicts(conflicts) => conflicts.fmt(f),
            ApplyError::InvalidUnions(errors) => errors.fmt(f),
        }
    }
}

impl std::error::Error for ApplyError {}

/// Applies a configuration to an object.
///
/// For a create, `live` is the endpoint's empty object without entries.
///
/// # Errors
/// If the configuration is malformed, or other managers own what it would change.
pub fn apply<'a>(
    endpoint: &Endpoint<'a>,
    live: Live<'a>,
    config: ParsedValue<'a>,
    writer: Writer<'_>,
    conflicting: Conflicting,
    arena: &'a Arena,
) -> Result<Applied<'a>, ApplyError> {
    // Before anything is read: these are faults of the request, not of the object.
    check_request(endpoint, config)?;
    // `managedFields: null` is allowed and means nothing.
    let given = without_managed_fields(config, arena);
    let config = with_discriminators(endpoint, given, arena)?;
    let managed = entries_before(endpoint, live, writer, arena)?;
    let first = live.managed.decoded().is_empty().then(|| first_set(endpoint, live.object, arena)).flatten();
    let first = first.as_ref();
    let request = Request { endpoint, live: live.object, managed: &managed, first, config, writer, arena };
    let applied = match (request.apply(conflicting), writer.manager) {
        // Fields of client-side apply move to the same tool's server-side apply.
        (Err(ApplyFailure::Contested(contested)), "kubectl") => {
            // Without a readable annotation no conflict is allowed.
            let allowed = last_applied::allowed_conflicts(endpoint, live.object, arena).unwrap_or_default();
            let refused: Vec<_> = contested.into_iter().filter(|one| !allowed.has(&one.path)).collect();
            if refused.is_empty() {
                request.apply(Conflicting::Force)
            } else {
                Err(ApplyFailure::Contested(refused))
            }
        }
        (result, _) => result,
    };
    let mut applied = applied.map_err(|failure| request.error(failure))?;
    // Keeps the annotation current for clients that still apply on their side.
    if writer.manager == "kubectl" {
        let object = applied.object.unwrap_or(live.object);
        applied.object = last_applied::updated(object, given, arena).or(applied.object);
    }
    Ok(applied)
}

/// The entries that an apply starts from: those of an object that was never tracked begin with what it has.
pub(super) fn entries_before<'a>(
    endpoint: &Endpoint<'a>,
    live: Live<'a>,
    writer: Writer<'_>,
    arena: &'a Arena,
) -> Result<Cow<'a, ManagedFields>, ApplyError> {
    let managed = live.managed.decoded();
    if !managed.is_empty() {
        return Ok(managed);
    }
    let empty = Live { object: endpoint.empty, managed: live.managed };
    let before = Writer { manager: "before-first-apply", ..writer };
    let tracked = track(endpoint, empty, LiveForm::Unchecked, live.object, before, arena);
    tracked
        .map(Cow::Owned)
        .map_err(|error| ApplyError::Failed(format!("failed to create manager for existing fields: {error}")))
}

fn check_request(endpoint: &Endpoint<'_>, config: ParsedValue<'_>) -> Result<(), ApplyError> {
    let text = |name: &str| config.get(name).and_then(ParsedValue::as_str).unwrap_or_default();
    let (api_version, kind) = (text("apiVersion"), text("kind"));
    if api_version != endpoint.api_version || kind != endpoint.kind {
        return Err(ApplyError::BadRequest(format!("invalid object type: {}", kind_text(api_version, kind))));
    }
    match config.at(&["metadata", "managedFields"]) {
        Some(ParsedValue::List(_)) => {
            Err(ApplyError::BadRequest("metadata.managedFields must be nil".to_owned()))
        }
        _ => Ok(()),
    }
}

/// A null in place of entries is no part of the object.
fn without_managed_fields<'a>(config: ParsedValue<'a>, arena: &'a Arena) -> ParsedValue<'a> {
    match config.get("metadata") {
        Some(metadata) if metadata.get("managedFields").is_some() => {
            config.with_member("metadata", metadata.without_member("managedFields", arena), arena)
        }
        _ => config,
    }
}

/// A configuration with the discriminators of the members that it sets, so that the applier owns them.
pub(super) fn with_discriminators<'a>(
    endpoint: &Endpoint<'a>,
    config: ParsedValue<'a>,
    arena: &'a Arena,
) -> Result<ParsedValue<'a>, ApplyError> {
    unions::normalized(endpoint.versions.unions(), config, config, arena).map_err(ApplyError::InvalidUnions)
}

enum ApplyFailure<'a> {
    Contested(Vec<Contested<'a>>),
    InvalidUnions(ValidationErrors),
    Failed(String),
}

impl<'a> From<UpdateError<'a>> for ApplyFailure<'a> {
    fn from(error: UpdateError<'a>) -> Self {
        match error {
            UpdateError::Conflicts(contested) => ApplyFailure::Contested(contested),
            UpdateError::InvalidUnions(errors) => ApplyFailure::InvalidUnions(errors),
            UpdateError::Failed(why) => ApplyFailure::Failed(why),
        }
    }
}

/// What an object that was never tracked has. Upstream: the set is used as it is, where others are read from text, so
/// that a conflict names the number of a list item as the object has it (`ssa/conflicts.yaml`).
fn first_set<'a>(endpoint: &Endpoint<'a>, object: ParsedValue<'a>, arena: &'a Arena) -> Option<FieldSet<'a>> {
    let ty = endpoint.typed(object)?.ty;
    // What cannot be compared was refused before.
    let changes = compare(ty, endpoint.empty, object, arena).ok()?.without(endpoint.reset_fields, arena);
    Some(changes.modified.union(&changes.added, arena).difference(&STRIPPED, arena))
}

#[derive(Clone, Copy)]
struct Request<'r, 'a> {
    endpoint: &'r Endpoint<'a>,
    live: ParsedValue<'a>,
    managed: &'r ManagedFields,
    /// The set of the only entry, if it was made for this apply.
    first: Option<&'r FieldSet<'a>>,
    config: ParsedValue<'a>,
    writer: Writer<'r>,
    arena: &'a Arena,
}

impl<'a> Request<'_, 'a> {
    fn apply(&self, conflicting: Conflicting) -> Result<Applied<'a>, ApplyFailure<'a>> {
        let config = self.checked(self.config, "patch", Duplicates::Refused)?;
        // An apply that is repeated has most of its configuration in the live object.
        let live = if is_valid_beside(config.ty, self.live, config.value, Duplicates::Allowed, self.arena) {
            config.with(self.live)
        } else {
            self.checked(self.live, "live", Duplicates::Allowed)?
        };
        let endpoint = self.endpoint;
        let cx = Context { versions: endpoint.versions, ignored: endpoint.reset_fields, arena: self.arena };
        let id = endpoint.manager_id(self.writer.manager, Operation::Apply);
        let last = self.managed.entry(&id);
        // The applier's own entry is replaced by what it claims now.
        let others = self.managed.entries().iter().filter(|entry| !entry.is_of(&id));
        let manager = |entry| match self.first {
            Some(set) => Manager { fields: Fields::Set(*set), ..Manager::of_entry(entry, self.arena) },
            None => Manager::of_entry(entry, self.arena),
        };
        let mut managers: Vec<Manager<'a>> = others.map(manager).collect();
        let claimed = claim(config.ty, config.value, self.arena)
            .recursive_difference(endpoint.reset_fields, self.arena);
        // Claims decide conflicts with type and name in them; entries are written without.
        let own = claimed.difference(&STRIPPED, self.arena);
        let mut entry = endpoint.new_entry(&id, &own, last.and_then(|last| last.time));
        let before = match last {
            None => Before::Nothing,
            // The text of a set is canonical: a configuration that claims the same paths has the same text.
            Some(last) if last.fields == entry.fields && last.api_version == entry.api_version => {
                entry.fields = last.fields.clone();
                Before::Same
            }
            Some(last) => Before::Entry(Manager::of_entry(last, self.arena)),
        };
        let force = if conflicting == Conflicting::Force { Force::Yes } else { Force::No };
        let claims = Claims { claimed, before };
        let new = updater::apply(cx, live, config, claims, &mut managers, force)?;
        let mut managed = ManagedFields::from_entries(entries_of(&managers, endpoint.order));
        if !own.is_empty() {
            // An apply that changes nothing keeps its time, so that the object is not written.
            entry.time = if new.is_some() { self.writer.time } else { entry.time };
            managed.put(entry);
            managed.sort();
        }
        Ok(Applied { object: new.map(|new| new.value), managed })
    }

    fn checked(
        &self,
        object: ParsedValue<'a>,
        which: &str,
        duplicates: Duplicates,
    ) -> Result<Typed<'a>, ApplyFailure<'a>> {
        let failed = |why: String| {
            let object = self.endpoint.describe(object);
            ApplyFailure::Failed(format!("failed to create typed {which} object ({object}): {why}"))
        };
        let missing = || failed(format!("no corresponding type for {}", self.endpoint.kind));
        let typed = self.endpoint.typed(object).ok_or_else(missing)?;
        validate(typed.ty, object, duplicates, self.arena)
            .map_err(|problems| failed(problems.to_string()))?;
        Ok(typed)
    }

    fn error(&self, failure: ApplyFailure<'a>) -> ApplyError {
        match failure {
            ApplyFailure::Failed(why) => ApplyError::Failed(why),
            ApplyFailure::InvalidUnions(errors) => ApplyError::InvalidUnions(errors),
            ApplyFailure::Contested(contested) => {
                let finder = Finder::default();
                let listed =
                    |one: &Contested<'a>| conflict(&one.owner, &one.path, self.live, self.config, &finder);
                let mut conflicts: Vec<ManagerConflict> = contested.iter().map(listed).collect();
                // Messages list managers in the order of their ids.
                conflicts.sort_by_cached_key(|conflict| conflict.owner.to_json());
                ApplyError::Conflicts(Conflicts(conflicts))
            }
        }
    }
}
