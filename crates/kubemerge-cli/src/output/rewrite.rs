//! Rewrites files, all or none.
//!
//! Every new text is first written beside its file. [`Rewrites::commit`] then renames one after the other and keeps
//! the old file under a second name until all renames have succeeded; after a failure the old files are renamed back.
//! A file that is no longer as it was read is not replaced, so that no edit of another program or run is lost.

use std::collections::BTreeSet;
use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::folder_lock::{self, FolderLock};
use crate::report::{Notice, Result, plain};

/// Files that are rewritten together.
#[derive(Debug)]
pub(crate) struct Rewrites<'t> {
    drafts: Vec<Draft<'t>>,
    /// Dropped after the drafts: no other run may see them without the lock.
    _locks: Vec<FolderLock>,
}

/// The new text of a file.
#[derive(Debug)]
pub(crate) struct NewText<'t> {
    pub(crate) path: PathBuf,
    /// The bytes of the file when it was read.
    pub(crate) before: &'t [u8],
    pub(crate) after: Vec<u8>,
}

impl<'t> Rewrites<'t> {
    /// Writes new texts beside their files. The files themselves do not change yet.
    pub(crate) fn stage(texts: &[NewText<'t>]) -> Result<Rewrites<'t>> {
        let targets: Vec<PathBuf> = texts.iter().map(|text| target_of(&text.path)).collect::<Result<_>>()?;
        // In one order for all runs, so that no two wait for each other.
        let folders: BTreeSet<&Path> = targets.iter().filter_map(|target| target.parent()).collect();
        let locks = folders.into_iter().map(FolderLock::acquire).collect::<Result<_>>()?;
        let mut rewrites = Rewrites { drafts: Vec::new(), _locks: locks };
        for (text, target) in texts.iter().zip(targets) {
            let draft = Draft {
                new: folder_lock::new_beside(&target),
                old: folder_lock::old_beside(&target),
                target,
                path: text.path.clone(),
                before: text.before,
            };
            draft.fill(&text.after)?;
            rewrites.drafts.push(draft);
        }
        Ok(rewrites)
    }

    /// Puts all new texts in place. If one of them fails, every file is as it was before, or the error names those
    /// that could not be restored.
    pub(crate) fn commit(self) -> Result<()> {
        // Before the first rename, so that nothing needs to be restored.
        self.drafts.iter().try_for_each(Draft::check_unchanged)?;
        for (at, draft) in self.drafts.iter().enumerate() {
            if let Err(error) = draft.replace() {
                let lost: Vec<String> = self.drafts[..at].iter().filter_map(restored_or_named).collect();
                let title = format!("cannot rewrite {}: {}", draft.path.display(), plain(&error));
                let help = match lost.as_slice() {
                    [] => "no file has changed".to_owned(),
                    lost => format!("changed and not restored: {}", lost.join(", ")),
                };
                return Err(Notice::error(title).help(help).into());
            }
        }
        Ok(())
    }
}

/// Removes what runs that were killed left beside these files.
pub(crate) fn remove_leftovers<'p>(paths: impl Iterator<Item = &'p Path>) {
    let targets = paths.filter_map(|path| fs::canonicalize(path).ok());
    let folders: BTreeSet<PathBuf> =
        targets.filter_map(|target| target.parent().map(Path::to_owned)).collect();
    folders.iter().for_each(|folder| folder_lock::clean(folder));
}

/// The file that a path leads to.
fn target_of(path: &Path) -> Result<PathBuf> {
    // A link stays a link: the file that it points to is rewritten.
    let target = fs::canonicalize(path).map_err(|error| fault(path, &error))?;
    // A pipe has no content to replace, and opening one would wait for a reader.
    if !fs::metadata(&target).map_err(|error| fault(path, &error))?.is_file() {
        let notice = Notice::error(format!("{} is no regular file and cannot be rewritten", path.display()));
        return Err(notice.help("leave --in-place out to get the result on stdout").into());
    }
    Ok(target)
}

fn fault(path: &Path, error: &io::Error) -> Notice {
    let notice = Notice::error(format!("cannot rewrite {}: {}", path.display(), plain(error)));
    notice.help("no file has changed")
}

/// A new text beside the file that it will replace. Dropping it removes what was written.
#[derive(Debug)]
struct Draft<'t> {
    /// As the user named the file.
    path: PathBuf,
    target: PathBuf,
    /// The bytes of the file when it was read.
    before: &'t [u8],
    /// The new text.
    new: PathBuf,
    /// The old file, while others are renamed.
    old: PathBuf,
}

