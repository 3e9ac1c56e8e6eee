//! A text, where it came from, and its documents.

use std::path::{Path, PathBuf};
use std::string::FromUtf8Error;

use kubemerge_yaml::{self as yaml, DuplicateKeys};

use super::STDIN;
use crate::report::{Excerpt, Notice, Result};

/// A text and where it came from.
#[derive(Debug)]
pub(crate) struct Source {
    pub(crate) name: String,
    /// The file; `None` for stdin and for words of the command line.
    path: Option<PathBuf>,
    /// The text, or bytes that are not UTF-8: parsing says why.
    content: std::result::Result<String, Vec<u8>>,
    duplicate_keys: DuplicateKeys,
}

impl Source {
    pub(crate) fn new(name: String, bytes: Vec<u8>, duplicate_keys: DuplicateKeys) -> Source {
        let content = String::from_utf8(bytes).map_err(FromUtf8Error::into_bytes);
        Source { name, path: None, content, duplicate_keys }
    }

    /// The text of a file.
    pub(crate) fn at(self, path: PathBuf) -> Source {
        Source { path: Some(path), ..self }
    }

    /// The file that can be rewritten, if there is one.
    pub(crate) fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    pub(crate) fn is_stdin(&self) -> bool {
        self.path.is_none() && self.name == STDIN
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        match &self.content {
            Ok(text) => text.as_bytes(),
            Err(bytes) => bytes,
        }
    }

    /// The YAML or JSON documents of the text.
    pub(crate) fn documents(&self) -> Result<Vec<yaml::Document<'_>>> {
        let options = yaml::Options { duplicate_keys: self.duplicate_keys, ..yaml::Options::default() };
        yaml::parse(self.bytes(), &options).map_err(|error| self.unreadable(&error))
    }

    /// The JSON of one of its documents.
    pub(crate) fn json(&self, document: &yaml::Document<'_>) -> Result<Vec<u8>> {
        document.to_json().map_err(|error| self.unreadable(&error))
    }

    fn unreadable(&self, error: &yaml::Error) -> crate::report::Failure {
        Notice::of_yaml(&self.name, self.bytes(), error).into()
    }

    /// The text; empty if the bytes are not UTF-8.
    pub(crate) fn text(&self) -> &str {
        self.content.as_deref().unwrap_or_default()
    }

    /// The lines around a path of a document, or around the nearest place on the way to it.
    pub(crate) fn excerpt(
        &self,
        document: &yaml::Document<'_>,
        path: &str,
        label: impl Into<String>,
    ) -> Excerpt {
        let location = document.locate_nearest(path);
        let place = location.key.unwrap_or(location.value);
        Excerpt::cut(&self.name, self.text(), place.range(), label)
    }
}
