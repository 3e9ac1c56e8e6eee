//! Finds the files that a word of the command line means.

use std::path::{Path, PathBuf};

use globset::GlobBuilder;
use walkdir::WalkDir;

use crate::args::Recurse;
use crate::report::{Notice, plain};

/// Files, and paths that could not be looked at, each with its error.
#[derive(Default)]
pub(super) struct Found {
    pub(super) files: Vec<PathBuf>,
    pub(super) unreadable: Vec<(PathBuf, Notice)>,
}

impl Found {
    fn file(path: &Path) -> Found {
        Found { files: vec![path.to_owned()], unreadable: Vec::new() }
    }

    fn error(path: &Path, notice: Notice) -> Found {
        Found { files: Vec::new(), unreadable: vec![(path.to_owned(), notice)] }
    }

    fn is_empty(&self) -> bool {
        self.files.is_empty() && self.unreadable.is_empty()
    }
}

/// The files that a word means; `-` is stdin and means itself.
pub(super) fn paths(word: &Path, recurse: Recurse) -> Found {
    if is_stdin(word) {
        return Found::file(word);
    }
    match std::fs::metadata(word) {
        Ok(metadata) if metadata.is_dir() => files_of_folder(word, recurse),
        Ok(_) => Found::file(word),
        Err(_) if is_glob(word) => files_of_glob(word),
        Err(error) => Found::error(word, cannot_read(word, &error)),
    }
}

fn cannot_read(path: &Path, error: &std::io::Error) -> Notice {
    Notice::error(format!("cannot read {}: {}", path.display(), plain(error)))
}

pub(super) fn is_stdin(word: &Path) -> bool {
    word == Path::new("-")
}

fn files_of_folder(folder: &Path, recurse: Recurse) -> Found {
    // Depth 1 are the files of the folder itself.
    let depth = if recurse == Recurse::Yes { usize::MAX } else { 1 };
    let found = walk(folder, depth, is_manifest);
    // An empty result is nearly always a wrong path, so it is an error.
    if found.is_empty() {
        let notice = Notice::error(format!("there are no manifests in {}", folder.display()));
        let help = match recurse {
            Recurse::No => "files end in .yaml, .yml or .json; -R visits folders inside it as well",
            Recurse::Yes => "files end in .yaml, .yml or .json",
        };
        return Found::error(folder, notice.help(help));
    }
    found
}

/// Whether a word is a folder with manifests in folders inside it.
pub(super) fn is_deep(word: &Path) -> bool {
    let inside = WalkDir::new(word).min_depth(2).follow_links(true).into_iter();
    inside.flatten().any(|entry| entry.file_type().is_file() && is_manifest(entry.path()))
}

/// What kubectl takes from a folder.
fn is_manifest(path: &Path) -> bool {
    let ending = path.extension().and_then(|ending| ending.to_str());
    matches!(ending, Some("yaml" | "yml" | "json"))
}

fn is_glob(word: &Path) -> bool {
    word.to_string_lossy().contains(['*', '?', '['])
}

fn files_of_glob(pattern: &Path) -> Found {
    let text = pattern.to_string_lossy();
    let glob = GlobBuilder::new(&text).literal_separator(true).build();
    let matcher = match glob {
        Ok(glob) => glob.compile_matcher(),
        Err(error) => {
            return Found::error(pattern, Notice::error(format!("bad pattern {text}: {}", error.kind())));
        }
    };
    let (folder, depth) = fixed_part(pattern);
    let found = walk(&folder, depth, |path| {
        matcher.is_match(path.strip_prefix("./").unwrap_or(path)) || matcher.is_match(path)
    });
    if found.is_empty() {
        return Found::error(pattern, Notice::error(format!("no file matches {text}")));
    }
    found
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

fn cannot_look(error: &walkdir::Error, path: &Path) -> Notice {
    match error.io_error() {
        Some(cause) => cannot_read(path, cause),
        None => Notice::error(format!("{} is a link to a folder around it", path.display())),
    }
}

fn walk(folder: &Path, depth: usize, wanted: impl Fn(&Path) -> bool) -> Found {
    let mut found = Found::default();
    // Sorted, so that results and errors come in the same order on every machine.
    for entry in WalkDir::new(folder).max_depth(depth).follow_links(true).sort_by_file_name() {
        let path = match &entry {
            Ok(entry) => entry.path(),
            Err(error) => error.path().unwrap_or(folder),
        };
        let shown = if folder == Path::new(".") { path.strip_prefix("./").unwrap_or(path) } else { path };
        match &entry {
            Ok(entry) if entry.file_type().is_file() && wanted(path) => found.files.push(shown.to_owned()),
            Ok(_) => {}
            // A link to nothing that has not the name of a manifest would be none.
            Err(error) if is_missing(error) && !wanted(path) => {}
            Err(error) => found.unreadable.push((shown.to_owned(), cannot_look(error, shown))),
        }
    }
    found
}

fn is_missing(error: &walkdir::Error) -> bool {
    error.io_error().is_some_and(|error| error.kind() == std::io::ErrorKind::NotFound)
}
