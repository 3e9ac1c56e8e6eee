//! [`SchemaBuilder`]: loads documents, applies overlays and compiles the result.

use std::sync::Arc;

use serde_json::Value;

use crate::builtin;
use crate::check::{SchemaFinding, Severity};
use crate::compile::Dialect;
use crate::document::{DocumentFormat, refuse_depth, value_kind};
use crate::error::LoadError;
use crate::load::{crd, definition_type, openapi_v2, openapi_v3};
use crate::model::{KindEntry, Model, split_api_version};
use crate::overlay::{self, Overlay, OverlayRule};
use crate::schema::{DeclaredType, Schema};

impl Schema {
    /// The built-in tables of the newest version of Kubernetes, at the cost of [`Schema::builtin`].
    pub fn latest(dialect: Dialect) -> Schema {
        // The tables of the newest version are always there; a test says so.
        Schema::builtin(builtin::NEWEST, dialect).unwrap_or_else(|_| Schema::empty(dialect))
    }

    /// The built-in tables of a Kubernetes version such as `1.37`: reads and compiles them, which takes half a millisecond
    /// in an optimized build. Keep the schema for all calls; clones of it share what it has compiled.
    ///
    /// kustomize has tables of its own, so [`Dialect::Kustomize`] ignores the version.
    pub fn builtin(version: &str, dialect: Dialect) -> Result<Schema, LoadError> {
        match dialect {
            Dialect::Kustomize => SchemaBuilder::kustomize().compile(dialect),
            Dialect::Upstream | Dialect::Spec => SchemaBuilder::builtin(version)?.compile(dialect),
        }
    }
}

/// Loads documents and compiles them.
///
/// Of two descriptions of one kind that of a custom resource definition counts before that of an OpenAPI document, and
/// both before the built-in one, whatever the order of calls. Of equals the later one counts, as of two definitions with
/// one name. Overlays are applied to the result.
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct SchemaBuilder {
    model: Arc<Model>,
    overlays: Vec<Overlay>,
}

impl SchemaBuilder {
    /// Starts with nothing.
    pub fn new() -> SchemaBuilder {
        SchemaBuilder::default()
    }

    /// Starts with the built-in tables of a Kubernetes version such as `1.37`.
    pub fn builtin(version: &str) -> Result<SchemaBuilder, LoadError> {
        Ok(SchemaBuilder { model: Arc::new(builtin::load(version)?), overlays: Vec::new() })
    }

    /// Starts with the tables that kustomize has built in, those of Kubernetes 1.21.2.
    ///
    /// A document that is given as `openapi:` replaces them: start with [`SchemaBuilder::new`] then.
    pub fn kustomize() -> SchemaBuilder {
        SchemaBuilder { model: Arc::new(builtin::load_kustomize()), overlays: Vec::new() }
    }

    /// Adds an OpenAPI v2 document (`swagger.json`).
    pub fn openapi_v2(self, document: &Value) -> Result<SchemaBuilder, LoadError> {
        self.load(document, openapi_v2::load)
    }

    /// Adds an OpenAPI v3 document; call it once for every document of a server.
    pub fn openapi_v3(self, document: &Value) -> Result<SchemaBuilder, LoadError> {
        self.load(document, openapi_v3::load)
    }

    /// Adds a custom resource definition: a type for every version it serves.
    pub fn custom_resource_definition(self, document: &Value) -> Result<SchemaBuilder, LoadError> {
        self.load(document, crd::load)
    }

    /// Adds a document of any kind this crate can read, told apart by what it holds.
    pub fn document(self, document: &Value) -> Result<SchemaBuilder, LoadError> {
        match DocumentFormat::of(document) {
            Some(DocumentFormat::CustomResourceDefinition) => self.custom_resource_definition(document),
            Some(DocumentFormat::OpenApiV3) => self.openapi_v3(document),
            Some(DocumentFormat::OpenApiV2) => self.openapi_v2(document),
            None => Err(unknown_format(document)),
        }
    }

    /// Adds an overlay, which is applied after those before it.
    pub fn overlay(mut self, overlay: Overlay) -> SchemaBuilder {
        self.overlays.push(overlay);
        self
    }

    /// Lets custom resource definitions say what the design documents of Kubernetes say about merges (patch strategy, merge
    /// key, unions), which the API server drops when it decodes them. For servers in [`Dialect::Spec`].
    #[doc(hidden)]
    pub fn with_merge_rules_in_definitions(mut self) -> SchemaBuilder {
        definition_type::add_merge_rules(Arc::make_mut(&mut self.model));
        self
    }

    /// What the loaded documents say about built-in kinds, if they say anything: a sentence for those who gave them.
    #[doc(hidden)]
    pub fn replaced(&self) -> Option<String> {
        self.model.replaced()
    }

    /// Whether the type that a rule of an overlay is about has been loaded.
    #[doc(hidden)]
    pub fn has_type_of(&self, rule: &OverlayRule) -> bool {
        overlay::has_type(&self.model, rule)
    }

    /// The type of a kind of a definition that has been loaded.
    #[doc(hidden)]
    pub fn declared_type(&self, api_version: &str, kind: &str) -> Option<DeclaredType> {
        let (group, version) = split_api_version(api_version);
        let of =
            |entry: &KindEntry| [entry.group, entry.version, entry.kind].map(|part| self.model.text(part));
        let entry = self.model.kinds.iter().rev().find(|entry| of(entry) == [group, version, kind])?;
        Some(DeclaredType::of_definition(&self.model, self.model.definition(entry.definition).node))
    }

    /// Compiles the rules of one dialect. Overlays act in [`Dialect::Spec`] only.
    pub fn compile(&self, dialect: Dialect) -> Result<Schema, LoadError> {
        let mut model = Arc::clone(&self.model);
        let warnings = match dialect {
            // Upstream is fixed by Kubernetes, so an overlay there would only pretend to change the result.
            Dialect::Upstream => self.ignored_overlays("upstream is what Kubernetes does"),
            Dialect::Kustomize => self.ignored_overlays("kustomize takes its rules from OpenAPI documents"),
            Dialect::Spec => self.apply_overlays(&mut model)?,
        };
        Ok(Schema::compile(model, dialect, warnings))
    }

    fn apply_overlays(&self, model: &mut Arc<Model>) -> Result<Vec<SchemaFinding>, LoadError> {
        let mut warnings = Vec::new();
        for overlay in &self.overlays {
            // Copies the tables on the first change only; builders without overlays share them.
            warnings.extend(overlay::apply(Arc::make_mut(model), overlay)?);
        }
        Ok(warnings)
    }

    fn ignored_overlays(&self, reason: &str) -> Vec<SchemaFinding> {
        let message = format!("overlays act in the dialect spec only; {reason}");
        let ignored = |rule: &OverlayRule| {
            SchemaFinding::new(Severity::Warning, rule.target.to_string(), "overlay-ignored", &message)
        };
        self.overlays.iter().flat_map(Overlay::rules).map(ignored).collect()
    }

    fn load(
        mut self,
        document: &Value,
        loader: fn(&mut Model, &Value) -> Result<(), LoadError>,
    ) -> Result<SchemaBuilder, LoadError> {
        // Loaders recurse over the document, so its depth is checked first.
        refuse_depth(document)?;
        loader(Arc::make_mut(&mut self.model), document)?;
        Ok(self)
    }
}

fn unknown_format(document: &Value) -> LoadError {
    let found = value_kind(document);
    let message = format!("expected an OpenAPI document or a CustomResourceDefinition, found {found}");
    LoadError::malformed("", message)
}
