//! Finds the files that a word of the command line means.

use std::path::{Path, PathBuf};

use globset::GlobBuilder;
use walkdir::WalkDir;

use crate::args::Recurse;
use crate::report::{Notice, Result, plain};

/// The files that a word means; `-` is stdin and means itself.
pub(super) fn paths(word: &Path, recurse: Recurse) -> Result<Vec<PathBuf>> {
    if is_stdin(word) {
        return Ok(vec![word.to_owned()]);
    }
    match std::fs::metadata(word) {
        Ok(metadata) if metadata.is_dir() => files_of_folder(word, recurse),
        Ok(_) => Ok(vec![word.to_owned()]),
        Err(_) if is_glob(word) => files_of_glob(word),
        Err(error) => Err(Notice::error(format!("cannot read {}: {}", word.display(), plain(&error))).into()),
    }
}

pub(super) fn is_stdin(word: &Path) -> bool {
    word == Path::new("-")
}

fn files_of_folder(folder: &Path, recurse: Recurse) -> Result<Vec<PathBuf>> {
    // Depth 1 are the files of the folder itself.
    let depth = if recurse == Recurse::Yes { usize::MAX } else { 1 };
    let files = walk(folder, depth, is_manifest)?;
    // An empty result is nearly always a wrong path, so it is an error.
    if files.is_empty() {
        let notice = Notice::error(format!("there are no manifests in {}", folder.display()));
        let help = match recurse {
            Recurse::No => "files end in .yaml, .yml or .json; -R visits folders inside it as well",
            Recurse::Yes => "files end in .yaml, .yml or .json",
        };
        return Err(notice.help(help).into());
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

fn files_of_glob(pattern: &Path) -> Result<Vec<PathBuf>> {
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

/// The folder before the first wildcard, and how many levels the pattern has below it.
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
        None => Notice::error(format!("{path} is a link to a folder around it")),
    }
}

fn walk(folder: &Path, depth: usize, wanted: impl Fn(&Path) -> bool) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    // Sorted, so that results and errors come in the same order on every machine.
    for entry in WalkDir::new(folder).max_depth(depth).follow_links(true).sort_by_file_name() {
        let entry = match entry {
            Ok(entry) => entry,
            Err(error) => return Err(cannot_look(&error).into()),
        };
        let path = entry.path();
        if entry.file_type().is_file() && wanted(path) {
            let path = if folder == Path::new(".") { path.strip_prefix("./").unwrap_or(path) } else { path };
            files.push(path.to_owned());
        }
    }
    Ok(files)
}
