//! Brings states of the same objects together, by group, kind, name and namespace.

use std::collections::{HashMap, HashSet};

use super::manifest::Manifest;
use crate::failure::Result;
use crate::notice::Notice;

/// The numbers of the objects that these are other states of.
pub(crate) fn twins(states: &[Manifest<'_>], objects: &[Manifest<'_>]) -> Result<Vec<Option<usize>>> {
    let mut named: HashMap<(&str, &str), Vec<usize>> = HashMap::new();
    for (at, object) in objects.iter().enumerate() {
        named.entry((&object.identity.kind, &object.identity.name)).or_default().push(at);
    }
    let twin = |state: &Manifest<'_>| {
        let alike = named.get(&(state.identity.kind.as_str(), state.identity.name.as_str()));
        only(state, objects, alike.map_or(&[], Vec::as_slice))
    };
    let found = states.iter().map(twin).collect::<Result<Vec<_>>>()?;
    check_once(states, &found)?;
    Ok(found)
}

/// No object has two new states.
fn check_once(states: &[Manifest<'_>], found: &[Option<usize>]) -> Result<()> {
    let mut first: HashMap<usize, usize> = HashMap::new();
    for (state, at) in found.iter().enumerate() {
        let Some(other) = at.and_then(|at| first.insert(at, state)) else { continue };
        let [one, other] = [other, state].map(|state| states[state].full_title());
        let title = format!("two objects have one kind and name:\n  {one}\n  {other}");
        return Err(Notice::error(title).cure("give one of them").into());
    }
    Ok(())
}

/// The one of these objects that it is another state of.
fn only(state: &Manifest<'_>, objects: &[Manifest<'_>], alike: &[usize]) -> Result<Option<usize>> {
    let is_same = |at: &&usize| state.identity.difference(&objects[**at].identity).is_none();
    let mut fitting = alike.iter().filter(is_same);
    match (fitting.next(), fitting.next()) {
        (Some(one), Some(other)) => {
            let [one, other] = [one, other].map(|at| objects[*at].full_title());
            let title =
                format!("{} may be for more than one object:\n  {one}\n  {other}", state.full_title());
            Err(Notice::error(title)
                .cure("give one of them, or tell them apart by apiVersion or metadata.namespace")
                .into())
        }
        (found, _) => Ok(found.copied()),
    }
}

/// The old objects that no new one is a state of.
pub(crate) fn only_in<'m, 's>(
    old: &'m [Manifest<'s>],
    twins: &[Option<usize>],
) -> impl Iterator<Item = &'m Manifest<'s>> {
    let known: HashSet<usize> = twins.iter().copied().flatten().collect();
    old.iter().enumerate().filter(move |(at, _)| !known.contains(at)).map(|(_, one)| one)
}

/// A warning of an object that has no other state.
pub(crate) fn lonely(one: &Manifest<'_>) -> Notice {
    let notice = Notice::warning(format!("{} is not among the other objects", one.full_title()));
    notice.reason("no patch creates or deletes an object")
}
