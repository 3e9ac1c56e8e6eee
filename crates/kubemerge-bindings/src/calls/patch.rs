//! Applies a patch.

use kubemerge::{Dialect, Patch, PatchType, RuleSource, Schema};
use kubemerge_schema::{StrategicPatch, Type};
use serde::Serialize;

use crate::failure::{Failure, Sides};
use crate::request::{PatchTypeName, PatchedObject};
use crate::text::TextDocument;

/// The result of a patch.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PatchResult {
    /// The object with its comments and layout; none if the patch deletes the object.
    pub(crate) result: Option<String>,
    /// Whether the patch changed anything.
    pub(crate) has_changed: bool,
}

/// An object and a patch of it, read.
pub(super) struct ReadPatch<'t> {
    pub(super) object: TextDocument<'t>,
    pub(super) patch: TextDocument<'t>,
    pub(super) patch_type: PatchType,
}

impl<'t> ReadPatch<'t> {
    pub(super) fn read(request: &'t PatchedObject) -> Result<ReadPatch<'t>, Failure> {
        let patch_type = match request.patch_type {
            PatchTypeName::Strategic => PatchType::Strategic,
            PatchTypeName::Merge => PatchType::Merge,
            PatchTypeName::Json => PatchType::Json,
        };
        let object = TextDocument::read("object", &request.object)?;
        Ok(ReadPatch { object, patch: TextDocument::read("patch", &request.patch)?, patch_type })
    }

    pub(super) fn sides(&self) -> Sides<'_, 't> {
        Sides { object: &self.object.yaml, patch: &self.patch.yaml }
    }

    /// The patch in the form that the library takes.
    pub(super) fn body(&self) -> Result<Patch<'_>, Failure> {
        Patch::new(self.patch_type, &self.patch.json).map_err(|error| self.sides().failure(&error))
    }

    /// The result as JSON; `null` if the patch deletes the object.
    pub(super) fn apply(&self, schema: &Schema) -> Result<Vec<u8>, Failure> {
        let patch = self.body()?;
        let rules = match self.patch_type {
            PatchType::Strategic => RuleSource::Type(type_of(schema, &self.object)?),
            // Server-side apply is a call of its own.
            _ => RuleSource::None,
        };
        kubemerge::apply(rules, &self.object.json, &patch).map_err(|error| self.sides().failure(&error))
    }
}

pub(super) fn apply(request: &PatchedObject, schema: &Schema) -> Result<PatchResult, Failure> {
    let read = ReadPatch::read(request)?;
    let json = read.apply(schema)?;
    result_of(&read, &json)
}

pub(super) fn result_of(read: &ReadPatch<'_>, json: &[u8]) -> Result<PatchResult, Failure> {
    if json == b"null" {
        return Ok(PatchResult { result: None, has_changed: true });
    }
    let result = read.object.edited(json)?;
    let has_changed = result != read.object.yaml.text();
    Ok(PatchResult { result: Some(result), has_changed })
}

/// The type of an object. The API server takes no strategic patch of a custom resource.
pub(super) fn type_of<'s>(schema: &'s Schema, object: &TextDocument<'_>) -> Result<Type<'s>, Failure> {
    let [api_version, kind] = object.type_names()?;
    let failure = |message: String, hint: &str| {
        let failure = Failure::new("unsupported-type", message).with_hint(Some(hint));
        failure.at(&object.yaml, "kind").in_text("object")
    };
    match schema.type_of(&api_version, &kind) {
        Some(ty) if ty.strategic_patch() == StrategicPatch::Refused => Err(failure(
            "strategic merge patch format is not supported".to_owned(),
            "use a merge patch, or the dialect spec to merge by the rules of its definition",
        )),
        Some(ty) => Ok(ty),
        // kustomize merges objects of any kind: maps by name, lists as a whole.
        None if schema.dialect() == Dialect::Kustomize && !kind.is_empty() => Ok(schema.untyped()),
        None if kind.is_empty() || api_version.is_empty() => {
            Err(failure("the object has no apiVersion and kind".to_owned(), "add both, or use a merge patch"))
        }
        None => Err(failure(
            format!("the schema has no {kind} of {api_version}"),
            "give its CustomResourceDefinition or an OpenAPI document, or use a merge patch",
        )),
    }
}
