//! Writes `fieldsV1` that is expected to equal a known text: nothing is written as long as it does.

use super::Element;
use super::label::write_quoted_label;

/// `fieldsV1` in the order of paths, as far as it was written.
pub(crate) struct ExpectedFields<'t> {
    expected: &'t [u8],
    /// How much of the expected text was written, unless there is a text of its own.
    len: usize,
    /// The text from the first difference on.
    own: Option<Vec<u8>>,
    label: Vec<u8>,
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

impl<'t> ExpectedFields<'t> {
    pub(crate) fn new(expected: &'t str) -> Self {
        let label = Vec::with_capacity(64);
        let mut this = ExpectedFields { expected: expected.as_bytes(), len: 0, own: None, label };
        this.put_byte(b'{');
        this
    }

    /// Writes the label of a declared field, whose name needs no escapes; answers where it begins.
    pub(crate) fn field(&mut self, name: &str) -> usize {
        let start = self.begin();
        if !self.expects_field(name) {
            self.put(b"\"f:");
            self.put(name.as_bytes());
            self.put(b"\":{");
        }
        start
    }

    /// Writes the label of any element; answers where it begins.
    pub(crate) fn element(&mut self, element: Element<'_>) -> usize {
        let start = self.begin();
        let mut label = std::mem::take(&mut self.label);
        label.clear();
        write_quoted_label(element, &mut Vec::new(), &mut label);
        label.extend_from_slice(b":{");
        self.put(&label);
        self.label = label;
        start
    }

    /// Ends a node with nothing below it.
    pub(crate) fn end_leaf(&mut self) {
        self.put_byte(b'}');
    }

    /// Begins what is below the label that was written last.
    pub(crate) fn open(&mut self, start: usize, membership: Membership) -> OpenNode {
        let inside = self.len();
        // Whether anything is below it is known only at its end.
        if membership == Membership::Member {
            self.put(b"\".\":{}");
        }
        OpenNode { start, inside, below: self.len(), membership }
    }

    /// Ends a node. One that is no member and has nothing below it is no part of the set.
    pub(crate) fn close(&mut self, node: OpenNode) {
        let has_below = self.len() > node.below;
        match node.membership {
            Membership::OnTheWay if !has_below => return self.truncate(node.start),
            // A member without anything below it is `{}`.
            Membership::Member if !has_below => self.truncate(node.inside),
            _ => {}
        }
        self.put_byte(b'}');
    }

    /// The text, or `None` if it is the expected one.
    pub(crate) fn finish(mut self) -> Option<String> {
        self.put_byte(b'}');
        if self.own.is_none() && self.len < self.expected.len() {
            self.own = Some(self.expected[..self.len].to_vec());
        }
        // Made of labels, which are UTF-8.
        self.own.map(|own| String::from_utf8(own).unwrap_or_default())
    }

    fn len(&self) -> usize {
        self.own.as_ref().map_or(self.len, Vec::len)
    }

    /// Begins a label: siblings are separated by commas.
    fn begin(&mut self) -> usize {
        let start = self.len();
        let written = self.own.as_deref().unwrap_or(&self.expected[..self.len]);
        if written.last() != Some(&b'{') {
            self.put_byte(b',');
        }
        start
    }

    /// Passes the label of a field if it is expected.
    fn expects_field(&mut self, name: &str) -> bool {
        let rest = &self.expected[self.len..];
        let end = name.len() + 3;
        let is_expected = self.own.is_none()
            && rest.len() >= end + 3
            && rest[..3] == *b"\"f:"
            && rest[end..end + 3] == *b"\":{"
            && rest[3..end] == *name.as_bytes();
        if is_expected {
            self.len += end + 3;
        }
        is_expected
    }

    /// The same as [`Self::put`] for one byte, which needs no comparison of slices.
    fn put_byte(&mut self, byte: u8) {
        if self.own.is_none() && self.expected.get(self.len) == Some(&byte) {
            self.len += 1;
        } else {
            self.put(&[byte]);
        }
    }

    fn put(&mut self, bytes: &[u8]) {
        match &mut self.own {
            Some(own) => own.extend_from_slice(bytes),
            None if self.expected[self.len..].starts_with(bytes) => self.len += bytes.len(),
            None => {
                let mut own = Vec::with_capacity(self.expected.len().max(1024));
                own.extend_from_slice(&self.expected[..self.len]);
                own.extend_from_slice(bytes);
                self.own = Some(own);
            }
        }
    }

    fn truncate(&mut self, len: usize) {
        match &mut self.own {
            // What was different is gone again.
            Some(_) if len <= self.len => (self.own, self.len) = (None, len),
            Some(own) => own.truncate(len),
            None => self.len = len,
        }
    }
}
