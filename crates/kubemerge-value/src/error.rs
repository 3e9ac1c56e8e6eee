//! What can be wrong with a document before its meaning matters.

use std::fmt;

/// A document that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseError {
    kind: ParseErrorKind,
    offset: usize,
    line: usize,
    column: usize,
}

/// Why a document cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ParseErrorKind {
    /// The text ends inside a value.
    UnexpectedEnd,
    /// A character that the grammar does not allow here.
    UnexpectedCharacter,
    /// Text after the value.
    TrailingText,
    /// A control character inside a string.
    ControlCharacter,
    /// An escape that JSON does not have.
    InvalidEscape,
    /// A number that JSON does not have.
    InvalidNumber,
    /// A number too large for a 64-bit float.
    NumberOutOfRange,
    /// Bytes that are not UTF-8.
    InvalidUtf8,
    /// More nested containers than the limit of the source.
    TooDeep {
        /// The limit.
        limit: usize,
    },
    /// More bytes than a document may have.
    TooLarge,
}

impl ParseError {
    pub(crate) fn at(kind: ParseErrorKind, bytes: &[u8], offset: usize) -> Self {
        let before = bytes.get(..offset).unwrap_or(bytes);
        let line = memchr::memchr_iter(b'\n', before).count() + 1;
        let last_line = before.rsplit(|byte| *byte == b'\n').next().unwrap_or_default();
        // Columns count characters, as editors do.
        let column = String::from_utf8_lossy(last_line).chars().count() + 1;
        ParseError { kind, offset, line, column }
    }

    pub(crate) fn too_deep(limit: usize) -> Self {
        ParseError { kind: ParseErrorKind::TooDeep { limit }, offset: 0, line: 0, column: 0 }
    }

    /// Why the document cannot be read.
    pub fn kind(&self) -> ParseErrorKind {
        self.kind
    }

    /// The byte at fault, counted from 0.
    pub fn offset(&self) -> usize {
        self.offset
    }

    /// The line of that byte, counted from 1; 0 where the document is not text.
    pub fn line(&self) -> usize {
        self.line
    }

    /// The column of that byte in characters, counted from 1; 0 where the document is not text.
    pub fn column(&self) -> usize {
        self.column
    }
}

impl fmt::Display for ParseErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ParseErrorKind::UnexpectedEnd => "the text ends inside a value",
            ParseErrorKind::UnexpectedCharacter => "unexpected character",
            ParseErrorKind::TrailingText => "text after the value",
            ParseErrorKind::ControlCharacter => "a control character inside a string (write it as an escape)",
            ParseErrorKind::InvalidEscape => "invalid escape in a string",
            ParseErrorKind::InvalidNumber => "invalid number",
            ParseErrorKind::NumberOutOfRange => "the number does not fit a 64-bit float",
            ParseErrorKind::InvalidUtf8 => "bytes that are not UTF-8",
            ParseErrorKind::TooDeep { limit } => return write!(f, "nested deeper than {limit} levels"),
            ParseErrorKind::TooLarge => "the document has more than 4 GiB",
        })
    }
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Values that are no text have no position.
        if self.line == 0 {
            return self.kind.fmt(f);
        }
        write!(f, "{} at line {}, column {}", self.kind, self.line, self.column)
    }
}

impl std::error::Error for ParseError {}
