//! The objects of a run, and what was not read as one: documents of other tools, patches of kustomizations, and
//! texts that are not YAML.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use kubemerge_value::{Document, Kind, Node};

use super::list::{self, Object};
use super::manifest::Manifest;
use crate::input::{Source, par_map};
use crate::report::{Failure, Notice, Outcome, Result};

/// The API group of kustomization files, which no API server knows.
const KUSTOMIZE_GROUP: &str = "kustomize.config.k8s.io";
/// The names under which kustomize looks for its file in a folder.
const KUSTOMIZATIONS: [&str; 3] = ["kustomization.yaml", "kustomization.yml", "Kustomization"];

/// The objects of some texts.
pub(crate) struct Objects<'s> {
    pub(crate) manifests: Vec<Manifest<'s>>,
    /// How many documents are no Kubernetes objects.
    skipped: usize,
    /// How many files are patches of a kustomization.
    patches: usize,
    /// Errors of texts that could not be read.
    pub(crate) unreadable: Vec<Notice>,
}

/// What one text contains.
struct Parsed<'s> {
    manifests: Vec<Manifest<'s>>,
    skipped: usize,
}

impl<'s> Objects<'s> {
    /// Reads all texts. One that is not YAML does not keep the others from being read.
    pub(crate) fn load(sources: &'s [Arc<Source>]) -> Objects<'s> {
        let patches = kustomize_patches(sources);
        let mut objects = Objects { manifests: Vec::new(), skipped: 0, patches: 0, unreadable: Vec::new() };
        for (source, parsed) in sources.iter().zip(par_map(sources, parse)) {
            match parsed {
                // Patches look like incomplete objects; linting them as such would be noise.
                _ if source.path().is_some_and(|path| patches.contains(&real(path))) => objects.patches += 1,
                Ok(parsed) => {
                    objects.manifests.extend(parsed.manifests);
                    objects.skipped += parsed.skipped;
                }
                Err(Failure::Error(notice)) => objects.unreadable.push(*notice),
                Err(Failure::ClosedPipe) => {}
            }
        }
        objects
    }

    /// As [`Objects::load`], for a command that cannot do anything with nothing: if no text could be read, the
    /// first error ends the run.
    pub(crate) fn load_some(sources: &'s [Arc<Source>]) -> Result<Objects<'s>> {
        let mut objects = Objects::load(sources);
        // With a single broken file its error is the whole answer.
        if objects.manifests.is_empty() && !objects.unreadable.is_empty() {
            return Err(objects.unreadable.swap_remove(0).into());
        }
        Ok(objects)
    }

    /// Prints the errors, and one line about the documents that were skipped.
    pub(crate) fn report(&self) {
        self.unreadable.iter().for_each(Notice::print);
        self.report_skipped();
    }

    /// Prints one line about the documents that were skipped, if there are any.
    pub(crate) fn report_skipped(&self) {
        if let Some(line) = self.skipped_line() {
            eprintln!("{line}");
        }
    }

    /// `skipped: 2 documents without apiVersion and kind, 1 patch of a kustomization`.
    fn skipped_line(&self) -> Option<String> {
        let counted = |count: usize, one: &str, many: &str| match count {
            0 => None,
            1 => Some(format!("1 {one}")),
            count => Some(format!("{count} {many}")),
        };
        let documents = counted(
            self.skipped,
            "document without apiVersion and kind",
            "documents without apiVersion and kind",
        );
        let patches = counted(self.patches, "patch of a kustomization", "patches of kustomizations");
        let parts: Vec<String> = [documents, patches].into_iter().flatten().collect();
        (!parts.is_empty()).then(|| format!("skipped: {}", parts.join(", ")))
    }

    /// How a command ends that worked on all that could be read.
    pub(crate) fn outcome(&self, outcome: Outcome) -> Outcome {
        if self.unreadable.is_empty() { outcome } else { Outcome::Incomplete }
    }
}

fn parse(source: &Source) -> Result<Parsed<'_>> {
    let mut parsed = Parsed { manifests: Vec::new(), skipped: 0 };
    for document in source.documents()? {
        let document = Arc::new(document);
        for object in list::objects(source, &document)? {
            match is_object(&object) {
                true => parsed.manifests.push(Manifest::new(source, Arc::clone(&document), object)?),
                false => parsed.skipped += 1,
            }
        }
    }
    Ok(parsed)
}

/// Whether a document is meant for an API server. One that has only one of apiVersion and kind is taken for a
/// mistake in an object, not for a file of another tool.
fn is_object(Object { kind, identity, .. }: &Object) -> bool {
    let is_named = !identity.api_version.is_empty() || !identity.kind.is_empty();
    // Values files of Helm and kustomizations are among manifests in many repositories.
    *kind == Kind::Map && is_named && !identity.is_in_group(KUSTOMIZE_GROUP)
}

/// The patch files of all kustomizations among the texts.
fn kustomize_patches(sources: &[Arc<Source>]) -> HashSet<PathBuf> {
    let files = sources.iter().filter_map(|source| Some((source, source.path()?)));
    let kustomizations = files.filter(|(_, path)| is_kustomization(path));
    kustomizations.flat_map(|(source, path)| patches_of(source, path)).collect()
}

fn is_kustomization(path: &Path) -> bool {
    path.file_name().is_some_and(|name| KUSTOMIZATIONS.iter().any(|one| name == *one))
}

/// The patch files that a kustomization names. A kustomization that cannot be read names none: its error is
/// reported with its own text.
fn patches_of(source: &Source, path: &Path) -> Vec<PathBuf> {
    let folder = path.parent().unwrap_or(Path::new(""));
    let documents = source.documents().unwrap_or_default();
    let texts: Vec<Vec<u8>> = documents.iter().filter_map(|one| source.json(one).ok()).collect();
    let values = texts.iter().filter_map(|json| Document::check(json).ok());
    values.flat_map(|value| patch_names(value.node())).map(|name| real(&folder.join(name))).collect()
}

/// `patches[].path`, `patchesJson6902[].path` and `patchesStrategicMerge[]`.
fn patch_names(kustomization: Node<'_>) -> Vec<String> {
    let arena = kubemerge_value::Arena::new();
    let fields = ["patches", "patchesJson6902", "patchesStrategicMerge"];
    let lists = fields.iter().filter_map(|field| kustomization.get(field));
    let entries = lists.flat_map(|list| list.elements(&arena).iter().copied());
    // patchesStrategicMerge lists names, the other two lists have maps with a path.
    let names = entries.filter_map(|entry| entry.get("path").unwrap_or(entry).as_str());
    names.map(|name| name.text().into_owned()).collect()
}

fn real(path: &Path) -> PathBuf {
    // Two spellings of one file must compare equal; a missing file is reported elsewhere.
    std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}
