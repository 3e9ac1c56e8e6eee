//! The folder of a store: who may use it, and what must be in it.

use std::{
    fs::{self, File, OpenOptions, TryLockError},
    io::{self, Read, Seek, Write},
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
};

use redb::{StorageBackend, backends::FileBackend};

use super::disk::Disk;
use crate::store::StoreError;

const LOG_FILE: &str = "kubemerge.redb";
/// A log that is being created: a crash or a full disk leaves no half of one under the other name.
const DRAFT_FILE: &str = "kubemerge.redb.new";
const LOCK_FILE: &str = "lock";

/// A folder that this process has for itself, until this is dropped.
pub(super) struct Folder {
    path: PathBuf,
    lock: File,
    /// The log that was opened last, to notice that its name leads to another file.
    log: Mutex<Option<FileIdentity>>,
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
        let folder = Folder { path: path.to_owned(), lock, log: Mutex::default() };
        if folder.has_log() {
            set_mode(&path.join(LOG_FILE), 0o600).map_err(refuse_io)?;
        }
        Ok(folder)
    }

    /// How large the database is.
    pub(super) fn disk_bytes(&self) -> u64 {
        fs::metadata(self.path.join(LOG_FILE)).map_or(0, |file| file.len())
    }

    fn note_log(&self, log: &fs::Metadata) {
        *self.log.lock().unwrap_or_else(PoisonError::into_inner) = Some(identity(log));
    }

    fn is_ours(&self, name: &str, opened: FileIdentity) -> bool {
        fs::metadata(self.path.join(name)).is_ok_and(|found| identity(&found) == opened)
    }
}

impl Disk for Folder {
    fn has_log(&self) -> bool {
        self.path.join(LOG_FILE).exists()
    }

    fn log(&self) -> io::Result<Box<dyn StorageBackend>> {
        let file = OpenOptions::new().read(true).write(true).open(self.path.join(LOG_FILE))?;
        self.note_log(&file.metadata()?);
        backend(file)
    }

    fn draft(&self) -> io::Result<Box<dyn StorageBackend>> {
        let path = self.path.join(DRAFT_FILE);
        match fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => backend(open_private(&path)?),
        }
    }

    fn publish_draft(&self) -> io::Result<()> {
        let (draft, log) = (self.path.join(DRAFT_FILE), self.path.join(LOG_FILE));
        fs::rename(draft, &log)?;
        self.note_log(&fs::metadata(log)?);
        // The name of a new file is durable only with its folder.
        File::open(&self.path).and_then(|folder| folder.sync_all())
    }

    fn check(&self) -> Result<(), StoreError> {
        let lock = self.lock.metadata().map(|held| identity(&held));
        let log = *self.log.lock().unwrap_or_else(PoisonError::into_inner);
        let is_ours = lock.is_ok_and(|lock| self.is_ours(LOCK_FILE, lock))
            && log.is_none_or(|log| self.is_ours(LOG_FILE, log));
        if is_ours {
            return Ok(());
        }
        let path = self.path.display();
        Err(StoreError::new(format!(
            "{path} was removed or replaced while this process used it: put it back, or save what can still be read \
             and restart"
        )))
    }
}

fn backend(file: File) -> io::Result<Box<dyn StorageBackend>> {
    Ok(Box::new(FileBackend::new(file).map_err(io::Error::other)?))
}

/// What tells a file from another one of the same name.
type FileIdentity = (u64, u64);

#[cfg(unix)]
fn identity(file: &fs::Metadata) -> FileIdentity {
    use std::os::unix::fs::MetadataExt;
    (file.dev(), file.ino())
}

/// Other systems do not let go of files that are open.
#[cfg(not(unix))]
fn identity(_: &fs::Metadata) -> FileIdentity {
    (0, 0)
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
