//! The differences between two states of an object, for reading: items of lists are paired by their keys.

use std::collections::BTreeMap;

use kubemerge_schema::{ListStrategy, MergeKey, Type};
use kubemerge_value::{Arena, Kind, Node, Path, deep, deep_equal, to_value};
use serde::Serialize;
use serde_json::Value;

use crate::difference::identity;

/// Fields that the API server or kubectl maintain, which no reader of a diff looks for.
// Set by the server with every write.
const NOISE: [&str; 7] = [
    "metadata.annotations[kubectl.kubernetes.io/last-applied-configuration]",
    "metadata.creationTimestamp",
    "metadata.generation",
    "metadata.managedFields",
    "metadata.resourceVersion",
    "metadata.selfLink",
    "metadata.uid",
];

/// A field or an item that differs.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FieldChange {
    /// Items by their keys: `spec.ports[port=53]`.
    pub path: String,
    /// The old value; nothing if it is new.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<Value>,
    /// The new value; nothing if it is removed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<Value>,
}

/// The differences, in the order of the names. The type is one of the dialect `spec`, whose key sets tell items
/// apart as people do.
#[must_use]
pub fn object_diff(ty: Type<'_>, old: Node<'_>, new: Node<'_>) -> Vec<FieldChange> {
    let mut diff = Diff { arena: &Arena::new(), changes: Vec::new() };
    diff.maps(ty, old, new, &Path::ROOT);
    diff.changes.retain(|change| !NOISE.iter().any(|noise| change.path.starts_with(noise)));
    diff.changes
}

struct Diff<'a> {
    arena: &'a Arena,
    changes: Vec<FieldChange>,
}

impl<'a> Diff<'a> {
    fn note(&mut self, path: &Path<'_>, from: Option<Node<'_>>, to: Option<Node<'_>>) {
        let value = |node: Option<Node<'_>>| node.and_then(|node| to_value(node).ok());
        self.changes.push(FieldChange { path: path.to_string(), from: value(from), to: value(to) });
    }

