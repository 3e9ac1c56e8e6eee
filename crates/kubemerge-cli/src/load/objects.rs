//! The objects of a run, and what was not read as one: documents of other tools, patches of kustomizations, and
//! texts that are not YAML.

use std::path::Path;
use std::sync::Arc;

use kubemerge_value::Kind;

use super::kustomization::{Kustomizations, is_kustomization, real};
use super::list::{self, Object};
use super::manifest::Manifest;
use crate::input::{Source, par_map};
use crate::report::{Failure, Notice, Outcome, Result};

/// The API group of kustomization files, which no API server knows.
const KUSTOMIZE_GROUP: &str = "kustomize.config.k8s.io";

/// The objects of some texts.
pub(crate) struct Objects<'s> {
    pub(crate) manifests: Vec<Manifest<'s>>,
    /// How many documents are no Kubernetes objects.
    skipped: usize,
    /// How many files describe a Helm chart.
    charts: usize,
    /// How many files are patches of a kustomization.
    patches: usize,
    /// Errors of texts that could not be read.
    pub(crate) unreadable: Vec<Notice>,
    /// The kustomizations among the texts, and around them.
    pub(crate) kustomizations: Kustomizations,
}

/// What one text contains.
struct Parsed<'s> {
    manifests: Vec<Manifest<'s>>,
    skipped: usize,
    charts: usize,
}

impl<'s> Objects<'s> {
    /// Reads all texts. One that is not YAML does not keep the others from being read.
    pub(crate) fn load(sources: &'s [Arc<Source>]) -> Objects<'s> {
        let kustomizations = Kustomizations::around(sources);
        let patches = kustomizations.patch_files();
        let is_patch = |path: &Path| !patches.is_empty() && patches.contains(&real(path));
        let mut objects = Objects {
            manifests: Vec::new(),
            skipped: 0,
            charts: 0,
            patches: 0,
            unreadable: Vec::new(),
            kustomizations,
        };
        for (source, parsed) in sources.iter().zip(par_map(sources, parse)) {
            match parsed {
                // Patches look like incomplete objects; linting them as such would be noise.
                _ if source.path().is_some_and(is_patch) => objects.patches += 1,
                Ok(parsed) => {
                    objects.manifests.extend(parsed.manifests);
                    objects.skipped += parsed.skipped;
                    objects.charts += parsed.charts;
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
        self.report_skipped(self.patches);
    }

    /// Prints one line about the documents that were skipped, if there are any; patches of kustomizations are none
    /// for a command that looks into them.
    pub(crate) fn report_skipped_documents(&self) {
        self.report_skipped(0);
    }

    fn report_skipped(&self, patches: usize) {
        if let Some(line) = self.skipped_line(patches) {
            eprintln!("{line}");
        }
    }

    /// `skipped: 2 documents without apiVersion and kind, 1 patch of a kustomization`.
    fn skipped_line(&self, patches: usize) -> Option<String> {
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
        let patches = counted(patches, "patch of a kustomization", "patches of kustomizations");
        let charts = counted(
            self.charts,
            "Helm chart (give what `helm template CHART` prints)",
            "Helm charts (give what `helm template CHART` prints for each)",
        );
        let parts: Vec<String> = [documents, charts, patches].into_iter().flatten().collect();
        (!parts.is_empty()).then(|| format!("skipped: {}", parts.join(", ")))
    }

    /// How a command ends that worked on all that could be read.
    pub(crate) fn outcome(&self, outcome: Outcome) -> Outcome {
        if self.unreadable.is_empty() { outcome } else { Outcome::Incomplete }
    }
}

fn parse(source: &Source) -> Result<Parsed<'_>> {
    let mut parsed = Parsed { manifests: Vec::new(), skipped: 0, charts: 0 };
    let is_other_tools = source.path().is_some_and(is_kustomization);
    let is_chart = source.path().is_some_and(is_chart);
    for document in source.documents()? {
        let document = Arc::new(document);
        for object in list::objects(source, &document)? {
            match is_object(&object) {
                // Its apiVersion is that of Helm.
                _ if is_chart && object.identity.kind.is_empty() => parsed.charts += 1,
                true => parsed.manifests.push(Manifest::new(source, Arc::clone(&document), object)?),
                // A kustomization is no object, and is not expected to be one.
                false if is_other_tools => {}
                false => parsed.skipped += 1,
            }
        }
    }
    Ok(parsed)
}

/// Whether a file describes a Helm chart.
fn is_chart(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name == "Chart.yaml")
}

/// Whether a document is meant for an API server. One that has only one of apiVersion and kind is taken for a
/// mistake in an object, not for a file of another tool.
fn is_object(Object { kind, identity, .. }: &Object) -> bool {
    let is_named = !identity.api_version.is_empty() || !identity.kind.is_empty();
    // Values files of Helm and kustomizations are among manifests in many repositories.
    *kind == Kind::Map && is_named && !identity.is_in_group(KUSTOMIZE_GROUP)
}
