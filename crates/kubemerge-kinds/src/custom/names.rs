//! Whether the names of a definition are free in its group; those that are become its accepted names.

use std::collections::HashSet;

use serde_json::{Map, Value};

use super::definition::text;

/// The result of checking the names of a definition.
pub struct NamesVerdict {
    /// The names that are the definition's own.
    pub accepted: Value,
    /// The reason and the message of the last conflict.
    pub conflict: Option<(&'static str, String)>,
}

/// Names that definitions of the group have.
#[derive(Default)]
struct Taken {
    resources: HashSet<String>,
    kinds: HashSet<String>,
}

/// Whether the names that a definition asks for are those that it has: nothing is to be judged.
pub fn are_settled(definition: &Value) -> bool {
    let [wanted, accepted] =
        ["/spec/names", "/status/acceptedNames"].map(|place| names_at(definition, place));
    wanted == accepted
}

/// The names at a place. An empty list says as much as none.
fn names_at(definition: &Value, place: &str) -> Map<String, Value> {
    let mut names = definition.pointer(place).and_then(Value::as_object).cloned().unwrap_or_default();
    names.retain(|_, value| words(value).next().is_some());
    names
}

/// Checks the names in the spec of a definition against those of all definitions; `is_built_in` tells whether a plural
/// name of the group belongs to a built-in resource.
pub fn judge(definition: &Value, all: &[Value], is_built_in: impl Fn(&str, &str) -> bool) -> NamesVerdict {
    let group = text(definition, "/spec/group");
    let taken = taken(group, all);
    let wanted = names_at(definition, "/spec/names");
    let held = names_at(definition, "/status/acceptedNames");
    // What was accepted stays so if another name is not to be had.
    let mut accepted = held.clone();
    let mut conflict = None;
    let rules = [
        ("plural", &taken.resources, "PluralConflict"),
        ("singular", &taken.resources, "SingularConflict"),
        ("shortNames", &taken.resources, "ShortNamesConflict"),
        ("kind", &taken.kinds, "KindConflict"),
        ("listKind", &taken.kinds, "ListKindConflict"),
    ];
    for (member, taken, reason) in rules {
        let built_in = member == "plural" && is_built_in(group, text(definition, "/spec/names/plural"));
        let is_own = |word: &str| held.get(member).is_some_and(|held| words(held).any(|own| own == word));
        let names = wanted.get(member).into_iter().flat_map(words);
        let mut refused: Vec<&str> =
            names.filter(|word| built_in || taken.contains(*word) && !is_own(word)).collect();
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

/// Names that definitions of a group have. Upstream: a definition's own names are among them, so that its singular
/// name cannot become what its plural name is.
fn taken(group: &str, all: &[Value]) -> Taken {
    let mut taken = Taken::default();
    for other in all.iter().filter(|other| text(other, "/spec/group") == group) {
        let names = other.pointer("/status/acceptedNames").and_then(Value::as_object);
        for (member, value) in names.into_iter().flatten() {
            let set = match member.as_str() {
                "kind" | "listKind" => &mut taken.kinds,
                "plural" | "singular" | "shortNames" => &mut taken.resources,
                _ => continue,
            };
            set.extend(words(value).map(str::to_string));
        }
    }
    taken
}

/// A name, or each of a list of names.
fn words(value: &Value) -> impl Iterator<Item = &str> {
    let list = value.as_array().into_iter().flatten();
    list.chain(std::iter::once(value)).filter_map(Value::as_str).filter(|word| !word.is_empty())
}
