//! What can be wrong with a YAML text, and where.

use std::fmt;

/// A place in a text. Lines and columns count from one, columns in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Position {
    /// Bytes from the start of the text.
    pub offset: usize,
    /// Line number.
    pub line: usize,
    /// Column, in characters.
    pub column: usize,
}

impl Position {
    /// The position of a byte offset; an offset inside a character means that character.
    #[must_use]
    pub fn of(text: &str, offset: usize) -> Position {
        let offset = text.floor_char_boundary(offset);
        let before = text.get(..offset).unwrap_or(text);
        let line = before.rsplit('\n').next().unwrap_or(before);
        Position {
            offset,
            line: before.bytes().filter(|byte| *byte == b'\n').count() + 1,
            column: line.chars().count() + 1,
        }
    }
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}", self.line, self.column)
    }
}

/// The kinds of fault, for callers that treat some of them differently.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum YamlErrorKind {
    /// The text is not YAML.
    Syntax,
    /// The bytes are not UTF-8.
    NotUtf8,
    /// A duplicate key in a map.
    DuplicateKey {
        /// Where the key is first; the error's own position is the second place.
        first: Position,
    },
    /// A key that has no JSON form: null, a list, a map or an integer beyond 63 bits.
    Key,
    /// A value that has no JSON form, or that does not fit its tag.
    Value,
    /// An alias without an anchor, or inside its own anchor.
    Alias,
    /// The value of `<<` is neither a map nor a list of maps.
    Merge,
    /// A directive or document marker that kubectl does not accept.
    Stream,
    /// More nesting, text, nodes or alias expansion than allowed.
    Limit,
}

/// Why a YAML text could not be read. Displays as `line 3, column 5: message (hint)`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct YamlError {
    kind: Box<YamlErrorKind>,
    position: Position,
    message: String,
    hint: Option<&'static str>,
}

impl YamlError {
    pub(crate) fn new(kind: YamlErrorKind, position: Position, message: impl Into<String>) -> YamlError {
        YamlError { kind: Box::new(kind), position, message: message.into(), hint: None }
    }

    pub(crate) fn with_hint(mut self, hint: &'static str) -> YamlError {
        self.hint = Some(hint);
        self
    }

    /// What kind of fault it is.
    #[must_use]
    pub fn kind(&self) -> &YamlErrorKind {
        &self.kind
    }

    /// Where the fault is.
    #[must_use]
    pub fn position(&self) -> Position {
        self.position
    }

    /// The fault in words, without its place.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
    }

    /// How to fix it, where that is known.
    #[must_use]
    pub fn hint(&self) -> Option<&str> {
        self.hint
    }
}

impl fmt::Display for YamlError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.position, self.message)?;
        match self.hint {
            Some(hint) => write!(f, " ({hint})"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for YamlError {}
