//! Whether every item of a list has a key: told by brackets and colons, without a walk over the members.

use super::{
    lanes::{BlockScan, Lanes, SPACE, block_at, positions},
    quotes::QuoteScan,
    simd, skip_space,
};

/// Whether all items of the list that the bytes start with are maps that surely have a scalar of this name.
/// Text that is not plain is not looked at: a name with escapes, or one that does not touch its colon.
#[inline]
pub(crate) fn have_scalar(list: &[u8], name: &str) -> bool {
    simd::dispatch(Items { list, name: Quoted::new(name.as_bytes()) })
}

struct Items<'a> {
    list: &'a [u8],
    name: Quoted<'a>,
}

/// A name, ready to be compared with quotes around it.
#[derive(Clone, Copy)]
struct Quoted<'a> {
    name: &'a [u8],
    /// The name in quotes as a number, and how many bits of it are not used; `None` if it is too long for one.
    number: Option<(u128, u32)>,
}

impl<'a> Quoted<'a> {
    fn new(name: &'a [u8]) -> Self {
        let quoted = [b"\"", name, b"\""].concat();
        let number = 16usize.checked_sub(quoted.len()).map(|unused| {
            let mut bytes = [0; 16];
            bytes[..quoted.len()].copy_from_slice(&quoted);
            (u128::from_le_bytes(bytes), 8 * unused as u32)
        });
        Quoted { name, number }
    }

    /// Whether the text ends with the name in quotes.
    #[inline(always)]
    fn ends(self, text: &[u8]) -> bool {
        if let (Some((number, unused)), Some(last)) = (self.number, text.last_chunk()) {
            return u128::from_le_bytes(*last) >> unused == number;
        }
        let quoted = &text[text.len().saturating_sub(self.name.len() + 2)..];
        matches!(quoted, [b'"', name @ .., b'"'] if name == self.name)
    }
}

impl BlockScan for Items<'_> {
    type Output = bool;

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) -> bool {
        let mut quotes = QuoteScan::default();
        let mut space = SPACE;
        let mut seen = Seen { depth: 0, key: false };
        for at in (0..self.list.len()).step_by(64) {
            let register = lanes.load(block_at(self.list, at, &mut space));
            let strings = quotes.next(lanes, register);
            if strings.escaped != 0 {
                return false;
            }
            let folded = lanes.fold_brackets(register);
            let opening = lanes.equal(folded, b'{') & strings.outside();
            let closing = lanes.equal(folded, b'}') & strings.outside();
            let colon = lanes.equal(register, b':') & strings.outside();
            for mark in positions(opening | closing | colon) {
                let sound = match 1 << mark {
                    bit if colon & bit != 0 => self.colon(at + mark, &mut seen),
                    bit if opening & bit != 0 => self.open(at + mark, &mut seen),
                    _ => self.close(at + mark, &mut seen),
                };
                if !sound || seen.depth == 0 {
                    return sound;
                }
            }
        }
        false
    }
}

/// What was seen of the list so far.
struct Seen {
    /// 1 directly in the list, 2 in an item.
    depth: usize,
    /// Whether the last item has its key.
    key: bool,
}

impl Items<'_> {
    #[inline(always)]
    fn open(&self, at: usize, seen: &mut Seen) -> bool {
        seen.depth += 1;
        seen.depth > 1 || self.goes_on(skip_space(self.list, at + 1))
    }

    #[inline(always)]
    fn close(&self, at: usize, seen: &mut Seen) -> bool {
        seen.depth -= 1;
        if seen.depth != 1 {
            return true;
        }
        let behind = skip_space(self.list, at + 1);
        let is_comma = self.list.get(behind) == Some(&b',');
        let next = if is_comma { skip_space(self.list, behind + 1) } else { behind };
        std::mem::take(&mut seen.key) && self.goes_on(next)
    }

    /// Whether a map starts here, or the list ends.
    #[inline(always)]
    fn goes_on(&self, at: usize) -> bool {
        matches!(self.list.get(at), Some(b'{' | b']'))
    }

    /// Notes the key of an item. A key that is a map or list is not sound.
    #[inline(always)]
    fn colon(&self, at: usize, seen: &mut Seen) -> bool {
        let is_scalar = !matches!(self.list.get(skip_space(self.list, at + 1)), Some(b'{' | b'['));
        if seen.depth != 2 || (seen.key && is_scalar) || !self.name.ends(&self.list[..at]) {
            return true;
        }
        seen.key = true;
        is_scalar
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(list: &str, expected: bool) {
        for answer in simd::on_all_levels(|| Items { list: list.as_bytes(), name: Quoted::new(b"name") }) {
            assert_eq!(answer, expected, "{list}");
        }
    }

    #[test]
    fn every_item_needs_the_key() {
        check("[]", true);
        check(r#"[{"name":"a"},{"x":[{}],"name":1}]"#, true);
        check(r#"[ { "x": {"name": {}}, "name": null } , {"name":"a"} ]"#, true);
        check(r#"[{"name":"a"},{"x":1}]"#, false);
        check(r#"[{"name":"a"},{}]"#, false);
        check(r#"[{"name":"a"},{"x":{"name":"b"}}]"#, false);
        check(r#"[{"name":"a"},{"rename":"b"}]"#, false);
    }

    #[test]
    fn a_key_is_a_scalar_and_an_item_is_a_map() {
        check(r#"[{"name":{}}]"#, false);
        check(r#"[{"name":"a","name": []}]"#, false);
        check(r#"[{"name":"a"},1]"#, false);
        check(r#"["a",{"name":"a"}]"#, false);
        check(r#"[{"name":"a"},["name"]]"#, false);
    }

    #[test]
    fn what_is_not_plain_is_not_sure() {
        check(r#"[{"name":"a","n\u0061me":{}}]"#, false);
        check(r#"[{"name" :"a"}]"#, false);
    }

    #[test]
    fn long_names_and_short_texts_are_compared_too() {
        let found = |list: &str, name| have_scalar(list.as_bytes(), name);
        assert!(found(r#"[{"a":1}]"#, "a"));
        assert!(found(r#"[{"a name of 14 b":1}]"#, "a name of 14 b"));
        assert!(found(r#"[{"a name of 15 by":1}]"#, "a name of 15 by"));
        assert!(!found(r#"[{"a name of 15 bx":1}]"#, "a name of 15 by"));
        assert!(found(r#"[{"":1}]"#, ""));
    }

    #[test]
    fn what_stands_behind_the_list_does_not_matter() {
        let item = r#"{"name":"a","value":"[{:"},"#;
        for count in 1..12 {
            let items = item.repeat(count);
            check(&format!(r#"[{}],"x":[{{}}]"#, items.trim_end_matches(',')), true);
            check(&format!("[{items}{{}}]"), false);
        }
    }
}
