//! ARCHITECTURE.md names files and folders that exist, and every folder with source.
//!
//! The code map has an item per package: its name in backquotes, then `: ` and the map, up to the next item or an empty
//! line. There `groups/*/` names every folder in `groups/`. Elsewhere a path starts with the package's name without `kubemerge-`, e.g. `schema/lookup/`.

use std::collections::BTreeSet;

use super::complaint::Complaint;
use super::repository::{Repository, source_folder};

const MAP: &str = "ARCHITECTURE.md";

/// A path that the document names, and the package whose item it is in.
struct Mention<'d> {
    line: usize,
    package: Option<&'d str>,
    path: &'d str,
}

/// Complains about paths that do not exist and folders that are not named.
pub(crate) fn check(repository: &Repository) -> Vec<Complaint> {
    let Some(map) = repository.file(MAP) else { return vec![Complaint::new(MAP, "is missing")] };
    let mentions = mentions(&map.text);
    let known = known_paths(repository);
    let stale = mentions.iter().filter(|mention| !known.iter().any(|path| mention.names(path)));
    let mut complaints: Vec<Complaint> = stale
        .map(|one| Complaint::on_line(MAP, one.line, format!("`{}` does not exist", one.path)))
        .collect();
    for folder in source_folders(&known) {
        if !mentions.iter().any(|mention| mention.names_folder(folder)) {
            complaints.push(Complaint::new(folder, format!("is not in the code map of {MAP}")));
        }
    }
    complaints
}

/// Every file and folder; folders end with a slash.
fn known_paths(repository: &Repository) -> BTreeSet<String> {
    let mut known = BTreeSet::new();
    for file in &repository.files {
        let slashes = file.path.match_indices('/').map(|(at, _)| file.path[..=at].to_owned());
        known.extend(slashes);
        known.insert(file.path.clone());
    }
    known
}

/// The folders below the source folder of a package.
fn source_folders(known: &BTreeSet<String>) -> impl Iterator<Item = &str> {
    known.iter().map(String::as_str).filter(|path| {
        let inner = path.strip_prefix("crates/").and_then(|path| path.split_once("/src/"));
        inner.is_some_and(|(_, inner)| inner.ends_with('/'))
    })
}

fn mentions(text: &str) -> Vec<Mention<'_>> {
    let mut found = Vec::new();
    let mut package = None;
    for (at, line) in text.lines().enumerate() {
        match package_line(line) {
            Some(name) => package = Some(name),
            // What follows an empty line belongs to no package.
            None if line.is_empty() => package = None,
            None => {}
        }
        // Every second part is between backquotes.
        let quoted = line.split('`').skip(1).step_by(2).filter(|word| is_path(word));
        found.extend(quoted.map(|path| Mention { line: at + 1, package, path }));
    }
    found
}

/// The package whose item starts with this line.
fn package_line(line: &str) -> Option<&str> {
    let (name, _) = line.strip_prefix("- `")?.split_once("`: ")?;
    name.starts_with("kubemerge").then_some(name)
}

fn is_path(word: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '/' | '.' | '*');
    (word.ends_with(".rs") || word.ends_with('/')) && word.chars().all(plain)
}

impl Mention<'_> {
    fn names(&self, path: &str) -> bool {
        match self.package {
            Some(package) => self.is_within(package, path),
            None => ends_with_path(path, self.path) || self.is_prefixed(path),
        }
    }

    /// Whether it names this folder beyond doubt: in the item of its package, or with the package's name.
    fn names_folder(&self, folder: &str) -> bool {
        match self.package {
            Some(package) => self.is_within(package, folder),
            None => self.is_prefixed(folder),
        }
    }

    fn is_within(&self, package: &str, path: &str) -> bool {
        let inner = path.strip_prefix(&source_folder(package));
        inner.is_some_and(|inner| ends_with_path(inner, self.path)) || self.is_prefixed(path)
    }

    /// `schema/lookup/` for `crates/kubemerge-schema/src/lookup/`.
    fn is_prefixed(&self, path: &str) -> bool {
        let Some((short, inner)) = self.path.split_once('/') else { return false };
        path.strip_prefix(&source_folder(&format!("kubemerge-{short}")))
            .is_some_and(|rest| rest.strip_prefix('/').is_some_and(|rest| rest == inner))
    }
}

/// Whether a path ends with all parts of another, whose last may be `*/`.
fn ends_with_path(path: &str, end: &str) -> bool {
    if let Some(folder) = end.strip_suffix("*/") {
        let parent = path.strip_suffix('/').and_then(|path| path.rfind('/').and_then(|at| path.get(..=at)));
        return parent.is_some_and(|parent| ends_with_path(parent, folder));
    }
    path.strip_suffix(end).is_some_and(|before| before.is_empty() || before.ends_with('/'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::repository::TextFile;

    fn complaints(map: &str) -> Vec<String> {
        let file = |path: &str, text: &str| TextFile { path: path.to_owned(), text: text.to_owned() };
        let found = check(&Repository::of(vec![
            file(MAP, map),
            file("crates/kubemerge-a/src/lib.rs", ""),
            file("crates/kubemerge-a/src/walk/map.rs", ""),
            file("crates/kubemerge-a/src/walk/list/keyed.rs", ""),
            file("crates/kubemerge-b/src/walk.rs", ""),
        ]));
        found.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_complete_map_passes() {
        let map = "- `kubemerge-a`: `walk/` with `map.rs` · `walk/list/` and `keyed.rs`\n- `kubemerge-b`: `walk.rs`";
        assert_eq!(complaints(map), [""; 0]);
        assert_eq!(complaints("First `a/walk/`, then `a/walk/list/`; see `crates/`."), [""; 0]);
    }

    #[test]
    fn one_mention_names_all_folders_of_a_folder() {
        assert_eq!(complaints("- `kubemerge-a`: `walk/`\nand `walk/*/`"), [""; 0]);
        assert_eq!(complaints("- `kubemerge-a`: `walk/`\n\n`walk/*/`").len(), 1);
    }

    #[test]
    fn stale_paths_and_missing_folders_are_named() {
        let wanted = [
            "ARCHITECTURE.md:1: `gone.rs` does not exist",
            "crates/kubemerge-a/src/walk/list/: is not in the code map of ARCHITECTURE.md",
        ];
        assert_eq!(complaints("- `kubemerge-a`: `walk/` · `gone.rs`"), wanted);
        assert_eq!(complaints("- `kubemerge-b`: `map.rs`")[0], "ARCHITECTURE.md:1: `map.rs` does not exist");
    }
}
