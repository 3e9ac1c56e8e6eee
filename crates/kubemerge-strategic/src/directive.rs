//! The directives of a patch map, parsed once. No other file knows how they are spelled.

use kubemerge_value::part::{item_at_mut, part_of};
use kubemerge_value::{Arena, Entry, MapEdit, Node, Str};
use memchr::{memchr, memchr_iter, memmem};

/// What a map, or an item of a keyed list, wants to happen to itself.
pub const PATCH: &str = "$patch";
/// The fields that survive.
pub const RETAIN_KEYS: &str = "$retainKeys";
/// The order of a list.
pub const SET_ELEMENT_ORDER: &str = "$setElementOrder";
/// Values to remove from a list.
pub const DELETE_FROM_PRIMITIVE_LIST: &str = "$deleteFromPrimitiveList";

/// The word for removal, as a value of [`PATCH`].
pub const DELETE: &str = "delete";
/// The word for replacement, as a value of [`PATCH`].
pub const REPLACE: &str = "replace";
/// The word for a plain merge, as a value of [`PATCH`].
pub const MERGE: &str = "merge";

/// A value of `$patch`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum PatchWord {
    Delete,
    Replace,
    Merge,
    Unknown,
}

impl PatchWord {
    pub(crate) fn of(value: Node<'_>) -> Self {
        match value.as_str() {
            Some(word) if word.is(DELETE) => PatchWord::Delete,
            Some(word) if word.is(REPLACE) => PatchWord::Replace,
            Some(word) if word.is(MERGE) => PatchWord::Merge,
            _ => PatchWord::Unknown,
        }
    }

    /// The word of a list item or map; `None` if it has no `$patch`.
    pub(crate) fn in_map(map: Node<'_>) -> Option<Self> {
        map.get(PATCH).map(PatchWord::of)
    }
}

/// A patch map, taken apart.
pub(crate) struct MapPatch<'a> {
    /// The map itself.
    pub(crate) node: Node<'a>,
    /// The value of `$patch`.
    pub(crate) patch: Option<Node<'a>>,
    /// The value of `$retainKeys`.
    pub(crate) retain_keys: Option<Node<'a>>,
    /// What is said about each field, in the order of first mention.
    pub(crate) fields: bumpalo::collections::Vec<'a, FieldPatch<'a>>,
    /// The first directive whose key is not spelled as it must be.
    pub(crate) malformed: Option<Malformed<'a>>,
}

/// What a patch map says about one field.
#[derive(Clone, Copy)]
pub(crate) struct FieldPatch<'a> {
    pub(crate) field: Str<'a>,
    pub(crate) value: Option<Node<'a>>,
    /// The directive entry that orders the list.
    pub(crate) order: Option<&'a Entry<'a>>,
    /// The directive entry that removes values from the list.
    pub(crate) delete: Option<&'a Entry<'a>>,
    /// Whether the patch removes the field by setting another member of its union.
    pub(crate) excluded: bool,
}

