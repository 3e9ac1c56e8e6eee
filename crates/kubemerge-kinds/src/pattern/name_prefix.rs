//! The first bytes of a name as a number: one comparison of numbers decides most comparisons of names.

/// The first eight bytes of a name as a number that sorts as the name does.
pub(super) fn name_prefix_u64(name: &[u8]) -> u64 {
    if let Some(start) = name.first_chunk() {
        return u64::from_be_bytes(*start);
    }
    match (name.first_chunk(), name.last_chunk()) {
        // Both halves of a name that is not much longer than one of them; where they overlap they agree.
        (Some(first), Some(last)) => {
            let (first, last) = (u32::from_be_bytes(*first), u32::from_be_bytes(*last));
            u64::from(first) << 32 | u64::from(last) << (8 * (8 - name.len()))
        }
        _ => name.iter().zip([56, 48, 40]).map(|(byte, place)| u64::from(*byte) << place).sum(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_sort_as_names_do() {
        let names =
            ["", "a", "ab", "abc", "abcd", "abcde", "abcdefg", "abcdefgh", "abcdefgi", "b", "spec", "é"];
        let prefixes: Vec<u64> = names.iter().map(|name| name_prefix_u64(name.as_bytes())).collect();
        assert!(prefixes.is_sorted_by(|a, b| a < b), "{prefixes:?}");
        assert_eq!(name_prefix_u64(b"abcdefgh"), name_prefix_u64(b"abcdefghi"));
    }
}
