//! JSON pointers and list indices as the API server reads them.

use kubemerge_value::part::text_of;
use kubemerge_value::{Arena, write::go_quoted};

/// A pointer, taken apart.
pub(super) struct Pointer<'a> {
    /// The members and indices that lead to the container.
    pub(super) parents: Vec<&'a str>,
    /// The member or index in that container.
    pub(super) key: &'a str,
}

/// Takes a pointer apart; `None` if it has no slash.
pub(super) fn split<'a>(pointer: &'a str, arena: &'a Arena) -> Option<Pointer<'a>> {
    // Upstream: what is before the first slash does not matter. Case `a pointer without a leading slash`.
    let (_, tokens) = pointer.split_once('/')?;
    let mut parents: Vec<&str> = tokens.split('/').map(|token| unescaped(token, arena)).collect();
    let key = parents.pop()?;
    Some(Pointer { parents, key })
}

/// `~1` is a slash and `~0` a tilde; any other tilde is itself.
fn unescaped<'a>(token: &'a str, arena: &'a Arena) -> &'a str {
    if !token.contains('~') {
        return token;
    }
    let mut text = String::with_capacity(token.len());
    let mut rest = token;
    while let Some((before, after)) = rest.split_once('~') {
        text.push_str(before);
        let (meaning, length) = match after.as_bytes().first() {
            Some(b'1') => ('/', 1),
            Some(b'0') => ('~', 1),
            // Upstream: a lone tilde is kept.
            _ => ('~', 0),
        };
        text.push(meaning);
        rest = text_of(after, length..);
    }
    text.push_str(rest);
    arena.alloc_str(&text)
}

/// A token that is no list index, in Go's words.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct NoIndex(pub(super) String);

/// Reads an index as Go does: a sign is allowed, and leading zeros are.
pub(super) fn index(token: &str) -> Result<i64, NoIndex> {
    // Upstream uses Go's Atoi, which accepts signs.
    let digits = token.strip_prefix(['+', '-']).unwrap_or(token);
    let problem = if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        "invalid syntax"
    } else {
        match token.parse() {
            Ok(index) => return Ok(index),
            Err(_) => "value out of range",
        }
    };
    Err(NoIndex(format!("strconv.Atoi: parsing {}: {problem}", go_quoted(token))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pointers_come_apart() {
        let arena = Arena::new();
        let pointer = split("/a~1b/c~0d/~01/~", &arena).unwrap();
        assert_eq!((pointer.parents.as_slice(), pointer.key), (["a/b", "c~d", "~1"].as_slice(), "~"));
        assert!(split("a", &arena).is_none());
        assert!(split("", &arena).is_none());
        assert_eq!(split("/", &arena).unwrap().key, "");
    }

    #[test]
    fn indices_read_as_in_go() {
        for (token, expected) in [("0", 0), ("-1", -1), ("+1", 1), ("007", 7), ("-0", 0)] {
            assert_eq!(index(token), Ok(expected));
        }
        for (token, problem) in [
            ("", "\"\": invalid syntax"),
            ("-", "\"-\": invalid syntax"),
            ("1_0", "\"1_0\": invalid syntax"),
            ("x\n", "\"x\\n\": invalid syntax"),
            ("9999999999999999999", "\"9999999999999999999\": value out of range"),
        ] {
            assert_eq!(index(token), Err(NoIndex(format!("strconv.Atoi: parsing {problem}"))));
        }
    }
}
