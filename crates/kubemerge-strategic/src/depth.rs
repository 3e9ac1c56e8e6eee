//! How deep a walk is, and whether comparing whole texts pays there.

use std::cell::Cell;

/// The depth of a walk.
#[derive(Default)]
pub(crate) struct Depth(Cell<usize>);

/// A level of a walk; leaving it is dropping it.
#[must_use]
pub(crate) struct Level<'w> {
    depth: &'w Depth,
    at: usize,
}

/// On this many levels texts are always compared; deeper down on every 16th, because nested texts that differ at
/// the bottom would be compared once per level.
const MAX_SHALLOW_LEVELS: usize = 12;

impl Depth {
    pub(crate) fn enter(&self) -> Level<'_> {
        let at = self.0.get();
        self.0.set(at + 1);
        Level { depth: self, at }
    }

    /// Whether texts are compared where the walk is.
    pub(crate) fn compares_texts(&self) -> bool {
        let at = self.0.get();
        at < MAX_SHALLOW_LEVELS || at.is_multiple_of(16)
    }
}

impl Drop for Level<'_> {
    fn drop(&mut self) {
        self.depth.0.set(self.at);
    }
}
