//! Makes patches from states of an object.

use kubemerge::{
    Change, Conflict, OnConflict, Patch, RuleSource, Schema, Target, Tests, Versions, conflicts,
    diff as patch_between, three_way as patch_of_three,
};
use serde::Serialize;
use serde_json::Value;

use super::patch::type_of;
use crate::failure::Failure;
use crate::request::PatchTypeName;
use crate::text::TextDocument;

/// A patch that was made.
#[derive(Debug, Serialize)]
pub(crate) struct MadePatch {
    patch: String,
    /// Places that both sides changed; those of the wanted state count in the patch.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    conflicts: Vec<MadeConflict>,
}

/// A place that both sides changed.
#[derive(Debug, Serialize)]
struct MadeConflict {
    path: String,
    wanted: MadeChange,
    current: MadeChange,
}

/// What one side did there.
#[derive(Debug, Serialize)]
#[serde(tag = "change", content = "value", rename_all = "lowercase")]
enum MadeChange {
    Set(Value),
    Remove,
    Delete(Value),
    Replace(Value),
}

pub(super) fn diff(
    from: &str,
    to: &str,
    patch_type: PatchTypeName,
    schema: &Schema,
) -> Result<MadePatch, Failure> {
    let (old, new) = (TextDocument::read("from", from)?, TextDocument::read("to", to)?);
    let (rules, target) = match patch_type {
        PatchTypeName::Strategic => (RuleSource::Type(type_of(schema, &new)?), Target::Strategic),
        PatchTypeName::Merge => (RuleSource::None, Target::Merge),
        PatchTypeName::Json => (RuleSource::None, Target::Json(Tests::Without)),
    };
    let patch = patch_between(rules, &old.json, &new.json, target).map_err(|error| failure(&error))?;
    Ok(MadePatch { patch: new.alike(&patch.to_bytes())?, conflicts: Vec::new() })
}

pub(super) fn three_way(
    [original, modified, current]: [&String; 3],
    schema: &Schema,
) -> Result<MadePatch, Failure> {
    let original = TextDocument::read("original", original)?;
    let modified = TextDocument::read("modified", modified)?;
    let current = TextDocument::read("current", current)?;
    let rules = RuleSource::Type(type_of(schema, &modified)?);
    let versions = Versions { original: &original.json, modified: &modified.json, current: &current.json };
    let patch: Patch<'_> =
        patch_of_three(rules, &versions, OnConflict::Overwrite).map_err(|error| failure(&error))?;
    let found = conflicts(rules, &versions).map_err(|error| failure(&error))?;
    Ok(MadePatch {
        patch: modified.alike(&patch.to_bytes())?,
        conflicts: found.into_iter().map(MadeConflict::from).collect(),
    })
}

fn failure(error: &kubemerge::Error) -> Failure {
    let failure = Failure::new(error.kind().name(), error.message()).with_hint(error.hint());
    failure.with_path(error.path()).with_status(error.http_status())
}

impl From<Conflict> for MadeConflict {
    fn from(conflict: Conflict) -> Self {
        MadeConflict { path: conflict.path, wanted: conflict.wanted.into(), current: conflict.current.into() }
    }
}

impl From<Change> for MadeChange {
    fn from(change: Change) -> Self {
        // Canonical text is JSON.
        let value =
            |text: kubemerge::Canonical| serde_json::from_slice(text.as_bytes()).unwrap_or(Value::Null);
        match change {
            Change::Set(text) => MadeChange::Set(value(text)),
            Change::Remove => MadeChange::Remove,
            Change::Delete(text) => MadeChange::Delete(value(text)),
            Change::Replace(text) => MadeChange::Replace(value(text)),
        }
    }
}
