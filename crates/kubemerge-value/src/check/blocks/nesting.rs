//! Which containers are open, block by block.

use super::Tokens;
use crate::{scan::lanes::positions, text::MIN_INDEXED_BYTES};

/// The containers that are open, and what is known of those that were.
pub(super) struct Nesting {
    /// The length of the text: the outermost container must end with it.
    length: usize,
    pub(super) depth: usize,
    pub(super) deepest: usize,
    /// The kinds of the open containers, innermost lowest: 1 is a map.
    kinds: u64,
    starts: [u32; MAX_LEVELS],
    pub(super) large: Vec<(u32, u32)>,
}

/// How deep the fast check follows: as many levels as `kinds` has bits.
// Deeper documents go to the exact check, which has a stack on the heap.
const MAX_LEVELS: usize = 64;

impl Nesting {
    pub(super) fn new(length: usize) -> Self {
        Nesting { length, depth: 0, deepest: 0, kinds: 0, starts: [0; MAX_LEVELS], large: Vec::new() }
    }

    /// Opens and closes containers, and returns which bytes of the block are directly in a map.
    #[inline(always)]
    pub(super) fn next(&mut self, tokens: &Tokens, block: usize) -> Option<u64> {
        let mut maps = (self.kinds & 1).wrapping_neg();
        for bracket in positions(tokens.opening | tokens.closing) {
            let around = self.kinds;
            let curly = (tokens.curly >> bracket) & 1;
            if (tokens.opening >> bracket) & 1 == 1 {
                self.open(curly, block + bracket)?;
            } else {
                self.close(curly, block + bracket + 1)?;
            }
            // From this bracket on the other kind of container is open.
            maps ^= ((around ^ self.kinds) & 1).wrapping_neg() << bracket;
        }
        Some(maps)
    }

    #[inline(always)]
    fn open(&mut self, kind: u64, start: usize) -> Option<()> {
        *self.starts.get_mut(self.depth)? = start as u32;
        self.kinds = self.kinds << 1 | kind;
        self.depth += 1;
        self.deepest = self.deepest.max(self.depth);
        Some(())
    }

    #[inline(always)]
    fn close(&mut self, kind: u64, end: usize) -> Option<()> {
        // Below zero wraps to a level that does not exist, so one test catches both faults.
        self.depth = self.depth.wrapping_sub(1);
        let start = *self.starts.get(self.depth)? as usize;
        // Text after the root.
        let ends_too_early = self.depth == 0 && end != self.length;
        if self.kinds & 1 != kind || ends_too_early {
            return None;
        }
        self.kinds >>= 1;
        // Only large containers are worth an entry: short ones are faster to scan again.
        if end - start >= MIN_INDEXED_BYTES {
            self.large.push((start as u32, end as u32));
        }
        Some(())
    }
}
