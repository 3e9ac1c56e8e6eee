//! Whether the names of a definition are free in its group; those that are become its accepted names.

use std::collections::HashSet;

use serde_json::{Map, Value, json};

use crate::{api::app::App, object::Object, store::Stored};

/// What became of the wanted names.
pub(super) struct Verdict {
    /// The names that are the definition's own.
    pub(super) accepted: Value,
    /// The reason and the message of the last conflict.
    pub(super) conflict: Option<(&'static str, String)>,
}

/// Names that others of the group have.
#[derive(Default)]
struct Taken {
    resources: HashSet<String>,
    kinds: HashSet<String>,
}

/// Judges the names in a spec; names that the definition already has stay its own.
pub(super) fn judge(app: &App, own: &str, spec: &Value, others: &[Stored]) -> Verdict {
    let group = text(spec, "/group");
    let taken = taken(own, group, others);
    let mut verdict = Verdict { accepted: json!({"plural": "", "kind": ""}), conflict: None };
    let rules = [
        ("plural", &taken.resources, "PluralConflict"),
        ("singular", &taken.resources, "SingularConflict"),
        ("shortNames", &taken.resources, "ShortNamesConflict"),
        ("kind", &taken.kinds, "KindConflict"),
        ("listKind", &taken.kinds, "ListKindConflict"),
    ];
    for (member, taken, reason) in rules {
        let Some(wanted) = spec["names"].get(member) else { continue };
        let built_in = member == "plural" && app.catalog.is_built_in(group, text(spec, "/names/plural"));
        match words(wanted).find(|word| built_in || taken.contains(*word)) {
            Some(word) => verdict.conflict = Some((reason, format!("{word:?} is already in use"))),
            None => verdict.accepted[member] = wanted.clone(),
        }
    }
    if let Some(categories) = spec["names"].get("categories") {
        verdict.accepted["categories"] = categories.clone();
    }
    verdict
}

fn taken(own: &str, group: &str, others: &[Stored]) -> Taken {
    let mut taken = Taken::default();
    for other in others.iter().map(Object::of).filter(|other| other.metadata.name() != own) {
        if other.at(&["spec", "group"]) != Some(json!(group)) {
            continue;
        }
        let names = other.at(&["status", "acceptedNames"]).unwrap_or_default();
        let empty = Map::new();
        for (member, value) in names.as_object().unwrap_or(&empty) {
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

fn text<'v>(value: &'v Value, pointer: &str) -> &'v str {
    value.pointer(pointer).and_then(Value::as_str).unwrap_or_default()
}
