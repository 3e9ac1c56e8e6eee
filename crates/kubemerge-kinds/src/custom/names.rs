//! Whether the names of a definition are free in its group; those that are become its accepted names.

use std::collections::{HashMap, HashSet};

use serde_json::{Map, Value};

use super::definition::text;

/// The result of checking the names of a definition.
pub struct NamesVerdict {
    /// The names that are the definition's own.
    pub accepted: Value,
    /// The reason and the message of the last conflict.
    pub conflict: Option<(&'static str, String)>,
}

/// Names that definitions have, by group: those that were accepted. Upstream: a definition's own names are among them, so that its
/// singular name cannot become what its plural name is.
#[derive(Debug, Default)]
pub struct TakenNames {
    /// Names by group and sort, and how many definitions have each.
    counts: HashMap<(String, NameSort, String), usize>,
    /// What each definition has, by its name.
    by_definition: HashMap<String, Vec<(String, NameSort, String)>>,
}

/// Names of one sort must differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum NameSort {
    Resource,
    Kind,
}

impl TakenNames {
    /// Notes what a definition has now, or that there is none of this name any more.
    pub fn set(&mut self, name: &str, definition: Option<&Value>) {
        for old in self.by_definition.remove(name).unwrap_or_default() {
            if let Some(count) = self.counts.get_mut(&old) {
                *count -= 1;
                if *count == 0 {
                    self.counts.remove(&old);
                }
            }
        }
        let Some(definition) = definition else { return };
        let group = text(definition, "/spec/group");
        let names = definition.pointer("/status/acceptedNames").and_then(Value::as_object);
        let mut own = Vec::new();
        for (member, value) in names.into_iter().flatten() {
            let sort = match member.as_str() {
                "kind" | "listKind" => NameSort::Kind,
                "plural" | "singular" | "shortNames" => NameSort::Resource,
                _ => continue,
            };
            own.extend(words(value).map(|word| (group.to_owned(), sort, word.to_owned())));
        }
        for taken in &own {
            *self.counts.entry(taken.clone()).or_default() += 1;
        }
        self.by_definition.insert(name.to_owned(), own);
    }

    fn has(&self, group: &str, sort: NameSort, word: &str) -> bool {
        self.counts.contains_key(&(group.to_owned(), sort, word.to_owned()))
    }
}

/// Whether the names that a definition asks for are those that it has: nothing is to be judged.
pub fn are_settled(definition: &Value) -> bool {
    let [wanted, accepted] =
        ["/spec/names", "/status/acceptedNames"].map(|place| names_at(definition, place));
    wanted == accepted
}

/// Whether a definition has given up a name that it had: others may have it now.
pub fn gave_up(before: &Value, after: &Value) -> bool {
    let words_of = |definition: &Value| -> HashSet<String> {
        let names = names_at(definition, "/status/acceptedNames");
        names.values().flat_map(words).map(str::to_owned).collect()
    };
    !words_of(before).is_subset(&words_of(after))
}

/// The names at a place. An empty list says as much as none.
fn names_at(definition: &Value, place: &str) -> Map<String, Value> {
    let mut names = definition.pointer(place).and_then(Value::as_object).cloned().unwrap_or_default();
    names.retain(|_, value| words(value).next().is_some());
    names
}

/// Checks the names in the spec of a definition against those of all definitions; `is_built_in` tells whether a plural
/// name of the group belongs to a built-in resource.
pub fn judge(
    definition: &Value,
    taken: &TakenNames,
    is_built_in: impl Fn(&str, &str) -> bool,
) -> NamesVerdict {
    let group = text(definition, "/spec/group");
    let wanted = names_at(definition, "/spec/names");
    let held = names_at(definition, "/status/acceptedNames");
    // What was accepted stays so if another name is not to be had.
    let mut accepted = held.clone();
    let mut conflict = None;
    let rules = [
        ("plural", NameSort::Resource, "PluralConflict"),
        ("singular", NameSort::Resource, "SingularConflict"),
        ("shortNames", NameSort::Resource, "ShortNamesConflict"),
        ("kind", NameSort::Kind, "KindConflict"),
        ("listKind", NameSort::Kind, "ListKindConflict"),
    ];
    for (member, sort, reason) in rules {
        let built_in = member == "plural" && is_built_in(group, text(definition, "/spec/names/plural"));
        let is_own = |word: &str| held.get(member).is_some_and(|held| words(held).any(|own| own == word));
        let names = wanted.get(member).into_iter().flat_map(words);
        let mut refused: Vec<&str> =
            names.filter(|word| built_in || taken.has(group, sort, word) && !is_own(word)).collect();
        // A name that is listed twice is told once.
        let mut told = HashSet::new();
        refused.retain(|word| told.insert(*word));
        // The last conflict is the one that the condition tells.
        match in_use(&refused) {
            Some(message) => conflict = Some((reason, message)),
            None => take(&mut accepted, &wanted, member),
        }
    }
    // Categories are shared by many resources and never in conflict.
    take(&mut accepted, &wanted, "categories");
    for name in ["plural", "kind"] {
        accepted.entry(name).or_insert_with(|| "".into());
    }
    NamesVerdict { accepted: accepted.into(), conflict }
}

/// Gives a definition what it asks for: a name that it no longer asks for is given up.
fn take(accepted: &mut Map<String, Value>, wanted: &Map<String, Value>, member: &str) {
    match wanted.get(member) {
        Some(wanted) => _ = accepted.insert(member.to_owned(), wanted.clone()),
        None => _ = accepted.remove(member),
    }
}

/// What is said of names that others have.
fn in_use(names: &[&str]) -> Option<String> {
    let said: Vec<String> = names.iter().map(|name| format!("{name:?} is already in use")).collect();
    match said.as_slice() {
        [] => None,
        [only] => Some(only.clone()),
        several => Some(format!("[{}]", several.join(", "))),
    }
}

/// A name, or each of a list of names.
fn words(value: &Value) -> impl Iterator<Item = &str> {
    let list = value.as_array().into_iter().flatten();
    list.chain(std::iter::once(value)).filter_map(Value::as_str).filter(|word| !word.is_empty())
}
