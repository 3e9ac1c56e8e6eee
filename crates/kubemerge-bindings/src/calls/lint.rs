//! Lints documents and patches.

use kubemerge_inspect::{Finding, FindingSeverity, LintObject, LintPatch, Linter, Location, is_ignored};
use kubemerge_value::Document;
use kubemerge_yaml::YamlDocument;
use serde::Serialize;

use super::patch::ReadPatch;
use crate::failure::Failure;
use crate::place::TextPlace;
use crate::request::PatchedObject;
use crate::schemas::Schemas;
use crate::text::{TextDocument, documents};

/// A finding with its place.
#[derive(Debug, Serialize)]
pub(crate) struct PlacedFinding {
    rule: &'static str,
    severity: &'static str,
    message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    help: Option<String>,
    path: String,
    place: TextPlace,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    related: Vec<RelatedPlace>,
}

#[derive(Debug, Serialize)]
struct RelatedPlace {
    label: String,
    place: TextPlace,
}

/// The findings in all documents of a text. Documents without apiVersion and kind are not manifests.
pub(super) fn documents_of(text: &str, schemas: &Schemas) -> Result<Vec<PlacedFinding>, Failure> {
    let documents = documents(text).map_err(|failure| failure.in_text("text"))?;
    let documents = documents.into_iter().map(|document| TextDocument::of("text", document));
    let documents = documents.collect::<Result<Vec<_>, Failure>>()?;
    let manifests = documents.iter().map(Manifest::read).collect::<Result<Vec<_>, Failure>>()?;
    let objects: Vec<_> = manifests.iter().filter_map(Manifest::lint_object).collect();
    let found = linter(schemas).objects(&objects);
    Ok(found.into_iter().filter(|one| !is_ignored(text, one)).map(|one| placed(text, one)).collect())
}

/// The findings in a patch, tried on its object.
pub(super) fn patch(request: &PatchedObject, schemas: &Schemas) -> Result<Vec<PlacedFinding>, Failure> {
    let read = ReadPatch::read(request)?;
    let [api_version, kind] = read.object.type_names()?;
    let (body, live) = (read.body()?, read.object.value()?);
    let subject =
        LintPatch { document: &read.patch.yaml, patch: &body, api_version: &api_version, kind: &kind };
    let found = linter(schemas).patch(&subject, Some(live.node()));
    let text = &request.patch;
    Ok(found.into_iter().filter(|one| !is_ignored(text, one)).map(|one| placed(text, one)).collect())
}

fn linter(schemas: &Schemas) -> Linter<'_> {
    Linter::new(&schemas.upstream, &schemas.spec, schemas.minor)
}

/// A document with its value and the names of its type.
struct Manifest<'d, 't> {
    document: &'d YamlDocument<'t>,
    value: Document<'d>,
    type_names: [String; 2],
}

impl<'d, 't> Manifest<'d, 't> {
    fn read(text: &'d TextDocument<'t>) -> Result<Manifest<'d, 't>, Failure> {
        Ok(Manifest { document: &text.yaml, value: text.value()?, type_names: text.type_names()? })
    }

    fn lint_object(&self) -> Option<(&'d YamlDocument<'t>, Vec<LintObject<'_>>)> {
        let [api_version, kind] = &self.type_names;
        if api_version.is_empty() || kind.is_empty() {
            return None;
        }
        let object = LintObject { item: None, api_version, kind, value: self.value.node() };
        Some((self.document, vec![object]))
    }
}

fn placed(text: &str, finding: Finding) -> PlacedFinding {
    let place = |location: &Location| TextPlace::of(text, &location.range);
    PlacedFinding {
        rule: finding.rule,
        severity: match finding.severity {
            FindingSeverity::Warning => "warning",
            FindingSeverity::Error => "error",
        },
        place: place(&finding.location),
        path: finding.location.label,
        message: finding.message,
        reason: finding.reason,
        help: finding.help,
        related: finding
            .related
            .into_iter()
            .map(|location| RelatedPlace { place: place(&location), label: location.label })
            .collect(),
    }
}
