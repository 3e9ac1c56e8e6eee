//! The stores that the command can use, by their addresses.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use kubemerge_server::Builder;
use kubemerge_server::store::FileStore;

use crate::report::{Notice, Result};

/// The address of a store.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) enum StoreArg {
    /// In memory, until the process ends.
    #[default]
    Memory,
    /// In a folder.
    File(PathBuf),
}

impl fmt::Display for StoreArg {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StoreArg::Memory => f.write_str("memory"),
            StoreArg::File(folder) => write!(f, "file:{}", folder.display()),
        }
    }
}

impl FromStr for StoreArg {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        match text.split_once(':') {
            None if text == "memory" => Ok(StoreArg::Memory),
            // `file:///var/lib/x` is a URL of the same folder as `file:/var/lib/x`.
            Some(("file", folder)) if !folder.trim_start_matches("//").is_empty() => {
                Ok(StoreArg::File(folder.strip_prefix("//").unwrap_or(folder).into()))
            }
            _ => Err("a store is `memory` or `file:FOLDER`".into()),
        }
    }
}

impl StoreArg {
    /// Opens the store for a server.
    pub(super) fn give_to(&self, builder: Builder) -> Result<Builder> {
        match self {
            StoreArg::Memory => Ok(builder),
            StoreArg::File(folder) => match FileStore::open(folder) {
                Ok(store) => Ok(builder.store(store)),
                Err(error) => Err(Notice::error(error.to_string()).into()),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read() {
        let read = |text: &str| text.parse::<StoreArg>();
        assert_eq!(read("memory"), Ok(StoreArg::Memory));
        for (text, folder) in
            [("file:a/b", "a/b"), ("file:/a", "/a"), ("file:///a", "/a"), ("file:a:b", "a:b")]
        {
            assert_eq!(read(text), Ok(StoreArg::File(folder.into())), "{text}");
        }
        for text in ["", "file", "file:", "file://", "disk:a", "a/b"] {
            assert!(read(text).is_err(), "{text}");
        }
    }
}
