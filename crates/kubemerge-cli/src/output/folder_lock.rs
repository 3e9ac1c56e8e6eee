//! Locks of the folders in which files are rewritten, and what a run that was killed has left in them.
//!
//! A run holds the lock of a folder from before it writes the first draft until its last rename. So whatever drafts
//! another run finds in a folder that it has locked were left by a run that was killed.

use std::ffi::OsStr;
use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::report::{Notice, Result, plain};

/// How long to wait for another run: longer than any rewrites files, unless it was stopped.
const WAIT: Duration = Duration::from_secs(30);

/// The end of the name of a new text beside the file that it will replace.
const NEW: &str = ".kubemerge-new";
/// The end of the second name of an old file.
const OLD: &str = ".kubemerge-old";

/// The right to rewrite files of a folder, until it is dropped.
///
/// Windows has no locks of folders, and some network file systems have none at all: a run that finds the draft of
/// another one there refuses to work.
#[derive(Debug)]
pub(super) struct FolderLock {
    _folder: Option<File>,
}

impl FolderLock {
    /// Waits for the folder, and removes what earlier runs left in it.
    pub(super) fn acquire(folder: &Path) -> Result<FolderLock> {
        let fault = |error: &io::Error| {
            let title = format!("cannot lock {}: {}", folder.display(), plain(error));
            Notice::error(title).help("no file has changed")
        };
        let file = open(folder).map_err(|error| fault(&error))?;
        let Some(file) = file else { return Ok(FolderLock { _folder: None }) };
        let end = Instant::now() + WAIT;
        loop {
            match file.try_lock() {
                Ok(()) => break,
                Err(TryLockError::WouldBlock) if Instant::now() < end => {
                    std::thread::sleep(Duration::from_millis(5));
                }
                Err(TryLockError::WouldBlock) => {
                    let title = format!("another kubemerge is rewriting files in {}", folder.display());
                    return Err(Notice::error(title).help("no file has changed").into());
                }
                // Not every file system has locks.
                Err(TryLockError::Error(_)) => return Ok(FolderLock { _folder: None }),
            }
        }
        remove_leftovers(folder).map_err(|error| fault(&error))?;
        Ok(FolderLock { _folder: Some(file) })
    }
}

#[cfg(unix)]
fn open(folder: &Path) -> io::Result<Option<File>> {
    File::open(folder).map(Some)
}

#[cfg(not(unix))]
fn open(_: &Path) -> io::Result<Option<File>> {
    Ok(None)
}

/// The name of the new text of a file: in the same folder, so that a rename stays within one file system.
pub(super) fn new_beside(target: &Path) -> PathBuf {
    beside(target, NEW)
}

/// The second name of an old file.
pub(super) fn old_beside(target: &Path) -> PathBuf {
    beside(target, OLD)
}

fn beside(target: &Path, end: &str) -> PathBuf {
    let mut name = std::ffi::OsString::from(".");
    name.push(target.file_name().unwrap_or_default());
    name.push(end);
    target.with_file_name(name)
}

/// Removes drafts and second names, and says which files the run that left them had changed.
fn remove_leftovers(folder: &Path) -> io::Result<()> {
    let (mut changed, mut unchanged) = (Vec::new(), Vec::new());
    for entry in fs::read_dir(folder)? {
        let name = entry?.file_name();
        if let Some(file) = file_of(&name, OLD) {
            changed.push(file);
        } else if let Some(file) = file_of(&name, NEW) {
            unchanged.push(file);
        } else {
            continue;
        }
        fs::remove_file(folder.join(&name))?;
    }
    // A kill between the second name and the rename leaves both: the file has not changed.
    changed.retain(|file| !unchanged.contains(file));
    if changed.is_empty() && unchanged.is_empty() {
        return Ok(());
    }
    let title = format!("an earlier run was killed while it rewrote files in {}", folder.display());
    let reason = format!("changed: {}; not changed: {}", listed(changed), listed(unchanged));
    Notice::warning(title).reason(reason).print();
    Ok(())
}

/// The file that a draft or a second name belongs to.
fn file_of(name: &OsStr, end: &str) -> Option<String> {
    let name = name.to_str()?.strip_prefix('.')?.strip_suffix(end)?;
    (!name.is_empty()).then(|| name.to_owned())
}

fn listed(mut files: Vec<String>) -> String {
    files.sort();
    if files.is_empty() { "none".to_owned() } else { files.join(", ") }
}

/// Removes what earlier runs left in a folder, unless a run is at work in it.
pub(super) fn clean(folder: &Path) {
    let Ok(Some(file)) = open(folder) else { return };
    if file.try_lock().is_ok() {
        // Nothing is rewritten here, so a leftover that cannot be removed does not matter.
        drop(remove_leftovers(folder));
    }
}
