//! Writes of this process that its watch has not shown yet. Their records need not be read from bytes again.

use std::{
    collections::HashMap,
    sync::{Mutex, MutexGuard, PoisonError},
};

use crate::store::Record;

/// Records on their way to etcd and back, by key.
#[derive(Default)]
pub(super) struct Pending(Mutex<HashMap<String, Vec<PendingWrite>>>);

struct PendingWrite {
    bytes: Vec<u8>,
    record: Record,
}

impl Pending {
    fn writes(&self) -> MutexGuard<'_, HashMap<String, Vec<PendingWrite>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn add(&self, key: &str, bytes: Vec<u8>, record: Record) {
        self.writes().entry(key.to_string()).or_default().push(PendingWrite { bytes, record });
    }

    /// The record that was written with these bytes.
    pub(super) fn find(&self, key: &str, bytes: &[u8]) -> Option<Record> {
        let writes = self.writes();
        let found = writes.get(key)?.iter().find(|write| write.bytes == bytes)?;
        Some(found.record.clone())
    }

    /// Forgets a write, whatever its result was.
    pub(super) fn remove(&self, key: &str, bytes: &[u8]) {
        let mut writes = self.writes();
        let Some(of_key) = writes.get_mut(key) else { return };
        if let Some(place) = of_key.iter().position(|write| write.bytes == bytes) {
            of_key.swap_remove(place);
        }
        if of_key.is_empty() {
            writes.remove(key);
        }
    }
}
