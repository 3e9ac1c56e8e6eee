//! The log on fjall: one batch a commit, synced.

use std::path::Path;

use fjall::{Database, Keyspace, KeyspaceCreateOptions, PersistMode};

use crate::engine::{Commit, Log};

pub(crate) struct FjallLog {
    database: Database,
    entries: Keyspace,
    numbers: Keyspace,
}

impl FjallLog {
    pub(crate) fn open(folder: &Path) -> FjallLog {
        let database = Database::builder(folder).open().unwrap();
        let keyspace = |name: &str| database.keyspace(name, KeyspaceCreateOptions::default).unwrap();
        let (entries, numbers) = (keyspace("entries"), keyspace("numbers"));
        FjallLog { database, entries, numbers }
    }
}

impl Log for FjallLog {
    fn commit(&mut self, commit: &Commit) {
        // As durable as redb's commit: data and length of the file.
        let mut batch = self.database.batch().durability(Some(PersistMode::SyncData));
        for (revision, entry) in &commit.entries {
            batch.insert(&self.entries, revision.to_be_bytes(), entry.as_slice());
        }
        for revision in &commit.obsolete {
            batch.remove(&self.entries, revision.to_be_bytes());
        }
        batch.insert(&self.numbers, "newest", commit.newest.to_be_bytes());
        batch.commit().unwrap();
    }

    fn read(&self) -> (u64, u64) {
        let lengths = self.entries.iter().map(|entry| entry.value().unwrap().len() as u64);
        lengths.fold((0, 0), |(count, bytes), length| (count + 1, bytes + length))
    }
}
