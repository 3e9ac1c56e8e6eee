//! The schemas of a request, compiled once.

use kubemerge_schema::{Dialect, Overlay, Schema, SchemaBuilder, builtin};
use kubemerge_yaml::YamlDocument;
use serde_json::Value;

use crate::failure::Failure;
use crate::request::{DialectName, Settings};
use crate::text::documents;

/// How many settings are remembered. People switch between a few; a schema takes a few megabytes.
const MAX_REMEMBERED: usize = 4;

/// The name of the overlay with the rules that the design documents of Kubernetes wanted.
const DESIGN_DOCUMENTS: &str = "design-documents";

/// The rules of all dialects that an answer may compare.
#[derive(Debug)]
pub(crate) struct Schemas {
    pub(crate) upstream: Schema,
    pub(crate) spec: Schema,
    /// Only if that dialect was asked for.
    pub(crate) kustomize: Option<Schema>,
    /// The minor version of Kubernetes.
    pub(crate) minor: u32,
}

impl Schemas {
    /// The rules of one dialect.
    pub(crate) fn of(&self, dialect: DialectName) -> &Schema {
        match (dialect, &self.kustomize) {
            (DialectName::Kustomize, Some(schema)) => schema,
            (DialectName::Spec, _) => &self.spec,
            (DialectName::Upstream | DialectName::Kustomize, _) => &self.upstream,
        }
    }

    /// The rules of a server of one dialect. kustomize is no server, and its schema is too old to judge by.
    pub(crate) fn of_server(&self, dialect: DialectName) -> &Schema {
        match dialect {
            DialectName::Spec => &self.spec,
            DialectName::Upstream | DialectName::Kustomize => &self.upstream,
        }
    }

    fn compile(settings: &Settings) -> Result<Schemas, Failure> {
        let given = given_documents(&settings.schemas)?;
        let values = given.iter().map(|document| &document.value);
        let version = builtin::version_for(settings.kubernetes.as_deref(), values);
        let builder =
            SchemaBuilder::builtin(&version).map_err(|error| Failure::schema(&error).in_text("settings"))?;
        let builder = add_all(builder, &given)?;
        let builder = overlays(&settings.overlays)?.into_iter().fold(builder, SchemaBuilder::overlay);
        let compile = |dialect| builder.compile(dialect).map_err(|error| Failure::schema(&error));
        let kustomize = match settings.dialect {
            DialectName::Kustomize => Some(compile_kustomize()?),
            DialectName::Upstream | DialectName::Spec => None,
        };
        let upstream = compile(Dialect::Upstream)?;
        let minor = upstream.minor().unwrap_or(u32::MAX);
        Ok(Schemas { upstream, spec: compile(Dialect::Spec)?, kustomize, minor })
    }
}

fn compile_kustomize() -> Result<Schema, Failure> {
    SchemaBuilder::kustomize().compile(Dialect::Kustomize).map_err(|error| Failure::schema(&error))
}

/// A document of a text of the request.
struct GivenDocument {
    /// Such as `schemas[1]`.
    text: String,
    value: Value,
}

fn given_documents(texts: &[String]) -> Result<Vec<GivenDocument>, Failure> {
    let mut all = Vec::new();
    for (at, text) in texts.iter().enumerate() {
        let name = format!("schemas[{at}]");
        let found = documents(text).map_err(|failure| failure.in_text(&name))?;
        for document in &found {
            all.push(GivenDocument {
                text: name.clone(),
                value: value_of(document).map_err(|one| one.in_text(&name))?,
            });
        }
    }
    Ok(all)
}

fn value_of(document: &YamlDocument<'_>) -> Result<Value, Failure> {
    let json = document.to_json().map_err(|error| Failure::yaml(&error))?;
    serde_json::from_slice(&json).map_err(|error| Failure::new("invalid-schema", error.to_string()))
}

fn add_all(builder: SchemaBuilder, given: &[GivenDocument]) -> Result<SchemaBuilder, Failure> {
    given.iter().try_fold(builder, |builder, document| {
        builder.document(&document.value).map_err(|error| Failure::schema(&error).in_text(&document.text))
    })
}

fn overlays(texts: &[String]) -> Result<Vec<Overlay>, Failure> {
    let mut all = Vec::new();
    for (at, text) in texts.iter().enumerate() {
        if text == DESIGN_DOCUMENTS {
            all.push(Overlay::design_documents());
            continue;
        }
        let name = format!("overlays[{at}]");
        for document in &documents(text).map_err(|failure| failure.in_text(&name))? {
            let value = value_of(document).map_err(|failure| failure.in_text(&name))?;
            all.push(Overlay::read(&value).map_err(|error| Failure::schema(&error).in_text(&name))?);
        }
    }
    Ok(all)
}

/// The schemas of the last few settings, the latest one last.
#[derive(Debug, Default)]
pub(crate) struct SchemaCache {
    remembered: Vec<(Settings, Schemas)>,
}

impl SchemaCache {
    pub(crate) fn get(&mut self, settings: &Settings) -> Result<&Schemas, Failure> {
        if let Some(at) = self.remembered.iter().position(|(known, _)| known == settings) {
            let known = self.remembered.remove(at);
            self.remembered.push(known);
        } else {
            let compiled = Schemas::compile(settings)?;
            if self.remembered.len() == MAX_REMEMBERED {
                self.remembered.remove(0);
            }
            self.remembered.push((settings.clone(), compiled));
        }
        // The one that was just pushed.
        let newest = self.remembered.last().map(|(_, schemas)| schemas);
        newest.ok_or_else(|| Failure::new("no-schema", "no schema was compiled"))
    }
}
