//! Applies patches to objects.

use kubemerge::{Patch, PatchType, RuleSource, Schema, Target, Tests, apply_node, diff};
use kubemerge_inspect::{RefusalCause, refusal_of_change};
use kubemerge_strategic::apply as merge;
use kubemerge_value::{Arena, to_bytes};
use kubemerge_value::{Node, deep_equal};
use rayon::prelude::*;

use crate::load::{LoadedPatch, Manifest, Pair, type_of};
use crate::report::Result;

/// An object that was patched.
pub(super) struct PatchedObject<'m, 's> {
    pub(super) manifest: &'m Manifest<'s>,
    /// The patches that were applied, by number.
    pub(super) patches: Vec<usize>,
    /// The type of the first of them.
    patch_type: PatchType,
    /// The result.
    pub(super) json: Vec<u8>,
    pub(super) effect: Effect,
    /// The schema, which generates the patch from the object to the result.
    schema: &'m Schema,
}

/// Whether a patch changed anything.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Effect {
    Unchanged,
    Changed,
    /// kustomize: the patch deletes the object.
    Deleted,
}

/// Patches, and what they need.
pub(super) struct Patcher<'p, 's> {
    schema: &'p Schema,
    loaded: &'p [LoadedPatch<'s>],
    patches: Vec<Patch<'p>>,
}

impl<'p, 's> Patcher<'p, 's> {
    pub(super) fn new(schema: &'p Schema, loaded: &'p [LoadedPatch<'s>]) -> Result<Patcher<'p, 's>> {
        let patches = loaded.iter().map(LoadedPatch::patch).collect::<Result<_>>()?;
        Ok(Patcher { schema, loaded, patches })
    }

    /// The results of all objects that patches are for, in the order of the objects.
    pub(super) fn all<'m, 't>(
        &self,
        manifests: &'m [Manifest<'t>],
        pairs: &[Pair],
    ) -> Result<Vec<PatchedObject<'m, 't>>>
    where
        'p: 'm,
    {
        // Patches of one object apply in their order, each to the result of the one before.
        let mut patches_of = vec![Vec::new(); manifests.len()];
        pairs.iter().for_each(|pair| patches_of[pair.manifest].push(pair.patch));
        let work: Vec<(&Manifest<'_>, Vec<usize>)> =
            manifests.iter().zip(patches_of).filter(|(_, patches)| !patches.is_empty()).collect();
        // Collected before the first error is taken, so that it is the same one on every run.
        let results: Vec<Result<_>> =
            work.into_par_iter().map(|(manifest, patches)| self.object(manifest, patches)).collect();
        results.into_iter().collect()
    }

    fn object<'m, 't>(&self, manifest: &'m Manifest<'t>, patches: Vec<usize>) -> Result<PatchedObject<'m, 't>>
    where
        'p: 'm,
    {
        let document = manifest.value()?;
        let arena = Arena::new();
        let mut node = document.node();
        for at in &patches {
            node = self.apply(*at, manifest, node, &arena)?;
            // A deleted object is not there for the patches that follow.
            if node.is_null() {
                break;
            }
        }
        let patch_type = patches.first().map_or(PatchType::Merge, |at| self.loaded[*at].patch_type);
        let effect = match node.is_null() {
            true => Effect::Deleted,
            // By value: a patch may set what is there already.
            false if deep_equal(document.node(), node) => Effect::Unchanged,
            false => Effect::Changed,
        };
        Ok(PatchedObject { manifest, patches, patch_type, json: to_bytes(node), effect, schema: self.schema })
    }

    fn apply<'a>(
        &'a self,
        at: usize,
        manifest: &Manifest<'_>,
        live: Node<'a>,
        arena: &'a Arena,
    ) -> Result<Node<'a>> {
        let (loaded, patch) = (&self.loaded[at], &self.patches[at]);
        // Only strategic patches need a type, so other patches work for unknown kinds.
        if loaded.patch_type != PatchType::Strategic {
            let applied = apply_node(RuleSource::None, live, patch, arena);
            return applied.map_err(|error| loaded.fault(&error, error.path(), &manifest.title()).into());
        }
        let ty = type_of(self.schema, manifest)?;
        merge(ty, live, patch.node(), arena).map_err(|error| loaded.merge_fault(&error, manifest).into())
    }
}

impl PatchedObject<'_, '_> {
    /// Why the API server would refuse the result.
    pub(super) fn refusal(&self, schema: &Schema) -> Vec<RefusalCause> {
        match self.effect {
            Effect::Unchanged | Effect::Deleted => Vec::new(),
            Effect::Changed => refusal_of_change(schema, &self.manifest.json, &self.json),
        }
    }

    /// The patch from the object to the result, of the type of the first patch.
    pub(super) fn difference(&self) -> Result<Vec<u8>> {
        let (rules, target) = match self.patch_type {
            PatchType::Strategic => {
                (RuleSource::Type(type_of(self.schema, self.manifest)?), Target::Strategic)
            }
            PatchType::Json => (RuleSource::None, Target::Json(Tests::Without)),
            // No patch but the whole configuration says what an apply says; a merge patch has the same effect.
            _ => (RuleSource::None, Target::Merge),
        };
        let patch = diff(rules, &self.manifest.json, &self.json, target);
        Ok(patch.map_err(|error| self.manifest.fault(&error))?.to_bytes())
    }
}
