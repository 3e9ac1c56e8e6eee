//! What an apply would do, field by field, and why: a dry run for people.

use std::collections::HashSet;

use super::apply::{ApplyError, Conflicting, apply, entries_before, with_discriminators};
use super::endpoint::STRIPPED;
use super::entry::{ManagerId, Operation};
use super::find::Finder;
use super::owners::in_tree_order;
use super::{Endpoint, Live, Writer};
use crate::fieldpath::{Element, FieldPath, FieldSet};
use crate::typed::{claim, compare};
use crate::value::{Arena, ParsedValue};

/// What an apply would do to one field.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PlannedField {
    /// Its path, as messages print it.
    pub path: String,
    /// What happens.
    pub effect: Effect,
    /// Other managers that own it now.
    pub others: Vec<ManagerId>,
    /// Its value in the live object, as JSON.
    pub before: Option<String>,
    /// Its value after the apply, as JSON.
    pub after: Option<String>,
}

/// What an apply does to a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Effect {
    /// The field is new.
    Add,
    /// The value changes; no other manager owns it.
    Change,
    /// Another manager owns the field with another value: refused unless forced.
    Conflict,
    /// Another manager owns the field with another value, and loses it: the apply is forced, or kubectl's, which takes
    /// fields from its own client-side apply.
    TakeOver,
    /// The value stays; the applier comes to own it, alone or with others.
    Share,
    /// The applier no longer names the field, and no other manager owns it: it is removed.
    Prune,
    /// The applier no longer names the field, but it stays: others own it, or it holds what others own.
    Release,
}

impl Effect {
    /// The effect in a word or two.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Effect::Add => "add",
            Effect::Change => "change",
            Effect::Conflict => "conflict",
            Effect::TakeOver => "take over",
            Effect::Share => "share",
            Effect::Prune => "prune",
            Effect::Release => "release",
        }
    }

    /// The reason, as a sentence.
    #[must_use]
    pub fn reason(self) -> &'static str {
        match self {
            Effect::Add => "the configuration sets it, and the object does not have it",
            Effect::Change => "the configuration has another value, and no other manager owns it",
            Effect::Conflict => "another manager owns it with another value",
            Effect::TakeOver => "the apply takes it from its other owner",
            Effect::Share => "the configuration has the value of the object",
            Effect::Prune => "the last configuration had it, this one does not, and no other manager owns it",
            Effect::Release => "the last configuration had it, this one does not, but it is still needed",
        }
    }
}

/// Says what an apply would do. Fields that stay as they are and were owned before are left out.
///
/// # Errors
/// As [`apply`], except that conflicts are part of the plan.
pub fn plan<'a>(
    endpoint: &Endpoint<'a>,
    live: Live<'a>,
    config: ParsedValue<'a>,
    writer: Writer<'_>,
    conflicting: Conflicting,
    arena: &'a Arena,
) -> Result<Vec<PlannedField>, ApplyError> {
    // A forced apply shows what would change; the conflicts are those that only force overcomes.
    let applied = apply(endpoint, live, config, writer, Conflicting::Force, arena)?;
    let refused: HashSet<String> = match apply(endpoint, live, config, writer, conflicting, arena) {
        Err(ApplyError::Conflicts(conflicts)) => {
            conflicts.0.into_iter().map(|conflict| conflict.path).collect()
        }
        _ => HashSet::new(),
    };
    let managed = entries_before(endpoint, live, writer, arena)?;
    let new = applied.object.unwrap_or(live.object);
    let config = with_discriminators(endpoint, config, arena)?;
    let unreadable = |error: &dyn std::fmt::Display| ApplyError::Failed(error.to_string());
    let Some(ty) = endpoint.versions.type_of(endpoint.api_version) else {
        return Err(unreadable(&format!("no corresponding type for {}", endpoint.kind)));
    };
    let changes = compare(ty, live.object, new, arena).map_err(|error| unreadable(&error))?;
    let id = endpoint.manager_id(writer.manager, Operation::Apply);
    let mut others: Vec<(ManagerId, FieldSet<'a>)> = Vec::new();
    let mut last = FieldSet::new();
    for entry in managed.entries() {
        let set = entry.fields.set_in(arena).map_err(|error| unreadable(&error))?;
        if entry.is_of(&id) { last = set } else { others.push((entry.id(), set)) }
    }
    let claimed = claim(ty, config, arena).recursive_difference(endpoint.reset_fields, arena);
    let claimed = claimed.difference(&STRIPPED, arena);
    let finder = Finder::default();
    let planner = Planner { live: live.object, new, others: &others, finder };
    let mut fields = Vec::new();
    for path in in_tree_order(&claimed.leaves(arena)) {
        let effect = match planner.owners(&path).is_empty() {
            _ if refused.contains(&FieldPath(&path).to_string()) => Some(Effect::Conflict),
            // An absent field cannot conflict, even if another manager is listed as its owner.
            _ if changes.added.has(&path) => Some(Effect::Add),
            true if changes.modified.has(&path) => Some(Effect::Change),
            false if changes.modified.has(&path) => Some(Effect::TakeOver),
            // Fields that were claimed before with the same value are not worth a line.
            _ => (!last.has(&path)).then_some(Effect::Share),
        };
        fields.extend(effect.map(|effect| planner.field(&path, effect)));
    }
    fields.extend(planner.given_up(&last.difference(&claimed, arena), &changes.removed, arena));
    Ok(fields)
}

struct Planner<'p, 'a> {
    live: ParsedValue<'a>,
    new: ParsedValue<'a>,
    others: &'p [(ManagerId, FieldSet<'a>)],
    finder: Finder,
}

impl<'a> Planner<'_, 'a> {
    fn owners(&self, path: &[Element<'a>]) -> Vec<ManagerId> {
        self.others.iter().filter(|(_, set)| set.has(path)).map(|(id, _)| id.clone()).collect()
    }

    /// What the applier no longer names. An item that goes is one line, whatever is below it.
    fn given_up(&self, paths: &FieldSet<'a>, removed: &FieldSet<'a>, arena: &'a Arena) -> Vec<PlannedField> {
        let leaves = paths.leaves(arena);
        let mut fields = Vec::new();
        let mut pruned: Vec<Vec<Element<'a>>> = Vec::new();
        for path in in_tree_order(paths) {
            if pruned.last().is_some_and(|above| is_below(&path, above)) {
                continue;
            }
            if removed.has(&path) {
                fields.push(self.field(&path, Effect::Prune));
                pruned.push(path);
            } else if leaves.has(&path) {
                fields.push(self.field(&path, Effect::Release));
            }
        }
        fields
    }

    fn field(&self, path: &[Element<'a>], effect: Effect) -> PlannedField {
        let json = |value: ParsedValue<'a>| {
            let value = self.finder.value_at(value, path)?;
            Some(String::from_utf8_lossy(&value.to_json()).into_owned())
        };
        PlannedField {
            path: FieldPath(path).to_string(),
            effect,
            others: self.owners(path),
            before: json(self.live),
            after: json(self.new),
        }
    }
}

/// Whether a path leads through another one.
fn is_below(path: &[Element<'_>], above: &[Element<'_>]) -> bool {
    path.len() > above.len() && path.iter().zip(above).all(|(one, two)| one.order(*two).is_eq())
}
