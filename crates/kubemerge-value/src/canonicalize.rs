//! From any JSON text to a canonical document.

use crate::{
    document::{Canonical, Document},
    error::ParseError,
    reader::canonical_depth,
    write::to_canonical,
};

impl Canonical {
    /// Checks the bytes and rewrites them.
    ///
    /// # Errors
    /// As [`Document::check`].
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, ParseError> {
        // Go's encoder and most typed clients write canonical text.
        let text = trimmed(bytes);
        if let Some(depth) = canonical_depth(text) {
            return Ok(Canonical::written(text.to_vec(), depth));
        }
        // The reader says only "not canonical"; the check says what is wrong and where.
        Ok(to_canonical(Document::check(bytes)?.node()))
    }
}

/// The text without the white space around it; that of JSON, which has less of it than ASCII.
fn trimmed(text: &[u8]) -> &[u8] {
    let mut text = text;
    while let [b' ' | b'\t' | b'\n' | b'\r', rest @ ..] | [rest @ .., b' ' | b'\t' | b'\n' | b'\r'] = text {
        text = rest;
    }
    text
}
