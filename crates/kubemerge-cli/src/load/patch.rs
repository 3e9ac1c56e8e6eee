//! Loads patches: from the command line, or from files that may contain several.

use std::sync::Arc;

use kubemerge::{Error, Patch, PatchType};
use kubemerge_strategic::MergeError;
use kubemerge_value::{Document, Kind, Node, Side};
use kubemerge_yaml as yaml;

use super::manifest::{Identity, Manifest, checked};
use crate::input::Source;
use crate::report::{Excerpt, Notice, Result};

/// A patch as the user gave it.
pub(crate) struct LoadedPatch<'s> {
    pub(crate) source: &'s Source,
    pub(crate) document: yaml::YamlDocument<'s>,
    pub(crate) json: Vec<u8>,
    pub(crate) patch_type: PatchType,
    /// The object that the patch names by kind and name.
    pub(crate) names: Option<Identity>,
}

impl<'s> LoadedPatch<'s> {
    /// Every patch of the texts.
    pub(crate) fn all(sources: &'s [Arc<Source>], patch_type: PatchType) -> Result<Vec<LoadedPatch<'s>>> {
        let mut patches = Vec::new();
        for source in sources {
            let before = patches.len();
            for document in source.documents()? {
                patches.push(LoadedPatch::new(source, document, patch_type)?);
            }
            // An empty patch file is a mistake; `{}` is a patch that does nothing.
            if patches.len() == before {
                return Err(Notice::error(format!("{} contains no patch", source.name)).into());
            }
        }
        Ok(patches)
    }

    /// Every patch of a text in which a list is a JSON patch and a map a strategic one, as kustomize takes them.
    pub(crate) fn all_by_form(source: &'s Source) -> Result<Vec<LoadedPatch<'s>>> {
        let mut patches = Vec::new();
        for document in source.documents()? {
            let is_list = document.root().elements().next().is_some();
            let patch_type = if is_list { PatchType::Json } else { PatchType::Strategic };
            patches.push(LoadedPatch::new(source, document, patch_type)?);
        }
        Ok(patches)
    }

    fn new(
        source: &'s Source,
        document: yaml::YamlDocument<'s>,
        patch_type: PatchType,
    ) -> Result<LoadedPatch<'s>> {
        let json = source.json(&document)?;
        let (help, identity) = {
            let checked = checked(source, &json)?;
            (wrong_form(checked.node(), patch_type), Identity::of(checked.node()))
        };
        if let Some(help) = help {
            let excerpt = source.excerpt(&document, "", "");
            return Err(Notice::error(expected(patch_type)).at(excerpt).help(help).into());
        }
        // Kind and name together name an object; metadata.name alone may be a change.
        let names = (!identity.kind.is_empty() && !identity.name.is_empty()).then_some(identity);
        Ok(LoadedPatch { source, document, json, patch_type, names })
    }

    /// The patch in the form that can be applied.
    pub(crate) fn patch(&self) -> Result<Patch<'_>> {
        Patch::new(self.patch_type, &self.json)
            .map_err(|error| Notice::error(format!("{}: {error}", self.source.name)).into())
    }

    /// The value.
    pub(crate) fn value(&self) -> Result<Document<'_>> {
        checked(self.source, &self.json)
    }

    /// The lines around a path.
    pub(crate) fn excerpt(&self, path: &str) -> Excerpt {
        self.source.excerpt(&self.document, path, path)
    }

    /// Why the patch cannot be merged into an object, with the place in the one that causes the error.
    pub(crate) fn merge_fault(&self, error: &MergeError, manifest: &Manifest<'_>) -> Notice {
        let fault = error.clone().into();
        match error.side() {
            Side::Live => manifest.fault(&fault),
            Side::Patch => self.fault(&fault, error.path(), &manifest.title()),
        }
    }

    /// Why the patch cannot be applied to an object, with the place in the patch.
    pub(crate) fn fault(&self, error: &Error, place: &str, object: &str) -> Notice {
        let excerpt = self.source.excerpt(&self.document, place, error.path());
        Notice::error(error.message())
            .code(error.kind().name())
            .at(excerpt)
            .reason(format!("the patch does not apply to {object}"))
            .hint(error.hint())
    }
}

fn expected(patch_type: PatchType) -> &'static str {
    match patch_type {
        PatchType::Json => "a JSON patch must be a list of operations",
        PatchType::Strategic => "a strategic merge patch must be a map",
        PatchType::Merge => "a merge patch must be a map",
        _ => "a configuration must be a map",
    }
}

/// The help, if the value cannot be such a patch.
fn wrong_form(patch: Node<'_>, patch_type: PatchType) -> Option<&'static str> {
    match (patch.kind(), patch_type) {
        (Kind::List, PatchType::Json) => None,
        (Kind::Map, PatchType::Strategic | PatchType::Merge | PatchType::Apply) => None,
        (Kind::List, _) => Some("a list of operations is a JSON patch: --type json"),
        // The most common mistake: one operation without its list.
        (Kind::Map, PatchType::Json) if patch.get("op").is_some() => {
            Some("put the operation into a list: [{\"op\": …}]")
        }
        (Kind::Map, PatchType::Json) => Some("a map is a patch of --type strategic or --type merge"),
        _ => Some("give a map of fields, or a list of operations with --type json"),
    }
}
