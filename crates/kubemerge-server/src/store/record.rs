//! A stored object: canonical JSON text and the places in it that an answer may have to change.
//!
//! The text carries no resourceVersion, because the revision is only known once the write has happened.
//! It is put in when the object is read, at the place the layout remembers; the same way a list item loses
//! its `apiVersion` and `kind`. Each form costs one copy of the text.

use std::{ops::Range, sync::Arc};

use bytes::Bytes;
use kubemerge_value::{Canonical, Node, SharedValue, Str, shared::ByteSpan};

use smallvec::SmallVec;

use super::{
    Revision,
    field_name::{Name, field_name},
    metadata_field::Field,
};

/// Where things are in a record's text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Layout {
    /// `"apiVersion":"…",` with its comma, since metadata follows.
    pub(super) api_version: Range<usize>,
    /// `"kind":"…",` with its comma, since metadata follows.
    pub(super) kind: Range<usize>,
    /// The value of `metadata`.
    pub(super) metadata: Range<usize>,
    /// The values in the metadata, by field.
    pub(super) meta: [ByteSpan; Field::COUNT],
    /// All other members.
    pub(super) fields: SmallVec<[(Name, ByteSpan); 2]>,
    /// Where the text of the member `"resourceVersion":"…"` belongs.
    pub(super) resource_version: usize,
    /// Whether a comma belongs before or after that member.
    pub(super) comma: Comma,
}

impl Layout {
    /// Finds the places; text without metadata has none.
    fn of(text: &SharedValue) -> Layout {
        let mut layout = Layout::default();
        for (name, value) in text.members() {
            let range = value.span().range();
            // `metadata` is the last of the three by name and always written, so that a comma follows the
            // other two.
            let with_comma = |name: &str| range.start - name.len() - "\"\":".len()..range.end + 1;
            if name.is("apiVersion") {
                layout.api_version = with_comma("apiVersion");
            } else if name.is("kind") {
                layout.kind = with_comma("kind");
            } else if name.is("metadata") {
                layout.find_in_metadata(&value);
            } else {
                layout.fields.push((field_name(name), value.span()));
            }
        }
        layout
    }

    fn find_in_metadata(&mut self, metadata: &SharedValue) {
        self.metadata = metadata.span().range();
        let (mut before, mut after) = (None, false);
        for (name, value) in metadata.members() {
            // Members are sorted, so that the place is after the last smaller name.
            match name > Str::plain("resourceVersion") {
                true => after = true,
                false => before = Some(value.span().range().end),
            }
            if let Some(field) = Field::named(name) {
                self.meta[field as usize] = value.span();
            }
        }
        let start = self.metadata.start + 1;
        (self.resource_version, self.comma) = match (before, after) {
            (Some(end), true) => (end + 1, Comma::After),
            (None, true) => (start, Comma::After),
            (Some(end), false) => (end, Comma::Before),
            (None, false) => (start, Comma::None),
        };
    }
}

/// The comma that joins the resourceVersion to its neighbours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Comma {
    /// It is the only member.
    #[default]
    None,
    /// Members follow.
    After,
    /// It is the last member.
    Before,
}

/// The text of one object, ready to be stored.
#[derive(Clone, Debug)]
pub struct Record {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    text: Arc<Canonical>,
    layout: Layout,
    owners: Vec<String>,
}

/// A record with the revision of its last write.
#[derive(Clone, Debug)]
pub struct Stored {
    /// The object.
    pub record: Record,
    /// When it was last written; its resourceVersion.
    pub revision: Revision,
}

impl Record {
    /// A record from the text of an object without resourceVersion, and the uids of its owners.
    pub fn new(text: Canonical, owners: Vec<String>) -> Self {
        let text = Arc::new(text);
        let layout = Layout::of(&text.clone().into());
        Record { inner: Arc::new(Inner { text, layout, owners }) }
    }

    /// A record whose writer knows where things are.
    pub(super) fn written(text: Canonical, layout: Layout, owners: Vec<String>) -> Self {
        let text = Arc::new(text);
        debug_assert_eq!(layout, Layout::of(&text.clone().into()));
        Record { inner: Arc::new(Inner { text, layout, owners }) }
    }

    /// The object without its resourceVersion.
    pub fn canonical(&self) -> &Canonical {
        &self.inner.text
    }

