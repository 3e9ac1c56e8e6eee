//! A value inside of a canonical document, owned together with the others: copies share the document.

use std::{fmt, ops::Range, sync::Arc};

use super::span::ByteSpan;
use crate::{
    document::Canonical,
    node::{Node, Repr},
    part::part_of,
    string::Str,
    text::{Extent, Form, MemberScan, Text},
};

/// A value of a shared canonical document. Equal text means equal values.
///
/// ```
/// use kubemerge_value::{Canonical, SharedValue};
/// use std::sync::Arc;
///
/// let document = Canonical::from_bytes(br#"{"kind": "Pod", "spec": {"nodeName": "a"}}"#)?;
/// let whole = SharedValue::from(Arc::new(document));
/// let (name, spec) = whole.members().nth(1).unwrap();
/// assert!(name.is("spec"));
/// assert_eq!(spec.as_bytes(), br#"{"nodeName":"a"}"#);
/// # Ok::<(), kubemerge_value::ParseError>(())
/// ```
#[derive(Clone)]
pub struct SharedValue {
    document: Arc<Canonical>,
    span: Range<usize>,
}

impl SharedValue {
    /// The value.
    pub fn node(&self) -> Node<'_> {
        Node(Repr::Text(self.text()))
    }

    fn text(&self) -> Text<'_> {
        let (bytes, ends) = (self.as_bytes(), self.document.ends());
        Text { bytes, form: Form::Canonical, extent: Extent::Closed, ends }
    }

    /// Its text.
    pub fn as_bytes(&self) -> &[u8] {
        part_of(self.document.as_bytes(), self.span.clone())
    }

    /// Its text.
    pub fn as_str(&self) -> &str {
        // A part of canonical text that begins and ends at a token, so it is UTF-8 as the whole is.
        std::str::from_utf8(self.as_bytes()).unwrap_or_default()
    }

    /// The document.
    pub fn document(&self) -> &Arc<Canonical> {
        &self.document
    }

    /// Where it is in its document.
    pub fn span(&self) -> ByteSpan {
        ByteSpan::new(self.span.clone())
    }

    /// Another value of the same document.
    ///
    /// # Panics
    /// If the document has no such place; that of another document may do worse and find no value there.
    #[must_use]
    pub fn at(&self, span: ByteSpan) -> SharedValue {
        let span = span.range();
        // A programming error; going on would show bytes of an unrelated value.
        assert!(span.end <= self.document.as_bytes().len(), "the place of another document");
        SharedValue { document: self.document.clone(), span }
    }

    /// The members of a map, sorted by name. None for other values.
    pub fn members(&self) -> impl Iterator<Item = (Str<'_>, SharedValue)> {
        let text = self.text();
        let mut scan = (text.first() == b'{').then(|| MemberScan::of_map(text));
        std::iter::from_fn(move || {
            let scan = scan.as_mut()?;
            let name = scan.next_name()?;
            let start = self.span.start;
            let span = start + name.value_at..start + scan.last_end();
            Some((name.key, SharedValue { document: self.document.clone(), span }))
        })
    }
}

impl From<Arc<Canonical>> for SharedValue {
    fn from(document: Arc<Canonical>) -> Self {
        let span = 0..document.as_bytes().len();
        SharedValue { document, span }
    }
}

impl From<Canonical> for SharedValue {
    fn from(document: Canonical) -> Self {
        SharedValue::from(Arc::new(document))
    }
}

impl<'a> From<&'a SharedValue> for Node<'a> {
    fn from(shared: &'a SharedValue) -> Self {
        shared.node()
    }
}

impl PartialEq for SharedValue {
    fn eq(&self, other: &Self) -> bool {
        self.as_bytes() == other.as_bytes()
    }
}

impl Eq for SharedValue {}

impl fmt::Debug for SharedValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&String::from_utf8_lossy(self.as_bytes()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shared(text: &str) -> SharedValue {
        SharedValue::from(Canonical::from_bytes(text.as_bytes()).unwrap())
    }

    fn members(shared: &SharedValue) -> Vec<String> {
        shared.members().map(|(name, value)| format!("{}={value:?}", name.text())).collect()
    }

    #[test]
    fn members_share_the_document() {
        let whole = shared(r#"{"c": [1, {"d": "}"}], "a": "x\"y", "b": {}, "e": -1}"#);
        assert_eq!(members(&whole), [r#"a="x\"y""#, "b={}", r#"c=[1,{"d":"}"}]"#, "e=-1"]);
        let inner: Vec<SharedValue> = whole.members().map(|(_, one)| one).collect();
        assert!(inner.iter().all(|one| Arc::ptr_eq(&one.document, &whole.document)));
        assert_eq!(inner[1], shared("{}"));
        assert!(members(&inner[1]).is_empty() && members(&inner[2]).is_empty());
    }

    #[test]
    fn a_deep_document_stays_cheap_to_walk() {
        let levels = 5_000;
        let mut at = shared(&("{\"a\":".repeat(levels) + "1" + &"}".repeat(levels)));
        let mut walked = 0;
        loop {
            let inner = at.members().next().map(|(_, inner)| inner);
            at = match inner {
                Some(inner) => inner,
                None => break,
            };
            walked += 1;
        }
        assert_eq!((walked, at.as_bytes()), (levels, &b"1"[..]));
    }
}
