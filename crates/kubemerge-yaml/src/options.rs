//! Choices for reading.

/// How to read.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// How to handle duplicate keys.
    pub duplicate_keys: DuplicateKeys,
    /// The most keys and values a document may have.
    pub max_nodes: usize,
}

impl Default for Options {
    fn default() -> Options {
        // Far beyond any manifest, and small enough to fit in memory.
        Options { duplicate_keys: DuplicateKeys::Error, max_nodes: 10_000_000 }
    }
}

/// How to handle duplicate keys.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DuplicateKeys {
    /// Refuse it and show both places.
    #[default]
    Error,
    /// The last one counts, as in Go.
    LastWins,
}
