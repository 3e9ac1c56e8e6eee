//! Where the large containers of a checked document end.
//!
//! The check passes every bracket anyway. What it notes here spares later walks the second look: a document
//! that is nested deep would otherwise be scanned once per level.

/// Containers of fewer bytes are scanned when their end is needed.
pub(crate) const MIN_INDEXED_BYTES: usize = 256;

/// The ends of the large containers of one text.
#[derive(Clone, Debug)]
pub(crate) struct Ends {
    /// The address of the text, to compute the offset of a part of it.
    base: usize,
    /// First byte of each container and the one after it, in order.
    spans: Vec<(u32, u32)>,
}

impl Ends {
    /// Takes the spans in any order.
    pub(crate) fn new(text: &[u8], mut spans: Vec<(u32, u32)>) -> Self {
        // Containers are recorded when they close, lookups are by start.
        spans.sort_unstable();
        Ends { base: text.as_ptr() as usize, spans }
    }

    /// The same spans for a copy of the text.
    pub(crate) fn of_copy(&self, text: &[u8]) -> Self {
        Ends { base: text.as_ptr() as usize, spans: self.spans.clone() }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.spans.is_empty()
    }

    /// The length of the container that `part` of the text starts with, if it is a large one.
    pub(crate) fn length(&self, part: &[u8]) -> Option<usize> {
        let start = u32::try_from((part.as_ptr() as usize).checked_sub(self.base)?).ok()?;
        let at = self.spans.binary_search_by_key(&start, |span| span.0).ok()?;
        let length = self.spans.get(at)?.1.checked_sub(start)? as usize;
        // Never beyond the part, whatever the index says.
        (length <= part.len()).then_some(length)
    }
}
