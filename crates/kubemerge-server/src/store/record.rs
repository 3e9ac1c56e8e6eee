//! A stored object: canonical JSON text and the places in it that an answer may have to change.
//!
//! The text carries no resourceVersion, because the revision is only known once the write has happened.
//! It is put in when the object is read, at the place the layout remembers; the same way a list item loses
//! its `apiVersion` and `kind`. Each form costs one copy of the text.

use std::{ops::Range, sync::Arc};

use bytes::Bytes;
use kubemerge_value::{Canonical, Entry, Excerpt, Node, Str};

use super::Revision;
use crate::pattern::Pattern;

/// Where things are in a record's text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Layout {
    /// `"apiVersion":"…",` with its comma, since metadata follows.
    pub(super) api_version: Range<usize>,
    /// `"kind":"…",` with its comma, since metadata follows.
    pub(super) kind: Range<usize>,
    /// The value of `metadata`.
    pub(super) metadata: Range<usize>,
    /// Whether the metadata have a deletionTimestamp.
    pub(super) deletion: Deletion,
    /// Where the text of the member `"resourceVersion":"…"` belongs.
    pub(super) resource_version: usize,
    /// Whether a comma belongs before or behind that member.
    pub(super) comma: Comma,
}

impl Layout {
    /// Finds the places; text without metadata has none.
    fn of(text: &Canonical) -> Layout {
        let mut layout = Layout::default();
        for Entry { key, value } in text.node().sorted_entries() {
            let Some(value_text) = value.as_text() else { continue };
            let place = offset(text.as_bytes(), value_text);
            let with_comma = |name: &str| place - name.len() - "\"\":".len()..place + value_text.len() + 1;
            if key.is("apiVersion") {
                layout.api_version = with_comma("apiVersion");
            } else if key.is("kind") {
                layout.kind = with_comma("kind");
            } else if key.is("metadata") {
                layout.find_in_metadata(text, place, value);
                break;
            }
        }
        layout
    }

    fn find_in_metadata(&mut self, text: &Canonical, start: usize, metadata: Node<'_>) {
        self.metadata = start..start + metadata.as_text().map_or(0, <[u8]>::len);
        let members = metadata.sorted_entries();
        if members.iter().any(|member| member.key.is("deletionTimestamp")) {
            self.deletion = Deletion::Asked;
        }
        let behind = members.iter().position(|member| member.key > Str::plain("resourceVersion"));
        let before = members[..behind.unwrap_or(members.len())].last().and_then(|last| last.value.as_text());
        let end = before.map(|value| offset(text.as_bytes(), value) + value.len());
        (self.resource_version, self.comma) = match (end, behind) {
            (Some(end), Some(_)) => (end + 1, Comma::Behind),
            (None, Some(_)) => (start + 1, Comma::Behind),
            (Some(end), None) => (end, Comma::Before),
            (None, None) => (start + 1, Comma::None),
        };
    }
}

/// Where a part of a text begins in it.
fn offset(text: &[u8], part: &[u8]) -> usize {
    part.as_ptr() as usize - text.as_ptr() as usize
}

/// Whether somebody has asked for the object to be deleted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Deletion {
    /// Nobody has.
    #[default]
    NotAsked,
    /// It is there until its finalizers are gone and its time is up.
    Asked,
}

/// The comma that joins the resourceVersion to its neighbours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Comma {
    /// It is the only member.
    #[default]
    None,
    /// Members follow.
    Behind,
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
    /// The pattern that the object is sure to match.
    pattern: Option<Arc<Pattern>>,
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
        let layout = Layout::of(&text);
        Record { inner: Arc::new(Inner { text: Arc::new(text), layout, owners, pattern: None }) }
    }

    /// A record whose writer knows where things are.
    pub(super) fn written(
        text: Canonical,
        layout: Layout,
        owners: Vec<String>,
        pattern: Option<Arc<Pattern>>,
    ) -> Self {
        debug_assert_eq!(layout, Layout::of(&text));
        Record { inner: Arc::new(Inner { text: Arc::new(text), layout, owners, pattern }) }
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
    pub(crate) fn excerpt(&self) -> Excerpt {
        Excerpt::from(self.inner.text.clone())
    }

    /// The pattern that the object is sure to match, with no default missing.
    pub(crate) fn pattern(&self) -> Option<&Arc<Pattern>> {
        self.inner.pattern.as_ref()
    }

    /// The text of the metadata; empty if there are none.
    pub(crate) fn metadata(&self) -> &[u8] {
        &self.text()[self.inner.layout.metadata.clone()]
    }

    /// Whether the object is being deleted.
    pub(crate) fn is_terminating(&self) -> bool {
        self.inner.layout.deletion == Deletion::Asked
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
        let member = &self.text()[self.inner.layout.api_version.clone()];
        let value = member.strip_prefix(b"\"apiVersion\":\"").and_then(|rest| rest.strip_suffix(b"\","));
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
        if *comma == Comma::Behind {
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

/// What stands in an answer in place of the stored `apiVersion` and `kind`.
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
