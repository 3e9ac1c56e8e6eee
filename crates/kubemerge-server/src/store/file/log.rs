//! The log on the disk: a table from revisions to entries, in one file of redb.
//!
//! The newest entry of a key is its value; there is no other copy of it. An entry is deleted once a later one of the
//! same key has left the history, because no state that can still be read has it then. Reading the entries in order
//! gives the newest state and the history.
//!
//! Every entry has a checksum, and a number beside the revisions is the digest over all of them (`digest.rs`).

use std::panic::{AssertUnwindSafe, catch_unwind};

use redb::{
    Database, ReadableDatabase, ReadableTable, Table, TableDefinition, TableHandle, WriteTransaction,
};

use super::{
    digest::{Digest, open_entry, seal_entry},
    disk::Files,
};
use crate::store::{
    Event, Record, Revision, StoreError, Stored,
    codec::{self, Decoder},
};

const ENTRIES: TableDefinition<'_, u64, &[u8]> = TableDefinition::new("entries");
const NUMBERS: TableDefinition<'_, &str, u64> = TableDefinition::new("numbers");

/// The format that this version writes, and the newest that it reads. A change of the codec or of the tables gets the
/// next number, and `Log::open` an arm that rewrites older ones.
const FORMAT: u64 = 2;

/// The format whose entries have no checksums.
const FORMAT_WITHOUT_CHECKSUMS: u64 = 1;

/// The names of the numbers.
const FORMAT_NUMBER: &str = "format";
const NEWEST: &str = "newest";
const OLDEST: &str = "oldest";
const DIGEST: &str = "digest";

/// An open log.
pub(super) struct Log {
    database: Database,
    /// Of all entries in the database.
    digest: Digest,
    /// Reused for every entry.
    buffer: Vec<u8>,
}

/// What a database is when it is opened.
enum DatabaseState {
    WithoutChecksums,
    Current,
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
    /// Opens a log; hands every entry to `each`, in the order of revisions.
    ///
    /// # Errors
    /// If anything in it is damaged: the pages of the database, an entry, or the set of entries.
    pub(super) fn open(
        files: &Files,
        each: impl FnMut(Revision, &str, Option<Record>),
    ) -> Result<(Log, Revisions), StoreError> {
        // redb trusts the pages of a file that was closed cleanly, and panics at some that are damaged.
        let opened = catch_unwind(AssertUnwindSafe(|| Self::open_trusting(files, each)));
        opened.unwrap_or_else(|_| Err(damaged("its structure is broken".into())))
    }

    fn open_trusting(
        files: &Files,
        each: impl FnMut(Revision, &str, Option<Record>),
    ) -> Result<(Log, Revisions), StoreError> {
        let mut log = Self::of(files.open_log()?);
        check_pages(&mut log.database)?;
        match log.check_format()? {
            DatabaseState::WithoutChecksums => log.add_checksums()?,
            DatabaseState::Current => {}
        }
        let revisions = log.revisions()?;
        log.read(each)?;
        if log.number(DIGEST)? != log.digest.number(revisions) {
            return Err(damaged("entries are missing or its revisions are wrong".into()));
        }
        Ok((log, revisions))
    }

