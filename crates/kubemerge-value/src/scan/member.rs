//! A member of a large map, found by its name instead of by a walk over all members before it.

use super::container::Inside;
use crate::part::part_of;
use memchr::memmem::Finder;

/// How far the first search goes; the next ones go farther. A multiple of the size of a block.
// Small first, as most names are near; then larger, so that the number of steps stays small.
const FIRST_WINDOW: usize = 4096;
const MAX_WINDOW: usize = 16 * FIRST_WINDOW;

/// The place of `member` (a comma, a name in quotes, a colon) in canonical text from `at` on, which is directly
/// in a map. `None` if the map ends before, or if the first place with these bytes is not directly in it.
pub(crate) fn member_after(bytes: &[u8], mut at: usize, member: &[u8]) -> Option<usize> {
    let finder = Finder::new(member);
    let mut inside = Inside::container();
    let mut window = FIRST_WINDOW;
    while at < bytes.len() {
        let end = bytes.len().min(at + window);
        // A member may begin in this window and end in the next.
        let searched = part_of(bytes, at..bytes.len().min(end + member.len() - 1));
        if let Some(found) = finder.find(searched) {
            let found = at + found;
            // The same text may be in a string or deeper; brackets and quotes up to here tell.
            return inside.after(part_of(bytes, at..found))?.is_directly().then_some(found);
        }
        inside = inside.after(part_of(bytes, at..end))?;
        at = end;
        window = MAX_WINDOW.min(2 * window);
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find(map: &str, name: &str) -> Option<usize> {
        member_after(map.as_bytes(), 1, format!(",\"{name}\":").as_bytes())
    }

    #[test]
    fn a_member_is_found_near_and_far() {
        let far = format!("{{\"a\":\"{}\",\"b\":1,\"c\":2}}", "x]}".repeat(10_000));
        assert_eq!(find(&far, "b"), far.find(",\"b\""));
        assert_eq!(find(&far, "c"), far.find(",\"c\""));
        assert_eq!(find(r#"{"a":[{"x":1}],"b":2}"#, "b"), Some(14));
    }

    #[test]
    fn what_is_nested_quoted_or_after_the_end_is_not_found() {
        assert_eq!(find(r#"{"a":{"x":0,"b":1},"c":2}"#, "b"), None);
        assert_eq!(find(r#"{"a":"{,\"b\":","c":2}"#, "b"), None);
        assert_eq!(find(r#"{"a":1},"b":2}"#, "b"), None);
        assert_eq!(find(r#"{"a":1}"#, "b"), None);
    }

    #[test]
    fn the_seam_of_two_windows_does_not_matter() {
        for length in FIRST_WINDOW - 20..FIRST_WINDOW + 20 {
            let map = format!("{{\"a\":\"{}\\\\\",\"b\":1}}", "x".repeat(length));
            assert_eq!(find(&map, "b"), map.find(",\"b\""), "{length}");
        }
    }
}
