//! Patches the objects of one file.

use kubemerge::{Arena, Guide, Patch, PatchType, Schema, Target, Tests, apply_node, diff, to_bytes};
use kubemerge_strategic::apply as merge;
use kubemerge_value::{Node, deep_equal};
use kubemerge_yaml as yaml;

use super::Destination;
use super::select::Selection;
use crate::failure::Result;
use crate::input::{Origin, Source, read};
use crate::job::{Identity, LoadedPatch, Manifest, edits, type_of};
use crate::notice::Notice;
use crate::staged::Staged;

/// What became of a file.
pub(super) struct PatchedFile {
    pub(super) name: String,
    /// The objects that were patched.
    pub(super) objects: Vec<PatchedObject>,
    /// The objects that no patch is for.
    pub(super) others: Vec<Identity>,
    /// The text before and after, where texts are compared.
    pub(super) texts: Option<[String; 2]>,
    /// The new text, ready to take the place of the file.
    pub(super) staged: Option<Staged>,
}

/// An object that was patched.
pub(super) struct PatchedObject {
    pub(super) title: String,
    pub(super) full_title: String,
    pub(super) identity: Identity,
    /// The patches that were for it.
    pub(super) patches: Vec<usize>,
    /// The result.
    pub(super) json: Vec<u8>,
    pub(super) change: Change,
}

/// Whether a patch changed anything.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Change {
    None,
    Some,
}

/// Patches, and what they need.
pub(super) struct Patcher<'p, 's> {
    schema: &'p Schema,
    loaded: &'p [LoadedPatch<'s>],
    patches: Vec<Patch<'p>>,
    selection: &'p Selection<'p, 's>,
}

impl<'p, 's> Patcher<'p, 's> {
    pub(super) fn new(
        schema: &'p Schema,
        loaded: &'p [LoadedPatch<'s>],
        selection: &'p Selection<'p, 's>,
    ) -> Result<Patcher<'p, 's>> {
        let patches = loaded.iter().map(LoadedPatch::patch).collect::<Result<_>>()?;
        Ok(Patcher { schema, loaded, patches, selection })
    }

    /// Patches the objects of a file that patches are for.
    pub(super) fn file(&self, origin: &Origin, destination: Destination) -> Result<PatchedFile> {
        let source = read(origin)?;
        let manifests = Manifest::all(&source)?;
        let (mut patched, mut others) = (Vec::new(), Vec::new());
        for manifest in &manifests {
            let patches = self.selection.of(&manifest.identity);
            if patches.is_empty() {
                others.push(manifest.identity.clone());
            } else {
                patched.push((manifest, self.object(manifest, patches)?));
            }
        }
        let edits = if destination.wants_text() { edits_of(&patched)? } else { Vec::new() };
        if destination == Destination::Patch {
            for (manifest, object) in &mut patched {
                object.json = self.difference(manifest, object)?;
            }
        }
        let objects = patched.into_iter().map(|(_, object)| object).collect();
        let (texts, staged) = match destination {
            Destination::Diff => (Some(texts(&source, &edits)), None),
            Destination::InPlace => (None, stage(origin, &source, &edits)?),
            _ => (None, None),
        };
        Ok(PatchedFile { name: source.name, objects, others, texts, staged })
    }

    fn object(&self, manifest: &Manifest<'_>, patches: Vec<usize>) -> Result<PatchedObject> {
        let document = manifest.value()?;
        let arena = Arena::new();
        let mut node = document.node();
        for at in &patches {
            node = self.apply(*at, manifest, node, &arena)?;
        }
        let same = deep_equal(document.node(), node);
        Ok(PatchedObject {
            title: manifest.title(),
            full_title: manifest.full_title(),
            identity: manifest.identity.clone(),
            json: to_bytes(node),
            change: if same { Change::None } else { Change::Some },
            patches,
        })
    }

    /// The patch that leads from the object to the result at once, of the type of the first patch.
    fn difference(&self, manifest: &Manifest<'_>, object: &PatchedObject) -> Result<Vec<u8>> {
        let patch_type = object.patches.first().map_or(PatchType::Merge, |at| self.loaded[*at].patch_type);
        let (guide, target) = match patch_type {
            PatchType::Strategic => (Guide::Type(type_of(self.schema, manifest)?), Target::Strategic),
            PatchType::Merge => (Guide::None, Target::Merge),
            PatchType::Json => (Guide::None, Target::Json(Tests::Without)),
        };
        let patch =
            diff(guide, &manifest.json, &object.json, target).map_err(|error| manifest.fault(&error))?;
        Ok(patch.to_bytes())
    }

    fn apply<'a>(
        &'a self,
        at: usize,
        manifest: &Manifest<'_>,
        live: Node<'a>,
        arena: &'a Arena,
    ) -> Result<Node<'a>> {
        let (loaded, patch) = (&self.loaded[at], &self.patches[at]);
        if loaded.patch_type != PatchType::Strategic {
            let applied = apply_node(Guide::None, live, patch, arena);
            return applied.map_err(|error| loaded.fault(&error, error.path(), &manifest.title()).into());
        }
        let ty = type_of(self.schema, manifest)?;
        merge(ty, live, patch.node(), arena).map_err(|error| loaded.merge_fault(&error, manifest).into())
    }
}

/// The edits of a file.
fn edits_of(patched: &[(&Manifest<'_>, PatchedObject)]) -> Result<Vec<yaml::Edit>> {
    let is_changed = |(_, object): &&(_, PatchedObject)| object.change == Change::Some;
    let changed = patched.iter().filter(is_changed);
    edits(&changed.map(|(manifest, object)| (*manifest, &*object.json)).collect::<Vec<_>>())
}

fn texts(source: &Source, edits: &[yaml::Edit]) -> [String; 2] {
    [source.text().to_owned(), yaml::apply_edits(source.text(), edits)]
}

/// Writes the new text beside the file, if it has one.
fn stage(origin: &Origin, source: &Source, edits: &[yaml::Edit]) -> Result<Option<Staged>> {
    match origin {
        _ if edits.is_empty() => Ok(None),
        Origin::File(path) => {
            Staged::write(path, yaml::apply_edits(source.text(), edits).as_bytes()).map(Some)
        }
        Origin::Stdin(_) => {
            let notice = Notice::error("standard input cannot be changed in place");
            Err(notice.cure("leave --in-place out to get the result on standard output").into())
        }
    }
}