    /// The object without its resourceVersion, as a tree to look into.
    pub fn node(&self) -> Node<'_> {
        self.inner.text.node()
    }

    /// The same as an excerpt that shares the text.
    pub(crate) fn shared(&self) -> SharedValue {
        SharedValue::from(self.inner.text.clone())
    }

    /// The members but the type and the metadata.
    pub(crate) fn fields(&self) -> impl ExactSizeIterator<Item = (&Name, ByteSpan)> {
        self.inner.layout.fields.iter().map(|(name, span)| (name, *span))
    }

    /// The fields of the metadata.
    pub(crate) fn metadata_spans(&self) -> &[ByteSpan; Field::COUNT] {
        &self.inner.layout.meta
    }

    /// The text of the metadata; empty if there are none.
    pub(crate) fn metadata(&self) -> &[u8] {
        &self.text()[self.inner.layout.metadata.clone()]
    }

    /// Whether the object is being deleted.
    pub(crate) fn is_terminating(&self) -> bool {
        !self.inner.layout.meta[Field::DeletionTimestamp as usize].is_nowhere()
    }

    fn text(&self) -> &[u8] {
        self.inner.text.as_bytes()
    }

    /// The uids of the objects that own this one.
    pub fn owners(&self) -> &[String] {
        &self.inner.owners
    }

    /// The value of `apiVersion` in the text.
    pub fn api_version(&self) -> &str {
        self.type_part(&self.inner.layout.api_version, b"\"apiVersion\":\"")
    }

    /// The value of `kind` in the text.
    pub fn kind(&self) -> &str {
        self.type_part(&self.inner.layout.kind, b"\"kind\":\"")
    }

    fn type_part(&self, member: &Range<usize>, name: &[u8]) -> &str {
        // The range includes the name and the comma, because list items leave out all of it.
        let value = self.text()[member.clone()].strip_prefix(name).and_then(|rest| rest.strip_suffix(b"\","));
        value.and_then(|text| std::str::from_utf8(text).ok()).unwrap_or_default()
    }

    /// The whole object as it was at a revision.
    pub fn render(&self, revision: Revision) -> Bytes {
        let mut out = Vec::with_capacity(self.size(revision));
        self.write(revision, Head::Stored, &mut out);
        out.into()
    }

    /// How many bytes the whole object takes, as it was at a revision.
    pub fn size(&self, revision: Revision) -> usize {
        let digits = revision.checked_ilog10().unwrap_or(0) as usize + 1;
        let comma = usize::from(self.inner.layout.comma != Comma::None);
        self.text().len() + "\"resourceVersion\":\"\"".len() + digits + comma
    }

    /// Appends the object as it was at a revision.
    pub fn write(&self, revision: Revision, head: Head<'_>, out: &mut Vec<u8>) {
        let Layout { resource_version, comma, .. } = &self.inner.layout;
        self.write_head(head, out);
        if *comma == Comma::Before {
            out.push(b',');
        }
        out.extend_from_slice(b"\"resourceVersion\":\"");
        write_decimal(revision, out);
        out.push(b'"');
        if *comma == Comma::After {
            out.push(b',');
        }
        out.extend_from_slice(&self.text()[*resource_version..]);
    }

    /// Appends the object without a resourceVersion: it was never stored.
    pub fn write_unstored(&self, head: Head<'_>, out: &mut Vec<u8>) {
        self.write_head(head, out);
        out.extend_from_slice(&self.text()[self.inner.layout.resource_version..]);
    }

    /// Everything before the place of the resourceVersion.
    fn write_head(&self, head: Head<'_>, out: &mut Vec<u8>) {
        let Layout { api_version, kind, resource_version, .. } = &self.inner.layout;
        let text = self.text();
        match head {
            Head::Stored => out.extend_from_slice(&text[..*resource_version]),
            Head::Version(version) => {
                out.extend_from_slice(&text[..api_version.start]);
                out.extend_from_slice(format!("\"apiVersion\":\"{version}\",").as_bytes());
                out.extend_from_slice(&text[api_version.end..*resource_version]);
            }
            Head::Without => {
                out.extend_from_slice(&text[..api_version.start]);
                out.extend_from_slice(&text[api_version.end..kind.start]);
                out.extend_from_slice(&text[kind.end..*resource_version]);
            }
        }
    }
}

/// What an answer has in place of the stored `apiVersion` and `kind`.
#[derive(Clone, Copy, Debug)]
pub enum Head<'a> {
    /// Both, as stored.
    Stored,
    /// Both, with another `apiVersion`.
    Version(&'a str),
    /// Neither: the item of a list.
    Without,
}

impl Stored {
    /// The whole object.
    pub fn render(&self) -> Bytes {
        self.record.render(self.revision)
    }
}

fn write_decimal(mut number: u64, out: &mut Vec<u8>) {
    // u64::MAX has 20 digits.
    let mut digits = [0u8; 20];
    let mut at = digits.len();
    loop {
        at -= 1;
        digits[at] = b'0' + (number % 10) as u8;
        number /= 10;
        if number == 0 {
            break;
        }
    }
    out.extend_from_slice(&digits[at..]);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record() -> Record {
        let text = r#"{"apiVersion":"v1","data":{},"kind":"ConfigMap","metadata":{"name":"c","uid":"u"}}"#;
        Record::new(Canonical::from_bytes(text.as_bytes()).unwrap(), vec![])
    }

    fn written(head: Head<'_>) -> String {
        let mut out = Vec::new();
        record().write(120, head, &mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn the_revision_is_put_in_its_place() {
        assert_eq!(
            written(Head::Stored),
            r#"{"apiVersion":"v1","data":{},"kind":"ConfigMap","metadata":{"name":"c","resourceVersion":"120","uid":"u"}}"#
        );
    }

    #[test]
    fn the_size_is_known_before() {
        for (text, revision) in [("{}", 0), (r#"{"name":"c"}"#, 9), (r#"{"uid":"u"}"#, 10), ("{}", 999_999)] {
            let text = format!(r#"{{"apiVersion":"v1","kind":"K","metadata":{text}}}"#);
            let record = Record::new(Canonical::from_bytes(text.as_bytes()).unwrap(), vec![]);
            assert_eq!(record.size(revision), record.render(revision).len(), "{text}");
        }
    }

    #[test]
    fn a_list_item_has_no_type() {
        assert_eq!(
            written(Head::Without),
            r#"{"data":{},"metadata":{"name":"c","resourceVersion":"120","uid":"u"}}"#
        );
    }

    #[test]
    fn another_version_changes_only_api_version() {
        assert_eq!(record().api_version(), "v1");
        assert!(written(Head::Version("v2")).starts_with(r#"{"apiVersion":"v2","data""#));
    }
}
