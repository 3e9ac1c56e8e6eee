//! Walks the elements of a list in text.

use super::value::Text;
use crate::part::part_of;

/// An element of a list, as it is in the text.
#[derive(Clone, Copy)]
pub(crate) struct TextElement<'a> {
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) value: Text<'a>,
}

/// Walks the elements of a list, or of a run of elements.
pub(crate) struct ElementScan<'a> {
    text: Text<'a>,
    at: usize,
}

impl<'a> ElementScan<'a> {
    /// The elements of the list that this text is.
    pub(crate) fn of_list(text: Text<'a>) -> Self {
        ElementScan { text, at: 1 }
    }

    /// The elements from the start of this text on.
    pub(crate) fn of_run(text: Text<'a>) -> Self {
        ElementScan { text, at: 0 }
    }

    #[inline]
    pub(crate) fn next(&mut self) -> Option<TextElement<'a>> {
        let bytes = self.text.bytes;
        let start = self.text.after_comma(self.at);
        if matches!(bytes.get(start), None | Some(b']')) {
            return None;
        }
        let end = self.text.end_at(start);
        self.at = end;
        Some(TextElement { start, end, value: self.text.closed(part_of(bytes, start..end)) })
    }
}