    fn maps(&mut self, ty: Type<'_>, old: Node<'a>, new: Node<'a>, path: &Path<'_>) {
        let members = |node: Node<'a>| {
            node.entries(self.arena).iter().map(|entry| (entry.key, entry.value)).collect::<BTreeMap<_, _>>()
        };
        let (old, new) = (members(old), members(new));
        let mut names: Vec<_> = old.keys().chain(new.keys()).copied().collect();
        names.sort();
        names.dedup();
        for name in names {
            let path = path.field(name);
            match (old.get(&name).copied(), new.get(&name).copied()) {
                (Some(old), Some(new)) if deep_equal(old, new) => {}
                (Some(old), Some(new)) => deep(|| self.values(ty, &name.text(), old, new, &path)),
                // Annotations are shown one by one, so that noise among them can be hidden.
                (old, new) if path.to_string() == "metadata.annotations" => {
                    let or_empty = |node: Option<Node<'a>>| node.unwrap_or(Node::NULL);
                    deep(|| self.maps(ty.schema().untyped(), or_empty(old), or_empty(new), &path));
                }
                (old, new) => self.note(&path, old, new),
            }
        }
    }

    fn values(&mut self, ty: Type<'_>, name: &str, old: Node<'a>, new: Node<'a>, path: &Path<'_>) {
        match (old.kind(), new.kind()) {
            (Kind::Map, Kind::Map) => {
                let value = ty.map_field(name).map_or(ty.schema().untyped(), |rule| rule.value);
                self.maps(value, old, new, path);
            }
            (Kind::List, Kind::List) => match ty.list_field(name) {
                Ok(rule) => match rule.strategy {
                    ListStrategy::Keyed(keys) => self.keyed(rule.item, keys, old, new, path),
                    ListStrategy::Scalars | ListStrategy::Set => self.sets(old, new, path),
                    ListStrategy::Atomic => self.positions(rule.item, old, new, path),
                },
                // A list that the schema does not know has no identities.
                Err(_) => self.note(path, Some(old), Some(new)),
            },
            _ => self.note(path, Some(old), Some(new)),
        }
    }

    /// Items with the same keys are states of the same item.
    fn keyed(&mut self, item: Type<'_>, keys: &[MergeKey], old: Node<'a>, new: Node<'a>, path: &Path<'_>) {
        let before = self.changes.len();
        let (old, new) = (old.elements(self.arena), new.elements(self.arena));
        let name = |item: Node<'_>| identity(item, keys).replace('"', "");
        let find = |items: &[Node<'a>], wanted: &str| items.iter().copied().find(|one| name(*one) == wanted);
        for removed in old.iter().filter(|one| find(new, &name(**one)).is_none()) {
            self.note(&path.field(name(*removed).as_str().into()), Some(*removed), None);
        }
        for state in new {
            let own = name(*state);
            let path = path.field(own.as_str().into());
            match find(old, &own) {
                Some(old) => deep(|| self.maps(item, old, *state, &path)),
                None => self.note(&path, None, Some(*state)),
            }
        }
        // Two lists that differ in nothing else differ in their order.
        if self.changes.len() == before {
            let order = |items: &[Node<'a>]| {
                Value::String(items.iter().map(|one| name(*one)).collect::<Vec<_>>().join("; "))
            };
            let path = format!("{path} (order)");
            self.changes.push(FieldChange { path, from: Some(order(old)), to: Some(order(new)) });
        }
    }

    /// The order of a set does not matter.
    fn sets(&mut self, old: Node<'a>, new: Node<'a>, path: &Path<'_>) {
        let (old, new) = (old.elements(self.arena), new.elements(self.arena));
        let lacks = |items: &[Node<'a>], one: Node<'a>| !items.iter().any(|other| deep_equal(*other, one));
        for removed in old.iter().filter(|one| lacks(new, **one)) {
            self.note(path, Some(*removed), None);
        }
        for added in new.iter().filter(|one| lacks(old, **one)) {
            self.note(path, None, Some(*added));
        }
    }

    /// Lists of the same length are compared item by item, others are shown as a whole.
    fn positions(&mut self, item: Type<'_>, old: Node<'a>, new: Node<'a>, path: &Path<'_>) {
        let (before, after) = (old.elements(self.arena), new.elements(self.arena));
        // Positions shift, so that pairs would be misleading.
        if before.len() != after.len() {
            return self.note(path, Some(old), Some(new));
        }
        for (at, (old, new)) in
            before.iter().zip(after).enumerate().filter(|(_, (old, new))| !deep_equal(**old, **new))
        {
            let path = path.index(at);
            match (old.kind(), new.kind()) {
                (Kind::Map, Kind::Map) => deep(|| self.maps(item, *old, *new, &path)),
                _ => self.note(&path, Some(*old), Some(*new)),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kubemerge_schema::{Dialect, Schema, builtin};
    use kubemerge_value::Document;

    fn check(old: &str, new: &str, expected: &[&str]) {
        let schema = Schema::builtin(builtin::NEWEST, Dialect::Spec).unwrap();
        let ty = schema.type_of("v1", "Pod").unwrap();
        let [old, new] = [old, new].map(|text| Document::check(text.as_bytes()).unwrap());
        let text = |value: Option<Value>| value.map(|value| value.to_string()).unwrap_or_default();
        let found: Vec<String> = object_diff(ty, old.node(), new.node())
            .into_iter()
            .map(|one| format!("{}: {} -> {}", one.path, text(one.from), text(one.to)))
            .collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn items_are_paired_by_their_keys() {
        let old = r#"{"spec":{"containers":[{"name":"a","image":"a:1"},{"name":"b"}]}}"#;
        let new = r#"{"spec":{"containers":[{"name":"c"},{"name":"a","image":"a:2"}]}}"#;
        check(old, old, &[]);
        check(
            old,
            new,
            &[
                r#"spec.containers[name=b]: {"name":"b"} -> "#,
                r#"spec.containers[name=c]:  -> {"name":"c"}"#,
                r#"spec.containers[name=a].image: "a:1" -> "a:2""#,
            ],
        );
        let turned = r#"{"spec":{"containers":[{"name":"b"},{"name":"a","image":"a:1"}]}}"#;
        check(old, turned, &[r#"spec.containers (order): "name=a; name=b" -> "name=b; name=a""#]);
    }

    #[test]
    fn noise_is_hidden() {
        let old = r#"{"metadata":{"name":"a"}}"#;
        let new = r#"{"metadata":{"name":"a","uid":"1","resourceVersion":"2","managedFields":[],
            "annotations":{"kubectl.kubernetes.io/last-applied-configuration":"{}"}}}"#;
        check(old, new, &[]);
        check(new, old, &[]);
    }

    #[test]
    fn sets_and_atomic_lists_are_compared_as_such() {
        check(
            r#"{"metadata":{"finalizers":["a","b"]},"spec":{"tolerations":[{"key":"a"}]}}"#,
            r#"{"metadata":{"finalizers":["b","c"]},"spec":{"tolerations":[{"key":"b"}]}}"#,
            &[
                r#"metadata.finalizers: "a" -> "#,
                r#"metadata.finalizers:  -> "c""#,
                r#"spec.tolerations[0].key: "a" -> "b""#,
            ],
        );
    }
}
