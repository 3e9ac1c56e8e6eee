//! Loads the schema that the options ask for.

use std::path::PathBuf;
use std::rc::Rc;

use kubemerge_schema::check::Finding;
use kubemerge_schema::{Dialect, LoadError, Overlay, Schema, SchemaBuilder};
use kubemerge_yaml as yaml;
use serde_json::Value;

use super::list::{Object, Part, objects};
use crate::args::SchemaOptions;
use crate::each_file::each_file;
use crate::excerpt::Excerpt;
use crate::failure::Result;
use crate::input::{Origin, Recurse, Source, find, read, read_all};
use crate::notice::Notice;

/// The kind of documents that describe custom resources.
const DEFINITION: &str = "CustomResourceDefinition";

/// Loaded documents, ready to be compiled for each dialect that is needed.
#[derive(Debug)]
pub(crate) struct Schemas {
    builder: SchemaBuilder,
}

impl Schemas {
    /// The rules of one dialect.
    pub(crate) fn compile(&self, dialect: Dialect) -> Result<Schema> {
        let schema = self.builder.compile(dialect).map_err(|error| Notice::error(error.to_string()))?;
        schema.warnings().iter().for_each(warn);
        Ok(schema)
    }

    /// The rules of both dialects, `upstream` first. That overlays act in one of them goes without saying.
    pub(crate) fn compile_both(&self) -> Result<[Schema; 2]> {
        let upstream = self.builder.compile(Dialect::Upstream);
        Ok([upstream.map_err(|error| Notice::error(error.to_string()))?, self.compile(Dialect::Spec)?])
    }
}

fn warn(finding: &Finding) {
    Notice::warning(format!("{}: {}", finding.path, finding.message)).say();
}

/// Loads the built-in tables, the given documents, or both.
pub(crate) fn load(options: &SchemaOptions) -> Result<Schemas> {
    load_beside(options, &[])
}

/// As [`load`], and with the custom resource definitions among the files that a command works on.
pub(crate) fn load_beside(options: &SchemaOptions, origins: &[Origin]) -> Result<Schemas> {
    let sources = read_all(&find(&options.schema, Recurse::No)?)?;
    let mut documents = Vec::new();
    for source in &sources {
        documents.extend(some_documents(source)?);
    }
    let replaced = documents.iter().any(|document| !document.is_custom_resource());
    let mut builder = match replaced && options.kubernetes.is_none() {
        true => SchemaBuilder::new(),
        false => builtin(options.version())?,
    };
    each_file(origins, with_definitions, |source| {
        builder = add_definitions(std::mem::take(&mut builder), source)?;
        Ok(())
    })?;
    let builder = documents.iter().try_fold(builder, |builder, document| document.add_to(builder))?;
    let builder = overlays(&options.overlay)?.into_iter().fold(builder, SchemaBuilder::overlay);
    Ok(Schemas { builder })
}

/// The text of a file that may hold custom resource definitions; most do not.
fn with_definitions(origin: &Origin) -> Result<Option<Source>> {
    let source = read(origin)?;
    Ok(source.text().contains(DEFINITION).then_some(source))
}

fn add_definitions(builder: SchemaBuilder, source: Option<Source>) -> Result<SchemaBuilder> {
    let Some(source) = source else { return Ok(builder) };
    let mut builder = builder;
    for document in SchemaDocument::all(&source)? {
        if document.is_custom_resource() {
            builder = document.add_to(builder)?;
        }
    }
    Ok(builder)
}

/// Reads the files of overlays.
fn overlays(files: &[PathBuf]) -> Result<Vec<Overlay>> {
    let mut overlays = Vec::new();
    for origin in find(files, Recurse::No)? {
        let source = read(&origin)?;
        for document in some_documents(&source)? {
            overlays.push(Overlay::read(&document.value).map_err(|error| document.fault(&error))?);
        }
    }
    Ok(overlays)
}

/// The documents of a text that must hold one.
fn some_documents(source: &Source) -> Result<Vec<SchemaDocument<'_>>> {
    let documents = SchemaDocument::all(source)?;
    if documents.is_empty() {
        return Err(Notice::error(format!("{} holds no document", source.name)).into());
    }
    Ok(documents)
}

/// JSON that was made of YAML can be read, unless it is nested deeper than any schema needs to be.
fn unreadable(source: &Source, error: &serde_json::Error) -> Notice {
    match error.to_string().starts_with("recursion limit exceeded") {
        true => Notice::error(format!("{} is nested too deep for a schema", source.name))
            .cure("schemas are nested 127 levels deep at most"),
        false => Notice::error(format!("{}: {error}", source.name)),
    }
}

fn builtin(version: &str) -> Result<SchemaBuilder> {
    SchemaBuilder::builtin(version).map_err(|error| Notice::error(error.message()).hint(error.hint()).into())
}

/// A document of a schema file, or an item of a list of definitions.
pub(crate) struct SchemaDocument<'s> {
    source: &'s Source,
    document: Rc<yaml::Document<'s>>,
    part: Part,
    pub(crate) value: Value,
}

impl<'s> SchemaDocument<'s> {
    /// All of a text.
    pub(crate) fn all(source: &'s Source) -> Result<Vec<SchemaDocument<'s>>> {
        let mut all = Vec::new();
        for document in source.documents()? {
            let document = Rc::new(document);
            for Object { part, json } in objects(source, &document)? {
                let value = serde_json::from_slice(&json).map_err(|error| unreadable(source, &error))?;
                all.push(SchemaDocument { source, document: Rc::clone(&document), part, value });
            }
        }
        Ok(all)
    }

    /// The name of its file.
    pub(crate) fn name(&self) -> &str {
        &self.source.name
    }

    /// The lines around a path.
    pub(crate) fn excerpt(&self, path: &str) -> Excerpt {
        let path = self.part.path(path);
        self.source.excerpt(&self.document, &path, path.as_str())
    }

    fn is_custom_resource(&self) -> bool {
        self.value.get("kind").and_then(Value::as_str) == Some(DEFINITION)
    }

    fn add_to(&self, builder: SchemaBuilder) -> Result<SchemaBuilder> {
        builder.document(&self.value).map_err(|error| self.fault(&error).into())
    }

    fn fault(&self, error: &LoadError) -> Notice {
        Notice::error(error.message()).at(self.excerpt(error.path())).hint(error.hint())
    }
}
