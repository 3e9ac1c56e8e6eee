//! The log on redb, as the file store has it.

use std::path::Path;

use redb::{Database, ReadableDatabase, ReadableTable, TableDefinition};

use crate::engine::{Commit, Log};

const ENTRIES: TableDefinition<'_, u64, &[u8]> = TableDefinition::new("entries");
const NUMBERS: TableDefinition<'_, &str, u64> = TableDefinition::new("numbers");

pub(crate) struct RedbLog(Database);

impl RedbLog {
    pub(crate) fn open(folder: &Path) -> RedbLog {
        RedbLog(Database::create(folder.join("log")).unwrap())
    }
}

impl Log for RedbLog {
    fn commit(&mut self, commit: &Commit) {
        let writing = self.0.begin_write().unwrap();
        {
            let mut entries = writing.open_table(ENTRIES).unwrap();
            for (revision, entry) in &commit.entries {
                entries.insert(revision, entry.as_slice()).unwrap();
            }
            for revision in &commit.obsolete {
                entries.remove(revision).unwrap();
            }
            writing.open_table(NUMBERS).unwrap().insert("newest", commit.newest).unwrap();
        }
        writing.commit().unwrap();
    }

    fn read(&self) -> (u64, u64) {
        let reading = self.0.begin_read().unwrap();
        let entries = reading.open_table(ENTRIES).unwrap();
        let lengths = entries.iter().unwrap().map(|entry| entry.unwrap().1.value().len() as u64);
        lengths.fold((0, 0), |(count, bytes), length| (count + 1, bytes + length))
    }
}
