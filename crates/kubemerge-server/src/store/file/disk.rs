//! The files that a log is in: the log itself, and a draft that takes its place.
//!
//! After a failed sync it is not known what is on the disk: the system may have dropped what it could not write, and go on
//! to show it. Such a file is not written again, and the log goes on in a new one.

use std::{
    fmt, io,
    ops::Bound,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use redb::{BackendError, Database, DatabaseError, StorageBackend, StorageError};

use crate::store::StoreError;

/// Objects are read from memory, so that the database needs room for the pages of one commit only.
const CACHE_BYTES: usize = 16 * 1024 * 1024;

/// Where the files are.
pub(super) trait Disk: Send + Sync {
    /// Whether there is a log.
    fn has_log(&self) -> bool;

    /// Opens the log.
    fn log(&self) -> io::Result<Box<dyn StorageBackend>>;

    /// Creates an empty draft, instead of one that was there.
    fn draft(&self) -> io::Result<Box<dyn StorageBackend>>;

    /// Makes the draft, which is synced, the log: now, and after a crash from now on.
    fn publish_draft(&self) -> io::Result<()>;

    /// Whether the log is still the file that was opened, and no other process can have it.
    ///
    /// # Errors
    /// What happened to it.
    fn check(&self) -> Result<(), StoreError> {
        Ok(())
    }
}

/// A disk, and whether the log on it can be trusted.
pub(super) struct Files {
    pub(super) disk: Arc<dyn Disk>,
    sync_failed: Arc<AtomicBool>,
}

impl Files {
    pub(super) fn new(disk: Arc<dyn Disk>) -> Files {
        Files { disk, sync_failed: Arc::default() }
    }

    /// Whether a sync of the log, or of a draft, has failed.
    pub(super) fn are_uncertain(&self) -> bool {
        self.sync_failed.load(Ordering::Acquire)
    }

    pub(super) fn open_log(&self) -> Result<Database, StoreError> {
        self.database(self.disk.log())
    }

    pub(super) fn create_draft(&self) -> Result<Database, StoreError> {
        self.database(self.disk.draft())
    }

    pub(super) fn publish_draft(&self) -> Result<(), StoreError> {
        self.disk.publish_draft().map_err(unopened)?;
        self.sync_failed.store(false, Ordering::Release);
        Ok(())
    }

    fn database(&self, file: io::Result<Box<dyn StorageBackend>>) -> Result<Database, StoreError> {
        let file = TrackedFile { file: file.map_err(unopened)?, sync_failed: self.sync_failed.clone() };
        let opened = redb::Builder::new().set_cache_size(CACHE_BYTES).create_with_backend(file);
        opened.map_err(|error| unopened(reason(&error)))
    }
}

fn unopened(why: impl fmt::Display) -> StoreError {
    StoreError::new(format!("the file cannot be opened: {why}"))
}

fn reason(error: &DatabaseError) -> String {
    match error {
        DatabaseError::Storage(StorageError::Io(error)) if error.kind() == io::ErrorKind::InvalidData => {
            "it is not a database: another program wrote it, or it is damaged".into()
        }
        DatabaseError::DatabaseAlreadyOpen => "another process has it open".into(),
        other => other.to_string(),
    }
}

/// A file that notes whether a sync of it has failed; everything else is passed on.
#[derive(Debug)]
struct TrackedFile {
    file: Box<dyn StorageBackend>,
    sync_failed: Arc<AtomicBool>,
}

impl StorageBackend for TrackedFile {
    fn len(&self) -> io::Result<u64> {
        self.file.len()
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        self.file.read(offset, out)
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        self.file.set_len(len)
    }

    fn sync_data(&self) -> io::Result<()> {
        let synced = self.file.sync_data();
        if synced.is_err() {
            self.sync_failed.store(true, Ordering::Release);
        }
        synced
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        self.file.write(offset, data)
    }

    fn close(&self) -> io::Result<()> {
        self.file.close()
    }

    fn try_lock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<bool, BackendError> {
        self.file.try_lock_range(start, end)
    }

    fn try_lock_shared_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<bool, BackendError> {
        self.file.try_lock_shared_range(start, end)
    }

    fn lock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<(), BackendError> {
        self.file.lock_range(start, end)
    }

    fn lock_shared_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<(), BackendError> {
        self.file.lock_shared_range(start, end)
    }

    fn unlock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<(), BackendError> {
        self.file.unlock_range(start, end)
    }

    fn query_lock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<bool, BackendError> {
        self.file.query_lock_range(start, end)
    }
}
