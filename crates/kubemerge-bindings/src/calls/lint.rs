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
use crate::text::documents;

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
    let manifests = documents.iter().map(Manifest::read).collect::<Result<Vec<_>, Failure>>()?;
    let values = manifests.iter().map(Manifest::value).collect::<Result<Vec<_>, Failure>>()?;
    let objects: Vec<_> =
        manifests.iter().zip(&values).filter_map(|(one, value)| one.lint_object(value)).collect();
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

struct Manifest<'d, 't> {
    document: &'d YamlDocument<'t>,
    json: Vec<u8>,
}

impl<'d, 't> Manifest<'d, 't> {
    fn read(document: &'d YamlDocument<'t>) -> Result<Manifest<'d, 't>, Failure> {
        let json = document.to_json().map_err(|error| Failure::yaml(&error).in_text("text"))?;
        Ok(Manifest { document, json })
    }

    fn value(&self) -> Result<Value<'_>, Failure> {
        let document = Document::check(&self.json)
            .map_err(|error| Failure::new("invalid-document", error.to_string()).in_text("text"))?;
        let text = |name: &str| {
            let field = document.node().get(name).and_then(|node| node.as_str());
            field.map(|text| text.text().into_owned()).unwrap_or_default()
        };
        Ok(Value { api_version: text("apiVersion"), kind: text("kind"), document })
    }

    fn lint_object<'v>(
        &'v self,
        value: &'v Value<'_>,
    ) -> Option<(&'d YamlDocument<'t>, Vec<LintObject<'v>>)> {
        if value.api_version.is_empty() || value.kind.is_empty() {
            return None;
        }
        let (api_version, kind) = (value.api_version.as_str(), value.kind.as_str());
        let object = LintObject { item: None, api_version, kind, value: value.document.node() };
        Some((self.document, vec![object]))
    }
}

struct Value<'v> {
    api_version: String,
    kind: String,
    document: Document<'v>,
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
