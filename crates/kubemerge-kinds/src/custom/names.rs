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

/// Names that others of the group have.
#[derive(Default)]
struct Taken {
    resources: HashSet<String>,
    kinds: HashSet<String>,
}

/// Whether the names that a definition asks for are those that it has: nothing is to be judged.
pub fn are_settled(definition: &Value) -> bool {
    definition.pointer("/status/conditions").is_some_and(Value::is_array)
        && definition.pointer("/spec/names") == definition.pointer("/status/acceptedNames")
}

/// Checks the names in the spec of a definition against all other definitions; `is_built_in` tells whether a plural
/// name of the group belongs to a built-in resource.
pub fn judge(definition: &Value, others: &[Value], is_built_in: impl Fn(&str, &str) -> bool) -> NamesVerdict {
    let (own, spec) = (text(definition, "/metadata/name"), &definition["spec"]);
    let names = &spec["names"];
    let group = text(spec, "/group");
    let taken = taken(own, group, others);
    // What was accepted stays so if another name is not to be had.
    let accepted = definition.pointer("/status/acceptedNames").and_then(Value::as_object).cloned();
    let nothing = || ["plural", "kind"].map(|name| (name.to_owned(), "".into()));
    let mut accepted = accepted.unwrap_or_else(|| Map::from_iter(nothing()));
    let mut conflict = None;
    let rules = [
        ("plural", &taken.resources, "PluralConflict"),
        ("singular", &taken.resources, "SingularConflict"),
        ("shortNames", &taken.resources, "ShortNamesConflict"),
        ("kind", &taken.kinds, "KindConflict"),
        ("listKind", &taken.kinds, "ListKindConflict"),
    ];
    for (member, taken, reason) in rules {
        let Some(wanted) = names.get(member) else { continue };
        let built_in = member == "plural" && is_built_in(group, text(spec, "/names/plural"));
        match words(wanted).find(|word| built_in || taken.contains(*word)) {
            // The last conflict is the one that the condition tells.
            Some(word) => conflict = Some((reason, format!("{word:?} is already in use"))),
            None => _ = accepted.insert(member.to_owned(), wanted.clone()),
        }
    }
    // Categories are shared by many resources and never in conflict.
    if let Some(categories) = names.get("categories") {
        accepted.insert("categories".to_owned(), categories.clone());
    }
    NamesVerdict { accepted: accepted.into(), conflict }
}

fn taken(own: &str, group: &str, others: &[Value]) -> Taken {
    let mut taken = Taken::default();
    let of_group =
        |other: &&Value| text(other, "/metadata/name") != own && text(other, "/spec/group") == group;
    for other in others.iter().filter(of_group) {
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
