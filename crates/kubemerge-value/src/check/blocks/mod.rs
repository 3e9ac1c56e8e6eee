//! The fast check: the grammar as arithmetic on bit masks, for 64 bytes at once.
//!
//! Between two tokens there is nothing but white space, so the grammar is a matter of neighbours: after the
//! name of a member comes a colon, after a value a comma or a closing bracket, and so on. One mask marks the
//! tokens that call for the same kind of neighbour; shifting it by one and letting an addition carry it
//! through the white space gives the places where that neighbour must be. Only brackets, numbers, literals
//! and rare escapes are looked at one by one.
//!
//! No answer means "not sure": a fault, a scalar document, deep nesting.

mod grammar;
mod nesting;

use grammar::Grammar;
use nesting::Nesting;

use super::{
    Checked,
    token::{escape_end, word_end},
};
use crate::{
    part::part_of,
    scan::{
        lanes::{BlockScan, Lanes, SPACE, block_at, positions},
        quotes::{QuoteScan, Quotes},
        simd, skip_space,
    },
    text::Ends,
};

/// Checks that the bytes are one map or list.
pub(super) fn check(bytes: &[u8]) -> Option<Checked> {
    let start = skip_space(bytes, 0);
    let end = bytes.iter().rposition(|byte| !matches!(byte, b' ' | b'\n' | b'\t' | b'\r'))? + 1;
    // A lone scalar is rare, and the exact check is fast on it.
    if !matches!(bytes.get(start), Some(b'{' | b'[')) {
        return None;
    }
    let passed = simd::dispatch(BlockCheck { bytes: part_of(bytes, ..end), start })?;
    // Most documents are ASCII, which is known from the scan; only others pay for this.
    if !passed.is_ascii && std::str::from_utf8(bytes).is_err() {
        return None;
    }
    Some(Checked { ends: Ends::new(bytes, passed.large), depth: passed.depth })
}

struct BlockCheck<'a> {
    /// The text without white space at its end.
    bytes: &'a [u8],
    /// The place of the first bracket.
    start: usize,
}

/// What is known of a text whose grammar is valid.
struct Passed {
    large: Vec<(u32, u32)>,
    depth: usize,
    is_ascii: bool,
}

/// How many blocks are read before any is checked: the vector instructions then run without a break.
// Reading masks for several blocks before checking them keeps both loops small enough for registers.
const BATCH: usize = 8;

impl BlockScan for BlockCheck<'_> {
    type Output = Option<Passed>;

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) -> Option<Passed> {
        let bytes = self.bytes;
        let mut checker = Checker::new(bytes, self.start);
        let mut batch = [Tokens::default(); BATCH];
        let mut quotes = QuoteScan::default();
        let mut high_bits = 0;
        let mut space = SPACE;
        // The last block is padded with white space, which changes nothing in the grammar.
        while checker.at < bytes.len() {
            let blocks = (bytes.len() - checker.at).div_ceil(64).min(BATCH);
            for (n, tokens) in batch.iter_mut().take(blocks).enumerate() {
                let register = lanes.load(block_at(bytes, checker.at + 64 * n, &mut space));
                high_bits |= !lanes.at_most(register, 0x7f);
                *tokens = Tokens::read(lanes, register, quotes.next(lanes, register));
            }
            checker.batch(part_of(&batch, ..blocks))?;
        }
        checker.finish(high_bits == 0)
    }
}

/// Checks the tokens of one block after the other.
struct Checker<'a> {
    bytes: &'a [u8],
    /// Where the next block starts.
    at: usize,
    nesting: Nesting,
    grammar: Grammar,
}

impl<'a> Checker<'a> {
    fn new(bytes: &'a [u8], start: usize) -> Self {
        Checker { bytes, at: start, nesting: Nesting::new(bytes.len()), grammar: Grammar::default() }
    }

    /// Not inlined, because the compiler would spread this arithmetic over vector registers.
    #[inline(never)]
    fn batch(&mut self, blocks: &[Tokens]) -> Option<()> {
        blocks.iter().try_for_each(|tokens| self.block(tokens))
    }

