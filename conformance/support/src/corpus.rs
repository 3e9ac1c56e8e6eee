//! The corpus: small cases in `conformance/cases/<verb>/<topic>.yaml`.
//!
//! A file is a list of cases. Every field is on one line, and every document is JSON, which is
//! YAML too; so a reader of lines keeps the text of each document to the letter (`80.0`, escapes,
//! repeated members), and `bless` can rewrite one line without touching the others.

mod reader;
mod rules;

use std::path::{Path, PathBuf};

pub use reader::{Case, DIALECTS, Field};
pub use rules::complaints;

use crate::root;

/// One file of cases.
pub struct CaseFile {
    /// Where it is.
    pub path: PathBuf,
    /// All of it.
    pub text: String,
    /// What it has, in order.
    pub cases: Vec<Case>,
}

/// The folder with the corpus and its schemas.
pub fn folder() -> PathBuf {
    root().join("conformance")
}

/// Reads every file of the corpus, in order of their paths.
pub fn load() -> Result<Vec<CaseFile>, String> {
    let mut paths = Vec::new();
    let cases = folder().join("cases");
    // Scenarios of server-side apply have a form of their own.
    for verb in entries(&cases)?.into_iter().filter(|folder| !folder.ends_with("ssa")) {
        paths.extend(
            entries(&verb)?.into_iter().filter(|path| path.extension().is_some_and(|it| it == "yaml")),
        );
    }
    paths.into_iter().map(load_file).collect()
}

/// Every case of a verb.
pub fn cases(verb: &str) -> Result<Vec<Case>, String> {
    Ok(load()?.into_iter().flat_map(|file| file.cases).filter(|case| case.verb == verb).collect())
}

fn entries(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let complain = |error: std::io::Error| format!("{}: {error}", folder.display());
    let mut paths = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(complain)? {
        paths.push(entry.map_err(complain)?.path());
    }
    paths.sort();
    Ok(paths)
}

fn load_file(path: PathBuf) -> Result<CaseFile, String> {
    let shown = path.strip_prefix(root()).unwrap_or(&path).display().to_string();
    let text = std::fs::read_to_string(&path).map_err(|error| format!("{shown}: {error}"))?;
    let verb = path.parent().and_then(Path::file_name).unwrap_or_default().to_string_lossy();
    let cases = reader::read(&shown, &verb, &text)?;
    Ok(CaseFile { path, text, cases })
}
