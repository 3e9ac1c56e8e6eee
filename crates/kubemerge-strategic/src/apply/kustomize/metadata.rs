//! What kustomize does to an object after the merge: it keeps its identity, and its annotations become strings.

use super::text::{as_string, text};
use kubemerge_value::{Arena, Entry, Kind, MapEdit, Node, Str, deep_equal, map as build_map};

/// Annotations in which kustomize keeps notes while it builds. It removes them at the end.
const BUILD_ANNOTATIONS: [&str; 5] = [
    "alpha.config.kubernetes.io/transformations",
    "config.k8s.io/id",
    "config.kubernetes.io/index",
    "config.kubernetes.io/origin",
    "config.kubernetes.io/path",
];
/// More of them, all with this prefix.
const INTERNAL_ANNOTATIONS: &str = "internal.config.kubernetes.io/";
const INTERNAL_NAMES: [&str; 16] = [
    "allowKindChange",
    "allowNameChange",
    "annotations-migration-resource-id",
    "generatorBehavior",
    "helm-generated",
    "id",
    "index",
    "needsHashSuffix",
    "path",
    "prefixes",
    "previousKinds",
    "previousNames",
    "previousNamespaces",
    "refBy",
    "seqindent",
    "suffixes",
];

/// The object with the apiVersion, kind, name and namespace that it had: a patch cannot change them.
pub(super) fn with_identity<'a>(merged: Node<'a>, live: Node<'a>, arena: &'a Arena) -> Node<'a> {
    let mut edit = MapEdit::new(merged, arena);
    for name in ["apiVersion", "kind"] {
        if let Some(value) = given(live, name) {
            set(&mut edit, name, Some(value));
        }
    }
    let before = live.get("metadata").unwrap_or(Node::NULL);
    let (name, namespace) = (given(before, "name"), given(before, "namespace"));
    let metadata = match merged.get("metadata") {
        Some(metadata) if metadata.kind() == Kind::Map => metadata,
        _ if name.or(namespace).is_some() => build_map([], arena),
        // Neither a name nor metadata to put it in.
        _ => return edit.finish(),
    };
    let mut inner = MapEdit::new(metadata, arena);
    if name.is_some() {
        set(&mut inner, "name", name);
    }
    // An object without a namespace gets none.
    set(&mut inner, "namespace", namespace);
    set(&mut edit, "metadata", Some(inner.finish()));
    edit.finish()
}

/// The value of a member unless it is null or empty.
fn given<'a>(map: Node<'a>, name: &str) -> Option<Node<'a>> {
    map.get(name).filter(|value| !value.is_null() && !text(*value).is_empty())
}

/// Sets or removes a member; the same value is left alone, so that its text is copied.
fn set<'a>(edit: &mut MapEdit<'a>, name: &'static str, value: Option<Node<'a>>) {
    match (edit.seek(name.into()), value) {
        (Some(before), Some(value)) if before.scalar().is_some() && deep_equal(before, value) => {}
        (Some(_), Some(value)) => edit.replace(value),
        (None, Some(value)) => edit.insert(name.into(), value),
        (Some(_), None) => edit.remove(),
        (None, None) => {}
    }
}

/// The object with annotations that are strings, without those of the build; none at all if that leaves none.
pub(super) fn with_text_annotations<'a>(object: Node<'a>, arena: &'a Arena) -> Node<'a> {
    let Some(metadata) = object.get("metadata").filter(|metadata| metadata.kind() == Kind::Map) else {
        return object;
    };
    let Some(annotations) = metadata.get("annotations") else { return object };
    let entries = annotations.entries(arena);
    let is_plain = |entry: &Entry<'a>| !is_of_build(entry.key) && entry.value.as_str().is_some();
    // Nothing to change: the text is copied as it is.
    if !entries.is_empty() && entries.iter().all(is_plain) {
        return object;
    }
    let rest = entries.iter().filter(|entry| !is_of_build(entry.key));
    let texts: Vec<(Str<'a>, Node<'a>)> =
        rest.map(|entry| (entry.key, as_string(entry.value, arena))).collect();
    let annotations = (!texts.is_empty()).then(|| build_map(texts, arena));
    let mut inner = MapEdit::new(metadata, arena);
    set(&mut inner, "annotations", annotations);
    let mut edit = MapEdit::new(object, arena);
    set(&mut edit, "metadata", Some(inner.finish()));
    edit.finish()
}

fn is_of_build(annotation: Str<'_>) -> bool {
    let name = annotation.text();
    let is_internal = |rest: &str| INTERNAL_NAMES.contains(&rest);
    BUILD_ANNOTATIONS.contains(&&*name) || name.strip_prefix(INTERNAL_ANNOTATIONS).is_some_and(is_internal)
}
