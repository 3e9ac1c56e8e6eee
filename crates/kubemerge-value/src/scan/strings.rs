//! The strings that begin directly in a map: its names, and those of its values that are strings.

use super::{
    lanes::{BlockScan, Lanes, SPACE, block_at, positions},
    quotes::QuoteScan,
    simd,
};
use std::ops::ControlFlow::{self, Continue};

/// Visits the opening quotes of the strings that stand directly in a map, from `at` on, where `depth` containers
/// are open, the map included. Answers the position behind the map, unless a visit breaks off.
#[inline]
pub(crate) fn strings_in_map<B>(
    bytes: &[u8],
    at: usize,
    depth: usize,
    visit: impl FnMut(usize) -> ControlFlow<B>,
) -> ControlFlow<B, usize> {
    simd::dispatch(StringsInMap { bytes, at, depth, visit })
}

struct StringsInMap<'a, V> {
    bytes: &'a [u8],
    at: usize,
    depth: usize,
    visit: V,
}

impl<B, V: FnMut(usize) -> ControlFlow<B>> BlockScan for StringsInMap<'_, V> {
    type Output = ControlFlow<B, usize>;

    #[inline(always)]
    fn run<L: Lanes>(mut self, lanes: L) -> ControlFlow<B, usize> {
        let StringsInMap { bytes, mut at, mut depth, .. } = self;
        let mut quotes = QuoteScan::default();
        let mut space = SPACE;
        while at < bytes.len() {
            let register = lanes.load(block_at(bytes, at, &mut space));
            let found = quotes.next(lanes, register);
            let folded = lanes.fold_brackets(register);
            let opening = lanes.equal(folded, b'{') & found.outside();
            let closing = lanes.equal(folded, b'}') & found.outside();
            let closed = closing.count_ones() as usize;
            // Only a block that closes all other containers has a part that is directly in the map.
            if closed + 1 >= depth {
                let Direct { part, end } = Direct::of(opening, closing, depth);
                for start in positions(found.marks & found.inside & part) {
                    (self.visit)(at + start)?;
                }
                if let Some(end) = end {
                    return Continue(at + end + 1);
                }
            }
            depth = depth + opening.count_ones() as usize - closed;
            at += 64;
        }
        Continue(bytes.len())
    }
}

/// What stands directly in the map.
struct Direct {
    /// The bytes of a block that do.
    part: u64,
    /// The bracket that closes the map, if it is in the block.
    end: Option<usize>,
}

impl Direct {
    /// Looks at the brackets of a block that begins with `depth` open containers.
    #[inline(always)]
    fn of(opening: u64, closing: u64, depth: usize) -> Self {
        let mut part = if depth == 1 { up_to_first(opening) } else { 0 };
        for (closed_before, at) in positions(closing).enumerate() {
            let behind = u64::MAX << at;
            let opened_before = (opening & !behind).count_ones() as usize;
            match depth + opened_before - closed_before {
                1 => return Direct { part: part & !behind, end: Some(at) },
                2 => part |= up_to_first(opening & behind) & behind,
                _ => {}
            }
        }
        Direct { part, end: None }
    }
}

/// All bits up to the lowest one that is set.
#[inline(always)]
fn up_to_first(bits: u64) -> u64 {
    bits ^ bits.wrapping_sub(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scan::lanes::texts;
    use proptest::prelude::*;

    /// The same, byte by byte.
    fn expected(bytes: &[u8], at: usize, mut depth: usize) -> (Vec<usize>, usize) {
        let (mut in_string, mut escaped, mut starts) = (false, false, Vec::new());
        for (at, byte) in bytes.iter().enumerate().skip(at) {
            match byte {
                b'"' if !escaped => {
                    in_string = !in_string;
                    if in_string && depth == 1 {
                        starts.push(at);
                    }
                }
                b'{' | b'[' if !in_string => depth += 1,
                b'}' | b']' if !in_string => depth -= 1,
                _ => {}
            }
            escaped = *byte == b'\\' && !escaped;
            if depth == 0 {
                return (starts, at + 1);
            }
        }
        (starts, bytes.len())
    }

    proptest! {
        #[test]
        fn all_lanes_visit_the_same_strings(text in texts(), at in 0usize..70, depth in 1usize..5) {
            let (starts, end) = expected(&text, at, depth);
            let visited = std::cell::RefCell::new(Vec::new());
            let visit = |at| { visited.borrow_mut().push(at); Continue::<()>(()) };
            let ends = simd::on_all_levels(|| StringsInMap { bytes: &text, at, depth, visit });
            prop_assert!(ends.iter().all(|found| *found == Continue(end)));
            prop_assert_eq!(visited.into_inner(), starts.repeat(ends.len()));
        }
    }

    #[test]
    fn a_visit_breaks_off() {
        let text = br#"{"a":{"b":1},"c":"d"}"#;
        let visit = |at| if text[at + 1] == b'c' { ControlFlow::Break(at) } else { Continue(()) };
        assert_eq!(strings_in_map(text, 1, 1, visit), ControlFlow::Break(13));
    }
}
