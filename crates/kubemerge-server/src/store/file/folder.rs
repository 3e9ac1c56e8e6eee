//! The folder of a store: who may use it, and what must be in it.

use std::{
    fs::{self, File, OpenOptions, TryLockError},
    io::{self, Read, Seek, Write},
    path::{Path, PathBuf},
};

use redb::{Database, DatabaseError, StorageError};

use super::log::{Log, OpenDatabase};
use crate::store::StoreError;

const LOG_FILE: &str = "kubemerge.redb";
/// A log that is being created: a crash or a full disk leaves no half of one under the other name.
const DRAFT_FILE: &str = "kubemerge.redb.new";
const LOCK_FILE: &str = "lock";

/// Objects are read from memory, so that the database needs room for the pages of one commit only.
const CACHE_BYTES: usize = 16 * 1024 * 1024;

/// A folder that this process has for itself, until this is dropped.
pub(super) struct Folder {
    path: PathBuf,
    _lock: File,
}

impl Folder {
    /// Opens the folder of a store, or creates one. Nothing is changed in a folder that holds anything else.
    pub(super) fn open(path: &Path) -> Result<Folder, StoreError> {
        let refuse =
            |why: String| StoreError::new(format!("cannot use {} as a store: {why}", path.display()));
        let refuse_io = |error: io::Error| refuse(error.to_string());
        fs::create_dir_all(path).map_err(refuse_io)?;
        if let Some(name) = foreign_file(path).map_err(refuse_io)? {
            return Err(refuse(format!(
                "it holds {name}, which is no store of kubemerge: choose an empty folder"
            )));
        }
        // Objects are secrets, too. A folder that was there may have been open for others.
        set_mode(path, 0o700).map_err(refuse_io)?;
        let lock = lock(&path.join(LOCK_FILE)).map_err(refuse)?;
        let folder = Folder { path: path.to_owned(), _lock: lock };
        if !path.join(LOG_FILE).exists() {
            folder.create_log().map_err(|error| refuse(error.to_string()))?;
        }
        set_mode(&path.join(LOG_FILE), 0o600).map_err(refuse_io)?;
        Ok(folder)
    }

    fn create_log(&self) -> Result<(), StoreError> {
        let (draft, path) = (self.path.join(DRAFT_FILE), self.path.join(LOG_FILE));
        let open = {
            let draft = draft.clone();
            move || {
                fs::write(&draft, "").and_then(|()| set_mode(&draft, 0o600)).map_err(cannot_create)?;
                database(&draft)
            }
        };
        drop(Log::open(&(Box::new(open) as OpenDatabase), |_, _, _| {})?);
        fs::rename(&draft, &path).map_err(cannot_create)?;
        // The name of a new file is durable only with its folder.
        File::open(&self.path).and_then(|folder| folder.sync_all()).map_err(cannot_create)
    }

    /// Opens the database.
    pub(super) fn database(&self) -> Result<Database, StoreError> {
        database(&self.path.join(LOG_FILE))
    }

    /// How large the database is.
    pub(super) fn disk_bytes(&self) -> u64 {
        fs::metadata(self.path.join(LOG_FILE)).map_or(0, |file| file.len())
    }
}

fn database(path: &Path) -> Result<Database, StoreError> {
    let opened = redb::Builder::new().set_cache_size(CACHE_BYTES).create(path);
    opened.map_err(|error| StoreError::new(format!("cannot open {}: {}", path.display(), reason(&error))))
}

fn cannot_create(error: io::Error) -> StoreError {
    StoreError::new(format!("the file cannot be created: {error}"))
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

/// A file that does not belong to a store, unless the folder is one.
fn foreign_file(path: &Path) -> io::Result<Option<String>> {
    let mut foreign = None;
    for file in fs::read_dir(path)? {
        let name = file?.file_name();
        if name == LOG_FILE {
            return Ok(None);
        }
        if name != LOCK_FILE && name != DRAFT_FILE {
            foreign = Some(name.to_string_lossy().into_owned());
        }
    }
    Ok(foreign)
}

fn open_private(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let file = options.open(path)?;
    set_mode(path, 0o600)?;
    Ok(file)
}

#[cfg(unix)]
fn set_mode(path: &Path, mode: u32) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    // A folder that cannot be written may still have the right mode.
    if fs::metadata(path)?.permissions().mode() & 0o777 == mode {
        return Ok(());
    }
    fs::set_permissions(path, fs::Permissions::from_mode(mode))
}

#[cfg(not(unix))]
fn set_mode(_: &Path, _: u32) -> io::Result<()> {
    Ok(())
}

/// Locks the folder for this process; the system unlocks it when the process ends, however that happens.
fn lock(path: &Path) -> Result<File, String> {
    let mut file = open_private(path).map_err(|error| error.to_string())?;
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => return Err(in_use(&mut file)),
        Err(TryLockError::Error(error)) => return Err(format!("it cannot be locked: {error}")),
    }
    let written = file.set_len(0).and_then(|()| writeln!(file, "{}", std::process::id()));
    written.map_err(|error| error.to_string())?;
    Ok(file)
}

fn in_use(file: &mut File) -> String {
    let mut holder = String::new();
    // The holder writes its number after it has the lock: a very early look finds nothing.
    let read = file.rewind().and_then(|()| file.read_to_string(&mut holder));
    match (read, holder.trim()) {
        (Ok(_), holder) if !holder.is_empty() => {
            format!("process {holder} uses it: stop that process, or choose another folder")
        }
        _ => "another process uses it: stop that process, or choose another folder".into(),
    }
}
