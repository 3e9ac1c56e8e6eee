//! Makes a case that differs as small as it can be.

use std::time::{Duration, Instant};

use serde_json::{Map, Value};

use super::trial::{Court, Trial};

/// A case that is still big after this long is printed as it is.
const MAX_SHRINK_TIME: Duration = Duration::from_secs(30);

/// Takes out whatever can go while the case still differs in the same way.
pub(crate) fn shrink<'a>(trial: &Trial<'a>, court: &mut Court) -> Result<Trial<'a>, String> {
    let start = Instant::now();
    let difference = court.difference(trial)?;
    let mut smallest = trial.clone();
    let mut from = 0;
    loop {
        let mut parts = parts(&smallest.inputs);
        parts.retain(|part| trial.dialect != "kustomize" || !is_identity(part));
        let mut found = None;
        // Parts before the last one that could go were needed a moment ago: try them last.
        for at in (from..parts.len()).chain(0..from.min(parts.len())) {
            if start.elapsed() > MAX_SHRINK_TIME {
                return checked(smallest, trial, court);
            }
            let candidate = Trial { inputs: without(&smallest.inputs, &parts[at]), ..smallest.clone() };
            if court.difference(&candidate)? == difference {
                found = Some((at, candidate));
                break;
            }
        }
        match found {
            Some((at, candidate)) => (from, smallest) = (at, candidate),
            None => return checked(smallest, trial, court),
        }
    }
}

/// Whether a part has the names of the object, which kustomize cannot do without.
fn is_identity(part: &[Step]) -> bool {
    let is_member =
        |step: &Step, names: &[&str]| matches!(step, Step::Member(name) if names.contains(&&**name));
    match part {
        // The document itself.
        [_] => true,
        [_, field] => is_member(field, &["apiVersion", "kind", "metadata"]),
        [_, field, name] => is_member(field, &["metadata"]) && is_member(name, &["name", "namespace"]),
        _ => false,
    }
}

/// The small case, unless shrinking led to one that is explained.
fn checked<'a>(smallest: Trial<'a>, trial: &Trial<'a>, court: &mut Court) -> Result<Trial<'a>, String> {
    Ok(if court.differs(&smallest)? { smallest } else { trial.clone() })
}

/// The way to a value inside another.
pub(crate) type Part = Vec<Step>;

/// One step of the way.
#[derive(Clone, Debug)]
pub(crate) enum Step {
    Member(String),
    Item(usize),
}

/// The ways to all parts of a case, the big ones first.
pub(crate) fn parts(inputs: &Map<String, Value>) -> Vec<Part> {
    let mut found = Vec::new();
    for (key, value) in inputs {
        collect(value, &mut vec![Step::Member(key.clone())], &mut found);
    }
    // Short ways lead to large parts.
    found.sort_by_key(Vec::len);
    found
}

fn collect(value: &Value, way: &mut Part, found: &mut Vec<Part>) {
    found.push(way.clone());
    let mut descend = |step: Step, below: &Value| {
        way.push(step);
        collect(below, way, found);
        way.pop();
    };
    match value {
        Value::Object(members) => {
            members.iter().for_each(|(key, below)| descend(Step::Member(key.clone()), below));
        }
        Value::Array(items) => {
            items.iter().enumerate().for_each(|(at, below)| descend(Step::Item(at), below));
        }
        _ => {}
    }
}

/// A case without one of its parts.
pub(crate) fn without(inputs: &Map<String, Value>, part: &[Step]) -> Map<String, Value> {
    let mut inputs = inputs.clone();
    let Some((Step::Member(first), below)) = part.split_first() else { return inputs };
    match (below, inputs.get_mut(first)) {
        ([], _) => drop(inputs.remove(first)),
        (below, Some(value)) => remove(value, below),
        (_, None) => {}
    }
    inputs
}

fn remove(value: &mut Value, part: &[Step]) {
    match (part, value) {
        ([Step::Member(key)], Value::Object(members)) => drop(members.remove(key)),
        ([Step::Item(at)], Value::Array(items)) => drop(items.remove(*at)),
        ([Step::Member(key), below @ ..], Value::Object(members)) => {
            members.get_mut(key).into_iter().for_each(|value| remove(value, below));
        }
        ([Step::Item(at), below @ ..], Value::Array(items)) => remove(&mut items[*at], below),
        _ => {}
    }
}