/// A directive key that is not exactly the word, a slash and a field name.
#[derive(Clone, Copy)]
pub(crate) enum Malformed<'a> {
    Order(Entry<'a>),
    Delete(Entry<'a>),
}

/// What a key of a patch map is.
enum Key<'a> {
    Patch,
    RetainKeys,
    Order(Str<'a>),
    Delete(Str<'a>),
    MalformedOrder,
    MalformedDelete,
    Field,
}

impl<'a> MapPatch<'a> {
    pub(crate) fn parse(node: Node<'a>, arena: &'a Arena) -> Self {
        let entries = node.entries(arena);
        let mut patch = MapPatch {
            node,
            patch: None,
            retain_keys: None,
            fields: bumpalo::collections::Vec::with_capacity_in(entries.len(), arena),
            malformed: None,
        };
        // Most patches have none, and need no index of their fields.
        let mut directives = false;
        for entry in entries {
            match classify(entry.key, arena) {
                Key::Field => patch.fields.push(FieldPatch::of(entry.key, Some(entry.value))),
                Key::Patch => patch.patch = Some(entry.value),
                Key::RetainKeys => patch.retain_keys = Some(entry.value),
                // Order lists are judged before delete lists.
                Key::MalformedOrder => patch.malformed = Some(Malformed::Order(*entry)),
                Key::MalformedDelete => _ = patch.malformed.get_or_insert(Malformed::Delete(*entry)),
                Key::Order(_) | Key::Delete(_) => directives = true,
            }
        }
        if directives {
            patch.attach_directives(entries, arena);
        }
        patch
    }

    /// Removes fields, given sorted, whatever else the patch says about them.
    pub(crate) fn exclude(&mut self, names: &[&str], arena: &'a Arena) {
        let mut unsaid: Vec<bool> = vec![true; names.len()];
        for said in &mut self.fields {
            let Ok(at) = names.binary_search(&&*said.field.text()) else { continue };
            *item_at_mut(&mut unsaid, at) = false;
            // A null without directives says so itself.
            if said.has_directive() || !said.value.is_some_and(Node::is_null) {
                *said = FieldPatch::excluded(said.field);
            }
        }
        let unsaid = names.iter().zip(unsaid).filter(|(_, unsaid)| *unsaid);
        self.fields.extend(unsaid.map(|(name, _)| FieldPatch::excluded(Str::plain(arena.alloc_str(name)))));
    }

    /// Puts order and delete lists beside the values of their fields.
    fn attach_directives(&mut self, entries: &'a [Entry<'a>], arena: &'a Arena) {
        let mut index: hashbrown::HashMap<Str<'a>, usize> =
            self.fields.iter().enumerate().map(|(at, field)| (field.field, at)).collect();
        for entry in entries {
            let (field, order) = match classify(entry.key, arena) {
                Key::Order(field) => (field, true),
                // Upstream: without a name after the slash the key itself is the field
                // (apply/delete-list.yaml, `directive key with an empty field name`).
                Key::Delete(field) if field.is("") => (entry.key, false),
                Key::Delete(field) => (field, false),
                _ => continue,
            };
            let at = *index.entry(field).or_insert_with(|| {
                self.fields.push(FieldPatch::of(field, None));
                self.fields.len() - 1
            });
            let slot = item_at_mut(&mut self.fields, at);
            if order {
                slot.order = Some(entry);
            } else {
                slot.delete = Some(entry);
            }
        }
    }
}

impl<'a> FieldPatch<'a> {
    /// Whether an order list or a delete list is beside the field.
    pub(crate) fn has_directive(&self) -> bool {
        self.order.is_some() || self.delete.is_some()
    }

    /// A directive that names no field.
    pub(crate) fn nameless(&self) -> Option<Malformed<'a>> {
        let order = self.order.filter(|_| self.field.is("")).copied().map(Malformed::Order);
        order.or(self.delete.filter(|entry| entry.key == self.field).copied().map(Malformed::Delete))
    }

    fn excluded(field: Str<'a>) -> Self {
        FieldPatch { excluded: true, ..FieldPatch::of(field, Some(Node::NULL)) }
    }

    fn of(field: Str<'a>, value: Option<Node<'a>>) -> Self {
        FieldPatch { field, value, order: None, delete: None, excluded: false }
    }
}

/// The delete lists of a patch map whose keys are not spelled as they must be.
pub(crate) fn malformed_delete_lists<'a>(patch: &MapPatch<'a>, arena: &'a Arena) -> Vec<Entry<'a>> {
    if patch.malformed.is_none() {
        return Vec::new();
    }
    let malformed = |entry: &&Entry<'a>| matches!(classify(entry.key, arena), Key::MalformedDelete);
    patch.node.entries(arena).iter().filter(malformed).copied().collect()
}

/// Whether a key is one of the four directives, well spelled or not.
pub(crate) fn is_directive(key: Str<'_>) -> bool {
    key.starts_with("$")
        && (key.is(PATCH)
            || key.is(RETAIN_KEYS)
            || key.starts_with(SET_ELEMENT_ORDER)
            || key.starts_with(DELETE_FROM_PRIMITIVE_LIST))
}

