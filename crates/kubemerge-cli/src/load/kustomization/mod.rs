//! Kustomizations: what they are made of, and which files are patches of one.
//!
//! Nothing is built here; `cmd/lint/kustomize` follows the references and applies the patches.

mod find;
mod selector;

pub(crate) use find::{Kustomizations, is_kustomization};
use selector::PatchSelector;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use kubemerge_value::{Arena, Document, Kind, Node};

use crate::input::Source;

/// A kustomization, or a component.
pub(crate) struct Kustomization {
    pub(crate) source: Arc<Source>,
    /// Its folder, without links.
    pub(crate) folder: PathBuf,
    pub(crate) is_component: bool,
    /// `resources` and `bases`.
    pub(crate) resources: Vec<Reference>,
    pub(crate) components: Vec<Reference>,
    /// In the order in which kustomize applies them.
    pub(crate) patches: Vec<PatchEntry>,
    /// Whether it has objects that are not in files.
    pub(crate) generates: bool,
    /// Whether it changes objects in other ways than by patches, so that their fields are not known exactly.
    pub(crate) transforms: bool,
}

/// The name of a file or folder, and the field path that names it.
pub(crate) struct Reference {
    pub(crate) path: String,
    pub(crate) name: String,
}

/// A patch of a kustomization.
pub(crate) struct PatchEntry {
    /// The field path of the text, or of the name of its file.
    pub(crate) path: String,
    pub(crate) text: PatchText,
    /// The objects that it is for; without it those that the patch names.
    pub(crate) target: Option<PatchSelector>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum PatchText {
    File(String),
    Inline(String),
}

/// Fields that add objects which are in no file.
const GENERATORS: [&str; 6] = [
    "configMapGenerator",
    "generators",
    "helmChartInflationGenerator",
    "helmCharts",
    "secretGenerator",
    // A plugin may do anything.
    "transformers",
];

/// Fields that change objects. `openapi` and `configurations` say how patches and other steps work.
const TRANSFORMERS: [&str; 15] = [
    "commonAnnotations",
    "commonLabels",
    "configurations",
    "crds",
    "imageTags",
    "images",
    "labels",
    "namePrefix",
    "nameSuffix",
    "namespace",
    "openapi",
    "replacements",
    "replicas",
    "transformers",
    "vars",
];

impl Kustomization {
    /// Reads one; `None` if the text is no map, which is reported with the text.
    fn read(source: Arc<Source>, folder: PathBuf) -> Option<Kustomization> {
        let documents = source.documents().ok()?;
        let json = source.json(documents.first()?).ok()?;
        let value = Document::check(&json).ok()?;
        let root = value.node();
        if root.kind() != Kind::Map {
            return None;
        }
        Some(Kustomization {
            is_component: text(root, "kind").as_deref() == Some("Component"),
            resources: ["resources", "bases"].iter().flat_map(|field| names(root, field)).collect(),
            components: names(root, "components"),
            patches: patches(root, &folder),
            generates: has_any(root, &GENERATORS),
            transforms: has_any(root, &TRANSFORMERS),
            source: Arc::clone(&source),
            folder,
        })
    }

    /// The files of its patches.
    pub(crate) fn patch_files(&self) -> impl Iterator<Item = PathBuf> {
        self.patches.iter().filter_map(|patch| match &patch.text {
            PatchText::File(name) => Some(real(&self.folder.join(name))),
            PatchText::Inline(_) => None,
        })
    }
}

fn has_any(root: Node<'_>, fields: &[&str]) -> bool {
    fields.iter().any(|field| root.get(field).is_some_and(|value| !value.is_null()))
}

fn names(root: Node<'_>, field: &str) -> Vec<Reference> {
    let arena = Arena::new();
    let names = root.get(field).map_or(&[][..], |list| list.elements(&arena)).iter().enumerate();
    let texts = names.filter_map(|(at, name)| Some((at, name.as_str()?.text().into_owned())));
    texts.map(|(at, name)| Reference { path: format!("{field}[{at}]"), name }).collect()
}

/// All patches: strategic ones by name or text, those with targets, and the JSON patches of old kustomizations,
/// which kustomize applies last.
fn patches(root: Node<'_>, folder: &Path) -> Vec<PatchEntry> {
    let strategic = names(root, "patchesStrategicMerge").into_iter().map(|Reference { path, name }| {
        // kustomize takes the name of a file for its text, and anything else for a patch.
        let is_file = !name.contains('\n') && folder.join(&name).is_file();
        let text = if is_file { PatchText::File(name) } else { PatchText::Inline(name) };
        PatchEntry { path, text, target: None }
    });
    strategic.chain(entries(root, "patches")).chain(entries(root, "patchesJson6902")).collect()
}

fn entries(root: Node<'_>, field: &str) -> Vec<PatchEntry> {
    let arena = Arena::new();
    let list = root.get(field).map_or(&[][..], |list| list.elements(&arena)).iter().enumerate();
    let entry = |(at, entry): (usize, &Node<'_>)| {
        let target = entry.get("target").filter(|target| target.kind() == Kind::Map);
        let (member, text) = match (text(*entry, "path"), text(*entry, "patch")) {
            (Some(name), _) => ("path", PatchText::File(name)),
            (None, Some(patch)) => ("patch", PatchText::Inline(patch)),
            (None, None) => return None,
        };
        Some(PatchEntry {
            path: format!("{field}[{at}].{member}"),
            text,
            target: target.map(PatchSelector::read),
        })
    };
    list.filter_map(entry).collect()
}

fn text(node: Node<'_>, field: &str) -> Option<String> {
    node.get(field)?.as_str().map(|text| text.text().into_owned()).filter(|text| !text.is_empty())
}

/// The path without links: two names of one file must compare equal. A missing file is reported elsewhere.
pub(crate) fn real(path: &Path) -> PathBuf {
    std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}
