//! A stored object: canonical JSON text and the places in it that an answer may have to change.
//!
//! The text carries no resourceVersion, because the revision is only known once the write has happened.
//! It is put in when the object is read, at the place the layout remembers, and so are the managedFields, which are
//! kept beside the text; the same way a list item loses its `apiVersion` and `kind`. Each form costs one copy of the
//! text.

use kubemerge_value::part::{item_at, part_of};
use std::{ops::Range, sync::Arc};

use bytes::Bytes;
use kubemerge_value::{Canonical, Node, shared::ByteSpan};

use super::{
    Ownership,
    layout::{Comma, Layout, Slot},
    metadata_field::Field,
};

/// A point in the history of a store.
pub type Revision = u64;

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
    ownership: Ownership,
    form: StoredForm,
    completion: Completion,
}

/// Whether Kubernetes would have stored the text as it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Completion {
    #[default]
    Stored,
    /// It would have filled in a part of it when it read the object: the next write stores it as it is, even one
    /// without a change. Known until the server is started again.
    ByReading,
}

/// What is known about the text of an object.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum StoredForm {
    /// Nothing: it was stored past the API, or could not be tracked.
    #[default]
    Unchecked,
    /// It went through all steps of a write: it has the form of its type and all defaults.
    Normalized,
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
    /// A record from the text of an object without resourceVersion and managedFields, the uids of its owners, and the
    /// owners of its fields.
    pub fn new(text: Canonical, owners: Vec<String>, ownership: Ownership) -> Self {
        let text = Arc::new(text);
        let layout = Layout::of(&text.clone().into());
        Record::of(Inner {
            text,
            layout,
            owners,
            ownership,
            form: StoredForm::default(),
            completion: Completion::Stored,
        })
    }

    fn of(inner: Inner) -> Self {
        Record { inner: Arc::new(inner) }
    }

    /// A record whose writer knows where things are.
    pub(super) fn written(
        text: Canonical,
        layout: Layout,
        owners: Vec<String>,
        ownership: Ownership,
        form: StoredForm,
    ) -> Self {
        let text = Arc::new(text);
        // The writer knows it; finding it in the text would be another walk.
        debug_assert_eq!(layout, Layout::of(&text.clone().into()));
        Record::of(Inner { text, layout, owners, ownership, form, completion: Completion::Stored })
    }

    /// The same text with other owners of its fields.
    pub(crate) fn owned(&self, ownership: Ownership, form: StoredForm) -> Self {
        let Inner { text, layout, owners, .. } = &*self.inner;
        let (text, layout, owners) = (text.clone(), layout.clone(), owners.clone());
        Record::of(Inner { text, layout, owners, ownership, form, completion: Completion::Stored })
    }

    /// The same for an object of which Kubernetes fills in a part whenever it reads it.
    pub(crate) fn completed_by_reading(&self) -> Self {
        let Inner { text, layout, owners, ownership, form, .. } = &*self.inner;
        let (text, layout, owners, ownership) =
            (text.clone(), layout.clone(), owners.clone(), ownership.clone());
        Record::of(Inner { text, layout, owners, ownership, form: *form, completion: Completion::ByReading })
    }

    /// Whether the next write is stored even if it changes nothing.
    pub(crate) fn is_completed_by_reading(&self) -> bool {
        self.inner.completion == Completion::ByReading
    }

    /// What is known about the text.
    pub(crate) fn form(&self) -> StoredForm {
        self.inner.form
    }

    /// Whether both have the same text and the same owners of fields; times of owners make no difference.
    pub(crate) fn has_same_content(&self, other: &Record) -> bool {
        self.canonical() == other.canonical() && self.ownership().is_same_without_times(other.ownership())
    }

    /// Who owns which fields.
    pub fn ownership(&self) -> &Ownership {
        &self.inner.ownership
    }

    /// The object without its resourceVersion and its managedFields.
    pub fn canonical(&self) -> &Canonical {
        &self.inner.text
    }

    /// The object without its resourceVersion, as a tree to look into.
    pub fn node(&self) -> Node<'_> {
        self.inner.text.node()
    }

    /// Where a field of the metadata is.
    pub(super) fn metadata_span(&self, field: Field) -> ByteSpan {
        *item_at(&self.inner.layout.meta, field as usize)
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
        let value = part_of(self.text(), member.clone())
            .strip_prefix(name)
            .and_then(|rest| rest.strip_suffix(b"\","));
        value.and_then(|text| std::str::from_utf8(text).ok()).unwrap_or_default()
    }

    /// The whole object as it was at a revision.
    pub fn render(&self, revision: Revision) -> Bytes {
        let mut out = Vec::with_capacity(self.max_size(revision));
        self.write(revision, RecordForm::default(), &mut out);
        out.into()
    }

    /// At most how many bytes the whole object takes, as it was at a revision.
    pub fn max_size(&self, revision: Revision) -> usize {
        // Zero has one digit, and no logarithm.
        let digits = revision.checked_ilog10().unwrap_or(0) as usize + 1;
        let members = "\"resourceVersion\":\"\",\"managedFields\":,".len();
        self.text().len() + members + digits + self.inner.ownership.max_size()
    }

    /// Appends the object as it was at a revision.
    pub fn write(&self, revision: Revision, form: RecordForm<'_>, out: &mut Vec<u8>) {
        self.write_parts(Some(revision), form, out);
    }

    /// Appends the object without a resourceVersion: it was never stored.
    pub fn write_unstored(&self, form: RecordForm<'_>, out: &mut Vec<u8>) {
        self.write_parts(None, form, out);
    }

    fn write_parts(&self, revision: Option<Revision>, form: RecordForm<'_>, out: &mut Vec<u8>) {
        let Layout { managed_fields, mut resource_version, .. } = self.inner.layout;
        self.write_head(form.head, out);
        if form.managed_fields == ManagedFieldsView::Shown && !self.inner.ownership.is_empty() {
            write_member("managedFields", managed_fields, out, |out| self.inner.ownership.write(out));
            // The entries are the first member of metadata that had none.
            if resource_version.comma == Comma::None {
                resource_version.comma = Comma::Before;
            }
        }
        out.extend_from_slice(part_of(self.text(), managed_fields.at..resource_version.at));
        if let Some(revision) = revision {
            write_member("resourceVersion", resource_version, out, |out| {
                out.push(b'"');
                write_decimal(revision, out);
                out.push(b'"');
            });
        }
        out.extend_from_slice(part_of(self.text(), resource_version.at..));
    }

    /// Everything before the place of the managedFields, which comes before that of the resourceVersion.
    fn write_head(&self, head: Head<'_>, out: &mut Vec<u8>) {
        let Layout { api_version, kind, managed_fields, .. } = &self.inner.layout;
        let (text, end) = (self.text(), managed_fields.at);
        match head {
            Head::Stored => out.extend_from_slice(part_of(text, ..end)),
            // All versions of a built-in kind that are served have the same fields.
            Head::Version(version) => {
                out.extend_from_slice(part_of(text, ..api_version.start));
                out.extend_from_slice(format!("\"apiVersion\":\"{version}\",").as_bytes());
                out.extend_from_slice(part_of(text, api_version.end..end));
            }
            Head::Without => {
                out.extend_from_slice(part_of(text, ..api_version.start));
                // In canonical order there may be other fields between the two.
                out.extend_from_slice(part_of(text, api_version.end..kind.start));
                out.extend_from_slice(part_of(text, kind.end..end));
            }
        }
    }
}

