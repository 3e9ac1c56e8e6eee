//! The two ways in for bytes: checked, and canonical.

use crate::{
    check::check,
    error::ParseError,
    node::{Node, Repr},
    shared::ByteSpan,
    text::{Ends, Extent, Form, Text},
};

/// Bytes that were checked: valid UTF-8, one JSON value, not nested too deep.
///
/// ```
/// use kubemerge_value::{Document, Kind};
///
/// let document = Document::check(br#"{"replicas": 3}"#)?;
/// assert_eq!(document.node().get("replicas").unwrap().kind(), Kind::Int);
/// # Ok::<(), kubemerge_value::ParseError>(())
/// ```
#[derive(Clone)]
pub struct Document<'a> {
    bytes: &'a [u8],
    ends: Ends,
    depth: usize,
}

impl<'a> Document<'a> {
    /// Checks the bytes.
    ///
    /// # Errors
    /// If they are not one JSON value in UTF-8, or nested deeper than [`MAX_DEPTH`](crate::MAX_DEPTH).
    pub fn check(bytes: &'a [u8]) -> Result<Self, ParseError> {
        let checked = check(bytes)?;
        Ok(Document { bytes, ends: checked.ends, depth: checked.depth })
    }

    /// The value.
    pub fn node(&self) -> Node<'_> {
        Node::from_text(self.bytes, Form::Given, &self.ends)
    }

    /// How deep the value is nested: 0 for a scalar.
    pub fn depth(&self) -> usize {
        self.depth
    }

    /// The bytes as they were given.
    pub fn as_bytes(&self) -> &'a [u8] {
        self.bytes
    }
}

/// A document as Go's encoder writes it: compact, members sorted and unique, Go's escapes and numbers.
///
/// Only kubemerge makes one, so its text may be trusted and is scanned only as far as needed.
pub struct Canonical {
    bytes: Vec<u8>,
    /// Only for documents that are nested deep: a walk of the others looks at every byte once anyway.
    ends: Ends,
}

/// Documents nested deeper have an index of their large containers.
// Without an index, finding the end of a container costs its length at every level; up to here that is cheap.
const MAX_UNINDEXED_DEPTH: usize = 64;

impl Canonical {
    /// Only for bytes that a canonical writer wrote; `depth` is at least how deep they are nested.
    pub(crate) fn written(bytes: Vec<u8>, depth: usize) -> Self {
        let checked = if depth > MAX_UNINDEXED_DEPTH { check(&bytes).ok() } else { None };
        let ends = checked.map_or_else(|| Ends::new(&bytes, Vec::new()), |checked| checked.ends);
        Canonical { bytes, ends }
    }

    /// The value.
    pub fn node(&self) -> Node<'_> {
        Node::from_text(&self.bytes, Form::Canonical, &self.ends)
    }

    /// The value at a position in this document or a copy of it; `None` if it is the position of no value.
    pub fn at(&self, span: ByteSpan) -> Option<Node<'_>> {
        let bytes = self.bytes.get(span.range()).filter(|bytes| !bytes.is_empty())?;
        let text = Text { bytes, form: Form::Canonical, extent: Extent::Closed, ends: self.ends() };
        Some(Node(Repr::Text(text)))
    }

    /// The bytes.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        // Canonical writers write ASCII and pieces of checked strings, so it is always UTF-8.
        std::str::from_utf8(&self.bytes).unwrap_or_default()
    }

    /// What is known of the ends of large containers.
    pub(crate) fn ends(&self) -> Option<&Ends> {
        (!self.ends.is_empty()).then_some(&self.ends)
    }

    /// The bytes, without a copy.
    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }
}

impl Clone for Canonical {
    fn clone(&self) -> Self {
        let bytes = self.bytes.clone();
        // Ends are found by address, and the copy has another one.
        let ends = self.ends.of_copy(&bytes);
        Canonical { bytes, ends }
    }
}

impl PartialEq for Canonical {
    fn eq(&self, other: &Self) -> bool {
        // Canonical text has one spelling for each value.
        self.bytes == other.bytes
    }
}

impl Eq for Canonical {}

impl std::fmt::Debug for Canonical {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&String::from_utf8_lossy(&self.bytes))
    }
}

impl<'a> From<&'a Document<'a>> for Node<'a> {
    fn from(document: &'a Document<'a>) -> Self {
        document.node()
    }
}

impl<'a> From<&'a Canonical> for Node<'a> {
    fn from(canonical: &'a Canonical) -> Self {
        canonical.node()
    }
}
