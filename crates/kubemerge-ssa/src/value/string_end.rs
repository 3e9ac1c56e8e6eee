//! Finds the ends of JSON strings, and what two texts have in common.

const LOW: u64 = u64::MAX / 255;
const HIGH: u64 = LOW << 7;

/// The place of the first quote or backslash, eight bytes at a time: the labels of field sets are short.
#[inline]
pub(crate) fn quote_or_escape(bytes: &[u8]) -> Option<usize> {
    let (words, rest) = bytes.as_chunks::<8>();
    for (place, word) in words.iter().enumerate() {
        let found = marks(u64::from_le_bytes(*word));
        if found != 0 {
            return Some(place * 8 + found.trailing_zeros() as usize / 8);
        }
    }
    let found = rest.iter().position(|byte| matches!(byte, b'"' | b'\\'))?;
    Some(words.len() * 8 + found)
}

/// The high bit of every byte that is a quote or a backslash. Bytes after the first one may be marked too.
#[inline]
fn marks(word: u64) -> u64 {
    let zeros = |word: u64| word.wrapping_sub(LOW) & !word & HIGH;
    zeros(word ^ (LOW * b'"' as u64)) | zeros(word ^ (LOW * b'\\' as u64))
}

/// The length of a string up to its closing quote, escapes included. `rest` starts after the opening quote.
pub(crate) fn string_len(rest: &[u8]) -> Option<usize> {
    let mut at = 0;
    loop {
        let end = at + quote_or_escape(rest.get(at..)?)?;
        if rest[end] == b'"' {
            return Some(end);
        }
        at = end + 2;
    }
}

/// How many bytes two texts have in common at their beginnings.
pub(crate) fn shared_start(one: &[u8], two: &[u8]) -> usize {
    let (ones, twos) = (one.as_chunks::<32>().0, two.as_chunks::<32>().0);
    let blocks = ones.iter().zip(twos).take_while(|(one, two)| one == two).count() * 32;
    blocks + one[blocks..].iter().zip(&two[blocks..]).take_while(|(one, two)| one == two).count()
}

/// How many bytes two texts have in common at their ends.
pub(crate) fn shared_end(one: &[u8], two: &[u8]) -> usize {
    let (ones, twos) = (one.as_rchunks::<32>().1, two.as_rchunks::<32>().1);
    let blocks = ones.iter().rev().zip(twos.iter().rev()).take_while(|(one, two)| one == two).count() * 32;
    let (one, two) = (&one[..one.len() - blocks], &two[..two.len() - blocks]);
    blocks + one.iter().rev().zip(two.iter().rev()).take_while(|(one, two)| one == two).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_are_those_of_a_plain_search() {
        for len in 0..40 {
            for mark in [b'"', b'\\'] {
                for place in 0..=len {
                    // Neighbours that differ from the marks in the lowest bit are what such searches get wrong.
                    let mut bytes = vec![mark ^ 1; len];
                    bytes.iter_mut().skip(place).for_each(|byte| *byte = mark);
                    assert_eq!(quote_or_escape(&bytes), (place < len).then_some(place), "{bytes:?}");
                }
            }
        }
    }

    #[test]
    fn shared_parts_are_those_of_a_plain_search() {
        for len in [0, 1, 31, 32, 33, 64, 100] {
            for place in 0..len {
                let one = vec![b'a'; len];
                let mut two = one.clone();
                two[place] = b'b';
                assert_eq!(shared_start(&one, &two), place);
                assert_eq!(shared_end(&one, &two), len - place - 1);
                two.insert(place, b'c');
                assert_eq!(shared_start(&one, &two), place);
                assert_eq!(shared_end(&one, &two), len - place - 1);
            }
        }
    }
}