/// How an object is written.
#[derive(Clone, Copy, Debug, Default)]
pub struct RecordForm<'a> {
    /// What it has in place of the stored `apiVersion` and `kind`.
    pub head: Head<'a>,
    /// Whether it has managedFields.
    pub managed_fields: ManagedFieldsView,
}

/// Whether answers have `metadata.managedFields`. Ownership is tracked either way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ManagedFieldsView {
    /// They have them, as answers of Kubernetes do.
    #[default]
    Shown,
    /// They do not.
    Hidden,
}

/// What an answer has in place of the stored `apiVersion` and `kind`.
#[derive(Clone, Copy, Debug, Default)]
pub enum Head<'a> {
    /// Both, as stored.
    #[default]
    Stored,
    /// Both, with another `apiVersion`.
    Version(&'a str),
    /// Neither: the item of a list.
    Without,
}

fn write_member(name: &str, slot: Slot, out: &mut Vec<u8>, write_value: impl FnOnce(&mut Vec<u8>)) {
    if slot.comma == Comma::Before {
        out.push(b',');
    }
    out.push(b'"');
    out.extend_from_slice(name.as_bytes());
    out.extend_from_slice(b"\":");
    write_value(out);
    if slot.comma == Comma::After {
        out.push(b',');
    }
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
    let mut used = 0;
    for digit in digits.iter_mut().rev() {
        *digit = b'0' + (number % 10) as u8;
        number /= 10;
        used += 1;
        if number == 0 {
            break;
        }
    }
    out.extend_from_slice(part_of(&digits, digits.len() - used..));
}

