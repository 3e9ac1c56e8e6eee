//! Writing a record: the canonical text of an object, noting on the way where an answer may have to change it.

use std::{ops::Range, sync::Arc};

use kubemerge_value::{MapWriter, Node};

use super::record::{Comma, Deletion, Layout, Record};
use crate::pattern::Pattern;

/// Writes one record; the members must come in order.
pub(crate) struct RecordWriter {
    out: MapWriter,
    layout: Layout,
}

impl RecordWriter {
    pub(crate) fn with_capacity(bytes: usize) -> Self {
        RecordWriter { out: MapWriter::with_capacity(bytes), layout: Layout::default() }
    }

    pub(crate) fn field(&mut self, name: &str, value: Node<'_>) {
        self.out.member(name, value);
    }

    pub(crate) fn api_version(&mut self, api_version: &str) {
        self.layout.api_version = self.text("apiVersion", api_version);
    }

    pub(crate) fn kind(&mut self, kind: &str) {
        self.layout.kind = self.text("kind", kind);
    }

    /// Writes a member; answers its place with the comma that follows, since metadata follows.
    fn text(&mut self, name: &str, value: &str) -> Range<usize> {
        let before = self.out.written();
        self.out.member(name, Node::string(value));
        let comma = usize::from(before > 1);
        before + comma..self.out.written() + 1
    }

    /// Writes the metadata without resourceVersion.
    pub(crate) fn metadata<'m>(&mut self, members: impl Iterator<Item = (&'m str, Node<'m>)>) {
        self.out.begin("metadata");
        let start = self.out.written();
        let mut before = start;
        for (name, value) in members.filter(|(name, _)| *name != "resourceVersion") {
            self.out.member(name, value);
            if name == "deletionTimestamp" {
                self.layout.deletion = Deletion::Asked;
            }
            if name < "resourceVersion" {
                before = self.out.written();
            }
        }
        let anything_behind = self.out.written() > before;
        (self.layout.resource_version, self.layout.comma) = match (before > start, anything_behind) {
            (true, true) => (before + 1, Comma::Behind),
            (true, false) => (before, Comma::Before),
            (false, true) => (start, Comma::Behind),
            (false, false) => (start, Comma::None),
        };
        self.out.end();
        self.layout.metadata = start - 1..self.out.written();
    }

    pub(crate) fn finish(self, owners: Vec<String>, pattern: Option<Arc<Pattern>>) -> Record {
        Record::written(self.out.finish(), self.layout, owners, pattern)
    }
}
