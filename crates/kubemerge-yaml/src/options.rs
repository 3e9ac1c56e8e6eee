//! Choices for reading.

/// How to read.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// How to handle duplicate keys.
    pub duplicate_keys: DuplicateKeys,
    /// The most keys and values a document may have.
    pub max_nodes: usize,
    /// The most bytes of JSON that aliases may add to a text, all of its documents together.
    pub max_aliased_bytes: usize,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            duplicate_keys: DuplicateKeys::Error,
            // Far beyond any manifest, and small enough to fit in memory.
            max_nodes: 10_000_000,
            // More than the largest object that Kubernetes stores. The rule of yaml.v2 counts values, whatever their
            // size, so that 400 KB could become gigabytes.
            max_aliased_bytes: 4 << 20,
        }
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
