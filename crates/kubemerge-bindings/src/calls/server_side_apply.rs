//! Server-side apply and the owners of fields.

use kubemerge::{Applier, ApplyError, Effect, ManagerId, PlannedField, Schema, ServerSideApply, owners};
use serde::Serialize;

use crate::failure::Failure;
use crate::place::{TextPlace, place_of};
use crate::request::ServerSideApplyCall;
use crate::text::TextDocument;

/// What an apply does.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AppliedConfig {
    /// The object with `metadata.managedFields`; none if there are conflicts.
    #[serde(skip_serializing_if = "Option::is_none")]
    result: Option<String>,
    /// What happens to each field that the apply is about.
    plan: Vec<PlannedStep>,
    /// The API server's words, if it refuses the apply because of conflicts.
    #[serde(skip_serializing_if = "Option::is_none")]
    conflict: Option<String>,
}

#[derive(Debug, Serialize)]
struct PlannedStep {
    path: String,
    effect: &'static str,
    others: Vec<FieldOwner>,
    #[serde(skip_serializing_if = "Option::is_none")]
    before: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    after: Option<String>,
}

/// A field and its owners.
#[derive(Debug, Serialize)]
pub(crate) struct PlacedOwners {
    path: String,
    owners: Vec<FieldOwner>,
    #[serde(skip_serializing_if = "Option::is_none")]
    place: Option<TextPlace>,
}

/// Who owns a field, and how it came to own it.
#[derive(Debug, Serialize)]
struct FieldOwner {
    manager: String,
    operation: &'static str,
    #[serde(skip_serializing_if = "String::is_empty")]
    subresource: String,
}

impl From<&ManagerId> for FieldOwner {
    fn from(id: &ManagerId) -> Self {
        FieldOwner {
            manager: id.manager.to_string(),
            operation: id.operation.word(),
            subresource: id.subresource.to_string(),
        }
    }
}

pub(super) fn run(call: &ServerSideApplyCall, schema: &Schema) -> Result<AppliedConfig, Failure> {
    let config = TextDocument::read("config", &call.config)?;
    let live = call.live.as_deref().map(|live| TextDocument::read("live", live)).transpose()?;
    let applier = Applier::new(&call.manager);
    let applier = if call.force { applier.forced() } else { applier };
    let applies = ServerSideApply::new(schema);
    let live = live.as_ref().map(TextDocument::json_text);
    let plan = applies.plan(live, config.json_text(), &applier).map_err(|error| failure(&error))?;
    let plan = plan.into_iter().map(PlannedStep::from).collect();
    match applies.apply(live, config.json_text(), &applier) {
        Ok(applied) => {
            Ok(AppliedConfig { result: Some(config.alike(applied.object.as_bytes())?), plan, conflict: None })
        }
        Err(ApplyError::Conflicts(conflicts)) => {
            Ok(AppliedConfig { result: None, plan, conflict: Some(conflicts.to_string()) })
        }
        Err(error) => Err(failure(&error)),
    }
}

pub(super) fn owned(object: &str, shown: Option<&str>) -> Result<Vec<PlacedOwners>, Failure> {
    let object = TextDocument::read("object", object)?;
    let shown = shown.map(|shown| TextDocument::read("shown", shown)).transpose()?;
    let text = shown.as_ref().unwrap_or(&object);
    let fields = owners(object.json_text()).map_err(|error| failure(&error).in_text("object"))?;
    let placed = fields.into_iter().map(|field| PlacedOwners {
        place: field.place.map(|path| place_of(&text.yaml, &path)),
        path: field.path,
        owners: field.owners.iter().map(FieldOwner::from).collect(),
    });
    Ok(placed.collect())
}

fn failure(error: &ApplyError) -> Failure {
    let (kind, status) = match error {
        ApplyError::BadRequest(_) => ("bad-request", 400),
        ApplyError::Conflicts(_) => ("conflict", 409),
        ApplyError::InvalidUnions(_) => ("invalid-union", 422),
        _ => ("apply-failed", 500),
    };
    Failure::new(kind, error.to_string()).with_status(status)
}

impl From<PlannedField> for PlannedStep {
    fn from(field: PlannedField) -> Self {
        PlannedStep {
            path: field.path,
            effect: match field.effect {
                Effect::Add => "add",
                Effect::Change => "change",
                Effect::Conflict => "conflict",
                Effect::TakeOver => "take-over",
                Effect::Share => "share",
                Effect::Prune => "prune",
                Effect::Release => "release",
            },
            others: field.others.iter().map(FieldOwner::from).collect(),
            before: field.before,
            after: field.after,
        }
    }
}
