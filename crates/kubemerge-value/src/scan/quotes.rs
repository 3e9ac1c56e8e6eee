//! Which bytes of a block are inside a string.

use super::lanes::Lanes;

/// What the blocks so far carry over to the next.
#[derive(Clone, Copy, Default)]
pub(crate) struct QuoteScan {
    /// 1 if the last byte was a backslash that escapes the next one.
    escaped: u64,
    /// All bits if a string is open.
    open: u64,
}

/// The strings of one block.
#[derive(Clone, Copy, Default)]
pub(crate) struct Quotes {
    /// Bytes after a backslash that escapes them.
    pub(crate) escaped: u64,
    /// Opening and closing quotes.
    pub(crate) marks: u64,
    /// Strings from their opening quote up to the byte before their closing one.
    pub(crate) inside: u64,
}

impl Quotes {
    /// What belongs to no string.
    #[inline(always)]
    pub(crate) fn outside(self) -> u64 {
        !(self.inside | self.marks)
    }
}

impl QuoteScan {
    /// Whether a string is open after the last block.
    pub(crate) fn is_open(self) -> bool {
        self.open != 0
    }

    #[inline(always)]
    pub(crate) fn next<L: Lanes>(&mut self, lanes: L, register: L::Register) -> Quotes {
        let escaped = self.escapes(lanes.equal(register, b'\\'));
        let marks = lanes.equal(register, b'"') & !escaped;
        let inside = lanes.prefix_xor(marks) ^ self.open;
        // All ones if a string goes on in the next block.
        self.open = ((inside as i64) >> 63) as u64;
        Quotes { escaped, marks, inside }
    }

    /// The bytes after an odd number of backslashes.
    #[inline(always)]
    fn escapes(&mut self, backslashes: u64) -> u64 {
        const ODD: u64 = 0xaaaa_aaaa_aaaa_aaaa;
        // Nearly every block.
        if backslashes == 0 {
            return std::mem::take(&mut self.escaped);
        }
        // Subtracting the first backslash of a run from the odd positions carries to the end of the run, and
        // tells by the position where it arrives whether the run was odd.
        let starts = backslashes & !self.escaped;
        let carried = ((starts << 1) | ODD).wrapping_sub(starts) ^ ODD;
        let escaped = carried ^ (backslashes | self.escaped);
        self.escaped = (carried & backslashes) >> 63;
        escaped
    }
}
