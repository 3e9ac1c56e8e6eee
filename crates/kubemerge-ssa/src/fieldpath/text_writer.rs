//! Writes `fieldsV1` in the order of paths, node by node, without a set in between.

use super::Element;
use super::label::write_quoted_label;

/// Room for the text of most objects.
const TEXT_BYTES: usize = 1024;

/// `fieldsV1`, as far as it was written.
pub(crate) struct FieldsWriter {
    text: Vec<u8>,
    /// Scratch for labels, which are written twice.
    scratch: Vec<u8>,
}

/// A node that was begun: where its label, its mark as a member, and what is below it begin.
#[derive(Clone, Copy)]
pub(crate) struct OpenNode {
    start: usize,
    inside: usize,
    below: usize,
    membership: Membership,
}

/// Whether the path of a node is in the set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Membership {
    Member,
    /// It is there only for what is below it.
    OnTheWay,
}

impl FieldsWriter {
    pub(crate) fn new() -> Self {
        let mut text = Vec::with_capacity(TEXT_BYTES);
        text.push(b'{');
        FieldsWriter { text, scratch: Vec::new() }
    }

    /// Writes the label of a declared field, whose name needs no escapes; answers where it begins.
    pub(crate) fn field(&mut self, name: &str) -> usize {
        let start = self.begin();
        self.text.extend_from_slice(b"\"f:");
        self.text.extend_from_slice(name.as_bytes());
        self.text.extend_from_slice(b"\":{");
        start
    }

    /// Writes the label of any element; answers where it begins.
    pub(crate) fn element(&mut self, element: Element<'_>) -> usize {
        let start = self.begin();
        self.scratch.clear();
        write_quoted_label(element, &mut self.scratch, &mut self.text);
        self.text.extend_from_slice(b":{");
        start
    }

    /// Ends a node with nothing below it.
    pub(crate) fn end_leaf(&mut self) {
        self.text.push(b'}');
    }

    /// Begins what is below the label that was written last.
    pub(crate) fn open(&mut self, start: usize, membership: Membership) -> OpenNode {
        let inside = self.text.len();
        // Whether anything is below it is known only at its end.
        if membership == Membership::Member {
            self.text.extend_from_slice(b"\".\":{}");
        }
        OpenNode { start, inside, below: self.text.len(), membership }
    }

    /// Ends a node. One that is no member and has nothing below it is no part of the set.
    pub(crate) fn close(&mut self, node: OpenNode) {
        let has_below = self.text.len() > node.below;
        match node.membership {
            Membership::OnTheWay if !has_below => return self.text.truncate(node.start),
            // A member without anything below it is `{}`.
            Membership::Member if !has_below => self.text.truncate(node.inside),
            _ => {}
        }
        self.text.push(b'}');
    }

    /// The whole text.
    pub(crate) fn finish(mut self) -> String {
        self.text.push(b'}');
        // Made of labels, which are UTF-8.
        String::from_utf8(self.text).unwrap_or_default()
    }

    /// Begins a label: siblings are separated by commas.
    fn begin(&mut self) -> usize {
        let start = self.text.len();
        if self.text.last() != Some(&b'{') {
            self.text.push(b',');
        }
        start
    }
}
