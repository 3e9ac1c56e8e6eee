//! From words on the command line to texts: files, folders, globs and standard input.

mod find;
mod read;

pub(crate) use find::{Recurse, find, without};
pub(crate) use read::{Source, decide_duplicate_keys, plain, read, read_all};

use std::path::PathBuf;
use std::sync::Arc;

/// The name of standard input in messages.
const STDIN: &str = "<stdin>";

/// Where a text comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    /// `-`, read when it was found, because it can be read only once.
    Stdin(Arc<[u8]>),
    /// A file.
    File(PathBuf),
}

impl Origin {
    /// How the user knows it.
    pub(crate) fn name(&self) -> String {
        match self {
            Origin::Stdin(_) => STDIN.to_owned(),
            Origin::File(path) => path.display().to_string(),
        }
    }
}
