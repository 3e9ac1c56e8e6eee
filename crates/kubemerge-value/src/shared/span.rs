//! Positions of values in a canonical document.

use std::ops::Range;

/// The position of a value in a canonical document; valid for that document and its copies only.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ByteSpan {
    start: u32,
    end: u32,
}

impl ByteSpan {
    /// The check refuses documents of 4 GiB and more, so positions fit 32 bits.
    pub(crate) fn new(span: Range<usize>) -> ByteSpan {
        ByteSpan { start: span.start as u32, end: span.end as u32 }
    }

    /// Whether it is the position of no value.
    pub fn is_nowhere(self) -> bool {
        self.start == self.end
    }

    /// From its first byte to after its last one.
    pub fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }
}
