//! The file that tells the programs of a folder which version of Kubernetes to serve.

use std::path::Path;

use kubemerge_schema::{SchemaBuilder, builtin};

use crate::report::{Notice, Result};

/// Its name, beside the programs.
pub(super) const VERSION_FILE: &str = "kubemerge-version";

/// The version of the folder that a program was started from; the newest where there is no such file.
pub(super) fn version_of(program: &Path) -> Result<String> {
    let file = program.parent().unwrap_or(Path::new("")).join(VERSION_FILE);
    let Ok(text) = std::fs::read_to_string(&file) else { return Ok(builtin::NEWEST.to_owned()) };
    let version = text.trim();
    // The command may be older than the one that has made the folder.
    _ = SchemaBuilder::builtin(version).map_err(|error| {
        Notice::error(format!("{}: {error}", file.display())).help("make the folder again: kubemerge envtest")
    })?;
    Ok(version.to_owned())
}