/// Whether a document may hold a directive: false only if its text surely holds none, in any spelling.
pub(crate) fn may_hold_directives(document: Node<'_>) -> bool {
    let Some(text) = document.as_text() else { return true };
    // The names go on with one of these letters, or with an escaped one.
    let starts_name = |dollar: usize| {
        part_of(text, ..dollar).ends_with(b"\"")
            && matches!(text.get(dollar + 1), Some(b'p' | b'r' | b's' | b'd' | b'\\'))
    };
    let has_escaped = |escape: usize| memmem::find(part_of(text, escape..), b"\\u0024").is_some();
    // One pass over the bytes is cheaper than a walk that visits every key.
    memchr_iter(b'$', text).any(starts_name) || memchr(b'\\', text).is_some_and(has_escaped)
}

fn classify<'a>(key: Str<'a>, arena: &'a Arena) -> Key<'a> {
    if !key.starts_with("$") {
        return Key::Field;
    }
    if key.is(PATCH) {
        return Key::Patch;
    }
    if key.is(RETAIN_KEYS) {
        return Key::RetainKeys;
    }
    if key.starts_with(SET_ELEMENT_ORDER) {
        return field_after(key, SET_ELEMENT_ORDER, arena).map_or(Key::MalformedOrder, Key::Order);
    }
    if key.starts_with(DELETE_FROM_PRIMITIVE_LIST) {
        return field_after(key, DELETE_FROM_PRIMITIVE_LIST, arena).map_or(Key::MalformedDelete, Key::Delete);
    }
    Key::Field
}

/// The field name after the word and a slash.
fn field_after<'a>(key: Str<'a>, word: &str, arena: &'a Arena) -> Option<Str<'a>> {
    // Only keys with escapes have to be copied.
    if let Some(text) = key.borrowed() {
        return text.strip_prefix(word)?.strip_prefix('/').map(Str::plain);
    }
    let text = key.text();
    let field = text.strip_prefix(word)?.strip_prefix('/')?;
    Some(Str::plain(arena.alloc_str(field)))
}

/// The map as it is, less its `$patch`.
pub(crate) fn without_patch<'a>(map: Node<'a>, arena: &'a Arena) -> Node<'a> {
    let mut edit = MapEdit::new(map, arena);
    if edit.seek(PATCH.into()).is_some() {
        edit.remove();
    }
    edit.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use kubemerge_value::{Document, to_bytes};

    fn check(patch: &str, test: impl FnOnce(MapPatch<'_>)) {
        let arena = Arena::new();
        let document = Document::check(patch.as_bytes()).unwrap();
        test(MapPatch::parse(document.node(), &arena));
    }

    #[test]
    fn directives_are_attached_to_their_fields() {
        check(
            r#"{"$setElementOrder/a":[1],"b":2,"a":[1],"$deleteFromPrimitiveList/a":[3],"$retainKeys":["a"]}"#,
            |patch| {
                assert_eq!(patch.fields.len(), 2);
                let a = patch.fields.iter().find(|field| field.field.is("a")).unwrap();
                assert_eq!(to_bytes(a.order.unwrap().value), b"[1]");
                assert_eq!(to_bytes(a.delete.unwrap().value), b"[3]");
                assert!(patch.retain_keys.is_some() && patch.patch.is_none() && patch.malformed.is_none());
            },
        );
    }

    #[test]
    fn the_field_name_is_everything_after_the_first_slash() {
        check(r#"{"\u0024setElementOrder/a/b":[]}"#, |patch| assert!(patch.fields[0].field.is("a/b")));
        check(r#"{"$setElementOrder/":[]}"#, |patch| assert!(patch.fields[0].field.is("")));
    }

    #[test]
    fn malformed_keys_are_noted() {
        check(r#"{"$setElementOrderx/a":[]}"#, |patch| {
            assert!(matches!(patch.malformed, Some(Malformed::Order(_))));
        });
        check(r#"{"$deleteFromPrimitiveList":[]}"#, |patch| {
            assert!(matches!(patch.malformed, Some(Malformed::Delete(_))));
        });
        check(r#"{"$other":1}"#, |patch| assert_eq!(patch.fields.len(), 1));
    }
}
