//! Text in which some values have become others: everything around them stays as it is.
//!
//! This is the lightest result there is: however deep a value is nested, changing it takes one entry in a list.

use super::repr::{Entry, Node, Repr};
use crate::{
    Arena,
    part::part_of,
    text::{ElementScan, Ends, Extent, Form, MemberScan, Text},
};

/// A map or list whose text has other values at some places.
#[derive(Clone, Copy)]
pub(crate) struct Edited<'a> {
    /// The text of the map or list.
    bytes: &'a [u8],
    /// What is known of the whole document; at least one of its edits is in this text.
    document: &'a EditedDocument<'a>,
}

struct EditedDocument<'a> {
    /// By their place in the text.
    edits: &'a [Edit<'a>],
    form: Form,
    /// What is known of the ends of large containers.
    ends: Option<&'a Ends>,
}

/// A value that has become another one.
#[derive(Clone, Copy)]
pub(crate) struct Edit<'a> {
    old: &'a [u8],
    new: Node<'a>,
    /// How many containers of the document the value is in.
    level: usize,
}

impl Edit<'_> {
    /// The address of the old value.
    fn address(&self) -> usize {
        address(self.old)
    }
}

fn address(bytes: &[u8]) -> usize {
    // Edits are distinguished by where their old text is in memory: positions inside parts would have to be
    // converted.
    bytes.as_ptr() as usize
}

/// The edits of a document's text that are being collected.
pub struct TextEdits<'a> {
    arena: &'a Arena,
    edits: bumpalo::collections::Vec<'a, Edit<'a>>,
}

impl<'a> TextEdits<'a> {
    /// No edits yet.
    pub fn new(arena: &'a Arena) -> Self {
        TextEdits { arena, edits: bumpalo::collections::Vec::with_capacity_in(1, arena) }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.edits.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.edits.is_empty()
    }

    /// Forgets all but the first ones.
    pub fn truncate(&mut self, count: usize) {
        self.edits.truncate(count);
    }

    /// Lets a value of the document become another one; it is in `level` containers. What was inside it is gone,
    /// edited or not.
    pub fn replace(&mut self, old: Node<'a>, new: Node<'a>, level: usize) {
        if let Repr::Text(text) = old.0 {
            self.edits.push(Edit { old: text.close().bytes, new, level });
        }
    }

    /// The document with the edits in it.
    pub fn finish(mut self, document: Node<'a>) -> Node<'a> {
        let Repr::Text(text) = document.0 else { return document };
        if self.edits.is_empty() {
            return document;
        }
        // Members of a text as users write it may be changed in any order.
        if !self.edits.is_sorted_by_key(Edit::address) {
            self.edits.sort_by_key(Edit::address);
        }
        let Text { bytes, form, ends, .. } = text.close();
        let document = self.arena.alloc(EditedDocument { edits: self.edits.into_bump_slice(), form, ends });
        Node(Repr::Edited(Edited { bytes, document }))
    }
}

impl<'a> Edited<'a> {
    pub(crate) fn bytes(self) -> &'a [u8] {
        self.bytes
    }

    pub(crate) fn form(self) -> Form {
        self.document.form
    }

    /// Whether the document is nested deep, if it is canonical.
    pub(crate) fn is_deep(self) -> bool {
        self.document.ends.is_some()
    }

    /// Whether this is a map; else it is a list.
    pub(crate) fn is_map(self) -> bool {
        self.bytes.first() == Some(&b'{')
    }

    /// The text, as it was before the edits.
    pub(crate) fn text(self) -> Text<'a> {
        Text { bytes: self.bytes, form: self.form(), extent: Extent::Closed, ends: self.document.ends }
    }

    /// The parts in order: text that was kept, and the values in between.
    pub(crate) fn each_part(self, mut visit: impl FnMut(Part<'a>)) {
        let start = address(self.bytes);
        let mut kept = 0;
        for edit in edits_in(self.document.edits, self.bytes) {
            let at = edit.address() - start;
            // A value inside one that was edited is gone.
            let Some(text) = self.bytes.get(kept..at) else { continue };
            visit(Part::Kept(text));
            visit(Part::New(edit.new, edit.level));
            kept = self.bytes.len().min(at + edit.old.len());
        }
        visit(Part::Kept(part_of(self.bytes, kept..)));
    }

    pub(crate) fn members(self) -> impl Iterator<Item = Entry<'a>> {
        let mut scan = MemberScan::of_map(self.text());
        std::iter::from_fn(move || {
            let (key, value) = scan.next()?;
            Some(Entry { key, value: self.part(value) })
        })
    }

    pub(crate) fn elements(self) -> impl Iterator<Item = Node<'a>> {
        let mut scan = ElementScan::of_list(self.text());
        std::iter::from_fn(move || scan.next().map(|element| self.part(element.value)))
    }

    /// The new value of a place in this text.
    fn part(self, value: Text<'a>) -> Node<'a> {
        let bytes = value.close().bytes;
        match edits_in(self.document.edits, bytes) {
            [] => Node(Repr::Text(value)),
            // The whole value was replaced; otherwise something inside it.
            [edit, ..] if std::ptr::eq(edit.old, bytes) => edit.new,
            _ => Node(Repr::Edited(Edited { bytes, ..self })),
        }
    }
}

