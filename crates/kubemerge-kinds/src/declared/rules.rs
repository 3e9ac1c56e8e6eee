//! The rules of a declared kind, step by step.

use kubemerge_schema::{DeclaredType, Type, ValueType};
use serde_json::Value as Json;

use super::by_parts;
use crate::{
    custom::{
        check::{Subject, WrittenPart, check},
        correlation::Correlated,
        default::{self, DefaultsTooLarge},
        definition::text,
        embedded, prune,
        rules::CelRules,
        scale::{self, ScalePaths},
        validate::validate,
    },
    field_error::FieldError,
    meta::{NameRule, metadata_errors},
    registry::{KindEntry, Scope},
    strategy::Strategy,
    tree::Map,
    typed::DecodeError,
    unknown_fields,
};

/// What is declared about the objects of a kind in one version, compiled.
#[derive(Debug)]
pub struct DeclaredRules {
    source: DeclaredBy,
    /// None for definitions without a schema: everything is kept.
    schema: Option<DeclaredType>,
    cel: CelRules,
    scale: Option<ScalePaths>,
    /// None if only types are known: then objects may have a namespace or not.
    scope: Option<Scope>,
    has_status: bool,
    pub(super) strategy: Strategy,
}

/// What declares a kind. Definitions prune what they do not declare; documents have types that refuse other values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum DeclaredBy {
    Definition,
    Document,
}

/// How an object has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// As a body, or as the result of a patch.
    Sent,
    /// As the result of a server-side apply.
    Applied,
}

/// Why an object cannot be decoded.
#[derive(Clone, Debug)]
pub enum Undecodable {
    /// A value of the wrong type.
    Value(DecodeError),
    /// An embedded value that is no object.
    Embedded(FieldError),
}

impl DeclaredRules {
    /// The rules of a version of a custom resource definition; `ty` is the type of its objects, if the definition has been
    /// loaded.
    pub fn of_version(ty: Option<DeclaredType>, definition: &Json, version: &Json) -> DeclaredRules {
        // A schema that cannot be read was refused when the definition was written.
        let read = || DeclaredType::of_schema(version.pointer("/schema/openAPIV3Schema")?).ok();
        let keeps_unknown = definition.pointer("/spec/preserveUnknownFields") == Some(&Json::Bool(true));
        let schema = ty.or_else(read).map(|ty| if keeps_unknown { ty.preserve_unknown_fields() } else { ty });
        let scope = match text(definition, "/spec/scope") {
            "Cluster" => Scope::Cluster,
            _ => Scope::Namespaced,
        };
        DeclaredRules {
            source: DeclaredBy::Definition,
            cel: schema.as_ref().map(|schema| CelRules::compile(schema.values())).unwrap_or_default(),
            schema,
            scale: scale::of_version(version).map(ScalePaths::read),
            scope: Some(scope),
            has_status: version.pointer("/subresources/status").is_some(),
            strategy: Strategy::CUSTOM,
        }
    }

    /// The rules of a kind of a document.
    pub fn of_document(ty: DeclaredType, scope: Option<Scope>, has_status: bool) -> DeclaredRules {
        DeclaredRules { schema: Some(ty), scope, has_status, ..DeclaredRules::unknown() }
    }

    /// The rules of a kind of which nothing is known but its name.
    pub fn unknown() -> DeclaredRules {
        DeclaredRules {
            source: DeclaredBy::Document,
            schema: None,
            cel: CelRules::default(),
            scale: None,
            scope: None,
            has_status: false,
            strategy: KindEntry::UNLISTED.strategy,
        }
    }

    /// Whether the status is written apart from the rest.
    pub fn has_status(&self) -> bool {
        self.has_status
    }

    /// Where its objects are; `None` if that is not known.
    pub fn scope(&self) -> Option<Scope> {
        self.scope
    }

    /// What a write does to its objects besides.
    pub fn strategy(&self) -> &Strategy {
        &self.strategy
    }

    /// Whether there is a schema, without which every version shows the same fields.
    pub fn has_schema(&self) -> bool {
        self.schema.is_some()
    }

