//! Reads the corpus: every line of a case is `key: value`, and every document is JSON on one line.

use std::{
    fs,
    path::{Path, PathBuf},
};

/// One behaviour and the answer of each dialect.
pub(crate) struct Case {
    pub(crate) verb: String,
    /// The file and line at which it starts.
    pub(crate) place: String,
    fields: Vec<(String, String)>,
}

impl Case {
    /// The text of a field.
    pub(crate) fn get(&self, key: &str) -> Option<&str> {
        self.fields.iter().find(|(name, _)| name == key).map(|(_, value)| value.as_str())
    }

    /// A document of the case; an absent one is empty.
    pub(crate) fn document(&self, key: &str) -> &str {
        self.get(key).unwrap_or("{}")
    }
}

/// The folder with the corpus and its schemas.
pub(crate) fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../conformance")
}

/// Every case of a verb.
pub(crate) fn cases(verb: &str) -> Vec<Case> {
    let mut files: Vec<PathBuf> =
        fs::read_dir(folder().join("cases").join(verb)).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files.iter().flat_map(|file| read(verb, file)).collect()
}

fn read(verb: &str, file: &Path) -> Vec<Case> {
    let mut cases: Vec<Case> = Vec::new();
    let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
    for (at, line) in fs::read_to_string(file).unwrap().lines().enumerate() {
        if line.trim().is_empty() || line.starts_with('#') {
            continue;
        }
        if line.starts_with("- ") {
            let place = format!("{verb}/{name}:{}", at + 1);
            cases.push(Case { verb: verb.to_owned(), place, fields: Vec::new() });
        }
        let (key, value) = line[2..].split_once(": ").unwrap();
        cases.last_mut().unwrap().fields.push((key.to_owned(), value.to_owned()));
    }
    cases
}
