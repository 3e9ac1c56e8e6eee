//! Reports items of a list that have the keys of another one. The design documents want keys to be unique, so the
//! dialect `spec` does not merge such items without a word; Kubernetes does.

use std::collections::BTreeSet;

use kubemerge::{Dialect, PatchType, Schema};
use kubemerge_inspect::{Finding, Linter};

use crate::input::Source;
use crate::load::{LoadedPatch, Manifest};
use crate::render::finding_notice;
use crate::report::{Notice, Result};

/// What is repeated in objects.
pub(super) fn items_of_objects(schema: &Schema, manifests: &[&Manifest<'_>]) -> Result<Vec<Notice>> {
    let is_spec = schema.dialect() == Dialect::Spec;
    let mut notices = Vec::new();
    for manifest in manifests.iter().filter(|_| is_spec) {
        let Some(ty) = schema.type_of(&manifest.identity.api_version, &manifest.identity.kind) else {
            continue;
        };
        let value = manifest.value()?;
        let found = Linter::repeated_items(ty, &manifest.document, &manifest.lint_object(&value));
        notices.extend(of_text(manifest.source, found));
    }
    Ok(notices)
}

/// What is repeated in strategic patches, and in the objects that each is for.
pub(super) fn items<'m>(
    schema: &Schema,
    pairs: impl IntoIterator<Item = (&'m Manifest<'m>, &'m LoadedPatch<'m>)>,
) -> Result<Vec<Notice>> {
    let mut notices = Vec::new();
    if schema.dialect() != Dialect::Spec {
        return Ok(notices);
    }
    // A patch for many objects, and an object with many patches, is reported once.
    let mut known = BTreeSet::new();
    for (manifest, patch) in pairs {
        let (api_version, kind) = (manifest.identity.api_version.as_str(), manifest.identity.kind.as_str());
        let Some(ty) = schema.type_of(api_version, kind) else { continue };
        if patch.patch_type != PatchType::Strategic {
            continue;
        }
        if known.insert((std::ptr::from_ref(patch).addr(), api_version, kind)) {
            let found = Linter::repeated_items_of_patch(ty, &patch.document, &patch.patch()?);
            notices.extend(of_text(patch.source, found));
        }
        if known.insert((std::ptr::from_ref(manifest).addr(), "", "")) {
            notices.extend(items_of_objects(schema, &[manifest])?);
        }
    }
    Ok(notices)
}

fn of_text(source: &Source, found: Vec<Finding>) -> impl Iterator<Item = Notice> {
    found.into_iter().map(|finding| finding_notice(source, finding))
}