    fn schema(&self) -> Option<ValueType<'_>> {
        self.schema.as_ref().map(DeclaredType::values)
    }

    /// Whether everything is kept and nothing is said about it, as for kinds that have a name only.
    pub fn says_nothing(&self) -> bool {
        self.schema().is_none_or(|schema| schema.keeps_unknown() && schema.properties().next().is_none())
    }

    /// Where `/scale` finds its numbers.
    pub fn scale(&self) -> Option<&ScalePaths> {
        self.scale.as_ref()
    }

    /// Drops what is not declared, and brings the rest into its form; answers the paths. `ty` is the type of the kind in
    /// the schema, which documents decode by.
    ///
    /// # Errors
    /// If a value cannot be decoded.
    pub fn decode(
        &self,
        object: &mut Map<'_>,
        ty: Option<Type<'_>>,
        form: Form,
    ) -> Result<Vec<String>, Undecodable> {
        match (self.source, ty, form) {
            // Upstream: the result of an apply is not decoded. Its type has no other fields; nulls are left to validation.
            (DeclaredBy::Definition, _, Form::Applied) => Ok(Vec::new()),
            (DeclaredBy::Definition, _, Form::Sent) => self.prune(object).map_err(Undecodable::Embedded),
            (DeclaredBy::Document, Some(ty), _) => {
                unknown_fields::drop_unknown(object, ty).map_err(Undecodable::Value)
            }
            (DeclaredBy::Document, None, _) => Ok(Vec::new()),
        }
    }

    fn prune(&self, object: &mut Map<'_>) -> Result<Vec<String>, FieldError> {
        let Some(schema) = self.schema() else { return Ok(Vec::new()) };
        let mut removed = prune::prune(object, schema);
        // After pruning: a null that is pruned anyway must not be reported twice.
        prune::drop_nulls(object, schema);
        removed.extend(embedded::coerce(object, schema)?);
        Ok(removed)
    }

    /// Fills in defaults, up to a limit.
    pub fn default(&self, object: &mut Map<'_>) -> Result<(), DefaultsTooLarge> {
        let Some(schema) = self.schema() else { return Ok(()) };
        // Metadata has no defaults: ObjectMeta has its own rules.
        let metadata = object.remove("metadata");
        let filled = default::fill(object, schema);
        match metadata {
            Some(metadata) => object.set("metadata", metadata),
            None => drop(object.remove("metadata")),
        }
        filled
    }

    /// Brings a stored object in line with what is declared now.
    pub fn reread(&self, object: &mut Map<'_>, ty: Option<Type<'_>>) {
        // What was stored was decoded before, so that this cannot fail.
        drop(self.decode(object, ty, Form::Sent));
        // An object that has become too large by a new default is shown without the last of them: it cannot be refused.
        let _ = self.default(object);
    }

    /// The last change of a valid object. Upstream: nulls that an apply has left and that pass validation are gone when the
    /// stored object is read.
    pub fn finish(&self, object: &mut Map<'_>, form: Form) {
        if form == Form::Applied && self.source == DeclaredBy::Definition {
            self.reread(object, None);
        }
    }

    /// Drops the status of a new object, before defaults.
    pub fn reset_new(&self, object: &mut Map<'_>) {
        by_parts::reset_new(self, object);
    }

    /// Takes from the stored object what the request does not write, and counts its generation.
    pub fn prepare<'a>(&self, object: &mut Map<'a>, old: Option<&Map<'a>>, subresource: Option<&str>) {
        if let Some(old) = old {
            by_parts::prepare(self, object, old, subresource);
        }
    }

    /// What is wrong with a prepared object; on an update, what was wrong before and is unchanged passes.
    pub fn validate<'a>(
        &self,
        object: &Map<'a>,
        old: Option<&Map<'a>>,
        subresource: Option<&str>,
    ) -> Vec<FieldError> {
        let changes = old.map(|old| by_parts::metadata_changes(old, object)).unwrap_or_default();
        if !changes.is_empty() {
            return changes;
        }
        let errors = metadata_errors(object, self.scope_of(object), self.name_rule(old));
        let Some(schema) = self.schema() else { return errors };
        match self.source {
            DeclaredBy::Definition => {
                let part = if subresource.is_some() { WrittenPart::Status } else { WrittenPart::Main };
                let subject = Subject { object, old, part, scale: self.scale.as_ref() };
                check(schema, &self.cel, subject, errors)
            }
            DeclaredBy::Document => self.with_values(errors, object, old),
        }
    }

    /// Adds what is wrong with the values of an object, all else left aside.
    pub fn with_values<'a>(
        &self,
        mut errors: Vec<FieldError>,
        object: &Map<'a>,
        old: Option<&Map<'a>>,
    ) -> Vec<FieldError> {
        if let Some(schema) = self.schema() {
            let correlated = old.map(|old| Correlated::new(object, old, schema));
            errors.extend(validate(object, correlated.as_ref(), schema));
        }
        errors
    }

    fn scope_of(&self, object: &Map<'_>) -> Scope {
        let has_namespace = || object.map("metadata").is_some_and(|metadata| metadata.has("namespace"));
        self.scope.unwrap_or_else(|| if has_namespace() { Scope::Namespaced } else { Scope::Cluster })
    }

    fn name_rule(&self, old: Option<&Map<'_>>) -> NameRule {
        match (self.source, old) {
            (DeclaredBy::Document, _) => self.strategy.name,
            // Names cannot change, so those of stored objects are not held to the rules of today.
            (DeclaredBy::Definition, Some(_)) => NameRule::PathSegment,
            (DeclaredBy::Definition, None) => NameRule::Subdomain,
        }
    }
}