/// A part of an edited text.
pub(crate) enum Part<'a> {
    Kept(&'a [u8]),
    /// A value, and how many containers of the document it is in.
    New(Node<'a>, usize),
}

/// The edits that are in a part of the text.
fn edits_in<'a>(edits: &'a [Edit<'a>], part: &[u8]) -> &'a [Edit<'a>] {
    let (start, end) = (address(part), address(part) + part.len());
    let first = edits.partition_point(|edit| edit.address() < start);
    let after = edits.partition_point(|edit| edit.address() < end);
    part_of(edits, first..after)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        Canonical, Document, PullReader, deep_equal, reader::tests::read_value, to_bytes, to_canonical,
        to_value, write::segments,
    };
    use serde_json::{Value, json};

    const TEXT: &str = r#"{"a": {"b": [1, {"c": "old"}], "d": 2}, "e": [], "a<": "old"}"#;

    /// Lets `c` and `d` become other values.
    fn edited<'a>(document: Node<'a>, arena: &'a Arena) -> Node<'a> {
        let inside = document.get("a").unwrap();
        let item = inside.get("b").unwrap().elements(arena)[1];
        let mut edits = TextEdits::new(arena);
        edits.replace(inside.get("d").unwrap(), Node::string("<new>"), 2);
        edits.replace(item.get("c").unwrap(), Node::NULL, 4);
        edits.finish(document)
    }

    fn expected() -> Value {
        json!({"a": {"b": [1, {"c": null}], "d": "<new>"}, "e": [], "a<": "old"})
    }

    #[test]
    fn what_is_not_edited_stays_as_it_stands() {
        let (document, arena) = (Document::check(TEXT.as_bytes()).unwrap(), Arena::new());
        let node = edited(document.node(), &arena);
        let bytes = to_bytes(node);
        let wanted = TEXT.replacen("\"old\"", "null", 1).replace('2', "\"\\u003cnew\\u003e\"");
        assert_eq!(String::from_utf8(bytes.clone()).unwrap(), wanted);
        assert_eq!(segments(node).iter().collect::<Vec<_>>().concat(), bytes);
    }

    #[test]
    fn every_reader_sees_the_edits() {
        let (document, arena) = (Document::check(TEXT.as_bytes()).unwrap(), Arena::new());
        let canonical = Canonical::from_bytes(TEXT.as_bytes()).unwrap();
        for node in [document.node(), canonical.node()] {
            let node = edited(node, &arena);
            assert_eq!(to_value(node).unwrap(), expected());
            assert_eq!(read_value(&mut PullReader::of_node(node, &arena)), expected());
            assert!(deep_equal(node, Node::from_value(&expected()).unwrap()));
            assert_eq!(
                to_canonical(node).as_bytes(),
                expected().to_string().replace('<', "\\u003c").replace('>', "\\u003e").as_bytes()
            );
            assert_eq!(node.entries(&arena).len(), 3);
            assert!(node.elements(&arena).is_empty());
            assert!(!node.is_empty() && node.scalar().is_none() && node.as_text().is_none());
            let list = node.get("a").unwrap().get("b").unwrap();
            assert!(list.elements(&arena)[1].get("c").unwrap().is_null());
            assert!(list.entries(&arena).is_empty() && list.get("c").is_none());
        }
    }

    #[test]
    fn without_edits_the_document_is_itself() {
        let (document, arena) = (Document::check(TEXT.as_bytes()).unwrap(), Arena::new());
        let mut edits = TextEdits::new(&arena);
        edits.replace(document.node().get("e").unwrap(), Node::NULL, 1);
        edits.truncate(0);
        assert!(edits.is_empty() && edits.finish(document.node()).as_text() == Some(TEXT.as_bytes()));
    }

    #[test]
    fn what_is_inside_an_edited_value_is_gone() {
        let (document, arena) = (Document::check(TEXT.as_bytes()).unwrap(), Arena::new());
        let outer = document.node().get("a").unwrap();
        let mut edits = TextEdits::new(&arena);
        edits.replace(outer.get("d").unwrap(), Node::string("lost"), 2);
        edits.replace(outer, Node::NULL, 1);
        let node = edits.finish(document.node());
        assert_eq!(to_value(node).unwrap(), json!({"a": null, "e": [], "a<": "old"}));
        assert_eq!(to_bytes(node), br#"{"a": null, "e": [], "a<": "old"}"#);
    }

    #[test]
    fn a_node_is_small() {
        assert!(size_of::<Node<'_>>() <= 32);
    }

    #[test]
    fn a_deep_value_makes_a_deep_document() {
        let arena = Arena::new();
        let live = Canonical::from_bytes(b"{\"a\":1}").unwrap();
        let deep = format!("{}{}", "[".repeat(500), "]".repeat(500));
        let deep = Document::check(deep.as_bytes()).unwrap();
        let mut edits = TextEdits::new(&arena);
        edits.replace(live.node().get("a").unwrap(), deep.node(), 1);
        let result = to_canonical(edits.finish(live.node()));
        let Repr::Text(text) = result.node().0 else { panic!("text") };
        assert!(text.ends.is_some());
    }
}
