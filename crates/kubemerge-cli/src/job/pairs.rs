//! Brings patches and the objects they are for together.

use std::collections::HashMap;

use super::manifest::{Identity, Manifest};
use super::patch::LoadedPatch;
use super::target::{Asked, Target};
use crate::failure::Result;

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
    asked: &Asked,
) -> Result<Vec<Pair>> {
    let objects = Objects::new(manifests);
    let mut pairs = Vec::new();
    for (at, patch) in patches.iter().enumerate() {
        let found = objects.of(patch, asked)?;
        pairs.extend(found.into_iter().map(|manifest| Pair { manifest, patch: at }));
    }
    Ok(pairs)
}

/// Objects that patches look for.
pub(crate) struct Objects<'m, 's> {
    manifests: &'m [Manifest<'s>],
    identities: Vec<&'m Identity>,
    /// The numbers of the objects of a kind and name.
    named: HashMap<(&'m str, &'m str), Vec<usize>>,
}

impl<'m, 's> Objects<'m, 's> {
    pub(crate) fn new(manifests: &'m [Manifest<'s>]) -> Objects<'m, 's> {
        let identities: Vec<&Identity> = manifests.iter().map(|manifest| &manifest.identity).collect();
        let mut named: HashMap<(&str, &str), Vec<usize>> = HashMap::new();
        for (at, identity) in identities.iter().enumerate() {
            named.entry((&identity.kind, &identity.name)).or_default().push(at);
        }
        Objects { manifests, identities, named }
    }

    /// The numbers of the objects that a patch is for.
    pub(crate) fn of(&self, patch: &LoadedPatch<'_>, asked: &Asked) -> Result<Vec<usize>> {
        let target = Target::of(patch, asked);
        let fits = |at: &usize| target.fits(self.identities[*at]);
        let fitting: Vec<usize> = match target.kind_and_name() {
            Some(name) => self.named.get(&name).into_iter().flatten().copied().filter(fits).collect(),
            None => (0..self.manifests.len()).filter(fits).collect(),
        };
        let titles = target.titles(&fitting.iter().map(|at| &self.manifests[*at]).collect::<Vec<_>>());
        target.check(patch, &titles, &self.identities)?;
        Ok(fitting)
    }
}
