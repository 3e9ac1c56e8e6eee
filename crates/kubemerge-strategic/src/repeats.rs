//! A bound on what repeated items of a patch cost.
//!
//! An item that is merged again is written anew each time, so a small patch that repeats one item many times
//! could fill all memory.

use crate::error::{MergeError, MergeErrorKind};
use kubemerge_value::{Arena, Path};
use std::cell::Cell;

/// How many bytes may be written for items that were merged before.
const MAX_REPEATED_BYTES: usize = 256 << 20;

/// What was written so far for items that were merged before.
#[derive(Default)]
pub(crate) struct Repeats {
    bytes: Cell<usize>,
}

impl Repeats {
    /// Notes that an item was merged once more, which began when so much of the arena was in use.
    ///
    /// # Errors
    /// `too-many-repeats` where all of it has cost too much.
    pub(crate) fn note(&self, before: Used, arena: &Arena, path: &Path<'_>) -> Result<(), MergeError> {
        self.bytes.set(self.bytes.get() + Used::of(arena).0.saturating_sub(before.0));
        if self.bytes.get() <= MAX_REPEATED_BYTES {
            return Ok(());
        }
        let message = format!(
            "the patch repeats items of one merge key: merging them takes more than {} MiB",
            MAX_REPEATED_BYTES >> 20
        );
        Err(MergeError::new(MergeErrorKind::TooManyRepeats, path, message).with_hint("give every item once"))
    }

    /// Forgets what was written.
    pub(crate) fn reset(&self) {
        self.bytes.set(0);
    }
}

/// The bytes of an arena that are in use.
#[derive(Clone, Copy)]
pub(crate) struct Used(usize);

impl Used {
    pub(crate) fn of(arena: &Arena) -> Self {
        Used(arena.allocated_bytes().saturating_sub(arena.chunk_capacity()))
    }
}
