//! The end of a container, by counting the brackets outside strings.

use super::{
    lanes::{BlockScan, Lanes, SPACE, block_at, positions},
    quotes::QuoteScan,
    simd,
};

/// The position after the bracket that closes `depth` open containers, scanning from `at`.
#[inline]
pub(crate) fn container_end(bytes: &[u8], at: usize, depth: usize) -> usize {
    let inside = Inside { depth, quotes: QuoteScan::default() };
    // Checked text always has the bracket; the fallback only keeps this total.
    simd::dispatch(ContainerEnd { bytes, at, inside }).unwrap_or(bytes.len())
}

/// A place inside containers, perhaps inside a string.
#[derive(Clone, Copy)]
pub(crate) struct Inside {
    depth: usize,
    quotes: QuoteScan,
}

impl Inside {
    /// A place directly in a container.
    pub(crate) fn container() -> Self {
        Inside { depth: 1, quotes: QuoteScan::default() }
    }

    /// The place after these bytes; `None` if the container ends in them.
    pub(crate) fn after(self, bytes: &[u8]) -> Option<Self> {
        simd::dispatch(ContainerEnd { bytes, at: 0, inside: self }).err()
    }

    /// Whether the place is directly in the container.
    pub(crate) fn is_directly(self) -> bool {
        self.depth == 1 && !self.quotes.is_open()
    }
}

/// Looks for the end; failing that, tells where the text leaves off.
struct ContainerEnd<'a> {
    bytes: &'a [u8],
    at: usize,
    inside: Inside,
}

impl BlockScan for ContainerEnd<'_> {
    type Output = Result<usize, Inside>;

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) -> Result<usize, Inside> {
        let ContainerEnd { bytes, mut at, inside: Inside { mut depth, mut quotes } } = self;
        let mut space = SPACE;
        while at < bytes.len() {
            let register = lanes.load(block_at(bytes, at, &mut space));
            let outside = quotes.next(lanes, register).outside();
            let folded = lanes.fold_brackets(register);
            let opening = lanes.equal(folded, b'{') & outside;
            let closing = lanes.equal(folded, b'}') & outside;
            let closed = closing.count_ones() as usize;
            // Only then can the container end in this block; most blocks need nothing but two counts.
            if closed >= depth
                && let Some(last) = closing_bracket(opening, closing, depth)
            {
                return Ok(at + last + 1);
            }
            depth = depth + opening.count_ones() as usize - closed;
            at += 64;
        }
        Err(Inside { depth, quotes })
    }
}

/// The bracket of this block that closes the outermost of `depth` containers.
#[inline(always)]
fn closing_bracket(opening: u64, closing: u64, depth: usize) -> Option<usize> {
    positions(closing).enumerate().find_map(|(closed_before, at)| {
        // Brackets that open in the same block before this one.
        let opened_before = (opening & ((1 << at) - 1)).count_ones() as usize;
        (depth + opened_before == closed_before + 1).then_some(at)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scan::lanes::texts;
    use proptest::prelude::*;

    /// The same, byte by byte.
    fn expected_end(bytes: &[u8], at: usize, mut depth: usize) -> usize {
        let (mut in_string, mut escaped) = (false, false);
        for (at, byte) in bytes.iter().enumerate().skip(at) {
            match byte {
                b'"' if !escaped => in_string = !in_string,
                b'{' | b'[' if !in_string => depth += 1,
                b'}' | b']' if !in_string => depth -= 1,
                _ => {}
            }
            escaped = *byte == b'\\' && !escaped;
            if depth == 0 {
                return at + 1;
            }
        }
        bytes.len()
    }

    proptest! {
        #[test]
        fn all_lanes_find_the_same_end(text in texts(), at in 0usize..70, depth in 1usize..5) {
            let expected = expected_end(&text, at, depth);
            let inside = Inside { depth, quotes: QuoteScan::default() };
            for end in simd::on_all_levels(|| ContainerEnd { bytes: &text, at, inside }) {
                prop_assert_eq!(end.unwrap_or(text.len()), expected);
            }
        }
    }
}
