//! The engines, by what the file store needs of one.

use std::path::Path;

use crate::{fjall_log::FjallLog, redb_log::RedbLog};

/// What one commit has.
#[derive(Default)]
pub(crate) struct Commit {
    /// New entries, by revision.
    pub(crate) entries: Vec<(u64, Vec<u8>)>,
    /// Revisions of entries that are removed.
    pub(crate) obsolete: Vec<u64>,
    /// The newest revision.
    pub(crate) newest: u64,
}

/// A table of entries by revision.
pub(crate) trait Log: Send {
    /// Writes everything or nothing, and returns when it is on the disk.
    fn commit(&mut self, commit: &Commit);

    /// Reads everything in order; how many entries and bytes there are.
    fn read(&self) -> (u64, u64);
}

#[derive(Clone, Copy)]
pub(crate) enum Engine {
    Redb,
    Fjall,
}

impl Engine {
    pub(crate) const ALL: [Engine; 2] = [Engine::Redb, Engine::Fjall];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Engine::Redb => "redb",
            Engine::Fjall => "fjall",
        }
    }

    pub(crate) fn named(name: &str) -> Engine {
        Engine::ALL.into_iter().find(|engine| engine.name() == name).expect("the name of an engine")
    }

    pub(crate) fn open(self, folder: &Path) -> Box<dyn Log> {
        match self {
            Engine::Redb => Box::new(RedbLog::open(folder)),
            Engine::Fjall => Box::new(FjallLog::open(folder)),
        }
    }
}
