//! From any JSON text to a canonical document.

use crate::{
    document::{Canonical, Document},
    error::ParseError,
    reader::Reader,
    write::to_canonical,
};

impl Canonical {
    /// Checks the bytes and rewrites them.
    ///
    /// # Errors
    /// As [`Document::check`].
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, ParseError> {
        // Go's encoder and most typed clients write canonical text.
        let mut reader = Reader::new(bytes);
        match reader.pass().and_then(|()| reader.finish()) {
            Some(canonical) => Ok(canonical),
            // The reader says only "not canonical"; the check says what is wrong and where.
            None => Ok(to_canonical(Document::check(bytes)?.node())),
        }
    }
}
