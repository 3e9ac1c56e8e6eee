//! The log on the disk: a table from revisions to entries, in one file of redb.
//!
//! The newest entry of a key is its value; there is no other copy of it. An entry is deleted once a later one of the
//! same key has left the history, because no state that can still be read has it then. Reading the entries in order
//! gives the newest state and the history.

use redb::{Database, ReadableDatabase, ReadableTable, TableDefinition, TableHandle, WriteTransaction};

use crate::store::{
    Event, Record, Revision, StoreError, Stored,
    codec::{self, Decoder},
};

const ENTRIES: TableDefinition<'_, u64, &[u8]> = TableDefinition::new("entries");
const NUMBERS: TableDefinition<'_, &str, u64> = TableDefinition::new("numbers");

/// The format that this version writes, and the newest that it reads. A change of the codec or of the tables gets the
/// next number, and `check_format` an arm that rewrites older ones.
const FORMAT: u64 = 1;

/// The names of the numbers.
const FORMAT_NUMBER: &str = "format";
const NEWEST: &str = "newest";
const OLDEST: &str = "oldest";

/// Opens the database. It is called again after an error, because redb does not use a file any more that failed.
pub(super) type OpenDatabase = Box<dyn Fn() -> Result<Database, StoreError> + Send + Sync>;

/// An open log.
pub(super) struct Log {
    database: Database,
    /// Reused for every entry.
    buffer: Vec<u8>,
}

/// What one commit changes.
#[derive(Default)]
pub(super) struct Commit<'c> {
    /// New entries.
    pub(super) events: &'c [Event],
    /// Entries that no state has any more which can be read.
    pub(super) obsolete: &'c [Revision],
    /// The newest revision. It may be larger than that of the last entry: then those between never happened.
    pub(super) newest: Revision,
    /// The oldest revision that can be read.
    pub(super) oldest: Revision,
}

/// The newest and the oldest revision of a log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Revisions {
    pub(super) newest: Revision,
    pub(super) oldest: Revision,
}

impl Log {
    /// Opens a log, or begins one in an empty database.
    pub(super) fn open(open: &OpenDatabase) -> Result<Log, StoreError> {
        let log = Log { database: open()?, buffer: Vec::new() };
        let is_new = log.check_format()?;
        if is_new {
            log.initialize()?;
        }
        Ok(log)
    }

    /// Whether the database is new; an error if it is not ours or too new.
    fn check_format(&self) -> Result<bool, StoreError> {
        let reading = self.database.begin_read().map_err(unreadable)?;
        let tables: Vec<String> =
            reading.list_tables().map_err(unreadable)?.map(|table| table.name().to_string()).collect();
        if tables.is_empty() {
            return Ok(true);
        }
        let foreign = || StoreError::new("the file is a database of another program: choose another folder");
        if !tables.iter().any(|name| name == NUMBERS.name()) {
            return Err(foreign());
        }
        let numbers = reading.open_table(NUMBERS).map_err(|_| foreign())?;
        match numbers.get(FORMAT_NUMBER).map_err(unreadable)?.map(|format| format.value()) {
            Some(FORMAT) => Ok(false),
            Some(newer) if newer > FORMAT => Err(StoreError::new(format!(
                "the file has format {newer}, which a newer version of kubemerge writes; this one reads formats up \
                 to {FORMAT}: use the newer version, or another folder"
            ))),
            _ => Err(foreign()),
        }
    }

    fn initialize(&self) -> Result<(), StoreError> {
        let writing = self.database.begin_write().map_err(unwritable)?;
        {
            let mut numbers = writing.open_table(NUMBERS).map_err(unwritable)?;
            for (name, number) in [(FORMAT_NUMBER, FORMAT), (NEWEST, 1), (OLDEST, 1)] {
                numbers.insert(name, number).map_err(unwritable)?;
            }
            writing.open_table(ENTRIES).map_err(unwritable)?;
        }
        writing.commit().map_err(unwritable)
    }

