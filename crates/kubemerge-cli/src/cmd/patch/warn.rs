//! Warns about fields and directives of patches that do not exist, as the API server does.

use std::collections::BTreeSet;

use kubemerge::Schema;
use kubemerge_inspect::Linter;

use super::apply::PatchedObject;
use crate::load::LoadedPatch;
use crate::render::finding_notice;
use crate::report::{Notice, Result};

/// Prints a warning for each unknown name, once for each kind that the patch was applied to.
pub(super) fn unknown_fields(
    schema: &Schema,
    patches: &[LoadedPatch<'_>],
    objects: &[PatchedObject<'_, '_>],
) -> Result<()> {
    for (at, patch) in patches.iter().enumerate() {
        let given = patch.patch()?;
        let patched = objects.iter().filter(|object| object.patches.contains(&at));
        let kinds: BTreeSet<(&str, &str)> = patched
            .map(|object| &object.manifest.identity)
            .map(|identity| (identity.api_version.as_str(), identity.kind.as_str()))
            .collect();
        for (api_version, kind) in kinds {
            // kustomize merges kinds that no schema has; nothing is known about their fields.
            let Some(ty) = schema.type_of(api_version, kind) else { continue };
            for finding in Linter::unknown_names(ty, &patch.document, &given) {
                let notice = finding_notice(patch.source, finding);
                Notice { title: format!("{kind}: {}", notice.title), ..notice }.print();
            }
        }
    }
    Ok(())
}
