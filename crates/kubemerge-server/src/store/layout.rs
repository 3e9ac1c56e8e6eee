//! Where things are in the text of a record, so that parts can be put in or left out without parsing.

use kubemerge_value::part::item_at_mut;
use std::ops::Range;

use kubemerge_value::{SharedValue, Str, shared::ByteSpan};

use super::metadata_field::Field;

/// Where things are in a record's text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Layout {
    /// `"apiVersion":"…",` with its comma, since metadata follows.
    pub(super) api_version: Range<usize>,
    /// `"kind":"…",` with its comma, since metadata follows.
    pub(super) kind: Range<usize>,
    /// The values in the metadata, by field.
    pub(super) meta: [ByteSpan; Field::COUNT],
    /// Where the member `"managedFields":[…]` belongs.
    pub(super) managed_fields: Slot,
    /// Where the member `"resourceVersion":"…"` belongs.
    pub(super) resource_version: Slot,
}

/// A place in the metadata for a member that the text does not have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Slot {
    /// Where the text of the member belongs.
    pub(super) at: usize,
    /// Whether a comma belongs before or after it.
    pub(super) comma: Comma,
}

impl Slot {
    /// The place after the last member with a smaller name, if any; metadata begins at `start`.
    pub(super) fn after(start: usize, smaller: Option<usize>, has_greater: bool) -> Slot {
        match (smaller, has_greater) {
            (Some(end), true) => Slot { at: end + 1, comma: Comma::After },
            (None, true) => Slot { at: start, comma: Comma::After },
            (Some(end), false) => Slot { at: end, comma: Comma::Before },
            (None, false) => Slot { at: start, comma: Comma::None },
        }
    }
}

impl Layout {
    /// Finds the places; text without metadata has none.
    pub(super) fn of(text: &SharedValue) -> Layout {
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
            }
        }
        layout
    }

    fn find_in_metadata(&mut self, metadata: &SharedValue) {
        let start = metadata.span().range().start + 1;
        let (mut managed_fields, mut resource_version) = ((None, false), (None, false));
        for (name, value) in metadata.members() {
            // Members are sorted, so that the place is after the last smaller name.
            let end = value.span().range().end;
            for (own, (before, after)) in
                [("managedFields", &mut managed_fields), ("resourceVersion", &mut resource_version)]
            {
                if name > Str::plain(own) { *after = true } else { *before = Some(end) }
            }
            if let Some(field) = Field::named(name) {
                *item_at_mut(&mut self.meta, field as usize) = value.span();
            }
        }
        self.managed_fields = Slot::after(start, managed_fields.0, managed_fields.1);
        self.resource_version = Slot::after(start, resource_version.0, resource_version.1);
    }
}

/// The comma that joins a member to its neighbours.
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
