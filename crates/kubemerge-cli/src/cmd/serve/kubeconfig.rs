//! Writes the kubeconfig of the server, which may contain a key or a token.

use std::io;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::output::write_private;
use crate::report::{Notice, Result, plain};

/// The name of cluster, user and context in every kubeconfig of this command.
const OWN_NAME: &str = "kubemerge";

/// Refuses a file that this command has not written: it may have the only copy of credentials.
pub(super) fn check_replaceable(path: &Path, force: bool) -> Result<()> {
    // A rename would put a file in the place of a device, and reading a pipe would wait. `--force` is about content.
    if std::fs::metadata(path).is_ok_and(|found| !found.is_file()) {
        let notice = Notice::error(format!("{} is no regular file", path.display()));
        return Err(notice.help("give the name of a file to --kubeconfig").into());
    }
    let is_ours = match std::fs::read(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => true,
        Err(error) => return Err(cannot("read", path, &error).into()),
        // Ours is JSON; an empty file, as `mktemp` makes it, has nothing to lose.
        Ok(bytes) => bytes.is_empty() || serde_json::from_slice(&bytes).is_ok_and(|config| is_own(&config)),
    };
    if is_ours || force {
        Ok(())
    } else {
        Err(Notice::error(format!("{} is not a kubeconfig of kubemerge", path.display()))
            .help("give another file to --kubeconfig, or replace it with --force")
            .into())
    }
}

fn is_own(config: &Value) -> bool {
    let is_only =
        |list: &Value| list.as_array().is_some_and(|all| all.iter().all(|one| one["name"] == OWN_NAME));
    config["current-context"] == OWN_NAME && is_only(&config["clusters"]) && is_only(&config["users"])
}

/// Puts the file in place as a whole, readable for its owner alone.
pub(super) fn write(path: &Path, text: &str) -> Result<()> {
    let draft = beside(path);
    let written = write_private(&draft, text).and_then(|()| std::fs::rename(&draft, path));
    written.map_err(|error| {
        drop(std::fs::remove_file(&draft));
        cannot("write", path, &error).into()
    })
}

/// A name in the same folder, so that a rename suffices.
fn beside(path: &Path) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!(".{name}.{}", std::process::id()))
}

fn cannot(verb: &str, path: &Path, error: &io::Error) -> Notice {
    Notice::error(format!("cannot {verb} {}: {}", path.display(), plain(error)))
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn only_regular_files_are_replaced() {
        let folder = std::env::temp_dir().join(format!("kubemerge-kubeconfig-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let socket = folder.join("socket");
        let _listener = std::os::unix::net::UnixListener::bind(&socket).unwrap();
        for path in [&folder, &socket] {
            assert!(check_replaceable(path, true).is_err(), "{}", path.display());
        }
        assert!(check_replaceable(&folder.join("new"), false).is_ok());
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
