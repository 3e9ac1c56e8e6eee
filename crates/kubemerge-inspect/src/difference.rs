//! Where the results of dialects differ.

use std::collections::{BTreeMap, BTreeSet};

use kubemerge_schema::{ListStrategy, MergeKey, Type};
use kubemerge_value::{Arena, Kind, Node, Path, Str, deep, deep_equal};
use serde::Serialize;

use crate::short::short;

/// A place at which results are not the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DialectDifference {
    /// Items by their keys.
    pub path: String,
    /// What each dialect does there, by its name.
    pub outcomes: Vec<(&'static str, DialectOutcome)>,
    /// Whether the first of two dialects loses something of the live object that the other keeps.
    pub loses_live_data: bool,
}

/// What a dialect does at a place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "code", content = "value", rename_all = "kebab-case")]
pub enum DialectOutcome {
    /// A field or item of the live object stays.
    Kept,
    /// A field or item of the live object is gone.
    Lost,
    /// A field or item of the patch is in the result.
    Added,
    /// A field or item of the patch is not in the result.
    NotAdded,
    /// Of several items with these keys one stays.
    KeptOnce,
    /// There are two items with these keys.
    Duplicated,
    /// There are this many items with these keys.
    Copies(usize),
    /// The value there, shortened.
    Value(String),
    /// The keys of the items, in their order.
    Order(Vec<String>),
    /// The patch is an error there, with this message.
    Refused(String),
    /// No strategic patch of a custom resource is taken.
    RefusedCustomResource,
    /// The whole object is deleted.
    Deleted,
    /// The whole object stays.
    NotDeleted,
}

impl DialectOutcome {
    fn words(&self) -> String {
        match self {
            DialectOutcome::Kept => "kept".to_owned(),
            DialectOutcome::Lost => "lost".to_owned(),
            DialectOutcome::Added => "added".to_owned(),
            DialectOutcome::NotAdded => "not added".to_owned(),
            DialectOutcome::KeptOnce => "kept once".to_owned(),
            DialectOutcome::Duplicated => "duplicated".to_owned(),
            DialectOutcome::Copies(count) => format!("{count} copies"),
            DialectOutcome::Value(value) => value.clone(),
            DialectOutcome::Order(items) => items.join("; "),
            DialectOutcome::Refused(message) => format!("refuses the patch: {message}"),
            DialectOutcome::RefusedCustomResource => {
                "refuses strategic patches of custom resources (415)".to_owned()
            }
            DialectOutcome::Deleted => "deletes the object".to_owned(),
            DialectOutcome::NotDeleted => "keeps the object".to_owned(),
        }
    }
}

impl DialectDifference {
    /// What each dialect does there, in words; dialects that do the same are named together.
    #[must_use]
    pub fn words(&self) -> String {
        let mut groups: Vec<(String, &DialectOutcome)> = Vec::new();
        for (dialect, outcome) in &self.outcomes {
            match groups.iter_mut().find(|(_, known)| *known == outcome) {
                // Three dialects, of which two often agree.
                Some((names, _)) => *names = format!("{names} and {dialect}"),
                None => groups.push(((*dialect).to_owned(), outcome)),
            }
        }
        let is_order = groups.iter().any(|(_, outcome)| matches!(outcome, DialectOutcome::Order(_)));
        let parts: Vec<String> =
            groups.iter().map(|(names, outcome)| format!("{names}: {}", outcome.words())).collect();
        format!("{}{}", if is_order { "the order differs: " } else { "" }, parts.join("; "))
    }
}

/// The result of a dialect.
#[derive(Clone, Copy)]
pub struct DialectResult<'a> {
    /// The name of the dialect.
    pub dialect: &'static str,
    /// The patched object; null if it is deleted.
    pub object: Node<'a>,
}

/// A place of the live object and of both results.
#[derive(Clone, Copy)]
struct Sides<'a> {
    live: Option<Node<'a>>,
    one: Node<'a>,
    other: Node<'a>,
}

/// The differences between two results; the type is the one that list items are distinguished by.
pub fn differences<'a>(
    ty: Type<'_>,
    live: Node<'a>,
    [one, other]: [DialectResult<'a>; 2],
    arena: &'a Arena,
) -> Vec<DialectDifference> {
    let mut comparison = Comparison { arena, names: [one.dialect, other.dialect], found: Vec::new() };
    if one.object.is_null() != other.object.is_null() {
        let outcome = |object: Node<'a>| {
            if object.is_null() { DialectOutcome::Deleted } else { DialectOutcome::NotDeleted }
        };
        comparison.note(&Path::ROOT, [outcome(one.object), outcome(other.object)], false);
        return comparison.found;
    }
    comparison.maps(ty, Sides { live: Some(live), one: one.object, other: other.object }, &Path::ROOT);
    comparison.found
}

