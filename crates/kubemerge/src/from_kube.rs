//! A [`Patch`] from and to `kube::api::Patch`.

use crate::{
    error::Error,
    object::Object,
    patch::{Patch, PatchType},
};
use kube_core::params::Patch as KubePatch;
use serde::Serialize;
use serde_json::Value;

impl<T: Serialize> TryFrom<&KubePatch<T>> for Patch<'static> {
    type Error = Error;

    /// A configuration of a server-side apply has no manager there: [`Patch::by`] names one.
    fn try_from(patch: &KubePatch<T>) -> Result<Self, Error> {
        match patch {
            KubePatch::Strategic(body) => Patch::serialize(PatchType::Strategic, body),
            KubePatch::Merge(body) => Patch::serialize(PatchType::Merge, body),
            KubePatch::Json(operations) => Patch::try_from(operations),
            KubePatch::Apply(config) => Patch::serialize(PatchType::Apply, config),
            // kube adds variants by features that are not asked for here.
            #[allow(unreachable_patterns)]
            _ => Err(Error::invalid_document("a patch of a type that is not known")),
        }
    }
}

impl TryFrom<&Patch<'_>> for KubePatch<Value> {
    type Error = Error;

    /// The manager of a server-side apply is not part of it: it belongs into `PatchParams`.
    fn try_from(patch: &Patch<'_>) -> Result<Self, Error> {
        let body = || Value::write(patch.node());
        Ok(match patch.patch_type() {
            PatchType::Strategic => KubePatch::Strategic(body()?),
            PatchType::Merge => KubePatch::Merge(body()?),
            PatchType::Json => KubePatch::Json(json_patch::Patch::try_from(patch)?),
            PatchType::Apply => KubePatch::Apply(body()?),
        })
    }
}
