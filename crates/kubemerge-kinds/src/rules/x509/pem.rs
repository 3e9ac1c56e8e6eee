//! Blocks of PEM text, as Go's `encoding/pem` finds them.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use kubemerge_value::part::text_of;

/// A block: its type, whether it has headers, and its bytes.
pub(crate) struct Block<'p> {
    pub(crate) kind: &'p str,
    pub(crate) has_headers: bool,
    pub(crate) bytes: Vec<u8>,
}

const BEGIN: &str = "-----BEGIN ";
const END: &str = "-----END ";
pub(crate) const DASHES: &str = "-----";

/// The blocks of a text. What is between them, and what is no block, is passed over.
pub(crate) fn blocks(text: &str) -> impl Iterator<Item = Block<'_>> {
    let mut rest = text;
    std::iter::from_fn(move || {
        loop {
            let (before, after) = rest.split_once(END)?;
            let line_end = after.find('\n').unwrap_or(after.len());
            // An END line without a block is skipped, so that the search always moves on.
            rest = after;
            // Of several BEGIN lines the last one before an END counts.
            let Some(start) = before.rfind(BEGIN) else { continue };
            let (text_before, block) = before.split_at(start);
            let is_at_line_start = text_before.is_empty() || text_before.ends_with('\n');
            let (line, next) = after.split_at(line_end);
            if is_at_line_start && let Some(block) = read(text_of(block, BEGIN.len()..), line) {
                rest = next;
                return Some(block);
            }
        }
    })
}

/// Reads a block from the rest of its BEGIN line to its END line.
fn read<'p>(inner: &'p str, end_line: &str) -> Option<Block<'p>> {
    let (kind_line, mut body) = inner.split_once('\n')?;
    let kind = kind_line.trim_end().strip_suffix(DASHES)?;
    // Go ends a block only at an END line of the same type.
    if end_line.trim_end().strip_suffix(DASHES) != Some(kind) {
        return None;
    }
    let mut has_headers = false;
    while let Some((line, rest)) = body.split_once('\n').filter(|(line, _)| line.contains(':')) {
        (has_headers, body) = (!line.is_empty(), rest);
    }
    let text: String = body.chars().filter(|char| !char.is_ascii_whitespace()).collect();
    Some(Block { kind, has_headers, bytes: STANDARD.decode(text).ok()? })
}
