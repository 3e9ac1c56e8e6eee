//! From words on the command line to texts: files, folders, globs and standard input.

mod find;
mod read;

pub(crate) use find::{Recurse, find};
pub(crate) use read::{Source, read};

use std::path::PathBuf;

/// Where a text comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    /// `-`.
    Stdin,
    /// A file.
    File(PathBuf),
}

impl Origin {
    /// How the user knows it.
    pub(crate) fn name(&self) -> String {
        match self {
            Origin::Stdin => "<stdin>".to_owned(),
            Origin::File(path) => path.display().to_string(),
        }
    }
}
