//! Patches of many objects: each names its object, so that `kubemerge patch` and kustomize find it.

use kubemerge::{Patch, Target};
use kubemerge_value::{Arena, Node, to_bytes};
use kubemerge_value::{Str, map};

use crate::load::Identity;
use crate::report::{Notice, Result};

/// Why a patch of many cannot change the fields of [`renamed`].
pub(super) const BY_NAME: &str =
    "patches of several objects find them by apiVersion, kind, namespace and name";

/// JSON patches cannot name their object.
pub(super) fn check_type(target: Target) -> Result<()> {
    match target {
        Target::Json(_) => {
            let notice =
                Notice::error("there are several objects, and a JSON patch does not name its object");
            Err(notice.help("generate the patch of one object at a time, or use another type").into())
        }
        _ => Ok(()),
    }
}

/// The fields that a patch finds its object by, and would change.
pub(super) fn renamed(patch: &Patch<'_>) -> Vec<&'static str> {
    let metadata = patch.node().get("metadata");
    let is_there = |parent: Option<Node<'_>>, name: &str| parent.and_then(|node| node.get(name)).is_some();
    let changed = [
        ("apiVersion", is_there(Some(patch.node()), "apiVersion")),
        ("kind", is_there(Some(patch.node()), "kind")),
        ("metadata.name", is_there(metadata, "name")),
        ("metadata.namespace", is_there(metadata, "namespace")),
    ];
    changed.into_iter().filter(|(_, changed)| *changed).map(|(name, _)| name).collect()
}

/// The patch with the name of its object; `None` if it changes nothing else.
pub(super) fn named(patch: &Patch<'_>, identity: &Identity) -> Option<Vec<u8>> {
    let arena = Arena::new();
    let text = |name: &'static str, text| (Str::plain(name), Node::string(text));
    let given = |(_, text): &(Str<'_>, Node<'_>)| !text.as_str().is_some_and(|text| text.is(""));
    let Identity { api_version, kind, namespace, name } = identity;
    let metadata = patch.node().get("metadata").unwrap_or(Node::NULL);
    let mut inner = others(metadata, &["name", "namespace"], &arena).peekable();
    let mut outer = others(patch.node(), &["apiVersion", "kind", "metadata"], &arena).peekable();
    // A patch that only names its object changes nothing and would be noise.
    if inner.peek().is_none() && outer.peek().is_none() {
        return None;
    }
    let names = [text("name", name), text("namespace", namespace)].into_iter().filter(given);
    let metadata = map(names.chain(inner), &arena);
    let kinds = [text("apiVersion", api_version), text("kind", kind)].into_iter().filter(given);
    Some(to_bytes(map(kinds.chain([(Str::plain("metadata"), metadata)]).chain(outer), &arena)))
}

/// The members of a map but for some.
fn others<'a>(
    node: Node<'a>,
    names: &'a [&str],
    arena: &'a Arena,
) -> impl Iterator<Item = (Str<'a>, Node<'a>)> {
    let entries = node.entries(arena).iter();
    entries.filter(|entry| !names.iter().any(|name| entry.key.is(name))).map(|entry| (entry.key, entry.value))
}