    #[inline(always)]
    fn block(&mut self, tokens: &Tokens) -> Option<()> {
        let maps = self.nesting.next(tokens, self.at)?;
        let words = self.grammar.next(tokens, maps)?;
        let is_valid = positions(words).all(|word| self.is_word(tokens.words, word))
            && positions(tokens.escapes).all(|letter| escape_end(self.bytes, self.at + letter).is_ok());
        self.at += 64;
        is_valid.then_some(())
    }

    /// Whether a number or literal starts at this place of the block; `words` tells how far it may go.
    #[inline(always)]
    fn is_word(&self, words: u64, start: usize) -> bool {
        let at = self.at + start;
        let length = (words >> start).trailing_ones();
        // What reaches the end of the block may go on in the next one.
        let ends_here = start + length as usize != 64 && length <= 8;
        match part_of(self.bytes, at..).first_chunk() {
            Some(chunk) if ends_here && is_short_word(u64::from_le_bytes(*chunk), length) => true,
            // Floats, numbers of more than 8 digits and words that cross a block: rare, so checked byte by
            // byte.
            _ => is_long_word(self.bytes, at),
        }
    }

    fn finish(self, is_ascii: bool) -> Option<Passed> {
        let Nesting { depth, deepest, large, .. } = self.nesting;
        // An open string would have left brackets open as well.
        (depth == 0).then_some(Passed { large, depth: deepest, is_ascii })
    }
}

/// Whether the first `length` bytes, 1 to 8, are a plain integer or a literal.
#[inline(always)]
#[expect(clippy::needless_bitwise_bool, clippy::verbose_bit_mask, reason = "Without branches.")]
fn is_short_word(chunk: u64, length: u32) -> bool {
    let unused = 64 - 8 * length;
    let word = chunk << unused >> unused;
    let digits = word ^ (0x3030_3030_3030_3030 << unused >> unused);
    // Adding 0x76 to a byte sets its high bit unless the byte is a digit.
    let only_digits = (digits.wrapping_add(0x7676_7676_7676_7676) | digits) & 0x8080_8080_8080_8080 == 0;
    let leading_zero = digits & 0xff == 0 && length > 1;
    // The length counts: a literal that is followed by NULs has the same chunk.
    let literal = match length {
        4 => (word == TRUE) | (word == NULL),
        5 => word == FALSE,
        _ => false,
    };
    (only_digits & !leading_zero) | literal
}

const TRUE: u64 = u64::from_le_bytes(*b"true\0\0\0\0");
const FALSE: u64 = u64::from_le_bytes(*b"false\0\0\0");
const NULL: u64 = u64::from_le_bytes(*b"null\0\0\0\0");

/// Whether a number or literal starts at `at` and ends where a token may end.
fn is_long_word(bytes: &[u8], at: usize) -> bool {
    let Ok(end) = word_end(bytes, at) else { return false };
    matches!(bytes.get(end), Some(b',' | b'}' | b']' | b' ' | b'\n' | b'\t' | b'\r'))
}

/// The tokens of one block. Bytes inside strings are no tokens.
#[derive(Clone, Copy, Default)]
struct Tokens {
    opening: u64,
    closing: u64,
    /// Bytes that are curly brackets, if they are brackets.
    curly: u64,
    comma: u64,
    colon: u64,
    space: u64,
    /// Every byte of numbers and literals, and of what is no token at all.
    words: u64,
    strings: Quotes,
    /// The letters of the escapes that are not plainly valid.
    escapes: u64,
    /// Control characters inside strings.
    control: u64,
}

impl Tokens {
    #[inline(always)]
    fn read<L: Lanes>(lanes: L, register: L::Register, strings: Quotes) -> Self {
        let outside = strings.outside();
        let folded = lanes.fold_brackets(register);
        let opening = lanes.equal(folded, b'{') & outside;
        let closing = lanes.equal(folded, b'}') & outside;
        let comma = lanes.equal(register, b',') & outside;
        let colon = lanes.equal(register, b':') & outside;
        let low = lanes.at_most(register, b' ');
        // Canonical text has no white space, so the four comparisons are mostly skipped.
        let space = if low & outside == 0 { 0 } else { white_space(lanes, register) & outside };
        Tokens {
            opening,
            closing,
            // Of the four brackets only `{` and `}` are above `_`.
            curly: !lanes.at_most(register, b'_'),
            comma,
            colon,
            space,
            words: outside & !(opening | closing | comma | colon | space),
            strings,
            escapes: unusual_escapes(lanes, register, strings),
            control: low & !lanes.equal(register, b' ') & strings.inside,
        }
    }
}

