//! Lints kustomizations: their fields, and each patch on the objects that it is for.
//!
//! `build` follows resources and components and applies the patches in kustomize's order, so that each patch meets
//! the objects as the layers below have left them; `patch` lints one patch; `inline` finds places of patches that
//! are written in the kustomization itself.

mod build;
mod inline;
mod patch;

use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::Arc;

use kubemerge_inspect::{KustomizeRules, Linter};

use super::findings::{BROKEN_YAML, shown};
use crate::input::{Exclude, Source};
use crate::load::{Kustomization, Kustomizations, real};
use crate::report::{Failure, Notice, Result};
use build::Built;

/// The findings in kustomizations and their patches.
pub(super) fn findings(
    linter: Linter<'_>,
    kustomizations: Kustomizations,
    sources: &[Arc<Source>],
    exclude: &Exclude,
) -> Result<Vec<Notice>> {
    // Most runs have none, and need no rules for them.
    if kustomizations.all().next().is_none() {
        return Ok(Vec::new());
    }
    let Some(rules) = KustomizeRules::new() else { return Ok(Vec::new()) };
    let texts = sources.iter().filter_map(|source| Some((real(source.path()?), Arc::clone(source))));
    let mut lint = KustomizeLint {
        linter,
        rules,
        kustomizations,
        texts: texts.collect(),
        exclude,
        built: HashMap::new(),
        under_way: HashSet::new(),
        known: HashSet::new(),
        notices: Vec::new(),
        unread: BTreeSet::new(),
    };
    lint.all()?;
    Ok(lint.notices)
}

struct KustomizeLint<'l> {
    linter: Linter<'l>,
    rules: KustomizeRules,
    kustomizations: Kustomizations,
    /// The texts of the run, by path without links.
    texts: HashMap<PathBuf, Arc<Source>>,
    exclude: &'l Exclude,
    built: HashMap<PathBuf, Rc<Built>>,
    /// The folders that are being built: a kustomization may include itself.
    under_way: HashSet<PathBuf>,
    /// The findings so far: a patch of many objects, or of a base with many overlays, has each only once.
    known: HashSet<(String, usize, String)>,
    notices: Vec<Notice>,
    /// What was said about bases that are elsewhere.
    unread: BTreeSet<String>,
}

impl KustomizeLint<'_> {
    fn all(&mut self) -> Result<()> {
        let (given, around): (Vec<_>, Vec<_>) =
            self.kustomizations.all().cloned().partition(|one: &Arc<Kustomization>| self.is_given(one));
        for one in &given {
            self.fields(one)?;
        }
        // Those around the texts matter only if they name one of them.
        let names_text =
            |one: &Arc<Kustomization>| one.patch_files().any(|file| self.texts.contains_key(&file));
        let around: Vec<_> = around.into_iter().filter(names_text).collect();
        // Components work on the objects of what includes them, which is looked at first.
        let (components, others): (Vec<_>, Vec<_>) =
            given.iter().chain(&around).partition(|one| one.is_component);
        for one in others {
            self.build(one)?;
        }
        for one in components {
            self.component_alone(one)?;
        }
        Ok(())
    }

    fn is_given(&self, kustomization: &Kustomization) -> bool {
        self.kustomizations.given.contains(&kustomization.folder)
    }

    fn fields(&mut self, kustomization: &Kustomization) -> Result<()> {
        let source = &kustomization.source;
        // A text that is not YAML is reported as such.
        for document in source.documents()?.iter().take(1) {
            let json = source.json(document)?;
            let value = crate::load::checked(source, &json)?;
            self.notices.extend(shown(source, self.rules.fields(document, value.node())));
        }
        Ok(())
    }

    /// Adds a finding, once.
    fn add(&mut self, notice: Notice) {
        let place = notice.excerpts.first().map_or((String::new(), 0), |place| {
            let position = place.position();
            (place.name().to_owned(), position.line << 16 | position.column)
        });
        if self.known.insert((place.0, place.1, notice.title.clone())) {
            self.notices.push(notice);
        }
    }

    /// Adds the error of a text that cannot be read as a finding.
    fn add_unreadable(&mut self, failure: Failure) -> Result<()> {
        match failure {
            Failure::Error(notice) => {
                self.add(notice.code(BROKEN_YAML));
                Ok(())
            }
            closed @ Failure::ClosedPipe => Err(closed),
        }
    }
}

/// A finding at a field of a kustomization.
fn notice_at(kustomization: &Kustomization, path: &str, notice: Notice) -> Notice {
    let source = &kustomization.source;
    match source.documents().ok().as_deref().and_then(<[_]>::first) {
        Some(document) => notice.at(source.excerpt(document, path, path)),
        None => notice,
    }
}
