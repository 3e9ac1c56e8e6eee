//! Matches states of the same objects: old and new, configuration and live object.

use std::collections::{HashMap, HashSet};

use super::index::Index;
use super::manifest::Manifest;
use super::target::Filter;
use crate::report::{Notice, Result};

/// For each state the number of the object that it is another state of.
pub(crate) fn match_objects(states: &[Manifest<'_>], objects: &[Manifest<'_>]) -> Result<Vec<Option<usize>>> {
    let index = Index::new(objects, &Filter::default());
    let found = states.iter().map(|state| only(state, objects, &index.states_of(&state.identity)));
    let found = found.collect::<Result<Vec<_>>>()?;
    check_once(states, &found)?;
    Ok(found)
}

/// No object has two new states.
fn check_once(states: &[Manifest<'_>], found: &[Option<usize>]) -> Result<()> {
    let mut first: HashMap<usize, usize> = HashMap::new();
    for (state, at) in found.iter().enumerate() {
        // Two new states of one object contradict each other.
        let Some(other) = at.and_then(|at| first.insert(at, state)) else { continue };
        let [one, other] = [other, state].map(|state| states[state].full_title());
        let title = format!("two objects have the same kind and name:\n  {one}\n  {other}");
        return Err(Notice::error(title).help("give one of them").into());
    }
    Ok(())
}

/// The one object that was found, if any.
fn only(state: &Manifest<'_>, objects: &[Manifest<'_>], found: &[usize]) -> Result<Option<usize>> {
    match found {
        // Guessing would patch the wrong object.
        [one, other, ..] => {
            let [one, other] = [one, other].map(|at| objects[*at].full_title());
            let title = format!("{} matches more than one object:\n  {one}\n  {other}", state.full_title());
            let help = "give one of them, or tell them apart by apiVersion or metadata.namespace";
            Err(Notice::error(title).help(help).into())
        }
        found => Ok(found.first().copied()),
    }
}

/// The old objects that no new one is a state of.
pub(crate) fn only_in<'m, 's>(
    old: &'m [Manifest<'s>],
    matches: &[Option<usize>],
) -> impl Iterator<Item = &'m Manifest<'s>> {
    let known: HashSet<usize> = matches.iter().copied().flatten().collect();
    old.iter().enumerate().filter(move |(at, _)| !known.contains(at)).map(|(_, one)| one)
}

/// A warning about an object that has no other state.
pub(crate) fn unmatched_warning(one: &Manifest<'_>) -> Notice {
    let notice = Notice::warning(format!("{} is not among the other objects", one.full_title()));
    notice.reason("no patch creates or deletes an object")
}
