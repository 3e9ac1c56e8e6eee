//! Lists of objects, as `kubectl get` writes them: `kind: List` and typed ones such as `ServiceList`.
//!
//! [`objects`] splits a list into its items, as kubectl does; [`edits`] writes new values of items back into the
//! text.

use std::borrow::Cow;

use kubemerge_value::{Arena, Document, Entry, Kind, Node, list, map, to_bytes};
use kubemerge_yaml::{self as yaml, DocumentEdits, KeptLayout};

use super::manifest::{Identity, Manifest, checked};
use crate::input::Source;
use crate::report::{Notice, Result};

const API_VERSION: &str = "apiVersion";
const KIND: &str = "kind";
const ITEMS: &str = "items";

/// Which part of its document an object is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    Whole,
    /// An item of the list that the document is.
    Item(usize),
}

impl Part {
    /// The path within the document of a path within the object.
    pub(crate) fn path(self, inner: &str) -> String {
        match self {
            Part::Whole => inner.to_owned(),
            Part::Item(at) if inner.is_empty() || inner.starts_with('[') => format!("{ITEMS}[{at}]{inner}"),
            Part::Item(at) => format!("{ITEMS}[{at}].{inner}"),
        }
    }
}

/// An object as JSON, and where it comes from.
pub(crate) struct Object {
    pub(crate) part: Part,
    pub(crate) json: Vec<u8>,
    /// A map, unless the text is no manifest at all.
    pub(crate) kind: Kind,
    pub(crate) identity: Identity,
}

/// The objects of a document: the items of a list, else the document itself.
pub(crate) fn objects(source: &Source, document: &yaml::YamlDocument<'_>) -> Result<Vec<Object>> {
    let json = source.json(document)?;
    // Checked once here: a stream may have thousands of objects, and most of them are only looked at.
    let whole = checked(source, &json)?;
    let (node, identity) = (whole.node(), Identity::of(whole.node()));
    let Some(list) = item_kind(node, &identity) else {
        let kind = node.kind();
        drop(whole);
        return Ok(vec![Object { part: Part::Whole, json, kind, identity }]);
    };
    let items = node.get(ITEMS).unwrap_or(Node::NULL);
    // `items: null` is how Go writes an empty list.
    if !matches!(items.kind(), Kind::List | Kind::Null) {
        let excerpt = source.excerpt(document, ITEMS, "");
        return Err(Notice::error("the items of a list of objects must be a list").at(excerpt).into());
    }
    let arena = Arena::new();
    let items = items.elements(&arena).iter();
    let items = items.map(|item| completed(*item, &list, &arena)).enumerate();
    let object = |(at, item): (usize, Node<'_>)| Object {
        part: Part::Item(at),
        json: to_bytes(item),
        kind: item.kind(),
        identity: Identity::of(item),
    };
    Ok(items.map(object).collect())
}

/// The kind of the items of a list; `None` if it is no list.
fn item_kind(node: Node<'_>, list: &Identity) -> Option<Identity> {
    // `List` itself leaves an empty kind: its items have their own.
    let kind = list.kind.strip_suffix("List")?.to_owned();
    node.get(ITEMS).is_some().then(|| Identity { kind, ..list.clone() })
}

/// Items of a typed list need not have apiVersion and kind.
fn completed<'a>(item: Node<'a>, list: &Identity, arena: &'a Arena) -> Node<'a> {
    // Items of a typed list, such as PodList, may leave kind and version out.
    if !has_no_kind(item) || list.kind.is_empty() {
        return item;
    }
    let text = |text: &str| Node::string(arena.alloc_str(text));
    let given = [(API_VERSION.into(), text(&list.api_version)), (KIND.into(), text(&list.kind))];
    let rest = item.entries(arena).iter().filter(|entry| !entry.key.is(API_VERSION) && !entry.key.is(KIND));
    map(given.into_iter().chain(rest.map(|entry| (entry.key, entry.value))), arena)
}

/// Whether an object has neither apiVersion nor kind.
fn has_no_kind(item: Node<'_>) -> bool {
    let Identity { api_version, kind, .. } = Identity::of(item);
    item.kind() == Kind::Map && api_version.is_empty() && kind.is_empty()
}

