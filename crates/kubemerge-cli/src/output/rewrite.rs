//! Rewrites files, all or none.
//!
//! Every new text is first written beside its file. [`commit`] then renames one after the other and keeps the old
//! file under a second name until all renames have succeeded; after a failure the old files are renamed back.

use std::fs::{self, File, Metadata};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::report::{Notice, Result, plain};

/// A new text beside the file that it will replace. Dropping it removes what was written.
#[derive(Debug)]
pub(crate) struct Rewrite {
    target: PathBuf,
    /// The new text.
    new: PathBuf,
    /// The old file, while others are renamed.
    old: PathBuf,
}

impl Rewrite {
    /// Writes a new text beside a file. The file itself does not change yet.
    pub(crate) fn stage(path: &Path, text: &[u8]) -> Result<Rewrite> {
        let fault = |error: &io::Error| {
            let notice = Notice::error(format!("cannot rewrite {}: {}", path.display(), plain(error)));
            notice.help("no file has changed")
        };
        // A link stays a link: the file that it points to is rewritten.
        let target = fs::canonicalize(path).map_err(|error| fault(&error))?;
        // A pipe has no content to replace, and opening one would wait for a reader.
        if !fs::metadata(&target).map_err(|error| fault(&error))?.is_file() {
            let notice =
                Notice::error(format!("{} is no regular file and cannot be rewritten", path.display()));
            return Err(notice.help("leave --in-place out to get the result on stdout").into());
        }
        let rewrite = Rewrite { new: beside(&target, "new"), old: beside(&target, "old"), target };
        rewrite.fill(text).map_err(|error| fault(&error))?;
        Ok(rewrite)
    }

    fn fill(&self, text: &[u8]) -> io::Result<()> {
        // A rename needs no write permission on the file that it replaces, so it is checked here.
        let before = File::options().write(true).open(&self.target)?.metadata()?;
        let mut file = File::options().write(true).create_new(true).open(&self.new)?;
        file.write_all(text)?;
        keep_owner(&before, &file);
        file.set_permissions(before.permissions())?;
        file.sync_data()
    }

    /// Puts the new text in the place of the file, which stays available as `old`.
    fn replace(&self) -> io::Result<()> {
        // A hard link keeps the file in place until the rename; not every file system has them.
        if fs::hard_link(&self.target, &self.old).is_err() {
            fs::copy(&self.target, &self.old)?;
        }
        fs::rename(&self.new, &self.target)
    }

    fn restore(&self) -> io::Result<()> {
        fs::rename(&self.old, &self.target)
    }
}

impl Drop for Rewrite {
    fn drop(&mut self) {
        // After a rename there is nothing left to remove.
        let _ = fs::remove_file(&self.new);
        let _ = fs::remove_file(&self.old);
    }
}

/// Puts all new texts in place. If one of them fails, every file is as it was before, or the error names those
/// that could not be restored.
pub(crate) fn commit(rewrites: &[Rewrite]) -> Result<()> {
    for (at, rewrite) in rewrites.iter().enumerate() {
        if let Err(error) = rewrite.replace() {
            let lost: Vec<String> = rewrites[..at].iter().filter_map(restored_or_named).collect();
            let title = format!("cannot rewrite {}: {}", rewrite.target.display(), plain(&error));
            let help = match lost.as_slice() {
                [] => "no file has changed".to_owned(),
                lost => format!("changed and not restored: {}", lost.join(", ")),
            };
            return Err(Notice::error(title).help(help).into());
        }
    }
    Ok(())
}

/// Restores a file; names it if that fails.
fn restored_or_named(rewrite: &Rewrite) -> Option<String> {
    rewrite.restore().err().map(|_| rewrite.target.display().to_string())
}

/// The new file gets the owner of the old one, as far as the user is allowed to set it.
fn keep_owner(before: &Metadata, file: &File) {
    #[cfg(unix)]
    {
        use std::os::unix::fs::{MetadataExt, fchown};
        let _ = fchown(file, Some(before.uid()), Some(before.gid()));
    }
    #[cfg(not(unix))]
    let _ = (before, file);
}

/// A name in the same folder, so that a rename stays within one file system.
fn beside(target: &Path, what: &str) -> PathBuf {
    let name = target.file_name().unwrap_or_default().to_string_lossy();
    target.with_file_name(format!(".{name}.kubemerge-{}-{what}", std::process::id()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A fresh folder with three files, and their rewrites.
    fn staged(test: &str) -> (PathBuf, Vec<Rewrite>) {
        let folder = std::env::temp_dir().join(format!("kubemerge-{test}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        let stage = |name: &str| {
            fs::write(folder.join(name), "old").unwrap();
            Rewrite::stage(&folder.join(name), b"new").unwrap()
        };
        let rewrites = ["a", "b", "c"].map(stage).into();
        (folder, rewrites)
    }

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    #[test]
    fn all_files_are_rewritten() {
        let (folder, rewrites) = staged("all");
        commit(&rewrites).unwrap();
        drop(rewrites);
        assert_eq!(names(&folder), ["a", "b", "c"]);
        assert!(["a", "b", "c"].iter().all(|name| fs::read(folder.join(name)).unwrap() == b"new"));
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn a_failed_rename_restores_the_files_before_it() {
        let (folder, rewrites) = staged("failed");
        // No file can be renamed over a folder.
        fs::remove_file(folder.join("b")).unwrap();
        fs::create_dir(folder.join("b")).unwrap();
        assert!(commit(&rewrites).is_err());
        drop(rewrites);
        assert_eq!(names(&folder), ["a", "b", "c"]);
        assert!(["a", "c"].iter().all(|name| fs::read(folder.join(name)).unwrap() == b"old"));
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn a_new_text_that_is_gone_restores_the_files_before_it() {
        let (folder, rewrites) = staged("gone");
        fs::remove_file(&rewrites[2].new).unwrap();
        assert!(commit(&rewrites).is_err());
        drop(rewrites);
        assert!(["a", "b", "c"].iter().all(|name| fs::read(folder.join(name)).unwrap() == b"old"));
        fs::remove_dir_all(&folder).unwrap();
    }
}