struct Comparison<'a> {
    arena: &'a Arena,
    names: [&'static str; 2],
    found: Vec<DialectDifference>,
}

impl<'a> Comparison<'a> {
    fn note(&mut self, path: &Path<'_>, outcomes: [DialectOutcome; 2], loses_live_data: bool) {
        let outcomes = self.names.into_iter().zip(outcomes).collect();
        self.found.push(DialectDifference { path: path.to_string(), outcomes, loses_live_data });
    }

    fn maps(&mut self, ty: Type<'_>, sides: Sides<'a>, path: &Path<'_>) {
        // Whole parts are mostly equal, and need no walk.
        if deep_equal(sides.one, sides.other) {
            return;
        }
        let members = |node: Node<'a>| -> BTreeMap<Str<'a>, Node<'a>> {
            node.entries(self.arena).iter().map(|entry| (entry.key, entry.value)).collect()
        };
        let (one, other) = (members(sides.one), members(sides.other));
        let live = sides.live.map(members).unwrap_or_default();
        let names: BTreeSet<Str<'a>> = one.keys().chain(other.keys()).copied().collect();
        for name in names {
            let (live, path) = (live.get(&name).copied(), path.field(name));
            match (one.get(&name).copied(), other.get(&name).copied()) {
                (Some(one), Some(other)) => {
                    let sides = Sides { live, one, other };
                    deep(|| self.values(ty, &name.text(), sides, &path));
                }
                (one, other) => self.one_sided(live, one, other, &path),
            }
        }
    }

    /// A field that only one result has.
    fn one_sided(
        &mut self,
        live: Option<Node<'a>>,
        one: Option<Node<'a>>,
        other: Option<Node<'a>>,
        path: &Path<'_>,
    ) {
        // Only what Kubernetes itself loses matters to users.
        let loses_live_data = live.is_some() && one.is_none();
        let outcome = |side: Option<Node<'a>>| match (live.is_some(), side.is_some()) {
            (true, true) => DialectOutcome::Kept,
            (true, false) => DialectOutcome::Lost,
            (false, true) => DialectOutcome::Added,
            (false, false) => DialectOutcome::NotAdded,
        };
        self.note(path, [outcome(one), outcome(other)], loses_live_data);
    }

    fn values(&mut self, ty: Type<'_>, name: &str, sides: Sides<'a>, path: &Path<'_>) {
        if deep_equal(sides.one, sides.other) {
            return;
        }
        match (sides.one.kind(), sides.other.kind()) {
            (Kind::Map, Kind::Map) => {
                let value = ty.map_field(name).map_or(ty.schema().untyped(), |rule| rule.value);
                self.maps(value, sides, path);
            }
            // Only keyed lists have items that can be distinguished by name.
            (Kind::List, Kind::List) => match ty.list_field(name) {
                Ok(rule) if matches!(rule.strategy, ListStrategy::Keyed(_)) => {
                    let ListStrategy::Keyed(keys) = rule.strategy else { return };
                    self.keyed(rule.item, keys, sides, path);
                }
                _ => self.plain(sides, path),
            },
            _ => self.plain(sides, path),
        }
    }

    fn plain(&mut self, sides: Sides<'a>, path: &Path<'_>) {
        let outcomes = [sides.one, sides.other].map(|value| DialectOutcome::Value(short(value)));
        self.note(path, outcomes, false);
    }

    fn keyed(&mut self, item: Type<'_>, keys: &[MergeKey], sides: Sides<'a>, path: &Path<'_>) {
        let before = self.found.len();
        let [live, one, other] =
            [sides.live, Some(sides.one), Some(sides.other)].map(|list| self.by_identity(list, keys));
        // Items that neither result has are no difference.
        let mut identities: Vec<&String> = one.keys().chain(other.keys()).collect();
        identities.sort();
        identities.dedup();
        for identity in identities {
            let of = |side: &BTreeMap<String, Vec<Node<'a>>>| side.get(identity).cloned().unwrap_or_default();
            let (was, one, other) = (of(&live), of(&one), of(&other));
            // Before contents: which of several items belong together is unknown.
            if one.len() != other.len() {
                self.counts(identity, [was.len(), one.len(), other.len()], path);
            } else if let ([one, ..], [other, ..]) = (one.as_slice(), other.as_slice()) {
                let sides = Sides { live: was.first().copied(), one: *one, other: *other };
                let name = identity.clone();
                deep(|| self.maps(item, sides, &path.field(name.as_str().into())));
            }
        }
        // The order is reported only if the items themselves are the same.
        if self.found.len() == before {
            self.order(keys, sides, path);
        }
    }

    /// An item that one result has more often than the other.
    fn counts(&mut self, identity: &str, [live, one, other]: [usize; 3], path: &Path<'_>) {
        let outcome = |count: usize| match (live, count) {
            (0, 0) => DialectOutcome::NotAdded,
            (0, 1) => DialectOutcome::Added,
            (_, 0) => DialectOutcome::Lost,
            (_, 1) => DialectOutcome::KeptOnce,
            (_, 2) => DialectOutcome::Duplicated,
            (_, count) => DialectOutcome::Copies(count),
        };
        // An item that the patch adds cannot be lost.
        let loses_live_data = live > 0 && one < other;
        let path = path.field(identity.into());
        self.note(&path, [outcome(one), outcome(other)], loses_live_data);
    }

    fn order(&mut self, keys: &[MergeKey], sides: Sides<'a>, path: &Path<'_>) {
        let in_order = |list: Node<'a>| {
            let items = list.elements(self.arena).iter();
            DialectOutcome::Order(items.map(|item| identity(*item, keys)).collect())
        };
        let outcomes = [sides.one, sides.other].map(in_order);
        self.note(path, outcomes, false);
    }

    fn by_identity(&self, list: Option<Node<'a>>, keys: &[MergeKey]) -> BTreeMap<String, Vec<Node<'a>>> {
        let mut items = BTreeMap::<String, Vec<Node<'a>>>::new();
        for item in list.map_or(&[][..], |list| list.elements(self.arena)) {
            items.entry(identity(*item, keys)).or_default().push(*item);
        }
        items
    }
}

