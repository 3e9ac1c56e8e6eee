//! Patches as data: `{"type": "merge", "patch": …}`, with the manager of a server-side apply.

use crate::{
    applier::Applier,
    error::Error,
    object::Object,
    patch::{Patch, PatchType},
};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de, ser};
use serde_json::Value;

/// What is written of a patch. When and where a server-side apply happens is no part of it.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct PatchData {
    #[serde(rename = "type")]
    patch_type: PatchType,
    patch: Value,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    field_manager: String,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    force: bool,
}

impl PatchData {
    fn of(patch: &Patch<'_>) -> Result<PatchData, Error> {
        let applier = patch.applier();
        Ok(PatchData {
            patch_type: patch.patch_type(),
            patch: Value::write(patch.node())?,
            field_manager: applier.map(|applier| applier.manager().to_string()).unwrap_or_default(),
            force: applier.is_some_and(Applier::is_forced),
        })
    }

    fn into_patch(self) -> Result<Patch<'static>, Error> {
        let applier = Applier::new(self.field_manager);
        Ok(Patch::new(self.patch_type, self.patch)?.by(if self.force { applier.forced() } else { applier }))
    }
}

/// As `{"type": "merge", "patch": {…}}`; a server-side apply also has `fieldManager` and `force`, but neither its time
/// nor its subresource.
impl Serialize for Patch<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        PatchData::of(self).map_err(ser::Error::custom)?.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Patch<'static> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        PatchData::deserialize(deserializer)?.into_patch().map_err(de::Error::custom)
    }
}
