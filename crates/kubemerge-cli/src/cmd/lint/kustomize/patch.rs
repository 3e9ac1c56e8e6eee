//! One patch of a kustomization, on each object that it is for.

use std::sync::Arc;

use kubemerge::PatchType;
use kubemerge_inspect::{Finding, KustomizeOutcome, LintPatch};

use super::build::{Built, BuiltObject, missing_file};
use super::{KustomizeLint, inline, notice_at};
use crate::cmd::lint::findings::{NO_TARGET, shown};
use crate::input::Source;
use crate::load::{Identity, Kustomization, LoadedPatch, PatchEntry, PatchText};
use crate::report::{Notice, Result};

/// A patch whose text is loaded.
struct Subject<'p> {
    of: &'p Kustomization,
    entry: &'p PatchEntry,
    source: &'p Arc<Source>,
    /// Whether its findings are wanted: it, or the kustomization around it, is among the texts of the run.
    is_wanted: bool,
}

impl KustomizeLint<'_> {
    /// Lints a patch and applies it to the objects.
    pub(super) fn patch(&mut self, of: &Kustomization, entry: &PatchEntry, built: &mut Built) -> Result<()> {
        let is_given = self.is_given(of);
        let (source, is_wanted) = match &entry.text {
            PatchText::Inline(text) => {
                (Arc::new(of.source.beside(of.source.name.clone(), text.clone().into_bytes())), is_given)
            }
            PatchText::File(name) => {
                let path = of.folder.join(name);
                let Some(source) = self.text(&path, &of.source) else {
                    if is_given {
                        self.add(missing_file(of, &entry.path, format!("there is no {name}")));
                    }
                    return Ok(());
                };
                let is_text = self.texts.values().any(|text| Arc::ptr_eq(text, &source));
                (source, is_text || is_given && !self.exclude.matches(&path))
            }
        };
        let subject = Subject { of, entry, source: &source, is_wanted };
        let patches = match LoadedPatch::all_by_form(&source) {
            Ok(patches) => patches,
            Err(failure) if is_wanted => return self.add_unreadable(failure),
            Err(_) => return Ok(()),
        };
        patches.iter().try_for_each(|patch| self.document(&subject, patch, built))
    }

    fn document(&mut self, subject: &Subject<'_>, patch: &LoadedPatch<'_>, built: &mut Built) -> Result<()> {
        let targets: Vec<usize> = match (&subject.entry.target, &patch.names) {
            (Some(target), _) => positions(built, |object| target.fits(&object.identity, &object.json)),
            (None, Some(names)) => positions(built, |object| is_for(names, &object.identity)),
            (None, None) => Vec::new(),
        };
        if targets.is_empty() {
            self.without_object(subject, patch, built)?;
        }
        for at in targets {
            self.on_object(subject, patch, built, at)?;
        }
        // Deleted objects are gone for the patches that follow.
        built.objects.retain(|object| !object.json.is_empty());
        Ok(())
    }

    fn on_object(
        &mut self,
        subject: &Subject<'_>,
        patch: &LoadedPatch<'_>,
        built: &mut Built,
        at: usize,
    ) -> Result<()> {
        let BuiltObject { identity, json } = built.objects[at].clone();
        let live = crate::load::checked(subject.source, &json)?;
        let given = patch.patch()?;
        let lint_patch = LintPatch {
            document: &patch.document,
            patch: &given,
            api_version: &identity.api_version,
            kind: &identity.kind,
        };
        let trial = self.linter.kustomize_patch(&self.rules, &lint_patch, Some(live.node()));
        self.add_findings(subject, trial.findings);
        match trial.outcome {
            KustomizeOutcome::NotTried => {}
            KustomizeOutcome::Patched(result) => built.objects[at].json = result.into(),
            KustomizeOutcome::Deleted => built.objects[at].json = Default::default(),
            // A JSON patch may be for a field that a step before it adds.
            KustomizeOutcome::Refused(_) if built.is_transformed && patch.patch_type == PatchType::Json => {}
            KustomizeOutcome::Refused(finding) => self.add_findings(subject, vec![*finding]),
        }
        Ok(())
    }

    /// Lints a patch alone, by the kind that it or its target names.
    fn without_object(
        &mut self,
        subject: &Subject<'_>,
        patch: &LoadedPatch<'_>,
        built: &Built,
    ) -> Result<()> {
        if subject.is_wanted && !built.has_more && !built.is_transformed {
            self.add(no_target(subject, patch));
        }
        let named = match &subject.entry.target {
            Some(target) => self.named_kind(&target.kinds),
            None => patch.names.clone().unwrap_or_default(),
        };
        let given = patch.patch()?;
        let lint_patch = LintPatch {
            document: &patch.document,
            patch: &given,
            api_version: &named.api_version,
            kind: &named.kind,
        };
        let trial = self.linter.kustomize_patch(&self.rules, &lint_patch, None);
        self.add_findings(subject, trial.findings);
        Ok(())
    }

    /// The kind that a target names; most leave the version out.
    fn named_kind(&self, target: &Identity) -> Identity {
        let (group, version) = target.group_and_version();
        let api_version = self.linter.api_version_of(group, version, &target.kind);
        Identity { api_version: api_version.unwrap_or_default(), ..target.clone() }
    }

    fn add_findings(&mut self, subject: &Subject<'_>, findings: Vec<Finding>) {
        if !subject.is_wanted {
            return;
        }
        let of = subject.of;
        for finding in findings {
            let (source, finding) = match &subject.entry.text {
                PatchText::File(_) => (subject.source, finding),
                PatchText::Inline(text) => {
                    (&of.source, inline::placed(of, &subject.entry.path, text, finding))
                }
            };
            shown(source, vec![finding]).into_iter().for_each(|notice| self.add(notice));
        }
    }
}

fn positions(built: &Built, fits: impl Fn(&BuiltObject) -> bool) -> Vec<usize> {
    let fitting = built.objects.iter().enumerate().filter(|(_, object)| fits(object));
    fitting.map(|(at, _)| at).collect()
}

/// Whether a patch that names an object means this one: kustomize compares all that identifies it.
fn is_for(names: &Identity, object: &Identity) -> bool {
    let namespace = |identity: &Identity| match identity.namespace.as_str() {
        "" => "default".to_owned(),
        given => given.to_owned(),
    };
    names.kind == object.kind
        && names.name == object.name
        && names.api_version == object.api_version
        && namespace(names) == namespace(object)
}

fn no_target(subject: &Subject<'_>, patch: &LoadedPatch<'_>) -> Notice {
    let Subject { of, entry, .. } = subject;
    match (&entry.target, &patch.names) {
        // kustomize says nothing.
        (Some(_), _) => {
            let notice = Notice::warning("the target selects no object of the kustomization").code(NO_TARGET);
            let path = entry.path.rsplit_once('.').map_or(entry.path.as_str(), |(entry, _)| entry);
            notice_at(of, &format!("{path}.target"), notice.reason("kustomize leaves the patch out"))
        }
        (None, names) => {
            let title = match names {
                Some(names) => {
                    format!("the patch is for {}, which the kustomization does not have", names.in_full())
                }
                None => "the patch names no object".to_owned(),
            };
            let notice = Notice::error(title).code(NO_TARGET).reason("kustomize refuses the patch");
            notice_at(
                of,
                &entry.path,
                notice.help("name its object by kind and metadata.name, or with target"),
            )
        }
    }
}
