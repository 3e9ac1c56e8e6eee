//! Brings patches and the objects they are for together.

use super::manifest::Manifest;
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
    let mut pairs = Vec::new();
    for (at, patch) in patches.iter().enumerate() {
        let target = Target::of(patch, asked);
        let fitting: Vec<usize> =
            (0..manifests.len()).filter(|manifest| target.fits(&manifests[*manifest].identity)).collect();
        let titles = target.titles(&fitting.iter().map(|at| &manifests[*at]).collect::<Vec<_>>());
        let identities: Vec<_> = manifests.iter().map(|manifest| &manifest.identity).collect();
        target.check(patch, &titles, &identities)?;
        pairs.extend(fitting.into_iter().map(|manifest| Pair { manifest, patch: at }));
    }
    Ok(pairs)
}
