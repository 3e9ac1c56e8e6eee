//! Writing a record: the canonical text of an object, noting on the way where an answer may have to change it.

use kubemerge_value::part::item_at_mut;
use std::ops::Range;

use kubemerge_value::{
    Node,
    shared::ByteSpan,
    write::{MapWriter, QuotedName},
};

use super::{
    layout::{Layout, Slot},
    metadata_field::Field,
    ownership::Ownership,
    record::{Record, StoredForm},
};

const API_VERSION: QuotedName = QuotedName::new("\"apiVersion\":");
const KIND: QuotedName = QuotedName::new("\"kind\":");
const METADATA: QuotedName = QuotedName::new("\"metadata\":");

/// Writes one record; the members must come in order.
pub(crate) struct RecordWriter {
    out: MapWriter,
    layout: Layout,
}

impl RecordWriter {
    pub(crate) fn with_capacity(bytes: usize) -> Self {
        RecordWriter { out: MapWriter::with_capacity(bytes), layout: Layout::default() }
    }

    /// Writes a field whose value `append` writes as canonical text; it returns how deep the value is nested.
    pub(crate) fn append(&mut self, name: &str, append: impl FnOnce(&mut Vec<u8>) -> usize) {
        self.out.append(name, append);
    }

    /// Copies a field.
    pub(crate) fn copy(&mut self, name: &str, value: Node<'_>) {
        self.out.member(name, value);
    }

    pub(crate) fn api_version(&mut self, api_version: &str) {
        self.layout.api_version = self.text(API_VERSION, api_version);
    }

    pub(crate) fn kind(&mut self, kind: &str) {
        self.layout.kind = self.text(KIND, kind);
    }

    /// Writes a member; answers its place with the comma that follows, since metadata follows.
    fn text(&mut self, name: QuotedName, value: &str) -> Range<usize> {
        let before = self.out.written();
        self.out.text(name, value);
        // The writer puts a comma first unless only the opening bracket was written.
        let comma = usize::from(before > 1);
        before + comma..self.out.written() + 1
    }

    /// Writes the metadata without managedFields and resourceVersion; `write` writes one field.
    pub(crate) fn metadata<T>(
        &mut self,
        fields: impl Iterator<Item = (Field, T)>,
        write: impl Fn(&mut MapWriter, QuotedName, T) -> ByteSpan,
    ) {
        self.out.begin(METADATA);
        let start = self.out.written();
        let (mut before_managed, mut before_version) = (start, start);
        let added = |field: Field| matches!(field, Field::ManagedFields | Field::ResourceVersion);
        for (field, value) in fields.filter(|(field, _)| !added(*field)) {
            let span = write(&mut self.out, field.plain_name(), value);
            *item_at_mut(&mut self.layout.meta, field as usize) = span;
            // Fields come in the order of their names, so the last one before a place decides.
            if field < Field::ManagedFields {
                before_managed = self.out.written();
            }
            if field < Field::ResourceVersion {
                before_version = self.out.written();
            }
        }
        let end = self.out.written();
        let slot = |before: usize| Slot::after(start, (before > start).then_some(before), end > before);
        (self.layout.managed_fields, self.layout.resource_version) =
            (slot(before_managed), slot(before_version));
        self.out.end();
    }

    pub(crate) fn finish(self, owners: Vec<String>, ownership: Ownership, form: StoredForm) -> Record {
        Record::written(self.out.finish(), self.layout, owners, ownership, form)
    }
}
