//! [`Schema`], the compiled result, and [`SchemaBuilder`], which loads what it is made of.

use std::sync::{Arc, OnceLock};

use serde_json::Value;

use crate::check::{Finding, Severity};
use crate::compile::{self, Rules};
use crate::cursor::Type;
use crate::error::{LoadError, LoadErrorKind};
use crate::model::{DefinitionId, Model, NOWHERE, split_api_version};
use crate::overlay::{self, Overlay, OverlayRule};
use crate::plain::PlainTypes;
use crate::read::found;
use crate::rule::Dialect;
use crate::{builtin, crd, openapi_v2, openapi_v3};

/// Compiled rules of one dialect: a flat table that threads can share.
#[derive(Debug)]
pub struct Schema {
    model: Arc<Model>,
    dialect: Dialect,
    rules: Rules,
    kinds: KindIndex,
    warnings: Vec<Finding>,
    /// Found when somebody asks.
    plain_types: OnceLock<PlainTypes>,
}

impl Schema {
    /// The built-in tables of a Kubernetes version such as `1.37`.
    pub fn builtin(version: &str, dialect: Dialect) -> Result<Schema, LoadError> {
        SchemaBuilder::builtin(version)?.compile(dialect)
    }

    /// The type of a kind, e.g. `apps/v1` and `Deployment`.
    pub fn type_of(&self, api_version: &str, kind: &str) -> Option<Type<'_>> {
        let (group, version) = split_api_version(api_version);
        let definition = self.kinds.find(&self.model, [kind, group, version])?;
        Some(Type { schema: self, node: self.model.definitions[definition as usize].node })
    }

    /// The type of a definition, by its full name or by its last part where that is unique.
    pub fn definition(&self, name: &str) -> Option<Type<'_>> {
        let definition = self.model.find_definition(name)?;
        Some(Type { schema: self, node: self.model.definitions[definition as usize].node })
    }

    /// The type of a value that nobody described.
    pub fn untyped(&self) -> Type<'_> {
        Type { schema: self, node: NOWHERE }
    }

    /// The dialect of the rules.
    pub fn dialect(&self) -> Dialect {
        self.dialect
    }

    /// What the caller should know about the overlays.
    pub fn warnings(&self) -> &[Finding] {
        &self.warnings
    }

    pub(crate) fn model(&self) -> &Model {
        &self.model
    }

    pub(crate) fn rules(&self) -> &Rules {
        &self.rules
    }

    pub(crate) fn plain_types(&self) -> &PlainTypes {
        self.plain_types.get_or_init(|| PlainTypes::of(&self.model, &self.rules))
    }
}

/// The kinds of a model, sorted by kind, group and version.
#[derive(Debug)]
struct KindIndex {
    places: Vec<u32>,
}

impl KindIndex {
    fn new(model: &Model) -> KindIndex {
        let mut places: Vec<u32> = (0..model.kinds.len() as u32).collect();
        places.sort_by_key(|place| KindIndex::key(model, *place));
        KindIndex { places }
    }

    fn key(model: &Model, place: u32) -> [&str; 3] {
        let entry = &model.kinds[place as usize];
        [entry.kind, entry.group, entry.version].map(|part| model.text(part))
    }

    /// The definition of a kind; of several the one that was loaded last.
    fn find(&self, model: &Model, wanted: [&str; 3]) -> Option<DefinitionId> {
        let after = self.places.partition_point(|place| KindIndex::key(model, *place) <= wanted);
        let place = *self.places.get(after.checked_sub(1)?)?;
        (KindIndex::key(model, place) == wanted).then(|| model.kinds[place as usize].definition)
    }
}

/// Loads documents and compiles them.
///
/// Of two definitions with one name, and of two with one kind, the later one counts.
#[derive(Clone, Debug, Default)]
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
        if crd::recognises(document) {
            self.custom_resource_definition(document)
        } else if openapi_v3::recognises(document) {
            self.openapi_v3(document)
        } else if openapi_v2::recognises(document) {
            self.openapi_v2(document)
        } else {
            let message = format!(
                "expected an OpenAPI document or a CustomResourceDefinition, found {}",
                found(document)
            );
            Err(LoadError::malformed("", message))
        }
    }

    /// Adds an overlay, which is applied after those before it.
    pub fn overlay(mut self, overlay: Overlay) -> SchemaBuilder {
        self.overlays.push(overlay);
        self
    }

    /// Compiles the rules of one dialect. Overlays act in [`Dialect::Spec`] only.
    pub fn compile(&self, dialect: Dialect) -> Result<Schema, LoadError> {
        let mut model = Arc::clone(&self.model);
        let warnings = match dialect {
            Dialect::Upstream => self.ignored_overlays(),
            Dialect::Spec => self.apply_overlays(&mut model)?,
        };
        let rules = compile::compile(&model, dialect);
        let kinds = KindIndex::new(&model);
        Ok(Schema { model, dialect, rules, kinds, warnings, plain_types: OnceLock::new() })
    }

    fn apply_overlays(&self, model: &mut Arc<Model>) -> Result<Vec<Finding>, LoadError> {
        let mut warnings = Vec::new();
        for overlay in &self.overlays {
            warnings.extend(overlay::apply(Arc::make_mut(model), overlay)?);
        }
        Ok(warnings)
    }

    fn ignored_overlays(&self) -> Vec<Finding> {
        let ignored = |rule: &OverlayRule| Finding {
            severity: Severity::Warning,
            path: rule.target.to_string(),
            rule: "overlay-ignored",
            message: "overlays act in the dialect spec only; upstream is what Kubernetes does".to_owned(),
        };
        self.overlays.iter().flat_map(Overlay::rules).map(ignored).collect()
    }

    fn load(
        mut self,
        document: &Value,
        loader: fn(&mut Model, &Value) -> Result<(), LoadError>,
    ) -> Result<SchemaBuilder, LoadError> {
        refuse_depth(document)?;
        loader(Arc::make_mut(&mut self.model), document)?;
        Ok(self)
    }
}

/// How deep a document may be nested; the schemas in it have their own, lower limit.
const MAX_DOCUMENT_DEPTH: usize = 400;

fn refuse_depth(document: &Value) -> Result<(), LoadError> {
    if is_within(document, MAX_DOCUMENT_DEPTH) {
        return Ok(());
    }
    let message = format!("the document is nested more than {MAX_DOCUMENT_DEPTH} levels deep");
    Err(LoadError::new(LoadErrorKind::TooLarge, "", message))
}

fn is_within(value: &Value, levels: usize) -> bool {
    levels > 0
        && match value {
            Value::Array(items) => items.iter().all(|item| is_within(item, levels - 1)),
            Value::Object(members) => members.values().all(|member| is_within(member, levels - 1)),
            _ => true,
        }
}