/// The merge keys of an item and their values: `port=53,protocol="TCP"`. Defaults complete them.
pub(crate) fn identity(item: Node<'_>, keys: &[MergeKey]) -> String {
    let value = |key: &MergeKey| match item.get(&key.name) {
        Some(value) => Some(short(value)),
        // An absent key counts as its default, as in the merge.
        None => key.default.as_ref().map(ToString::to_string),
    };
    let pair = |key: &MergeKey| value(key).map(|value| format!("{}={value}", key.name));
    keys.iter().filter_map(pair).collect::<Vec<_>>().join(",")
}

#[cfg(test)]
mod tests {
    use super::*;
    use kubemerge_schema::{Dialect, Schema, builtin};
    use kubemerge_value::Document;

    fn check(documents: [&str; 3], expected: &[&str]) {
        let schema = Schema::builtin(builtin::NEWEST, Dialect::Spec).unwrap();
        let ty = schema.type_of("v1", "Service").unwrap();
        let [live, upstream, spec] = documents.map(|text| Document::check(text.as_bytes()).unwrap());
        let arena = Arena::new();
        let upstream = DialectResult { dialect: "upstream", object: upstream.node() };
        let spec = DialectResult { dialect: "spec", object: spec.node() };
        let found = differences(ty, live.node(), [upstream, spec], &arena);
        let found: Vec<String> = found.iter().map(|one| format!("{}: {}", one.path, one.words())).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn lost_and_changed_items_are_told_by_their_keys() {
        let both = r#"{"spec":{"ports":[{"port":53,"protocol":"UDP"},{"port":53}]}}"#;
        let one = r#"{"spec":{"ports":[{"port":53,"protocol":"UDP"}]}}"#;
        let named = r#"{"spec":{"ports":[{"port":53,"protocol":"UDP","name":"a"},{"port":53}]}}"#;
        check([both, both, both], &[]);
        check([both, one, both], &[r#"spec.ports[port=53,protocol="TCP"]: upstream: lost; spec: kept once"#]);
        check([one, one, both], &[r#"spec.ports[port=53,protocol="TCP"]: upstream: not added; spec: added"#]);
        check(
            [both, both, named],
            &[r#"spec.ports[port=53,protocol="UDP"].name: upstream: not added; spec: added"#],
        );
    }

    #[test]
    fn order_and_scalars_are_told() {
        let check_spec = |upstream: &str, spec: &str, expected: &str| {
            let wrap = |text: &str| format!(r#"{{"spec":{text}}}"#);
            check([&wrap("{}"), &wrap(upstream), &wrap(spec)], &[expected]);
        };
        check_spec(r#"{"type":"A"}"#, r#"{"type":"B"}"#, r#"spec.type: upstream: "A"; spec: "B""#);
        check_spec(
            r#"{"ports":[{"port":1},{"port":2}]}"#,
            r#"{"ports":[{"port":2},{"port":1}]}"#,
            r#"spec.ports: the order differs: upstream: port=1,protocol="TCP"; port=2,protocol="TCP"; spec: port=2,protocol="TCP"; port=1,protocol="TCP""#,
        );
    }
}