#[cfg(test)]
mod tests {
    use kubemerge_ssa::managed_fields::{FieldsV1, ManagedFields, ManagedFieldsEntry, Operation};

    use super::*;

    fn record() -> Record {
        let text = r#"{"apiVersion":"v1","data":{},"kind":"ConfigMap","metadata":{"name":"c","uid":"u"}}"#;
        Record::new(Canonical::from_bytes(text.as_bytes()).unwrap(), vec![], Ownership::default())
    }

    fn written(head: Head<'_>) -> String {
        let mut out = Vec::new();
        record().write(120, RecordForm { head, ..RecordForm::default() }, &mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn the_revision_is_put_in_its_place() {
        assert_eq!(
            written(Head::Stored),
            r#"{"apiVersion":"v1","data":{},"kind":"ConfigMap","metadata":{"name":"c","resourceVersion":"120","uid":"u"}}"#
        );
    }

    fn owned() -> Ownership {
        let entry = ManagedFieldsEntry {
            manager: "m".into(),
            operation: Operation::Apply,
            api_version: "v1".into(),
            subresource: "".into(),
            time: None,
            fields: FieldsV1::trusted(r#"{"f:data":{}}"#.into()),
        };
        Ownership::new(ManagedFields::from_entries([entry]))
    }

    #[test]
    fn entries_and_revision_are_put_in_their_places() {
        let metadata = [
            "{}",
            r#"{"name":"c"}"#,
            r#"{"uid":"u"}"#,
            r#"{"labels":{}}"#,
            r#"{"labels":{},"name":"c","uid":"u"}"#,
            r#"{"labels":{},"uid":"u"}"#,
        ];
        for metadata in metadata {
            let text = format!(r#"{{"apiVersion":"v1","kind":"K","metadata":{metadata}}}"#);
            let text = Canonical::from_bytes(text.as_bytes()).unwrap();
            let record = Record::new(text, vec![], owned());
            let rendered = record.render(999_999);
            let canonical = Canonical::from_bytes(&rendered).unwrap();
            assert_eq!(canonical.as_bytes(), &rendered[..], "{metadata}");
            let value: serde_json::Value = serde_json::from_slice(&rendered).unwrap();
            assert_eq!(value["metadata"]["managedFields"][0]["manager"], "m", "{metadata}");
            assert_eq!(value["metadata"]["resourceVersion"], "999999", "{metadata}");
            assert!(record.max_size(999_999) >= rendered.len(), "{metadata}");
            let mut hidden = Vec::new();
            let form = RecordForm { managed_fields: ManagedFieldsView::Hidden, ..RecordForm::default() };
            record.write_unstored(form, &mut hidden);
            assert_eq!(hidden, record.canonical().as_bytes(), "{metadata}");
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