#[inline(always)]
fn white_space<L: Lanes>(lanes: L, register: L::Register) -> u64 {
    [b' ', b'\n', b'\t', b'\r'].into_iter().fold(0, |space, byte| space | lanes.equal(register, byte))
}

/// Escapes other than `\"` and `\\`, which are by far the most frequent.
#[inline(always)]
fn unusual_escapes<L: Lanes>(lanes: L, register: L::Register, strings: Quotes) -> u64 {
    if strings.escaped == 0 {
        return 0;
    }
    // Escaped quotes and backslashes are always valid; others are checked one by one.
    strings.escaped & strings.inside & !lanes.equal(register, b'"') & !lanes.equal(register, b'\\')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::exact;
    use proptest::prelude::*;

    /// Texts that are nearly documents: tokens in any order, now and then a wrong byte.
    fn texts() -> impl Strategy<Value = Vec<u8>> {
        let token = prop::sample::select(vec![
            "{",
            "}",
            "[",
            "]",
            ",",
            ":",
            "\"a\":",
            "\"a\":1,",
            "\"b\"",
            "{}",
            "[]",
            "1",
            "-2.5e3",
            "true",
            "null",
            " ",
            "\n   ",
            "\"\\\"\\u00e9\\\\\"",
            "\"é\"",
            "\"",
            "\\",
            "0",
            "\"long long long text\"",
        ]);
        prop::collection::vec(token, 1..40).prop_map(|tokens| tokens.concat().into_bytes())
    }

    fn documents() -> impl Strategy<Value = Vec<u8>> {
        let scalar = prop::sample::select(vec!["1", "-0.5", "true", "null", "\"a\"", "\"\\\\\"", "\"é\\n\""]);
        scalar
            .prop_map(String::from)
            .prop_recursive(5, 60, 6, |inner| {
                let gap = || prop::sample::select(vec!["", "", "", " ", "\n  "]);
                let list = (prop::collection::vec(inner.clone(), 0..6), gap())
                    .prop_map(|(items, gap)| format!("[{gap}{}{gap}]", items.join(&format!("{gap},{gap}"))));
                let map = (prop::collection::vec(inner, 0..6), gap()).prop_map(|(items, gap)| {
                    let members: Vec<_> =
                        items.iter().map(|item| format!("{gap}\"key\\\"\"{gap}:{gap}{item}{gap}")).collect();
                    format!("{{{}}}", members.join(","))
                });
                prop_oneof![list, map]
            })
            .prop_map(String::into_bytes)
    }

    /// The fast check never passes what the exact one does not, and passes every document of modest depth.
    fn agrees(text: &[u8]) -> Result<(), TestCaseError> {
        let expected = exact::check(text).ok();
        let start = skip_space(text, 0);
        if !matches!(text.get(start), Some(b'{' | b'[')) {
            return Ok(());
        }
        let end = text.iter().rposition(|byte| !byte.is_ascii_whitespace()).unwrap() + 1;
        for passed in simd::on_all_levels(|| BlockCheck { bytes: &text[..end], start }) {
            let passed = passed.filter(|passed| passed.is_ascii || std::str::from_utf8(text).is_ok());
            prop_assert_eq!(
                passed.map(|passed| passed.depth),
                expected.as_ref().map(|checked| checked.depth)
            );
        }
        Ok(())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn broken_texts_are_not_passed(text in texts()) {
            agrees(&text)?;
        }

        #[test]
        fn documents_are_passed_unless_one_byte_is_wrong(
            text in documents(),
            at in any::<prop::sample::Index>(),
            byte in prop::sample::select(b"{}[],:\"\\ 1ax\n\0\x01\xc3".to_vec()),
        ) {
            agrees(&text)?;
            let mut broken = text;
            let at = at.index(broken.len());
            broken[at] = byte;
            agrees(&broken)?;
        }
    }
}
