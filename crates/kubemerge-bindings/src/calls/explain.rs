//! Explains a patch: its result, its steps with their lines, and where the dialects differ.

use std::collections::BTreeMap;

use kubemerge::{Dialect, PatchType};
use kubemerge_inspect::{
    DialectDifference, DialectOutcome, DialectSchemas, FieldChange, MergeStep, RefusalCause, object_diff,
    refusal_of_change,
};
use kubemerge_value::Document;
use serde::Serialize;

use super::patch::{PatchResult, ReadPatch, result_of, type_of};
use crate::failure::Failure;
use crate::place::{TextPlace, place_of, place_of_keys};
use crate::request::{DialectName, PatchedObject};
use crate::schemas::Schemas;
use crate::text::TextDocument;

/// What a patch does.
#[derive(Debug, Serialize)]
pub(crate) struct PatchExplanation {
    #[serde(flatten)]
    result: PatchResult,
    /// What differs between the object and the result, items of lists by their keys.
    changes: Vec<FieldChange>,
    /// Steps of a strategic merge; empty for other types of patches.
    steps: Vec<ExplainedStep>,
    differences: Vec<ExplainedDifference>,
    /// Why the API server would refuse the result.
    refusal: Vec<PlacedCause>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct ExplainedStep {
    #[serde(flatten)]
    step: MergeStep,
    /// The step in words.
    sentence: String,
    in_patch: TextPlace,
    #[serde(skip_serializing_if = "Option::is_none")]
    in_result: Option<TextPlace>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct ExplainedDifference {
    path: String,
    words: String,
    dialects: BTreeMap<&'static str, DialectOutcome>,
    #[serde(skip_serializing_if = "Option::is_none")]
    in_result: Option<TextPlace>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct PlacedCause {
    #[serde(flatten)]
    cause: RefusalCause,
    #[serde(skip_serializing_if = "Option::is_none")]
    in_result: Option<TextPlace>,
}

pub(super) fn explain(
    request: &PatchedObject,
    schemas: &Schemas,
    dialect: DialectName,
) -> Result<PatchExplanation, Failure> {
    let read = ReadPatch::read(request)?;
    let json = read.apply(schemas.of(dialect))?;
    let result = result_of(&read, &json)?;
    // Places are looked up in the text that is shown.
    let shown = result.result.as_deref().map(|text| TextDocument::read("result", text)).transpose()?;
    let (steps, differences) = match read.patch_type {
        PatchType::Strategic => merge_steps(&read, schemas, dialect)?,
        _ => (Vec::new(), Vec::new()),
    };
    let causes = match &shown {
        Some(_) => refusal_of_change(schemas.of_server(dialect), &read.object.json, &json),
        None => Vec::new(),
    };
    let placer = Placer { patch: &read.patch, result: shown.as_ref() };
    Ok(PatchExplanation {
        changes: changes(&read, &json, schemas)?,
        steps: steps.into_iter().map(|step| placer.step(step)).collect(),
        differences: differences.into_iter().map(|one| placer.difference(one)).collect(),
        refusal: causes.into_iter().map(|cause| placer.cause(cause)).collect(),
        result,
    })
}

type Explained = (Vec<MergeStep>, Vec<DialectDifference>);

fn merge_steps(read: &ReadPatch<'_>, schemas: &Schemas, dialect: DialectName) -> Result<Explained, Failure> {
    type_of(schemas.of(dialect), &read.object)?;
    let [api_version, kind] = read.object.type_names()?;
    let (object, patch) = (read.object.value()?, read.patch.value()?);
    let dialects = DialectSchemas {
        upstream: &schemas.upstream,
        spec: &schemas.spec,
        kustomize: schemas.kustomize.as_ref(),
    };
    let explained = kubemerge_inspect::explain(
        dialects,
        match dialect {
            DialectName::Upstream => Dialect::Upstream,
            DialectName::Spec => Dialect::Spec,
            DialectName::Kustomize => Dialect::Kustomize,
        },
        &api_version,
        &kind,
        object.node(),
        patch.node(),
    );
    let explained = explained.map_err(|error| read.sides().failure(&error.into()))?;
    Ok((explained.steps, explained.differences))
}

/// What differs, as people tell items of lists apart.
fn changes(read: &ReadPatch<'_>, json: &[u8], schemas: &Schemas) -> Result<Vec<FieldChange>, Failure> {
    let [api_version, kind] = read.object.type_names()?;
    let ty = schemas.spec.type_of(&api_version, &kind).unwrap_or_else(|| schemas.spec.untyped());
    let old = read.object.value()?;
    let new = Document::check(json).map_err(|error| Failure::new("invalid-document", error.to_string()))?;
    Ok(object_diff(ty, old.node(), new.node()))
}

/// Finds places in the texts that are shown.
struct Placer<'d, 't> {
    patch: &'d TextDocument<'t>,
    result: Option<&'d TextDocument<'t>>,
}

impl Placer<'_, '_> {
    fn step(&self, step: MergeStep) -> ExplainedStep {
        ExplainedStep {
            sentence: step.sentence(),
            in_patch: place_of_keys(&self.patch.yaml, &step.path),
            in_result: self.result.map(|result| place_of_keys(&result.yaml, &step.path)),
            step,
        }
    }

    fn difference(&self, difference: DialectDifference) -> ExplainedDifference {
        ExplainedDifference {
            words: difference.words(),
            in_result: self.result.map(|result| place_of_keys(&result.yaml, &difference.path)),
            path: difference.path,
            dialects: difference.outcomes.into_iter().collect(),
        }
    }

    fn cause(&self, cause: RefusalCause) -> PlacedCause {
        let in_result = self.result.map(|result| place_of(&result.yaml, &cause.field));
        PlacedCause { cause, in_result }
    }
}
