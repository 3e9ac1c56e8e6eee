//! Finds kustomizations: among the texts of a run, and in the folders around them, which may name them as patches.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::{Kustomization, real};
use crate::input::Source;

/// The names under which kustomize looks for its file in a folder.
const NAMES: [&str; 3] = ["kustomization.yaml", "kustomization.yml", "Kustomization"];

/// Kustomizations by folder.
#[derive(Default)]
pub(crate) struct Kustomizations {
    by_folder: BTreeMap<PathBuf, Arc<Kustomization>>,
    /// The folders of those that are among the texts of the run.
    pub(crate) given: BTreeSet<PathBuf>,
}

pub(crate) fn is_kustomization(path: &Path) -> bool {
    path.file_name().is_some_and(|name| NAMES.iter().any(|one| name == *one))
}

impl Kustomizations {
    /// Those among the texts, and those around them.
    pub(crate) fn around(sources: &[Arc<Source>]) -> Kustomizations {
        let mut found = Kustomizations::default();
        let mut folders = BTreeSet::new();
        for source in sources {
            let Some(path) = source.path() else { continue };
            let folder = path.parent().unwrap_or(Path::new(""));
            if is_kustomization(path) {
                let folder = folder_of(folder);
                found.given.insert(folder.clone());
                found.add(Arc::clone(source), folder);
            }
            folders.insert(folder);
        }
        let mut seen = HashSet::new();
        for (folder, like) in folders.into_iter().zip(std::iter::repeat(sources.first())) {
            let Some(like) = like else { break };
            found.look_around(&folder_of(folder), like, &mut seen);
        }
        found
    }

    /// Loads the kustomizations of a folder and of those around it, up to the root of a repository.
    fn look_around(&mut self, folder: &Path, like: &Source, seen: &mut HashSet<PathBuf>) {
        for around in folder.ancestors() {
            // What is further out was looked at for another text.
            if !seen.insert(around.to_owned()) {
                break;
            }
            self.in_folder(around, like);
            if around.join(".git").exists() {
                break;
            }
        }
    }

    /// The kustomization of a folder, if there is one, read as another text was read.
    pub(crate) fn in_folder(&mut self, folder: &Path, like: &Source) -> Option<Arc<Kustomization>> {
        if let Some(known) = self.by_folder.get(folder) {
            return Some(Arc::clone(known));
        }
        let path = NAMES.iter().map(|name| folder.join(name)).find(|path| path.is_file())?;
        self.add(Arc::new(like.open_beside(&path).ok()?), folder.to_owned())
    }

    fn add(&mut self, source: Arc<Source>, folder: PathBuf) -> Option<Arc<Kustomization>> {
        let read = Arc::new(Kustomization::read(source, folder.clone())?);
        self.by_folder.insert(folder, Arc::clone(&read));
        Some(read)
    }

    /// Every one, by folder.
    pub(crate) fn all(&self) -> impl Iterator<Item = &Arc<Kustomization>> {
        self.by_folder.values()
    }

    /// The files that are patches.
    pub(crate) fn patch_files(&self) -> HashSet<PathBuf> {
        self.all().flat_map(|one| one.patch_files()).collect()
    }
}

/// The path of a folder without links; the current one has no name in `a.yaml`.
fn folder_of(folder: &Path) -> PathBuf {
    real(if folder.as_os_str().is_empty() { Path::new(".") } else { folder })
}
