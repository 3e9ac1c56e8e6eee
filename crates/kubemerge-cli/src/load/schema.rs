//! Loads the schema that the options ask for.

use std::path::PathBuf;
use std::sync::Arc;

use kubemerge_schema::check::SchemaFinding;
use kubemerge_schema::{Dialect, LoadError, Overlay, Schema, SchemaBuilder, builtin};
use kubemerge_yaml as yaml;
use serde_json::Value;

use super::list::{Object, Part, objects};
use super::manifest::Manifest;
use crate::args::{Recurse, SchemaOptions};
use crate::input::{Inputs, Source};
use crate::report::{Excerpt, Notice, Result};

/// The kind of documents that describe custom resources.
const DEFINITION: &str = "CustomResourceDefinition";

/// The name of the overlay with the rules that the design documents of Kubernetes wanted.
const DESIGN_DOCUMENTS: &str = "design-documents";

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

    /// The rules of both dialects, `upstream` first. Warnings that overlays have no effect in `upstream` are not
    /// shown: they have in `spec`.
    pub(crate) fn compile_both(&self) -> Result<[Schema; 2]> {
        let upstream = self.builder.compile(Dialect::Upstream);
        Ok([upstream.map_err(|error| Notice::error(error.to_string()))?, self.compile(Dialect::Spec)?])
    }
}

fn warn(finding: &SchemaFinding) {
    Notice::warning(format!("{}: {}", finding.path, finding.message)).print();
}

/// Loads the built-in tables and the given documents; those of Kubernetes choose the version of the tables.
pub(crate) fn schemas(options: &SchemaOptions, inputs: &mut Inputs) -> Result<Schemas> {
    schemas_beside(options, inputs, &[])
}

