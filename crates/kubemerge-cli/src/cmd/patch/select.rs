//! Which objects each patch is for, and whether that is clear.

use std::collections::{BTreeSet, HashMap};

use kubemerge::{PatchType, Schema};

use super::apply::PatchedFile;
use super::write::Hold;
use crate::cmd::lint::misspelt;
use crate::failure::Result;
use crate::input::{Origin, read};
use crate::job::{Asked, Identity, LoadedPatch, Manifest, Target};
use crate::notice::Notice;

/// The patches and what each is for.
pub(super) struct Selection<'p, 's> {
    patches: &'p [LoadedPatch<'s>],
    targets: Vec<Target>,
    /// The patches for objects of a kind and name, by number.
    named: HashMap<[String; 2], Vec<usize>>,
    /// The other patches.
    unnamed: Vec<usize>,
}

impl<'p, 's> Selection<'p, 's> {
    pub(super) fn new(patches: &'p [LoadedPatch<'s>], asked: &Asked) -> Selection<'p, 's> {
        let targets: Vec<Target> = patches.iter().map(|patch| Target::of(patch, asked)).collect();
        let (mut named, mut unnamed) = (HashMap::new(), Vec::new());
        for (patch, target) in targets.iter().enumerate() {
            match target.kind_and_name() {
                Some((kind, name)) => {
                    let key = [kind, name].map(str::to_owned);
                    named.entry(key).or_insert_with(Vec::new).push(patch);
                }
                None => unnamed.push(patch),
            }
        }
        Selection { patches, targets, named, unnamed }
    }

    /// The patches for an object, by number, in their order.
    pub(super) fn of(&self, identity: &Identity) -> Vec<usize> {
        let named = self.named.get(&[identity.kind.clone(), identity.name.clone()]);
        let asked = self.unnamed.iter().chain(named.into_iter().flatten()).copied();
        let mut fitting: Vec<usize> = asked.filter(|patch| self.targets[*patch].fits(identity)).collect();
        fitting.sort_unstable();
        fitting
    }

    /// Results for one object wait until it is known that no other one fits.
    pub(super) fn hold(&self) -> Hold {
        let single = self.targets.iter().any(Target::is_single);
        if single { Hold::Everything } else { Hold::Nothing }
    }

    /// A patch for the only document is not tried on several: it would fail for reasons of its own.
    pub(super) fn check_before(&self, origins: &[Origin]) -> Result<()> {
        let Some(patch) = self.targets.iter().position(|target| matches!(target, Target::Only)) else {
            return Ok(());
        };
        let mut titles = Vec::new();
        for origin in origins {
            let source = read(origin)?;
            let manifests = Manifest::all(&source)?;
            titles.extend(Target::Only.titles(&manifests.iter().collect::<Vec<_>>()));
            if titles.len() > 1 {
                break;
            }
        }
        self.targets[patch].check(&self.patches[patch], &titles, &[])
    }

    /// Starts to count the objects that each patch fits.
    pub(super) fn count(&self) -> Fitting<'_> {
        Fitting {
            patches: self.patches,
            targets: &self.targets,
            titles: vec![Vec::new(); self.patches.len()],
            kinds: vec![BTreeSet::new(); self.patches.len()],
            others: Vec::new(),
        }
    }
}

/// The objects that each patch was for.
pub(super) struct Fitting<'p> {
    patches: &'p [LoadedPatch<'p>],
    targets: &'p [Target],
    titles: Vec<Vec<String>>,
    /// Their apiVersions and kinds.
    kinds: Vec<BTreeSet<[String; 2]>>,
    /// The objects that no patch was for.
    others: Vec<Identity>,
}

impl Fitting<'_> {
    pub(super) fn add(&mut self, file: &PatchedFile) {
        for object in &file.objects {
            let Identity { api_version, kind, .. } = &object.identity;
            for patch in &object.patches {
                self.titles[*patch].push(object.full_title.clone());
                self.kinds[*patch].insert([api_version.clone(), kind.clone()]);
            }
        }
        self.others.extend_from_slice(&file.others);
    }

    /// Every patch has found its object, and none but `--all` more than one.
    pub(super) fn check(&self) -> Result<()> {
        let others: Vec<_> = self.others.iter().collect();
        for ((target, patch), titles) in self.targets.iter().zip(self.patches).zip(&self.titles) {
            // That there is one document only was checked before.
            let most = if matches!(target, Target::Only) { 1 } else { titles.len() };
            target.check(patch, &titles[..most.min(titles.len())], &others)?;
        }
        Ok(())
    }

    /// Warns of what strategic patches misspell, as the API server warns of it.
    pub(super) fn warn(&self, schema: &Schema) -> Result<()> {
        let strategic = |patch: &LoadedPatch<'_>| patch.patch_type == PatchType::Strategic;
        for (patch, kinds) in self.patches.iter().zip(&self.kinds).filter(|(patch, _)| strategic(patch)) {
            for [api_version, kind] in kinds {
                let Some(ty) = schema.type_of(api_version, kind) else { continue };
                for slip in misspelt(ty, patch)? {
                    Notice { title: format!("{kind}: {}", slip.title), ..slip }.say();
                }
            }
        }
        Ok(())
    }
}
