//! The corpus: small cases in `conformance/cases/<verb>/<topic>.yaml`.
//!
//! A file is a list of cases. Every field is on one line, and every document is JSON, which is
//! YAML too; so a reader of lines keeps the text of each document to the letter (`80.0`, escapes,
//! repeated members), and `bless` can rewrite one line without touching the others.

mod reader;
mod rules;
#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};

pub(crate) use reader::{Case, DIALECTS};
pub(crate) use rules::complaints;

/// Where the repository is.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask is in the root").to_path_buf()
}

/// One file of cases.
pub(crate) struct CaseFile {
    pub(crate) path: PathBuf,
    pub(crate) text: String,
    pub(crate) cases: Vec<Case>,
}

/// Reads every file of the corpus, in order of their paths.
pub(crate) fn load() -> Result<Vec<CaseFile>, String> {
    let mut paths = Vec::new();
    let cases = root().join("conformance/cases");
    // Scenarios of server-side apply have a form of their own.
    for verb in entries(&cases)?.into_iter().filter(|folder| !folder.ends_with("ssa")) {
        paths.extend(
            entries(&verb)?.into_iter().filter(|path| path.extension().is_some_and(|it| it == "yaml")),
        );
    }
    paths.into_iter().map(load_file).collect()
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
