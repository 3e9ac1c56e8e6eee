//! The tracked files of the repository, read once for all checks.

use std::{collections::BTreeMap, path::Path, process::Command};

use super::rust::modules::CrateModules;

/// A tracked text file.
pub(crate) struct TextFile {
    /// Its path from the root of the repository.
    pub(crate) path: String,
    pub(crate) text: String,
}

/// Everything the checks look at.
pub(crate) struct Repository {
    pub(crate) files: Vec<TextFile>,
    /// The packages with Rust code, by name.
    pub(crate) packages: BTreeMap<String, CrateModules>,
}

impl Repository {
    /// Reads the tracked files below a folder.
    pub(crate) fn read(root: &Path) -> Repository {
        let read = |path: String| {
            // Files that are not text hold nothing to check.
            let text = std::fs::read_to_string(root.join(&path)).ok()?;
            Some(TextFile { path, text })
        };
        Repository::of(tracked_files(root).into_iter().filter_map(read).collect())
    }

    /// A repository of these files.
    pub(crate) fn of(files: Vec<TextFile>) -> Repository {
        let mut packages = BTreeMap::new();
        for name in files.iter().filter_map(|file| package_of(&file.path)) {
            if !packages.contains_key(name) {
                packages.insert(name.to_owned(), read_package(name, &files));
            }
        }
        Repository { files, packages }
    }

    pub(crate) fn file(&self, path: &str) -> Option<&TextFile> {
        self.files.iter().find(|file| file.path == path)
    }

    pub(crate) fn rust_files(&self) -> impl Iterator<Item = &TextFile> {
        self.files.iter().filter(|file| file.path.ends_with(".rs"))
    }
}

fn read_package(name: &str, files: &[TextFile]) -> CrateModules {
    let files = files.iter().map(|file| (file.path.as_str(), file.text.as_str()));
    CrateModules::read(&source_folder(name), files)
}

/// The package that a source file belongs to.
fn package_of(path: &str) -> Option<&str> {
    let beside = BESIDE.iter().find(|(_, folder)| {
        path.strip_prefix(folder).is_some_and(|rest| rest.starts_with("/src/") && rest.ends_with(".rs"))
    });
    if let Some((name, _)) = beside {
        return Some(name);
    }
    let (name, rest) = path.strip_prefix("crates/")?.split_once('/')?;
    (rest.starts_with("src/") && rest.ends_with(".rs")).then_some(name)
}

/// Packages that are not published, and their folders.
const BESIDE: [(&str, &str); 3] = [
    ("kubemerge-harness", "conformance/harness"),
    ("kubemerge-test-support", "conformance/support"),
    ("xtask", "xtask"),
];

/// Whether a package is for users, so that its names must be clear beside those of the others.
pub(crate) fn is_published(package: &str) -> bool {
    BESIDE.iter().all(|(name, _)| *name != package)
}

/// The folder of a package.
pub(crate) fn folder(package: &str) -> String {
    let beside = BESIDE.iter().find(|(name, _)| *name == package);
    beside.map_or_else(|| format!("crates/{package}"), |(_, folder)| (*folder).to_owned())
}

/// The folder with the source of a package.
pub(crate) fn source_folder(package: &str) -> String {
    format!("{}/src", folder(package))
}

fn tracked_files(root: &Path) -> Vec<String> {
    let output = Command::new("git").args(["ls-files", "-z"]).current_dir(root).output().expect("git runs");
    String::from_utf8_lossy(&output.stdout)
        .split('\0')
        .filter(|file| !file.is_empty())
        .map(str::to_string)
        .collect()
}
