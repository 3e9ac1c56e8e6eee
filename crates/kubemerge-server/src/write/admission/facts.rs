//! What plugins read from the store.

use crate::{store::Stored, write::request::Write};

/// Every object below a prefix of keys.
pub(super) fn all(write: Write<'_>, prefix: &str) -> Vec<Stored> {
    write.call.cluster.store.newest(prefix).into_iter().map(|(_, stored)| stored).collect()
}
