//! Characters as ranges, and how ranges are written in a class.

use super::escape::write_char;

/// The first and the last character of a range.
pub(super) type CharRange = (u32, u32);

const LAST: u32 = char::MAX as u32;

/// The same characters in as few ranges as possible, sorted.
pub(super) fn merged(mut ranges: Vec<CharRange>) -> Vec<CharRange> {
    ranges.sort_unstable();
    let mut merged: Vec<CharRange> = Vec::new();
    for (low, high) in ranges {
        match merged.last_mut() {
            Some((_, last)) if low <= last.saturating_add(1) => *last = high.max(*last),
            _ => merged.push((low, high)),
        }
    }
    merged
}

/// All other characters.
pub(super) fn complement(ranges: Vec<CharRange>) -> Vec<CharRange> {
    let (mut others, mut next) = (Vec::new(), 0);
    for (low, high) in merged(ranges) {
        if next < low {
            others.push((next, low - 1));
        }
        next = high + 1;
    }
    if next <= LAST {
        others.push((next, LAST));
    }
    others
}

/// Ranges as they are written between brackets.
pub(super) fn text_of_ranges(ranges: Vec<CharRange>) -> String {
    let mut text = String::new();
    merged(ranges).into_iter().for_each(|(low, high)| write_range(low, high, &mut text));
    text
}

/// Writes a range, but for halves of pairs of UTF-16, which are in no text.
pub(super) fn write_range(low: u32, high: u32, out: &mut String) {
    let low = if char::from_u32(low).is_some() { low } else { 0xE000 };
    let high = if char::from_u32(high).is_some() { high } else { 0xD7FF };
    if low > high {
        return;
    }
    write_char(out, low);
    if low < high {
        out.push('-');
        write_char(out, high);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_merged_and_turned_round() {
        assert_eq!(merged(vec![(5, 9), (0, 2), (3, 3), (8, 12)]), [(0, 3), (5, 12)]);
        assert_eq!(complement(vec![(0x41, 0x5A)]), [(0, 0x40), (0x5B, LAST)]);
        assert_eq!(complement(Vec::new()), [(0, LAST)]);
        assert_eq!(complement(vec![(0, LAST)]), []);
    }

    #[test]
    fn halves_of_pairs_are_not_written() {
        assert_eq!(text_of_ranges(vec![(0xD800, 0xDFFF)]), "");
        assert_eq!(text_of_ranges(vec![(0x61, 0x61), (0xD7FF, 0xE000)]), "a\u{d7ff}-\u{e000}");
    }
}
