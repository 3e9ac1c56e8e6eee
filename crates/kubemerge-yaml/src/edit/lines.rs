//! Lines of a text: where they begin and end, and which comments belong to one.

use kubemerge_value::part::text_of;

/// Where the line of an offset begins; a byte-order mark belongs to no line.
pub(super) fn line_start(text: &str, offset: usize) -> usize {
    let before = text_of(text, ..offset);
    let first = if before.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    before.rfind('\n').map_or(first, |newline| newline + 1)
}

/// Where the line of an offset ends, before its line break.
pub(super) fn line_end(text: &str, offset: usize) -> usize {
    let line = text_of(text, offset..).split('\n').next().unwrap_or_default();
    // Windows line ends stay outside, so that edits keep them.
    offset + line.strip_suffix('\r').unwrap_or(line).len()
}

/// Where the line after the one of an offset begins.
pub(super) fn next_line(text: &str, offset: usize) -> usize {
    text_of(text, offset..).find('\n').map_or(text.len(), |newline| offset + newline + 1)
}

/// Bytes between the start of the line and an offset.
pub(super) fn column(text: &str, offset: usize) -> usize {
    offset - line_start(text, offset)
}

/// The text before an offset on its line.
pub(super) fn prefix(text: &str, offset: usize) -> &str {
    text_of(text, line_start(text, offset)..offset)
}

/// How an entry starts its line.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Start {
    /// After white space only.
    Clean,
    /// After a dash.
    Compact,
    /// After something else.
    Inside,
}

pub(super) fn start_of(text: &str, offset: usize) -> Start {
    let prefix = prefix(text, offset);
    match prefix.trim_matches(' ') {
        "" => Start::Clean,
        // `- - a: b`: the map begins after the dashes of the lists around it.
        inner if inner.bytes().all(|byte| matches!(byte, b' ' | b'-')) => Start::Compact,
        _ => Start::Inside,
    }
}

/// Where the comment lines right above an entry begin; where the entry's line begins if there are none.
///
/// Only comments at the entry's own column count, and none before `bound`.
pub(super) fn comments_start(text: &str, offset: usize, bound: usize) -> usize {
    let indent = column(text, offset);
    let mut start = line_start(text, offset);
    while start > bound {
        let above = line_start(text, start - 1);
        let line = text_of(text, above..start);
        let comment = line.trim_start_matches(' ');
        if above < bound || line.len() - comment.len() != indent || !comment.starts_with('#') {
            break;
        }
        start = above;
    }
    start
}
