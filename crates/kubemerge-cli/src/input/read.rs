//! Reads the text of a file or of standard input.

use std::io::Read;
use std::string::FromUtf8Error;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use kubemerge_yaml::{self as yaml, DuplicateKeys};

use super::Origin;
use crate::excerpt::Excerpt;
use crate::failure::Result;
use crate::notice::Notice;

/// What the command line says about every text of the run.
static DUPLICATE_KEYS: OnceLock<DuplicateKeys> = OnceLock::new();

/// Decides, once and before any text is read, what becomes of keys that stand twice in one map.
pub(crate) fn decide_duplicate_keys(rule: DuplicateKeys) {
    DUPLICATE_KEYS.get_or_init(|| rule);
}

/// A text and where it came from.
#[derive(Debug)]
pub(crate) struct Source {
    pub(crate) name: String,
    /// The text, or bytes that are none: parsing says why.
    content: std::result::Result<String, Vec<u8>>,
}

/// Reads a whole text.
pub(crate) fn read(origin: &Origin) -> Result<Source> {
    let name = origin.name();
    let bytes = match origin {
        Origin::Stdin(bytes) => Ok(bytes.to_vec()),
        Origin::File(path) => std::fs::read(path),
    };
    match bytes {
        Ok(bytes) => Ok(Source::new(name, bytes)),
        Err(error) => Err(Notice::error(format!("cannot read {name}: {}", plain(&error))).into()),
    }
}

/// Reads several texts.
pub(crate) fn read_all(origins: &[Origin]) -> Result<Vec<Source>> {
    origins.iter().map(read).collect()
}

/// Reads standard input to its end, which can be done once.
pub(super) fn stdin() -> Result<Origin> {
    static TAKEN: AtomicBool = AtomicBool::new(false);
    if TAKEN.swap(true, Ordering::Relaxed) {
        let notice = Notice::error("standard input is given twice");
        return Err(notice.cure("give one of the two as a file").into());
    }
    let mut bytes = Vec::new();
    match std::io::stdin().lock().read_to_end(&mut bytes) {
        Ok(_) => Ok(Origin::Stdin(bytes.into())),
        Err(error) => Err(Notice::error(format!("cannot read standard input: {}", plain(&error))).into()),
    }
}

/// The words of the operating system, without its number.
pub(crate) fn plain(error: &std::io::Error) -> String {
    let text = error.to_string();
    match text.find(" (os error") {
        Some(end) => text[..end].to_owned(),
        None => text,
    }
}

impl Source {
    pub(crate) fn new(name: String, bytes: Vec<u8>) -> Source {
        Source { name, content: String::from_utf8(bytes).map_err(FromUtf8Error::into_bytes) }
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        match &self.content {
            Ok(text) => text.as_bytes(),
            Err(bytes) => bytes,
        }
    }

    /// The YAML or JSON documents of the text.
    pub(crate) fn documents(&self) -> Result<Vec<yaml::Document<'_>>> {
        let duplicate_keys = DUPLICATE_KEYS.get().copied().unwrap_or_default();
        let options = yaml::Options { duplicate_keys, ..yaml::Options::default() };
        yaml::parse(self.bytes(), &options)
            .map_err(|error| Notice::of_yaml(&self.name, self.bytes(), &error).into())
    }

    /// The JSON of one of its documents.
    pub(crate) fn json(&self, document: &yaml::Document<'_>) -> Result<Vec<u8>> {
        document.to_json().map_err(|error| Notice::of_yaml(&self.name, self.bytes(), &error).into())
    }

    /// The text; empty for what is none.
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
