//! Finds objects by group, kind, namespace and name: those that a patch is for, and other states of an object.

use std::collections::HashMap;

use super::manifest::{Identity, Manifest};
use super::patch::LoadedPatch;
use super::target::{Filter, Selection, Target};
use crate::report::Result;

/// A patch and an object it is for, by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Pair {
    pub(crate) manifest: usize,
    pub(crate) patch: usize,
}

/// The pairs, in the order of the patches. Every patch must find what it is for.
pub(crate) fn pairs(
    manifests: &[Manifest<'_>],
    patches: &[LoadedPatch<'_>],
    selection: &Selection,
) -> Result<Vec<Pair>> {
    let index = Index::new(manifests, &selection.filter);
    let mut pairs = Vec::new();
    for (at, patch) in patches.iter().enumerate() {
        // A patch that finds nothing ends the run: a typo must not look like success.
        let found = index.targets(patch, selection)?;
        pairs.extend(found.into_iter().map(|manifest| Pair { manifest, patch: at }));
    }
    Ok(pairs)
}

/// Objects by name.
///
/// Group and namespace are no part of the hashed key, because a patch or a manifest need not say them; the few
/// objects of one kind and name are compared one by one.
pub(crate) struct Index<'m, 's> {
    manifests: &'m [Manifest<'s>],
    /// The numbers of the objects that pass the filter.
    considered: Vec<usize>,
    by_name: HashMap<Name<'m>, Vec<usize>>,
}

#[derive(PartialEq, Eq, Hash)]
struct Name<'m> {
    kind: &'m str,
    name: &'m str,
}

impl<'m, 's> Index<'m, 's> {
    /// The objects that pass a filter.
    pub(crate) fn new(manifests: &'m [Manifest<'s>], filter: &Filter) -> Index<'m, 's> {
        let considered: Vec<usize> =
            (0..manifests.len()).filter(|at| filter.passes(&manifests[*at])).collect();
        let mut by_name: HashMap<Name<'_>, Vec<usize>> = HashMap::new();
        for at in &considered {
            let Identity { kind, name, .. } = &manifests[*at].identity;
            by_name.entry(Name { kind, name }).or_default().push(*at);
        }
        Index { manifests, considered, by_name }
    }

    /// The numbers of the objects of a kind and name.
    fn named<'a>(&'a self, identity: &'a Identity) -> &'a [usize] {
        let name = Name { kind: &identity.kind, name: &identity.name };
        self.by_name.get(&name).map_or(&[], Vec::as_slice)
    }

    /// The numbers of the objects that nothing tells apart from this one.
    pub(crate) fn states_of(&self, identity: &Identity) -> Vec<usize> {
        let is_same = |at: &usize| identity.difference(&self.manifests[*at].identity).is_none();
        self.named(identity).iter().copied().filter(is_same).collect()
    }

    /// The numbers of the objects that a patch is for.
    pub(crate) fn targets(&self, patch: &LoadedPatch<'_>, selection: &Selection) -> Result<Vec<usize>> {
        let target = Target::of(patch, selection);
        let fits = |at: &usize| target.fits(&self.manifests[*at].identity);
        let fitting: Vec<usize> = match &target {
            // Found by name instead of a scan: repositories have thousands of objects.
            Target::Named(wanted) => self.named(wanted).iter().copied().filter(fits).collect(),
            Target::All | Target::Only | Target::Given(_) => {
                self.considered.iter().copied().filter(fits).collect()
            }
        };
        let found: Vec<&Manifest<'_>> = fitting.iter().map(|at| &self.manifests[*at]).collect();
        target.check(patch, &found, self.manifests)?;
        Ok(fitting)
    }
}