/// An object and its new value.
#[derive(Clone, Copy)]
pub(crate) struct ObjectChange<'m, 's> {
    pub(crate) manifest: &'m Manifest<'s>,
    /// `None` if the object is deleted.
    pub(crate) json: Option<&'m [u8]>,
}

/// The edits of one text.
#[derive(Default)]
pub(crate) struct TextEdits {
    /// In the order of the text.
    pub(crate) edits: Vec<yaml::Edit>,
    /// Objects whose layout they do not keep, as they are named in messages.
    pub(crate) rewritten: Vec<(String, KeptLayout)>,
}

/// The edits that give objects of one text their new values.
pub(crate) fn edits(changes: &[ObjectChange<'_, '_>]) -> Result<TextEdits> {
    let mut text = TextEdits::default();
    // All items of a list are edited together, because edits of one text must not overlap.
    for document in changes.chunk_by(|one, other| one.manifest.is_beside(other.manifest)) {
        let DocumentEdits { edits, kept } = edits_of_document(document)?;
        text.edits.extend(edits);
        if let Some(first) = document.first().filter(|_| kept != KeptLayout::All) {
            text.rewritten.push((first.manifest.title(), kept));
        }
    }
    Ok(text)
}

fn edits_of_document(changes: &[ObjectChange<'_, '_>]) -> Result<DocumentEdits> {
    let kept_whole = |edits| DocumentEdits { edits, kept: KeptLayout::All };
    let Some(ObjectChange { manifest, json }) = changes.first() else { return Ok(kept_whole(Vec::new())) };
    let json = match (manifest.part, json) {
        (Part::Whole, Some(json)) => Cow::Borrowed(*json),
        (Part::Whole, None) => return Ok(kept_whole(vec![manifest.document.removal()])),
        (Part::Item(_), _) => Cow::Owned(with_items(manifest, changes)?),
    };
    let edits = manifest.document.document_edits(&json);
    edits.map_err(|error| Notice::error(format!("{}: {error}", manifest.title())).into())
}

/// The list with the new values of some items.
fn with_items(first: &Manifest<'_>, changes: &[ObjectChange<'_, '_>]) -> Result<Vec<u8>> {
    let json = first.source.json(&first.document)?;
    let whole = checked(first.source, &json)?;
    let results = changes.iter().map(checked_result).collect::<Result<Vec<_>>>()?;
    let arena = Arena::new();
    let items = whole.node().get(ITEMS).map_or(&[][..], |items| items.elements(&arena));
    let mut items: Vec<Option<Node<'_>>> = items.iter().copied().map(Some).collect();
    for (ObjectChange { manifest, .. }, result) in changes.iter().zip(&results) {
        if let Part::Item(at) = manifest.part {
            let new = result.as_ref().map(Document::node);
            // The position exists: the text has not changed since it was read, and deleted items keep theirs.
            items[at] =
                items[at].zip(new).map(|(item, new)| as_written(item, new, &manifest.identity, &arena));
        }
    }
    let items = list(items.into_iter().flatten(), &arena);
    let members = whole.node().entries(&arena).iter();
    let replaced = members.map(|entry| (entry.key, if entry.key.is(ITEMS) { items } else { entry.value }));
    Ok(to_bytes(map(replaced, &arena)))
}

/// The new value; `None` if the object is deleted.
fn checked_result<'m>(change: &ObjectChange<'m, '_>) -> Result<Option<Document<'m>>> {
    change.json.map(|json| checked(change.manifest.source, json)).transpose()
}

/// The new value of an item without the apiVersion and kind that came from its list.
fn as_written<'a>(item: Node<'a>, new: Node<'a>, list: &Identity, arena: &'a Arena) -> Node<'a> {
    if !has_no_kind(item) {
        return new;
    }
    // What was filled in from the list is not written back into the file.
    let is_from_list = |entry: &Entry<'a>| {
        let given = match &*entry.key.text() {
            API_VERSION => &list.api_version,
            KIND => &list.kind,
            _ => return false,
        };
        item.get(&entry.key.text()).is_none() && entry.value.as_str().is_some_and(|text| text.is(given))
    };
    let rest = new.entries(arena).iter().filter(|entry| !is_from_list(entry));
    map(rest.map(|entry| (entry.key, entry.value)), arena)
}
