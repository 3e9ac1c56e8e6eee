//! A [`Patch`] from and to `json_patch::Patch`.

use crate::{
    error::{Error, ErrorKind},
    object::Object,
    patch::{Patch, PatchType},
};
use serde_json::Value;

impl TryFrom<&json_patch::Patch> for Patch<'static> {
    type Error = Error;

    fn try_from(patch: &json_patch::Patch) -> Result<Self, Error> {
        Patch::serialize(PatchType::Json, patch)
    }
}

impl TryFrom<&Patch<'_>> for json_patch::Patch {
    type Error = Error;

    /// Fails for patches of other types, and for one whose operations are not well formed.
    fn try_from(patch: &Patch<'_>) -> Result<Self, Error> {
        if patch.patch_type() != PatchType::Json {
            let message = format!("a {:?} patch is no JSON patch", patch.patch_type());
            return Err(Error::new(ErrorKind::NotConvertible, "", message).with_hint("convert it first"));
        }
        serde_json::from_value(Value::write(patch.node())?)
            .map_err(|error| Error::new(ErrorKind::InvalidJsonPatch, "", error.to_string()))
    }
}