    /// The revisions that were written last.
    pub(super) fn revisions(&self) -> Result<Revisions, StoreError> {
        let reading = self.database.begin_read().map_err(unreadable)?;
        let numbers = reading.open_table(NUMBERS).map_err(unreadable)?;
        let number = |name: &str| -> Result<u64, StoreError> {
            let found = numbers.get(name).map_err(unreadable)?;
            found.map(|number| number.value()).ok_or_else(|| damaged(format!("it has no revision {name}")))
        };
        Ok(Revisions { newest: number(NEWEST)?, oldest: number(OLDEST)? })
    }

    /// Hands every entry to `each`, in the order of revisions.
    pub(super) fn read(
        &self,
        mut each: impl FnMut(Revision, &str, Option<Record>),
    ) -> Result<(), StoreError> {
        let reading = self.database.begin_read().map_err(unreadable)?;
        let entries = reading.open_table(ENTRIES).map_err(unreadable)?;
        let mut decoder = Decoder::default();
        for entry in entries.iter().map_err(unreadable)? {
            let (revision, bytes) = entry.map_err(unreadable)?;
            let decoded = decoder.decode(bytes.value());
            let (key, record) =
                decoded.ok_or_else(|| damaged(format!("entry {} cannot be read", revision.value())))?;
            each(revision.value(), key, record);
        }
        Ok(())
    }

    /// Writes everything or nothing, and returns when it is on the disk.
    pub(super) fn commit(&mut self, commit: &Commit<'_>) -> Result<(), StoreError> {
        let writing = self.database.begin_write().map_err(unwritable)?;
        {
            let mut entries = writing.open_table(ENTRIES).map_err(unwritable)?;
            for event in commit.events {
                self.buffer.clear();
                codec::encode(&event.key, event.value.as_ref(), &mut self.buffer);
                entries.insert(event.revision, self.buffer.as_slice()).map_err(unwritable)?;
            }
            for revision in commit.obsolete {
                entries.remove(revision).map_err(unwritable)?;
            }
        }
        write_revisions(&writing, Revisions { newest: commit.newest, oldest: commit.oldest })?;
        writing.commit().map_err(unwritable)
    }

    /// Replaces all entries by these values; the history begins after them.
    pub(super) fn replace<'v>(
        &mut self,
        values: impl Iterator<Item = (&'v str, &'v Stored)>,
        newest: Revision,
    ) -> Result<(), StoreError> {
        let writing = self.database.begin_write().map_err(unwritable)?;
        writing.delete_table(ENTRIES).map_err(unwritable)?;
        {
            let mut entries = writing.open_table(ENTRIES).map_err(unwritable)?;
            for (key, stored) in values {
                self.buffer.clear();
                codec::encode(key, Some(&stored.record), &mut self.buffer);
                entries.insert(stored.revision, self.buffer.as_slice()).map_err(unwritable)?;
            }
        }
        write_revisions(&writing, Revisions { newest, oldest: newest })?;
        writing.commit().map_err(unwritable)
    }
}

fn write_revisions(writing: &WriteTransaction, revisions: Revisions) -> Result<(), StoreError> {
    let mut numbers = writing.open_table(NUMBERS).map_err(unwritable)?;
    numbers.insert(NEWEST, revisions.newest).map_err(unwritable)?;
    numbers.insert(OLDEST, revisions.oldest).map_err(unwritable)?;
    Ok(())
}

fn unreadable(error: impl Into<redb::Error>) -> StoreError {
    StoreError::new(format!("the file cannot be read: {}", error.into()))
}

fn unwritable(error: impl Into<redb::Error>) -> StoreError {
    StoreError::new(format!("the file cannot be written: {}", error.into()))
}

fn damaged(why: String) -> StoreError {
    StoreError::new(format!("the file is damaged: {why}; restore a dump into another folder"))
}
