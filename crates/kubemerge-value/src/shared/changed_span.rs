//! Where two texts differ: the text before and after is the same in both.

use std::ops::Range;

use super::span::ByteSpan;

/// The part in which two texts differ.
///
/// ```
/// use kubemerge_value::shared::ChangedSpan;
///
/// let difference = ChangedSpan::between(br#"{"a":1,"b":2}"#, br#"{"a":10,"b":2}"#);
/// assert_eq!(difference.common_end(), r#","b":2}"#.len());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChangedSpan {
    /// How many bytes both begin with.
    start: usize,
    /// Where what both end with begins in the old text.
    old_end: usize,
    old_length: usize,
    new_length: usize,
}

impl ChangedSpan {
    /// Compares two texts.
    pub fn between(old: &[u8], new: &[u8]) -> ChangedSpan {
        let start = common_start(old, new);
        let behind = common_end(&old[start..], &new[start..]);
        ChangedSpan { start, old_end: old.len() - behind, old_length: old.len(), new_length: new.len() }
    }

    /// How many bytes both end with.
    pub fn common_end(&self) -> usize {
        self.old_length - self.old_end
    }

    /// Whether nothing but what stands at this place of the old text differs. Text that was only added behind it
    /// may belong to something else.
    pub fn is_inside(&self, old: ByteSpan) -> bool {
        let range = old.range();
        range.contains(&self.start) && self.old_end <= range.end
    }

    /// Where the value at a place of the old document is in the new one. The difference must not reach over its
    /// borders; where it is inside of it, the new document must have one value in the place of the old one.
    pub fn moved(&self, old: ByteSpan) -> ByteSpan {
        ByteSpan::new(self.moved_range(old.range()))
    }

    /// The same for a part of the old text.
    pub fn moved_range(&self, old: Range<usize>) -> Range<usize> {
        let moved = |at: usize| (at + self.new_length).saturating_sub(self.old_length);
        if old.end <= self.start {
            old
        } else if old.start <= self.start {
            old.start..moved(old.end)
        } else {
            moved(old.start)..moved(old.end)
        }
    }
}

/// Whole blocks are compared at once before anybody looks for a byte.
const BLOCK: usize = 128;

/// How many bytes two texts begin with in common.
fn common_start(a: &[u8], b: &[u8]) -> usize {
    let blocks = a.chunks_exact(BLOCK).zip(b.chunks_exact(BLOCK));
    let whole = BLOCK * blocks.take_while(|(a, b)| a == b).count();
    let (a, b) = (&a[whole..], &b[whole..]);
    for (at, (one, other)) in a.as_chunks().0.iter().zip(b.as_chunks().0).enumerate() {
        let differing = u64::from_le_bytes(*one) ^ u64::from_le_bytes(*other);
        if differing != 0 {
            return whole + 8 * at + differing.trailing_zeros() as usize / 8;
        }
    }
    let words = a.len().min(b.len()) / 8 * 8;
    whole + words + a[words..].iter().zip(&b[words..]).take_while(|(a, b)| a == b).count()
}

/// How many bytes two texts end with in common.
fn common_end(a: &[u8], b: &[u8]) -> usize {
    let blocks = a.rchunks_exact(BLOCK).zip(b.rchunks_exact(BLOCK));
    let whole = BLOCK * blocks.take_while(|(a, b)| a == b).count();
    let (a, b) = (&a[..a.len() - whole], &b[..b.len() - whole]);
    for (at, (one, other)) in a.as_rchunks().1.iter().rev().zip(b.as_rchunks().1.iter().rev()).enumerate() {
        let differing = u64::from_le_bytes(*one) ^ u64::from_le_bytes(*other);
        if differing != 0 {
            return whole + 8 * at + differing.leading_zeros() as usize / 8;
        }
    }
    let words = a.len().min(b.len()) / 8 * 8;
    let rest = |text: &'_ [u8]| text.len() - words;
    whole
        + words
        + a[..rest(a)].iter().rev().zip(b[..rest(b)].iter().rev()).take_while(|(a, b)| a == b).count()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn spot(text: &str, part: &str) -> ByteSpan {
        let start = text.find(part).unwrap();
        ByteSpan::new(start..start + part.len())
    }

    #[test]
    fn values_are_found_again() {
        let (old, new) = (r#"{"a":1,"b":[2,3],"c":4}"#, r#"{"a":1,"b":[2,2,3],"c":4}"#);
        let difference = ChangedSpan::between(old.as_bytes(), new.as_bytes());
        assert!(difference.is_inside(spot(old, "[2,3]")) && !difference.is_inside(spot(old, "4")));
        let added = ChangedSpan::between(b"{\"a\":[]}", b"{\"a\":[],\"b\":[]}");
        assert!(!added.is_inside(ByteSpan::new(5..7)), "what was added is no part of the list");
        for (before, after) in [("1", "1"), ("[2,3]", "[2,2,3]"), ("4", "4")] {
            assert_eq!(difference.moved(spot(old, before)), spot(new, after));
        }
    }

    proptest! {
        #[test]
        fn what_is_around_is_the_same(parts in prop::array::uniform4("[ab]{0,300}")) {
            let [start, old, new, end] = &parts;
            let (old, new) = ([start, old, end].map(|s| &**s).concat(), [start, new, end].map(|s| &**s).concat());
            let difference = ChangedSpan::between(old.as_bytes(), new.as_bytes());
            let behind = difference.common_end();
            prop_assert!(difference.start >= start.len() && difference.start + behind >= start.len() + end.len());
            prop_assert!(difference.start + behind <= old.len().min(new.len()));
            prop_assert_eq!(&old[..difference.start], &new[..difference.start]);
            prop_assert_eq!(&old[old.len() - behind..], &new[new.len() - behind..]);
        }
    }
}
