//! Which tokens may be neighbours, block by block.

use super::Tokens;

/// What the tokens of the blocks so far call for.
#[derive(Default)]
pub(super) struct Grammar {
    value: Pending,
    key: Pending,
    colon: Pending,
    separator: Pending,
    /// Anything but a closing bracket.
    more: Pending,
    /// 1 if the string that is open is the name of a member.
    in_key: u64,
    /// 1 if the block before ended with a byte of a number or literal.
    in_word: u64,
}

impl Grammar {
    /// Checks the neighbours of all tokens; gives the places where numbers and literals start.
    #[inline(always)]
    pub(super) fn next(&mut self, tokens: &Tokens, maps: u64) -> Option<u64> {
        let Tokens { opening, closing, curly, comma, colon, space, words, strings, .. } = *tokens;
        let string = strings.marks & strings.inside;

        let key = self.key.after((comma & maps) | (opening & curly), space);
        let mut faults = key & !(string | closing);

        let key_end = self.key_ends(key & string, strings.inside);
        faults |= self.colon.after(key_end, space) & !colon;

        let value = self.value.after((comma & !maps) | (opening & !curly) | colon, space);
        faults |= value & !(string | opening | words | closing);

        // A closing bracket after a comma or colon.
        faults |= self.more.after(comma | colon, space) & closing;

        let after_word = words << 1 | self.in_word;
        self.in_word = words >> 63;
        let value_end = (strings.marks & !strings.inside & !key_end) | closing;
        let separator = self.separator.after_either(value_end, after_word & !words, space);
        faults |= separator & !(comma | closing);

        (faults | tokens.control == 0).then_some(words & !after_word)
    }

    /// The closing quotes of the names that start at `keys` or have started in the block before.
    #[inline(always)]
    fn key_ends(&mut self, keys: u64, inside: u64) -> u64 {
        // Adding the start of a key to the mask of its bytes carries to the first byte after it.
        let (ends, overflow) = (keys | self.in_key).overflowing_add(inside);
        self.in_key = u64::from(overflow);
        ends & !inside
    }
}

/// 1 if the last token of the blocks so far calls for a neighbour of one kind.
#[derive(Default)]
struct Pending(u64);

impl Pending {
    /// The first bytes after `tokens` that are no white space.
    #[inline(always)]
    fn after(&mut self, tokens: u64, space: u64) -> u64 {
        self.after_either(tokens, 0, space)
    }

    /// The same for bytes right after a token.
    #[inline(always)]
    fn after_either(&mut self, tokens: u64, right_after: u64, space: u64) -> u64 {
        let places = tokens << 1 | self.0 | right_after;
        self.0 = tokens >> 63;
        // Without white space the next byte is the next token.
        if space == 0 {
            return places;
        }
        let (places, overflow) = places.overflowing_add(space);
        self.0 |= u64::from(overflow);
        places & !space
    }
}
