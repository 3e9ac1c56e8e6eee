//! The store below the handler, modelled on etcd.
//!
//! One global revision counts every effective write. A write is a compare-and-swap, so reading, checking and
//! writing are one step; ranges come in key order; the history can be read from any revision that is not
//! compacted, which is all that watches and consistent pages need.

pub(crate) mod field_name;
mod layout;
mod memory;
pub(crate) mod metadata_field;
mod objects;
mod ownership;
mod record;
mod state;
mod writer;

use std::{fmt, sync::Arc};

pub use memory::MemoryStore;
pub use ownership::Ownership;
pub use record::{Head, ManagedFieldsView, Record, RecordForm, Stored};
pub(crate) use writer::RecordWriter;

/// A point in the history of a store.
pub type Revision = u64;

/// What must be true of a key for a write to happen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expect {
    /// Nothing is stored under the key.
    Absent,
    /// The value was last written at this revision.
    Unchanged(Revision),
}

/// A write that found something else than expected; holds what is there.
#[derive(Clone, Debug)]
pub struct Mismatch(pub Option<Stored>);

/// A revision that cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutOfRange {
    /// The history starts after it.
    Compacted {
        /// The oldest revision that can be read.
        oldest: Revision,
    },
    /// It has not happened yet.
    Future {
        /// The newest revision.
        current: Revision,
    },
}

impl fmt::Display for OutOfRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Compacted { oldest } => write!(f, "the history starts at revision {oldest}"),
            Self::Future { current } => write!(f, "the newest revision is {current}"),
        }
    }
}

impl std::error::Error for OutOfRange {}

/// Which keys to read.
#[derive(Clone, Copy, Debug, Default)]
pub struct Range<'a> {
    /// Keys begin with this.
    pub prefix: &'a str,
    /// Keys are not smaller than this.
    pub start: Option<&'a str>,
    /// The state to read; the newest if unset.
    pub at: Option<Revision>,
}

/// The values of a range, in key order.
#[derive(Clone, Debug)]
pub struct Page {
    /// Keys and values.
    pub items: Vec<(Arc<str>, Stored)>,
    /// The revision that was read.
    pub revision: Revision,
}

/// One effective write.
#[derive(Clone, Debug)]
pub struct Event {
    /// When it happened.
    pub revision: Revision,
    /// What was written.
    pub key: Arc<str>,
    /// The new value; none when the key was deleted.
    pub value: Option<Record>,
    /// The value before; none when the key was created.
    pub previous: Option<Stored>,
}

/// Receives the newest revision whenever it changes.
pub type Signal = tokio::sync::watch::Receiver<Revision>;

/// An ordered map with a history.
///
/// Every method is atomic. Implementations hold their lock for the step only and never call back.
pub trait Store: Send + Sync {
    /// The newest revision.
    fn revision(&self) -> Revision;

    /// The oldest revision that can be read.
    fn oldest(&self) -> Revision;

    /// The newest value of a key.
    fn get(&self, key: &str) -> Option<Stored>;

    /// The values of a range, now or at an earlier revision.
    fn range(&self, range: Range<'_>) -> Result<Page, OutOfRange>;

    /// The newest values of a prefix, in key order.
    fn newest(&self, prefix: &str) -> Vec<(Arc<str>, Stored)> {
        // Only a revision that was asked for can be out of range.
        self.range(Range { prefix, ..Range::default() }).map(|page| page.items).unwrap_or_default()
    }

    /// Writes a value; answers the revision of the write.
    fn put(&self, key: &str, record: Record, expect: Expect) -> Result<Revision, Mismatch>;

    /// Removes a value that was last written at the revision; answers the revision of the removal.
    fn delete(&self, key: &str, unchanged_since: Revision) -> Result<Revision, Mismatch>;

    /// At most `limit` events of a prefix after a revision, in order, and the revision reached by reading them.
    fn events(
        &self,
        prefix: &str,
        after: Revision,
        limit: usize,
    ) -> Result<(Vec<Event>, Revision), OutOfRange>;

    /// Wakes when the revision changes.
    fn signal(&self) -> Signal;

    /// Forgets the history up to a revision.
    fn compact(&self, to: Revision);

    /// The keys of all objects that name the uid as an owner, in order.
    fn dependents(&self, owner_uid: &str) -> Vec<Arc<str>>;

    /// An independent copy of the newest state with the same revision.
    fn fork(&self) -> Box<dyn Store>;

    /// Takes over another store's newest state, values with their revisions; the history before is compacted.
    fn adopt(&self, other: &dyn Store);
}