/// As [`schemas`], and with the custom resource definitions among the objects that a command works on.
pub(crate) fn schemas_beside(
    options: &SchemaOptions,
    inputs: &mut Inputs,
    objects: &[Manifest<'_>],
) -> Result<Schemas> {
    let (schemas, unusable) = schemas_of_usable(options, inputs, objects)?;
    match unusable.into_iter().next() {
        None => Ok(schemas),
        Some(notice) => Err(notice.into()),
    }
}

/// As [`schemas_beside`], without the definitions among the objects that cannot be used, and why they cannot.
pub(crate) fn schemas_of_usable(
    options: &SchemaOptions,
    inputs: &mut Inputs,
    objects: &[Manifest<'_>],
) -> Result<(Schemas, Vec<Notice>)> {
    let sources = inputs.read(&options.schema, Recurse::No)?;
    let mut documents = Vec::new();
    for source in &sources {
        documents.extend(some_documents(source)?);
    }
    let given = documents.iter().map(|document| &document.value);
    let version = builtin::version_for(options.kubernetes.as_deref(), given);
    let definitions = objects.iter().filter(|object| object.identity.kind == DEFINITION);
    let definitions = definitions.map(SchemaDocument::of).collect::<Result<Vec<_>>>()?;
    // Definitions that are given as schemas are added last, so that of two for one kind they count.
    let (builder, unusable) = with_definitions(&version, &definitions)?;
    let builder = documents.iter().try_fold(builder, |builder, document| document.add_to(builder))?;
    builder.replaced().into_iter().for_each(|text| inputs.note(text));
    let builder = overlays(&options.overlay, inputs)?.into_iter().fold(builder, SchemaBuilder::overlay);
    Ok((Schemas { builder }, unusable))
}

/// The tables of a version with all definitions that can be used.
fn with_definitions(
    version: &str,
    definitions: &[SchemaDocument<'_>],
) -> Result<(SchemaBuilder, Vec<Notice>)> {
    let add = |builder, document: &&SchemaDocument<'_>| document.load(builder);
    let all: Vec<&SchemaDocument<'_>> = definitions.iter().collect();
    if let Ok(builder) = all.iter().try_fold(tables(version)?, add) {
        return Ok((builder, Vec::new()));
    }
    // Each alone, because a definition that fails may leave its first versions in the tables.
    let mut unusable = Vec::new();
    let usable = all.into_iter().filter(|document| match document.load(SchemaBuilder::new()) {
        Ok(_) => true,
        Err(notice) => {
            unusable.push(*notice);
            false
        }
    });
    let usable: Vec<_> = usable.collect();
    let builder = usable.iter().try_fold(tables(version)?, add).map_err(|notice| *notice)?;
    Ok((builder, unusable))
}

/// Loads the rules of kustomize: those of its built-in schema, or of the documents that are given, as `openapi:`
/// in a kustomization takes them.
pub(crate) fn kustomize_schema(options: &SchemaOptions, inputs: &mut Inputs) -> Result<Schema> {
    if options.kubernetes.is_some() {
        let message =
            "--kubernetes has no effect in the dialect kustomize, which has the schema of Kubernetes 1.21.2";
        Notice::note(message).print();
    }
    // A document replaces kustomize's own schema, as `openapi:` does.
    let sources = inputs.read(&options.schema, Recurse::No)?;
    let mut builder = if sources.is_empty() { SchemaBuilder::kustomize() } else { SchemaBuilder::new() };
    for source in &sources {
        for document in some_documents(source)? {
            builder = document.add_definitions_to(builder)?;
        }
    }
    let builder = overlays(&options.overlay, inputs)?.into_iter().fold(builder, SchemaBuilder::overlay);
    Schemas { builder }.compile(Dialect::Kustomize)
}

/// Reads the files of overlays; one has a name.
pub(crate) fn overlays(files: &[PathBuf], inputs: &mut Inputs) -> Result<Vec<Overlay>> {
    // A file of that name is given as ./design-documents.
    let (named, files): (Vec<PathBuf>, Vec<PathBuf>) =
        files.iter().cloned().partition(|word| word.as_os_str() == DESIGN_DOCUMENTS);
    let mut overlays: Vec<Overlay> = named.iter().map(|_| Overlay::design_documents()).collect();
    for source in inputs.read(&files, Recurse::No)? {
        for document in some_documents(&source)? {
            overlays.push(Overlay::read(&document.value).map_err(|error| document.fault(&error))?);
        }
    }
    Ok(overlays)
}

/// The documents of a text, at least one.
fn some_documents(source: &Source) -> Result<Vec<SchemaDocument<'_>>> {
    let documents = SchemaDocument::all(source)?;
    if documents.is_empty() {
        return Err(Notice::error(format!("{} contains no document", source.name)).into());
    }
    Ok(documents)
}

fn parsed(source: &Source, json: &[u8]) -> Result<Value> {
    serde_json::from_slice(json).map_err(|error| unreadable(source, &error).into())
}

/// JSON that was converted from YAML can be read, unless it is nested deeper than any schema needs to be.
fn unreadable(source: &Source, error: &serde_json::Error) -> Notice {
    // serde_json has no error code for it.
    if error.to_string().starts_with("recursion limit exceeded") {
        Notice::error(format!("{} is nested too deep for a schema", source.name))
            .help("schemas are nested 127 levels deep at most")
    } else {
        Notice::error(format!("{}: {error}", source.name))
    }
}

fn tables(version: &str) -> Result<SchemaBuilder> {
    SchemaBuilder::builtin(version).map_err(|error| Notice::error(error.message()).hint(error.hint()).into())
}

/// A document of a schema file, or an item of a list of definitions.
pub(crate) struct SchemaDocument<'s> {
    source: &'s Source,
    document: Arc<yaml::YamlDocument<'s>>,
    part: Part,
    pub(crate) value: Value,
}

impl<'s> SchemaDocument<'s> {
    /// All of a text.
    pub(crate) fn all(source: &'s Source) -> Result<Vec<SchemaDocument<'s>>> {
        let mut all = Vec::new();
        for document in source.documents()? {
            let document = Arc::new(document);
            for Object { part, json, .. } in objects(source, &document)? {
                let value = parsed(source, &json)?;
                all.push(SchemaDocument { source, document: Arc::clone(&document), part, value });
            }
        }
        Ok(all)
    }

    /// An object that describes a custom resource.
    fn of(object: &Manifest<'s>) -> Result<SchemaDocument<'s>> {
        let Manifest { source, part, .. } = *object;
        let value = parsed(source, &object.json)?;
        Ok(SchemaDocument { source, document: Arc::clone(&object.document), part, value })
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

    fn add_to(&self, builder: SchemaBuilder) -> Result<SchemaBuilder> {
        Ok(self.load(builder).map_err(|notice| *notice)?)
    }

    fn load(&self, builder: SchemaBuilder) -> std::result::Result<SchemaBuilder, Box<Notice>> {
        builder.document(&self.value).map_err(|error| Box::new(self.fault(&error)))
    }

    /// Adds an OpenAPI v2 document, the only one that kustomize reads.
    fn add_definitions_to(&self, builder: SchemaBuilder) -> Result<SchemaBuilder> {
        if self.value.get("definitions").is_none() {
            let notice = Notice::error("kustomize reads OpenAPI v2 documents only").at(self.excerpt(""));
            return Err(notice.help("`kubemerge schema export` writes one from other documents").into());
        }
        builder.openapi_v2(&self.value).map_err(|error| self.fault(&error).into())
    }

    fn fault(&self, error: &LoadError) -> Notice {
        Notice::error(error.message()).at(self.excerpt(error.path())).hint(error.hint())
    }
}
