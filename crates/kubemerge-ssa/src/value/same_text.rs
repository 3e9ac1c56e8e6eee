//! What two texts have in common.

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
