//! Files that are rewritten: each new text is written beside its file, and all take their places at the end.

use std::fs::{self, File, Metadata};
use std::io::Write;
use std::path::{Path, PathBuf};

use crate::failure::Result;
use crate::input::plain;
use crate::notice::Notice;

/// A new text beside the file it will replace. Dropping it takes the new text away again.
#[derive(Debug)]
pub(crate) struct Staged {
    beside: PathBuf,
    target: PathBuf,
}

impl Staged {
    /// Writes a new text beside a file. The file itself stays as it is.
    pub(crate) fn write(path: &Path, text: &[u8]) -> Result<Staged> {
        let fault = |error: &std::io::Error| {
            let notice = Notice::error(format!("cannot rewrite {}: {}", path.display(), plain(error)));
            notice.cure("the file is as it was")
        };
        // A link stays a link: what it points to is rewritten.
        let target = fs::canonicalize(path).map_err(|error| fault(&error))?;
        let staged = Staged { beside: beside(&target), target };
        staged.fill(text).map_err(|error| fault(&error))?;
        Ok(staged)
    }

    fn fill(&self, text: &[u8]) -> std::io::Result<()> {
        // Replacing a file takes no right to write it; changing it does.
        let before = File::options().write(true).open(&self.target)?.metadata()?;
        let mut file = File::options().write(true).create_new(true).open(&self.beside)?;
        file.write_all(text)?;
        keep_owner(&before, &file);
        file.set_permissions(before.permissions())?;
        file.sync_data()
    }

    /// Puts the new text in the place of the file.
    pub(crate) fn commit(self) -> Result<()> {
        fs::rename(&self.beside, &self.target).map_err(|error| {
            Notice::error(format!("cannot rewrite {}: {}", self.target.display(), plain(&error))).into()
        })
    }
}

impl Drop for Staged {
    fn drop(&mut self) {
        // After a commit there is nothing left to remove.
        let _ = fs::remove_file(&self.beside);
    }
}

/// The new text belongs to whom the file belonged, as far as the user may give it away.
fn keep_owner(before: &Metadata, file: &File) {
    #[cfg(unix)]
    {
        use std::os::unix::fs::{MetadataExt, fchown};
        let _ = fchown(file, Some(before.uid()), Some(before.gid()));
    }
    #[cfg(not(unix))]
    let _ = (before, file);
}

/// A name in the same folder, so that the rename stays within one file system.
fn beside(target: &Path) -> PathBuf {
    let name = target.file_name().unwrap_or_default().to_string_lossy();
    target.with_file_name(format!(".{name}.kubemerge-{}", std::process::id()))
}
