//! The releases of Kubernetes that are built in, as constants: what is newest is written in `builtin/releases.txt` alone.

/// The releases whose documents are in the tables, newest first; `cargo xtask kubernetes` writes them.
const RELEASES: &str = include_str!("builtin/releases.txt");

/// The newest release with its patch, such as `1.37.1`: everything recorded or compared is of this one.
pub const NEWEST_RELEASE: &str = up_to(RELEASES, b'\n');

/// The newest version, such as `1.37`, which is the default everywhere.
pub const NEWEST: &str = NEWEST_RELEASE.split_at(up_to_last_dot(NEWEST_RELEASE)).0;

/// The oldest version with built-in tables, such as `1.25`.
pub const OLDEST: &str = {
    let last = RELEASES.split_at(up_to_last_line(RELEASES)).1;
    let last = up_to(last, b'\n');
    last.split_at(up_to_last_dot(last)).0
};

/// The minor part of the newest version, such as 37.
pub const NEWEST_MINOR: u32 = minor_of(NEWEST);

/// The start of a text up to a byte of ASCII.
const fn up_to(text: &'static str, byte: u8) -> &'static str {
    let mut rest = text.as_bytes();
    while let [first, after @ ..] = rest
        && *first != byte
    {
        rest = after;
    }
    text.split_at(text.len() - rest.len()).0
}

/// Where the last line starts.
const fn up_to_last_line(text: &str) -> usize {
    let [before @ .., _] = text.as_bytes() else { return 0 };
    up_to_last(before, b'\n')
}

/// What follows the last of a byte: its place, or the start.
const fn up_to_last(mut text: &[u8], byte: u8) -> usize {
    while let [before @ .., last] = text
        && *last != byte
    {
        text = before;
    }
    text.len()
}

/// Where the last dot is.
const fn up_to_last_dot(text: &str) -> usize {
    up_to_last(text.as_bytes(), b'.').saturating_sub(1)
}

/// 37 of `1.37`.
const fn minor_of(version: &str) -> u32 {
    let mut digits = version.split_at(up_to_last_dot(version) + 1).1.as_bytes();
    let mut minor = 0;
    while let [digit, rest @ ..] = digits {
        minor = minor * 10 + (*digit - b'0') as u32;
        digits = rest;
    }
    minor
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tables_have_the_releases_of_the_list() {
        let mut built_in = crate::builtin::releases();
        built_in.reverse();
        assert_eq!(
            built_in.iter().map(|one| one.patch).collect::<Vec<_>>(),
            RELEASES.lines().collect::<Vec<_>>()
        );
        let newest = built_in.first().map(|one| (one.version, one.patch));
        assert_eq!(newest, Some((NEWEST, NEWEST_RELEASE)));
        assert_eq!(built_in.last().map(|one| one.version), Some(OLDEST));
        assert_eq!(format!("1.{NEWEST_MINOR}"), NEWEST);
    }
}
