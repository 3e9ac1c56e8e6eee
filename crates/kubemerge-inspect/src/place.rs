//! Finds the place in a patch that an error of the engine is about.
//!
//! The engine names items that a patch shares with the live object by their place in the live object; the
//! user looks into the patch.

use kubemerge_schema::{ListStrategy, Type};
use kubemerge_value::part::text_of;
use kubemerge_value::{Arena, Kind, Node};

/// A live value, what a patch has for it, and what the schema says about both.
#[derive(Clone, Copy)]
struct Pair<'a, 's> {
    live: Option<Node<'a>>,
    patch: Node<'a>,
    ty: Type<'s>,
}

/// The path of a fault within the patch, as far as it leads.
pub(crate) fn path_in_patch<'a>(
    ty: Type<'_>,
    live: Node<'a>,
    patch: Node<'a>,
    path: &str,
    arena: &'a Arena,
) -> String {
    let mut pair = Pair { live: Some(live), patch, ty };
    let mut found = String::new();
    let mut rest = path;
    while let Some((name, tail)) = first_step(rest) {
        // The nearest place on the way is better than none.
        let Some(field) = pair.patch.get(name) else { break };
        found.push_str(text_of(rest, ..rest.len() - tail.len()));
        rest = tail;
        let live = pair.live.and_then(|live| live.get(name));
        let map = pair.ty.map_field(name).map_or(pair.ty.schema().untyped(), |rule| rule.value);
        let Some((index, tail)) = first_index(rest).filter(|_| field.kind() == Kind::List) else {
            pair = Pair { live, patch: field, ty: map };
            continue;
        };
        let Ok(rule) = pair.ty.list_field(name) else { break };
        let live_item = live.and_then(|live| live.elements(arena).get(index).copied());
        let items = field.elements(arena);
        // Paths name positions in the live object; the patch has the item elsewhere.
        let at = match (live_item, tail.is_empty() && index < items.len()) {
            (Some(live), false) => matching(live, items, rule.strategy).unwrap_or(index),
            _ => index,
        };
        let Some(item) = items.get(at) else { break };
        found.push_str(&format!("[{at}]"));
        rest = tail;
        pair = Pair { live: live_item, patch: *item, ty: rule.item };
    }
    found
}

/// The value at a path of fields and positions.
pub fn node_at<'a>(root: Node<'a>, path: &str, arena: &'a Arena) -> Option<Node<'a>> {
    let mut node = root;
    let mut rest = path;
    while !rest.is_empty() {
        (node, rest) = if let Some((index, tail)) = first_index(rest).filter(|_| node.kind() == Kind::List) {
            (*node.elements(arena).get(index)?, tail)
        } else {
            let (name, tail) = first_step(rest)?;
            (node.get(name)?, tail)
        };
    }
    Some(node)
}

/// The item with the same keys.
fn matching(live: Node<'_>, items: &[Node<'_>], strategy: ListStrategy<'_>) -> Option<usize> {
    let ListStrategy::Keyed(keys) = strategy else { return None };
    let scalar =
        |node: Node<'_>, name: &str| node.get(name).and_then(Node::scalar).map(|value| value.to_string());
    items.iter().position(|item| keys.iter().all(|key| scalar(*item, &key.name) == scalar(live, &key.name)))
}

/// The first field name of a path, and what follows it.
fn first_step(path: &str) -> Option<(&str, &str)> {
    if let Some(inner) = path.strip_prefix('[') {
        return inner.split_once(']');
    }
    let path = path.strip_prefix('.').unwrap_or(path);
    let end = path.find(['.', '[']).unwrap_or(path.len());
    (end > 0).then(|| path.split_at(end))
}

/// The position that a path starts with, and what follows it.
fn first_index(path: &str) -> Option<(usize, &str)> {
    let (index, tail) = path.strip_prefix('[')?.split_once(']')?;
    Some((index.parse().ok()?, tail))
}

#[cfg(test)]
mod tests {
    use super::*;
    use kubemerge_schema::{Dialect, Schema, builtin};
    use kubemerge_value::Document;

    fn check(path: &str, expected: &str) {
        let live =
            br#"{"spec":{"containers":[{"name":"a"},{"name":"b","env":[{"name":"x"},{"name":"y"}]}]}}"#;
        let patch = br#"{"spec":{"containers":[{"name":"c"},{"name":"b","env":[{"name":"y"},{"z":1}]}]}}"#;
        let (live, patch) = (Document::check(live).unwrap(), Document::check(patch).unwrap());
        let schema = Schema::builtin(builtin::NEWEST, Dialect::Upstream).unwrap();
        let ty = schema.type_of("v1", "Pod").unwrap();
        let arena = Arena::new();
        assert_eq!(path_in_patch(ty, live.node(), patch.node(), path, &arena), expected, "{path}");
    }

    #[test]
    fn live_places_become_places_of_the_patch() {
        check("", "");
        check("spec.containers", "spec.containers");
        check("spec.containers[1].env", "spec.containers[1].env");
        check("spec.containers[1].env[1].name", "spec.containers[1].env[0].name");
        check("spec.containers[1].env[1]", "spec.containers[1].env[1]");
        check("spec.containers[0].image", "spec.containers[0]");
        check("spec.nowhere[3]", "spec");
        check("[not]a.path", "");
    }
}