    /// Begins a log with these entries, whose revisions differ, in place of the one that is there.
    pub(super) fn begin<'v>(
        files: &Files,
        entries: impl Iterator<Item = (Revision, &'v str, Option<&'v Record>)>,
        revisions: Revisions,
    ) -> Result<Log, StoreError> {
        let mut log = Self::of(files.create_draft()?);
        log.rewrite(entries, revisions)?;
        files.publish_draft()?;
        Ok(log)
    }

    fn of(database: Database) -> Log {
        Log { database, digest: Digest::default(), buffer: Vec::new() }
    }

    /// What the database is; an error if it is not ours or too new.
    fn check_format(&self) -> Result<DatabaseState, StoreError> {
        let reading = self.database.begin_read().map_err(unreadable)?;
        let tables: Vec<String> =
            reading.list_tables().map_err(unreadable)?.map(|table| table.name().to_string()).collect();
        // A new log is written as a whole before it has its name.
        if tables.is_empty() {
            return Err(damaged("it is empty".into()));
        }
        let foreign = || StoreError::new("the file is a database of another program: choose another folder");
        if !tables.iter().any(|name| name == NUMBERS.name()) {
            return Err(foreign());
        }
        let numbers = reading.open_table(NUMBERS).map_err(|_| foreign())?;
        match numbers.get(FORMAT_NUMBER).map_err(unreadable)?.map(|format| format.value()) {
            Some(FORMAT) => Ok(DatabaseState::Current),
            Some(FORMAT_WITHOUT_CHECKSUMS) => Ok(DatabaseState::WithoutChecksums),
            Some(newer) if newer > FORMAT => Err(StoreError::new(format!(
                "the file has format {newer}, which a newer version of kubemerge writes; this one reads formats up \
                 to {FORMAT}: use the newer version, or another folder"
            ))),
            _ => Err(foreign()),
        }
    }

    /// Rewrites a log of the format before, in one commit.
    fn add_checksums(&mut self) -> Result<(), StoreError> {
        let (mut digest, revisions) = (Digest::default(), self.revisions()?);
        let writing = self.database.begin_write().map_err(unwritable)?;
        {
            let mut entries = writing.open_table(ENTRIES).map_err(unwritable)?;
            let known: Result<Vec<Revision>, StoreError> = entries
                .iter()
                .map_err(unreadable)?
                .map(|entry| entry.map(|(revision, _)| revision.value()).map_err(unreadable))
                .collect();
            for revision in known? {
                self.buffer.clear();
                let bare = entries.get(revision).map_err(unreadable)?;
                self.buffer.extend_from_slice(bare.as_ref().map_or(&[][..], |bytes| bytes.value()));
                drop(bare);
                digest.add(seal_entry(revision, &mut self.buffer));
                entries.insert(revision, self.buffer.as_slice()).map_err(unwritable)?;
            }
        }
        write_format(&writing)?;
        write_numbers(&writing, revisions, digest)?;
        writing.commit().map_err(unwritable)
    }

    /// The revisions that were written last.
    fn revisions(&self) -> Result<Revisions, StoreError> {
        Ok(Revisions { newest: self.number(NEWEST)?, oldest: self.number(OLDEST)? })
    }

    fn number(&self, name: &str) -> Result<u64, StoreError> {
        let reading = self.database.begin_read().map_err(unreadable)?;
        let numbers = reading.open_table(NUMBERS).map_err(unreadable)?;
        let found = numbers.get(name).map_err(unreadable)?;
        found.map(|number| number.value()).ok_or_else(|| damaged(format!("it has no number {name}")))
    }

    /// Hands every entry to `each`, in the order of revisions, and counts it in the digest.
    fn read(&mut self, mut each: impl FnMut(Revision, &str, Option<Record>)) -> Result<(), StoreError> {
        let reading = self.database.begin_read().map_err(unreadable)?;
        let entries = reading.open_table(ENTRIES).map_err(unreadable)?;
        let mut decoder = Decoder::default();
        for entry in entries.iter().map_err(unreadable)? {
            let (revision, bytes) = entry.map_err(unreadable)?;
            let revision = revision.value();
            let unreadable_entry = || damaged(format!("entry {revision} cannot be read"));
            let (bytes, checksum) = open_entry(revision, bytes.value()).ok_or_else(unreadable_entry)?;
            self.digest.add(checksum);
            let (key, record) = decoder.decode(bytes).ok_or_else(unreadable_entry)?;
            each(revision, key, record);
        }
        Ok(())
    }

    /// Writes everything or nothing, and returns when it is on the disk.
    pub(super) fn commit(&mut self, commit: &Commit<'_>) -> Result<(), StoreError> {
        let mut digest = self.digest;
        let writing = self.database.begin_write().map_err(unwritable)?;
        {
            let mut entries = writing.open_table(ENTRIES).map_err(unwritable)?;
            for event in commit.events {
                let value = event.value.as_ref();
                insert(&mut entries, event.revision, &event.key, value, &mut self.buffer, &mut digest)?;
            }
            for revision in commit.obsolete {
                let removed = entries.remove(revision).map_err(unwritable)?;
                if let Some((_, sum)) = removed.as_ref().and_then(|entry| entry.value().split_last_chunk()) {
                    digest.remove(u64::from_le_bytes(*sum));
                }
            }
        }
        write_numbers(&writing, Revisions { newest: commit.newest, oldest: commit.oldest }, digest)?;
        writing.commit().map_err(unwritable)?;
        self.digest = digest;
        Ok(())
    }

    /// Replaces all entries by these values; the history begins after them.
    pub(super) fn replace<'v>(
        &mut self,
        values: impl Iterator<Item = (&'v str, &'v Stored)>,
        newest: Revision,
    ) -> Result<(), StoreError> {
        let values = values.map(|(key, stored)| (stored.revision, key, Some(&stored.record)));
        self.rewrite(values, Revisions { newest, oldest: newest })
    }

    /// Replaces all entries by these, whose revisions differ.
    fn rewrite<'v>(
        &mut self,
        values: impl Iterator<Item = (Revision, &'v str, Option<&'v Record>)>,
        revisions: Revisions,
    ) -> Result<(), StoreError> {
        let mut digest = Digest::default();
        let writing = self.database.begin_write().map_err(unwritable)?;
        writing.delete_table(ENTRIES).map_err(unwritable)?;
        {
            let mut entries = writing.open_table(ENTRIES).map_err(unwritable)?;
            for (revision, key, record) in values {
                insert(&mut entries, revision, key, record, &mut self.buffer, &mut digest)?;
            }
        }
        write_format(&writing)?;
        write_numbers(&writing, revisions, digest)?;
        writing.commit().map_err(unwritable)?;
        self.digest = digest;
        Ok(())
    }
}

/// Checks the sums of all pages.
fn check_pages(database: &mut Database) -> Result<(), StoreError> {
    // What could be repaired is what our own digest says is complete.
    database.check_integrity().map(drop).map_err(|error| damaged(error.to_string()))
}

fn insert(
    entries: &mut Table<'_, u64, &[u8]>,
    revision: Revision,
    key: &str,
    record: Option<&Record>,
    buffer: &mut Vec<u8>,
    digest: &mut Digest,
) -> Result<(), StoreError> {
    buffer.clear();
    codec::encode(key, record, buffer);
    digest.add(seal_entry(revision, buffer));
    entries.insert(revision, buffer.as_slice()).map_err(unwritable)?;
    Ok(())
}

fn write_format(writing: &WriteTransaction) -> Result<(), StoreError> {
    let mut numbers = writing.open_table(NUMBERS).map_err(unwritable)?;
    numbers.insert(FORMAT_NUMBER, FORMAT).map_err(unwritable)?;
    Ok(())
}

fn write_numbers(writing: &WriteTransaction, revisions: Revisions, digest: Digest) -> Result<(), StoreError> {
    let mut numbers = writing.open_table(NUMBERS).map_err(unwritable)?;
    let new = [(NEWEST, revisions.newest), (OLDEST, revisions.oldest), (DIGEST, digest.number(revisions))];
    for (name, number) in new {
        numbers.insert(name, number).map_err(unwritable)?;
    }
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
