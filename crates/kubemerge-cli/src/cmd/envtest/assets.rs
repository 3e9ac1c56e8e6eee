//! The folder of programs: links to this command, or copies where links are not possible.

use std::io;
use std::path::{Path, PathBuf};

use super::programs::Program;
use super::version_file::VERSION_FILE;
use crate::report::{Notice, Result, plain};

/// A folder in the user's cache, one for each version.
pub(super) fn default_folder(version: &str) -> PathBuf {
    let given = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let cache = given("XDG_CACHE_HOME").or_else(|| given("HOME").map(|home| home.join(".cache")));
    cache.unwrap_or_else(std::env::temp_dir).join("kubemerge/envtest").join(version)
}

/// Makes the folder or refreshes it; answers its absolute path.
pub(super) fn make(folder: &Path, version: &str) -> Result<PathBuf> {
    let write = || -> io::Result<PathBuf> {
        std::fs::create_dir_all(folder)?;
        let folder = folder.canonicalize()?;
        let own = std::env::current_exe()?.canonicalize()?;
        for program in Program::ALL {
            let target = match program {
                Program::Kubectl => users_kubectl(&folder).unwrap_or_else(|| own.clone()),
                Program::ApiServer | Program::Etcd => own.clone(),
            };
            put(&folder, program.name(), |draft| link(&target, draft))?;
        }
        put(&folder, VERSION_FILE, |draft| std::fs::write(draft, version))?;
        Ok(folder)
    };
    write().map_err(|error| {
        Notice::error(format!("cannot write {}: {}", folder.display(), plain(&error)))
            .help("give another folder: kubemerge envtest DIR")
            .into()
    })
}

/// Removes what [`make`] has written; other files stay.
pub(super) fn remove(folder: &Path) -> Result<()> {
    let names = Program::ALL.map(Program::name).into_iter().chain([VERSION_FILE]);
    for path in names.map(|name| folder.join(name)) {
        match std::fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                let text = format!("cannot remove {}: {}", path.display(), plain(&error));
                return Err(Notice::error(text).into());
            }
            _ => {}
        }
    }
    // A folder with files of others stays.
    drop(std::fs::remove_dir(folder));
    Ok(())
}

/// Puts a file in place as a whole: tests may start the programs at the same time.
fn put(folder: &Path, name: &str, write: impl FnOnce(&Path) -> io::Result<()>) -> io::Result<()> {
    let draft = folder.join(format!(".{name}.{}", std::process::id()));
    write(&draft).and_then(|()| std::fs::rename(&draft, folder.join(name))).inspect_err(|_| {
        drop(std::fs::remove_file(&draft));
    })
}

#[cfg(unix)]
fn link(target: &Path, draft: &Path) -> io::Result<()> {
    // One that was left by a process with the same number.
    drop(std::fs::remove_file(draft));
    std::os::unix::fs::symlink(target, draft).or_else(|_| std::fs::copy(target, draft).map(drop))
}

#[cfg(not(unix))]
fn link(target: &Path, draft: &Path) -> io::Result<()> {
    std::fs::copy(target, draft).map(drop)
}

/// The kubectl in PATH, which is not one of ours.
fn users_kubectl(folder: &Path) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let found = std::env::split_paths(&path).map(|place| place.join(Program::Kubectl.name()));
    found
        .filter(|one| one.is_file())
        .filter_map(|one| Some((one.parent()?.canonicalize().ok()?, one)))
        .find_map(|(place, one)| {
            (place != folder && !place.join(VERSION_FILE).exists()).then(|| one.canonicalize().ok())?
        })
}
