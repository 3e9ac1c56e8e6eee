//! The file that tells the programs of a folder which version of Kubernetes to serve.

use std::path::Path;

/// Its name, beside the programs.
pub(super) const VERSION_FILE: &str = "kubemerge-version";

/// The version of the folder that a program was started from.
pub(super) fn version_of(program: &Path) -> Option<String> {
    let text = std::fs::read_to_string(program.parent()?.join(VERSION_FILE)).ok()?;
    Some(text.trim().to_owned())
}