impl Draft<'_> {
    fn fill(&self, text: &[u8]) -> Result<()> {
        // A rename needs no write permission on the file that it replaces, so it is checked here.
        let opened = File::options().write(true).open(&self.target).and_then(|file| file.metadata());
        let before = opened.map_err(|error| fault(&self.path, &error))?;
        let file = create_private(&self.new).map_err(|error| self.occupied(&error))?;
        fill(file, &before, text).map_err(|error| {
            drop(fs::remove_file(&self.new));
            fault(&self.path, &error).into()
        })
    }

    /// The draft could not be created: another run is at work, where folders cannot be locked.
    fn occupied(&self, error: &io::Error) -> Notice {
        match error.kind() {
            io::ErrorKind::AlreadyExists => {
                let title = format!("another kubemerge is rewriting {}", self.path.display());
                let help = format!("if none is running, remove {}; no file has changed", self.new.display());
                Notice::error(title).help(help)
            }
            _ => fault(&self.path, error),
        }
    }

    /// Refuses a file that another program has changed since it was read.
    fn check_unchanged(&self) -> Result<()> {
        let now = fs::read(&self.target).map_err(|error| fault(&self.path, &error))?;
        if now == self.before {
            return Ok(());
        }
        let title = format!("{} has changed since it was read", self.path.display());
        Err(Notice::error(title).help("no file has changed by this run; run the command again").into())
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

impl Drop for Draft<'_> {
    fn drop(&mut self) {
        // After a rename there is nothing left to remove.
        let _ = fs::remove_file(&self.new);
        let _ = fs::remove_file(&self.old);
    }
}

/// Creates a file that only its owner may read: the file that it will replace may be private.
fn create_private(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

/// Writes a new text, with the owner and the permissions of the file that it will replace.
fn fill(mut file: File, before: &Metadata, text: &[u8]) -> io::Result<()> {
    file.write_all(text)?;
    keep_owner(before, &file);
    file.set_permissions(before.permissions())?;
    file.sync_data()
}

/// Restores a file; names it if that fails.
fn restored_or_named(draft: &Draft<'_>) -> Option<String> {
    draft.restore().err().map(|_| draft.path.display().to_string())
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

#[cfg(test)]
mod tests {
    use super::*;

    /// A fresh folder with three files.
    fn folder(test: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("kubemerge-{test}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        for name in ["a", "b", "c"] {
            fs::write(folder.join(name), "old").unwrap();
        }
        fs::canonicalize(folder).unwrap()
    }

    fn staged(folder: &Path) -> Rewrites<'static> {
        let text = |name| NewText { path: folder.join(name), before: b"old", after: b"new".to_vec() };
        Rewrites::stage(&["a", "b", "c"].map(text)).unwrap()
    }

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    fn have(folder: &Path, names: &[&str], text: &[u8]) -> bool {
        names.iter().all(|name| fs::read(folder.join(name)).unwrap() == text)
    }

    #[test]
    fn all_files_are_rewritten() {
        let folder = folder("all");
        staged(&folder).commit().unwrap();
        assert_eq!(names(&folder), ["a", "b", "c"]);
        assert!(have(&folder, &["a", "b", "c"], b"new"));
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn a_failed_rename_restores_the_files_before_it() {
        let folder = folder("failed");
        let rewrites = staged(&folder);
        // The second name of the old file is taken by a folder, so neither a link nor a copy can have it.
        fs::create_dir(&rewrites.drafts[1].old).unwrap();
        let taken = rewrites.drafts[1].old.clone();
        assert!(rewrites.commit().is_err());
        fs::remove_dir(taken).unwrap();
        assert_eq!(names(&folder), ["a", "b", "c"]);
        assert!(have(&folder, &["a", "b", "c"], b"old"));
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn a_new_text_that_is_gone_restores_the_files_before_it() {
        let folder = folder("gone");
        let rewrites = staged(&folder);
        fs::remove_file(&rewrites.drafts[2].new).unwrap();
        assert!(rewrites.commit().is_err());
        assert!(have(&folder, &["a", "b", "c"], b"old"));
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn a_file_that_another_program_has_changed_is_not_replaced() {
        let folder = folder("edited");
        let rewrites = staged(&folder);
        fs::write(folder.join("b"), "edited").unwrap();
        assert!(rewrites.commit().is_err());
        assert_eq!(names(&folder), ["a", "b", "c"]);
        assert!(have(&folder, &["a", "c"], b"old") && have(&folder, &["b"], b"edited"));
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    #[cfg(unix)]
    fn a_draft_is_private_from_its_creation() {
        use std::os::unix::fs::PermissionsExt;
        let folder = folder("private");
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        drop(create_private(&folder.join("draft")).unwrap());
        assert_eq!(mode(&folder.join("draft")), 0o600);
        fs::remove_file(folder.join("draft")).unwrap();
        fs::set_permissions(folder.join("a"), fs::Permissions::from_mode(0o640)).unwrap();
        staged(&folder).commit().unwrap();
        assert_eq!(mode(&folder.join("a")), 0o640);
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    #[cfg(unix)]
    fn leftovers_of_a_killed_run_are_removed() {
        let folder = folder("killed");
        // As a kill leaves them: nothing is dropped.
        let Rewrites { drafts, _locks: locks } = staged(&folder);
        drafts[0].replace().unwrap();
        std::mem::forget(drafts);
        let leftovers = [".a.kubemerge-old", ".b.kubemerge-new", ".c.kubemerge-new"];
        assert_eq!(names(&folder)[..3], leftovers);
        // The run holds its lock, so it is still at work.
        remove_leftovers([folder.join("a").as_path()].into_iter());
        assert_eq!(names(&folder)[..3], leftovers);
        drop(locks);
        remove_leftovers([folder.join("a").as_path()].into_iter());
        assert_eq!(names(&folder), ["a", "b", "c"]);
        assert!(have(&folder, &["a"], b"new") && have(&folder, &["b", "c"], b"old"));
        fs::remove_dir_all(&folder).unwrap();
    }
}
