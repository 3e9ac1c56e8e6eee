//! A text, where it came from, and its documents.

use std::io;
use std::path::{Path, PathBuf};
use std::string::FromUtf8Error;
use std::sync::OnceLock;

use kubemerge_yaml::{self as yaml, DuplicateKeys};

use super::STDIN;
use super::secret::{Secrets, blacked_out, mask_pair};
use crate::report::{Excerpt, Notice, Result};

/// What to do with a template.
const TEMPLATE: &str = "a template is no YAML; give what it renders: `helm template CHART | kubemerge ...`, with - as \
                        the file";

/// A text and where it came from.
#[derive(Debug)]
pub(crate) struct Source {
    pub(crate) name: String,
    /// The file; `None` for stdin and for words of the command line.
    path: Option<PathBuf>,
    /// The text, or bytes that are not UTF-8: parsing says why.
    content: std::result::Result<String, Vec<u8>>,
    duplicate_keys: DuplicateKeys,
    secrets: Secrets,
    /// The text with the values of Secrets masked, made when it is first shown.
    masked: OnceLock<String>,
}

impl Source {
    pub(crate) fn new(name: String, bytes: Vec<u8>, duplicate_keys: DuplicateKeys) -> Source {
        let content = String::from_utf8(bytes).map_err(FromUtf8Error::into_bytes);
        Source {
            name,
            path: None,
            content,
            duplicate_keys,
            secrets: Secrets::Masked,
            masked: OnceLock::new(),
        }
    }

    /// The text of a file.
    pub(crate) fn at(self, path: PathBuf) -> Source {
        Source { path: Some(path), ..self }
    }

    pub(crate) fn with_secrets(self, secrets: Secrets) -> Source {
        Source { secrets, ..self }
    }

    /// The text of another file, read and shown as this one is.
    pub(crate) fn open_beside(&self, path: &Path) -> io::Result<Source> {
        let name = path.display().to_string();
        Ok(self.beside(name, std::fs::read(path)?).at(path.to_owned()))
    }

    /// Another text, read and shown as this one is.
    pub(crate) fn beside(&self, name: String, bytes: Vec<u8>) -> Source {
        Source::new(name, bytes, self.duplicate_keys).with_secrets(self.secrets)
    }

    /// The text as it may be shown in messages: of the same length, with the values of Secrets masked.
    pub(crate) fn shown(&self) -> &str {
        match self.secrets {
            Secrets::Shown => self.text(),
            Secrets::Masked => self.masked.get_or_init(|| blacked_out(self.text())),
        }
    }

    /// Two versions of a text of this source as they may be shown in a diff.
    pub(crate) fn shown_pair(&self, before: &str, after: &str) -> [String; 2] {
        match self.secrets {
            Secrets::Shown => [before.to_owned(), after.to_owned()],
            Secrets::Masked => mask_pair(before, after),
        }
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
    pub(crate) fn documents(&self) -> Result<Vec<yaml::YamlDocument<'_>>> {
        // Limits on size and depth are those of the reader; only the rule for keys is a choice.
        let options = yaml::Options { duplicate_keys: self.duplicate_keys, ..yaml::Options::default() };
        yaml::parse(self.bytes(), &options).map_err(|error| self.unreadable(&error))
    }

    /// The JSON of one of its documents.
    pub(crate) fn json(&self, document: &yaml::YamlDocument<'_>) -> Result<Vec<u8>> {
        document.to_json().map_err(|error| self.unreadable(&error))
    }

    fn unreadable(&self, error: &yaml::YamlError) -> crate::report::Failure {
        {
            // Bytes that are not UTF-8 have no other form that could be shown.
            let shown = if self.content.is_ok() { self.shown().as_bytes() } else { self.bytes() };
            let notice = Notice::of_yaml(&self.name, shown, error);
            if self.is_template_at(error.position().line) {
                notice.help(TEMPLATE).into()
            } else {
                notice.into()
            }
        }
    }

    /// Whether what cannot be read is a template: an action in its line, or one that begins a line.
    fn is_template_at(&self, line: usize) -> bool {
        let mut lines = self.text().lines();
        lines.clone().nth(line.saturating_sub(1)).is_some_and(|line| line.contains("{{"))
            || lines.any(|line| line.trim_start().starts_with("{{"))
    }

    /// The text; empty if the bytes are not UTF-8.
    pub(crate) fn text(&self) -> &str {
        self.content.as_deref().unwrap_or_default()
    }

    /// The lines around a path of a document, or around the nearest place on the way to it.
    pub(crate) fn excerpt(
        &self,
        document: &yaml::YamlDocument<'_>,
        path: &str,
        label: impl Into<String>,
    ) -> Excerpt {
        let location = document.locate_nearest(path);
        // The key is what the user looks for; items of lists have none.
        let place = location.key.unwrap_or(location.value);
        Excerpt::cut(&self.name, self.shown(), place.range(), label)
    }
}
