//! What a store is: the contract that every store keeps, with all types in it. Modelled on etcd.
//!
//! One global revision counts every effective write. A write is a compare-and-swap, so reading, checking and
//! writing are one step; ranges come in key order; the history can be read from any revision that is not
//! compacted, which is all that watches and consistent pages need.
//!
//! Every store reads from memory, so that reads neither wait nor fail. What waits and fails is at both ends of a
//! request: [`Store::begin`] before it reads, where a store of several processes catches up with the others, and
//! [`Store::finish`] before its answer leaves, where a store on a disk waits until everything that the request has
//! seen or written is on the disk. Many requests share one such wait, and a request that writes a thousand objects
//! waits once. An answer is sent, and an event of a watch as well, only for what cannot be lost any more; a write
//! that a store could not keep is taken back before another request sees it.

use std::{fmt, sync::Arc};

use super::{
    record::{Record, Revision, Stored},
    step::{StoreError, StoreStep},
};

/// What must be true of a key for a write to happen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expect {
    /// Nothing is stored under the key.
    Absent,
    /// The value was last written at this revision.
    Unchanged(Revision),
}

/// Why a write did not happen.
#[derive(Clone, Debug)]
pub enum WriteError {
    /// The key holds something else than expected: this.
    Mismatch(Option<Stored>),
    /// The store cannot write. Whether it will have written in the end is known after the next [`Store::begin`].
    Store(StoreError),
}

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
    /// At most so many values; those that follow are only counted.
    pub limit: Option<usize>,
}

/// The values of a range, in key order.
#[derive(Clone, Debug)]
pub struct Page {
    /// Keys and values.
    pub items: Vec<(Arc<str>, Stored)>,
    /// How many values follow that the limit left out.
    pub more: usize,
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

/// Receives [`Store::durable`] whenever it changes.
pub type Signal = tokio::sync::watch::Receiver<Revision>;

/// A request that has begun, as [`Store::begin`] answers it. A store that took writes back since then refuses it in
/// [`Store::finish`]: the request may have seen them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RequestTicket(pub u64);

/// How large a store is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StoreSize {
    /// How many values it holds.
    pub values: usize,
    /// How many events its history holds.
    pub events: usize,
    /// How many bytes it takes on a disk; 0 in memory.
    pub disk_bytes: u64,
}

/// An ordered map with a history.
///
/// Every method is atomic, and all of them are linearizable: each happens at one moment between its call and its
/// return, and later ones see it. Implementations hold their lock for the step only and never call back.
pub trait Store: Send + Sync {
    /// Begins a request: from now on, reads see every write that any client was told of before.
    ///
    /// # Errors
    /// If the store cannot say what its newest state is. Nothing may be read then.
    fn begin(&self) -> StoreStep<'_, RequestTicket> {
        StoreStep::Done(Ok(RequestTicket::default()))
    }

    /// Waits until everything that can be read now is durable, that is, cannot be lost any more.
    ///
    /// # Errors
    /// If something that could be read since the request began was taken back, because it could not be written.
    fn finish(&self, _: RequestTicket) -> StoreStep<'_, ()> {
        StoreStep::Done(Ok(()))
    }

    /// Whether the store works.
    fn health(&self) -> Result<(), StoreError> {
        Ok(())
    }

    /// Whether other processes may write to the store as well.
    fn is_shared(&self) -> bool {
        false
    }

    /// Takes a name for this process, until it is released or the process ends; answers false if another process has it.
    /// After it was taken, reads see everything that the process wrote which had it before.
    ///
    /// # Errors
    /// If the store cannot say which server has it.
    fn claim(&self, _: &str) -> Result<bool, StoreError> {
        Ok(true)
    }

    /// Gives back a name that was taken.
    fn release(&self, _: &str) {}

    /// How large the store is.
    fn size(&self) -> StoreSize;

    /// The newest revision, which may not be durable yet.
    fn revision(&self) -> Revision;

    /// The newest durable revision. Neither it nor the states and the events before it are ever taken back, so that
    /// watches may show them.
    fn durable(&self) -> Revision {
        self.revision()
    }

    /// The oldest revision that can be read.
    fn oldest(&self) -> Revision;

    /// The newest value of a key.
    fn get(&self, key: &str) -> Option<Stored>;

    /// The values of a range, now or at an earlier revision.
    ///
    /// # Errors
    /// If the revision is compacted or in the future; a range of the newest state never fails.
    fn range(&self, range: Range<'_>) -> Result<Page, OutOfRange>;

    /// The newest values of a prefix, in key order.
    fn newest(&self, prefix: &str) -> Vec<(Arc<str>, Stored)> {
        // Only a revision that was asked for can be out of range.
        self.range(Range { prefix, ..Range::default() }).map(|page| page.items).unwrap_or_default()
    }

    /// Writes a value; answers the revision of the write, which is larger than all before.
    ///
    /// # Errors
    /// If the key does not hold what is expected, or the store cannot write.
    fn put(&self, key: &str, record: Record, expect: Expect) -> Result<Revision, WriteError>;

    /// Removes a value that was last written at the revision; answers the revision of the removal.
    ///
    /// # Errors
    /// If the key holds something else, or the store cannot write.
    fn delete(&self, key: &str, unchanged_since: Revision) -> Result<Revision, WriteError>;

    /// At most `limit` events of a prefix after a revision, and the revision reached by reading them: each write once,
    /// in the order of revisions. Those after [`Store::durable`] may still be taken back.
    ///
    /// # Errors
    /// If the revision is compacted or in the future.
    fn events(
        &self,
        prefix: &str,
        after: Revision,
        limit: usize,
    ) -> Result<(Vec<Event>, Revision), OutOfRange>;

    /// Wakes when the durable revision changes.
    fn signal(&self) -> Signal;

    /// Forgets the history up to a revision: states before it cannot be read any more.
    fn compact(&self, to: Revision);

    /// The keys of all objects that name the uid as an owner, in order.
    fn dependents(&self, owner_uid: &str) -> Vec<Arc<str>>;

    /// An independent copy of the newest state with the same revision, in memory.
    fn fork(&self) -> Box<dyn Store>;

    /// Takes over another store's newest state; the history before is compacted, and the newest revision is larger than
    /// all before. Values keep their revisions, and the newest one is larger than theirs, unless the store does not
    /// count its revisions itself.
    ///
    /// # Errors
    /// If the store cannot write; its state is then the one before.
    fn adopt(&self, other: &dyn Store) -> Result<(), StoreError>;
}
