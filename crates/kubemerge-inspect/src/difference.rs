//! Where the results of the two dialects differ.

use std::collections::{BTreeMap, BTreeSet};

use kubemerge_schema::{ListStrategy, MergeKey, Type};
use kubemerge_value::{Arena, Kind, Node, Path, Str, deep, deep_equal};

use crate::short::short;

/// A place at which the two results are not the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DialectDifference {
    /// Items by their keys.
    pub path: String,
    /// What each dialect does there.
    pub words: String,
    /// Whether something is lost.
    pub loss: Loss,
}

/// Whether something of the live object is gone in the dialect `upstream` alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Loss {
    /// Nothing.
    No,
    /// Something that the dialect `spec` keeps.
    Yes,
}

/// A place of the live object and of both results.
#[derive(Clone, Copy)]
struct Sides<'a> {
    live: Option<Node<'a>>,
    upstream: Node<'a>,
    spec: Node<'a>,
}

/// The differences between two results; the type is one of the dialect `spec`.
pub fn differences<'a>(
    ty: Type<'_>,
    live: Node<'a>,
    upstream: Node<'a>,
    spec: Node<'a>,
    arena: &'a Arena,
) -> Vec<DialectDifference> {
    let mut comparison = Comparison { arena, found: Vec::new() };
    comparison.maps(ty, Sides { live: Some(live), upstream, spec }, &Path::ROOT);
    comparison.found
}

struct Comparison<'a> {
    arena: &'a Arena,
    found: Vec<DialectDifference>,
}

impl<'a> Comparison<'a> {
    fn note(&mut self, path: &Path<'_>, words: String, loss: Loss) {
        self.found.push(DialectDifference { path: path.to_string(), words, loss });
    }

    fn maps(&mut self, ty: Type<'_>, sides: Sides<'a>, path: &Path<'_>) {
        // Whole parts are mostly equal, and need no walk.
        if deep_equal(sides.upstream, sides.spec) {
            return;
        }
        let members = |node: Node<'a>| -> BTreeMap<Str<'a>, Node<'a>> {
            node.entries(self.arena).iter().map(|entry| (entry.key, entry.value)).collect()
        };
        let (upstream, spec) = (members(sides.upstream), members(sides.spec));
        let live = sides.live.map(members).unwrap_or_default();
        let names: BTreeSet<Str<'a>> = upstream.keys().chain(spec.keys()).copied().collect();
        for name in names {
            let (live, path) = (live.get(&name).copied(), path.field(name));
            match (upstream.get(&name).copied(), spec.get(&name).copied()) {
                (Some(upstream), Some(spec)) => {
                    let sides = Sides { live, upstream, spec };
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
        upstream: Option<Node<'a>>,
        spec: Option<Node<'a>>,
        path: &Path<'_>,
    ) {
        let verb = if live.is_some() { ["kept", "lost"] } else { ["added", "not added"] };
        // Only what Kubernetes itself loses matters to users.
        let loss = if live.is_some() && upstream.is_none() { Loss::Yes } else { Loss::No };
        let word = |side: Option<Node<'a>>| if side.is_some() { verb[0] } else { verb[1] };
        self.note(path, format!("upstream: {}; spec: {}", word(upstream), word(spec)), loss);
    }

    fn values(&mut self, ty: Type<'_>, name: &str, sides: Sides<'a>, path: &Path<'_>) {
        if deep_equal(sides.upstream, sides.spec) {
            return;
        }
        match (sides.upstream.kind(), sides.spec.kind()) {
            (Kind::Map, Kind::Map) => {
                let value = ty.map_field(name).map_or(ty.schema().untyped(), |rule| rule.value);
                self.maps(value, sides, path);
            }
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
        let words = format!("upstream: {}; spec: {}", short(sides.upstream), short(sides.spec));
        self.note(path, words, Loss::No);
    }

    fn keyed(&mut self, item: Type<'_>, keys: &[MergeKey], sides: Sides<'a>, path: &Path<'_>) {
        let before = self.found.len();
        let [live, upstream, spec] =
            [sides.live, Some(sides.upstream), Some(sides.spec)].map(|list| self.by_identity(list, keys));
        let mut identities: Vec<&String> = upstream.keys().chain(spec.keys()).collect();
        identities.sort();
        identities.dedup();
        for identity in identities {
            let of = |side: &BTreeMap<String, Vec<Node<'a>>>| side.get(identity).cloned().unwrap_or_default();
            let (was, one, other) = (of(&live), of(&upstream), of(&spec));
            if one.len() != other.len() {
                self.counts(identity, [was.len(), one.len(), other.len()], path);
            } else if let ([upstream, ..], [spec, ..]) = (one.as_slice(), other.as_slice()) {
                let sides = Sides { live: was.first().copied(), upstream: *upstream, spec: *spec };
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
    fn counts(&mut self, identity: &str, [live, upstream, spec]: [usize; 3], path: &Path<'_>) {
        let verb = |count: usize| match (live, count) {
            (0, 0) => "not added".to_owned(),
            (0, 1) => "added".to_owned(),
            (_, 0) => "lost".to_owned(),
            (_, 1) => "kept once".to_owned(),
            (_, 2) => "duplicated".to_owned(),
            (_, count) => format!("{count} copies"),
        };
        let loss = if live > 0 && upstream < spec { Loss::Yes } else { Loss::No };
        let path = path.field(identity.into());
        self.note(&path, format!("upstream: {}; spec: {}", verb(upstream), verb(spec)), loss);
    }

    fn order(&mut self, keys: &[MergeKey], sides: Sides<'a>, path: &Path<'_>) {
        let in_order = |list: Node<'a>| {
            let items = list.elements(self.arena).iter();
            items.map(|item| identity(*item, keys)).collect::<Vec<_>>().join("; ")
        };
        let words = format!(
            "the order differs: upstream: {}; spec: {}",
            in_order(sides.upstream),
            in_order(sides.spec)
        );
        self.note(path, words, Loss::No);
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
        let found = differences(ty, live.node(), upstream.node(), spec.node(), &arena);
        let found: Vec<String> = found.iter().map(|one| format!("{}: {}", one.path, one.words)).collect();
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
