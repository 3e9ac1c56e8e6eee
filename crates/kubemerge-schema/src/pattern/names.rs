//! Names of classes of ASCII characters that Go knows.

/// Ranges of ASCII characters.
pub(super) type Ranges = &'static [(u8, u8)];

pub(super) const DIGITS: Ranges = &[(b'0', b'9')];
pub(super) const SPACES: Ranges = &[(b'\t', b'\n'), (0x0C, b'\r'), (b' ', b' ')];
pub(super) const WORDS: Ranges = &[(b'0', b'9'), (b'A', b'Z'), (b'_', b'_'), (b'a', b'z')];

/// The characters of a class with a name, as in `[:alpha:]`.
pub(super) fn posix(name: &str) -> Option<Ranges> {
    Some(match name {
        "alnum" => &[(b'0', b'9'), (b'A', b'Z'), (b'a', b'z')],
        "alpha" => &[(b'A', b'Z'), (b'a', b'z')],
        "ascii" => &[(0, 0x7F)],
        "blank" => &[(b'\t', b'\t'), (b' ', b' ')],
        "cntrl" => &[(0, 0x1F), (0x7F, 0x7F)],
        "digit" => DIGITS,
        "graph" => &[(b'!', b'~')],
        "lower" => &[(b'a', b'z')],
        "print" => &[(b' ', b'~')],
        "punct" => &[(b'!', b'/'), (b':', b'@'), (b'[', b'`'), (b'{', b'~')],
        "space" => &[(b'\t', b'\r'), (b' ', b' ')],
        "upper" => &[(b'A', b'Z')],
        "word" => WORDS,
        "xdigit" => &[(b'0', b'9'), (b'A', b'F'), (b'a', b'f')],
        _ => return None,
    })
}
