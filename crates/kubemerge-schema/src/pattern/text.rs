//! Parts of an expression, and how long what is written for it may be.

use super::error::PatternError;

/// How many bytes an expression for the crate `regex` may have: one `\pL` takes 4 KB. Go's limit is higher.
const MAX_TEXT: usize = 1 << 20;

/// The part of a text before the rest of it.
pub(super) fn up_to<'t>(text: &'t str, rest: &str) -> &'t str {
    text.strip_suffix(rest).unwrap_or(text)
}

pub(super) fn check_length(written: &str, whole: &str) -> Result<(), PatternError> {
    if written.len() > MAX_TEXT { Err(PatternError::new("expression too large", whole)) } else { Ok(()) }
}
