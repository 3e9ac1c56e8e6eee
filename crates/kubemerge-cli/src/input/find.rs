//! Finds the files that words on the command line mean.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use globset::GlobBuilder;
use walkdir::WalkDir;

use super::read::{plain, stdin};
use super::{Origin, STDIN};
use crate::failure::Result;
use crate::notice::Notice;

/// Whether folders inside folders are visited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Recurse {
    No,
    Yes,
}

/// The texts that the words mean, each once, in the order of the words; files of a folder sorted by name.
pub(crate) fn find(words: &[PathBuf], recurse: Recurse) -> Result<Vec<Origin>> {
    let mut found = Vec::new();
    let mut seen = HashSet::new();
    for word in words {
        if is_stdin(word) && seen.contains(Path::new(STDIN)) {
            continue;
        }
        found.extend(origins(word, recurse)?.into_iter().filter(|origin| seen.insert(real(origin))));
    }
    Ok(found)
}

/// The files that are not among others: a patch in a folder of manifests is no manifest.
pub(crate) fn without(origins: Vec<Origin>, others: &[Origin]) -> Vec<Origin> {
    if others.is_empty() {
        return origins;
    }
    let others: HashSet<PathBuf> = others.iter().map(real).collect();
    origins.into_iter().filter(|origin| !others.contains(&real(origin))).collect()
}

/// What tells a text from others, whatever ways lead to it.
fn real(origin: &Origin) -> PathBuf {
    match origin {
        Origin::File(path) => std::fs::canonicalize(path).unwrap_or_else(|_| path.clone()),
        Origin::Stdin(_) => PathBuf::from(STDIN),
    }
}

fn origins(word: &Path, recurse: Recurse) -> Result<Vec<Origin>> {
    if is_stdin(word) {
        return Ok(vec![stdin()?]);
    }
    match std::fs::metadata(word) {
        Ok(metadata) if metadata.is_dir() => files_of_folder(word, recurse),
        Ok(_) => Ok(vec![Origin::File(word.to_owned())]),
        Err(_) if is_glob(word) => files_of_glob(word),
        Err(error) => Err(Notice::error(format!("cannot read {}: {}", word.display(), plain(&error))).into()),
    }
}

fn is_stdin(word: &Path) -> bool {
    word == Path::new("-")
}

fn files_of_folder(folder: &Path, recurse: Recurse) -> Result<Vec<Origin>> {
    let depth = if recurse == Recurse::Yes { usize::MAX } else { 1 };
    let files = walk(folder, depth, is_manifest)?;
    if files.is_empty() {
        let notice = Notice::error(format!("there are no manifests in {}", folder.display()));
        let cure = match recurse {
            Recurse::No => "files end in .yaml, .yml or .json; -R looks into folders inside it, too",
            Recurse::Yes => "files end in .yaml, .yml or .json",
        };
        return Err(notice.cure(cure).into());
    }
    Ok(files)
}

/// What kubectl takes from a folder.
fn is_manifest(path: &Path) -> bool {
    let ending = path.extension().and_then(|ending| ending.to_str());
    matches!(ending, Some("yaml" | "yml" | "json"))
}

fn is_glob(word: &Path) -> bool {
    word.to_string_lossy().contains(['*', '?', '['])
}

fn files_of_glob(pattern: &Path) -> Result<Vec<Origin>> {
    let text = pattern.to_string_lossy();
    let glob = GlobBuilder::new(&text).literal_separator(true).build();
    let matcher = match glob {
        Ok(glob) => glob.compile_matcher(),
        Err(error) => return Err(Notice::error(format!("bad pattern {text}: {}", error.kind())).into()),
    };
    let (folder, depth) = fixed_part(pattern);
    let files = walk(&folder, depth, |path| {
        matcher.is_match(path.strip_prefix("./").unwrap_or(path)) || matcher.is_match(path)
    })?;
    if files.is_empty() {
        return Err(Notice::error(format!("no file matches {text}")).into());
    }
    Ok(files)
}

/// The folder in front of the first wildcard, and how deep the pattern reaches below it.
fn fixed_part(pattern: &Path) -> (PathBuf, usize) {
    let parts: Vec<_> = pattern.components().collect();
    let fixed = parts.iter().position(|part| is_glob(part.as_ref())).unwrap_or(parts.len());
    let folder: PathBuf = parts[..fixed].iter().collect();
    let deep = parts[fixed..].iter().any(|part| part.as_os_str() == "**");
    let depth = if deep { usize::MAX } else { parts.len() - fixed };
    (if folder.as_os_str().is_empty() { PathBuf::from(".") } else { folder }, depth)
}

fn cannot_look(error: &walkdir::Error) -> Notice {
    let path = error.path().unwrap_or(Path::new("")).display();
    match error.io_error() {
        Some(cause) => Notice::error(format!("cannot read {path}: {}", plain(cause))),
        None => Notice::error(format!("{path} leads back to itself")),
    }
}

fn walk(folder: &Path, depth: usize, wanted: impl Fn(&Path) -> bool) -> Result<Vec<Origin>> {
    let mut files = Vec::new();
    for entry in WalkDir::new(folder).max_depth(depth).follow_links(true).sort_by_file_name() {
        let entry = match entry {
            Ok(entry) => entry,
            Err(error) => return Err(cannot_look(&error).into()),
        };
        let path = entry.path();
        if entry.file_type().is_file() && wanted(path) {
            let path = if folder == Path::new(".") { path.strip_prefix("./").unwrap_or(path) } else { path };
            files.push(Origin::File(path.to_owned()));
        }
    }
    Ok(files)
}
