//! Kinds that a definition serves: the structural schema of a version prunes, defaults and validates their objects.

use kubemerge::Guide;
use kubemerge_kinds::{
    columns::TableColumn,
    custom::{
        check::{Subject, WrittenPart, check},
        default, embedded, metadata as metadata_rules, prune,
        structural::Structural,
    },
    field_error::FieldError,
    meta::NameRule,
    reset_fields,
    tree::{Arena, Map},
};
use kubemerge_ssa::{SameForm, VersionConverter, fieldpath::FieldOrder, value::ParsedValue};

use super::{
    by_parts,
    contract::{Contract, DecodeError, Decoded, Given, OwnershipFacts, Reading, Storing, TypeCheck},
    document,
    untyped::{bare, complaints, read, read_record},
};
use crate::{
    catalog::{Resource, cluster::Cluster, custom::CustomVersion},
    protocol::status::{Outcome, bad_request},
    store::{KnownForm, Record},
};

/// A version of a definition.
#[derive(Clone, Copy)]
pub(crate) struct Custom<'c> {
    pub(super) cluster: &'c Cluster,
    pub(super) resource: &'c Resource,
    pub(super) version: &'c CustomVersion,
}

impl Custom<'_> {
    /// Drops what the schema does not declare; answers the paths.
    fn prune(&self, object: &mut Map<'_>) -> Result<Vec<String>, FieldError> {
        let Some(schema) = &self.version.schema else { return Ok(Vec::new()) };
        let mut removed = prune::prune(object, schema);
        // After pruning: a null that is pruned anyway must not be reported twice.
        prune::drop_nulls(object, schema);
        removed.extend(embedded::coerce(object, schema)?);
        Ok(removed)
    }

    /// Brings a stored object in line with the current schema.
    fn reread(&self, object: &mut Map<'_>) {
        // What was stored was coerced before, so that this cannot fail.
        drop(self.prune(object));
        self.fill(object);
    }

    fn fill(&self, object: &mut Map<'_>) {
        if let Some(schema) = &self.version.schema {
            fill(schema, object);
        }
    }
}

/// Fills in the defaults of a schema.
pub(super) fn fill(schema: &Structural, object: &mut Map<'_>) {
    // Metadata has no defaults: ObjectMeta has its own rules.
    let metadata = object.remove("metadata");
    default::fill(object, schema);
    match metadata {
        Some(metadata) => object.set("metadata", metadata),
        None => drop(object.remove("metadata")),
    }
}

impl<'c> Contract<'c> for Custom<'c> {
    fn resource(&self) -> &'c Resource {
        self.resource
    }

    fn go_scheme(&self) -> Option<&'static str> {
        None
    }

    fn replicas_paths(&self) -> Vec<(String, Option<Vec<String>>)> {
        self.version.types.scale_paths()
    }

    fn type_check(&self) -> TypeCheck {
        TypeCheck::Last
    }

    fn decode(&self, given: Given<'c>, arena: &'c Arena) -> Result<Decoded<'c>, DecodeError> {
        let (mut object, mut unknown) = read(arena, given.source).map_err(DecodeError::Undecodable)?;
        // Upstream: the result of an apply is not decoded. Its type has no other fields; nulls are left to validation.
        if given.reading != Reading::Applied {
            let removed = self.prune(&mut object);
            unknown.extend(removed.map_err(|error| DecodeError::Refused(bad_request(error.to_string())))?);
        }
        Ok(Decoded { object, complaints: complaints(given, unknown) })
    }

    fn merge_guide(&self) -> Outcome<Guide<'c>> {
        self.version.merge_guide()
    }

    fn default(&self, object: &mut Map<'c>) {
        self.fill(object);
    }

    fn served(&self, record: &'c Record, arena: &'c Arena) -> Map<'c> {
        let mut object = read_record(record, arena);
        // What went through all steps of a write with this schema is as it would be.
        if !self.is_as_stored(record) || record.form() == KnownForm::Unchecked {
            self.reread(&mut object);
        }
        if object.str("apiVersion") != self.resource.api_version {
            object.set_text("apiVersion", &self.resource.api_version);
        }
        object
    }

    fn is_as_stored(&self, record: &Record) -> bool {
        // Without a schema nothing is pruned or defaulted, so that all versions show the same fields.
        self.version.schema.is_none()
            || (!self.version.revised && record.api_version() == self.resource.api_version)
    }

    fn ownership(&self, subresource: &str) -> OwnershipFacts {
        let reset_fields = match self.resource.has_status() {
            true => reset_fields::custom_with_status(subresource),
            false => &[],
        };
        // The API server holds the fields of custom resources as a sorted map.
        OwnershipFacts { order: FieldOrder::Label, reset_fields }
    }

    fn with_versions(&self, run: &mut dyn FnMut(&dyn VersionConverter)) {
        let types = &self.version.types;
        let known: Vec<&str> = types.api_versions.iter().map(String::as_str).collect();
        match types.table() {
            Some(table) => run(&SameForm::custom_resource(table, &self.resource.kind, &known)),
            // A definition without a schema: lists are owned as a whole.
            None => run(&SameForm::schemaless(self.cluster.types())),
        }
    }

    fn empty<'a>(&self, arena: &'a Arena) -> ParsedValue<'a>
    where
        'c: 'a,
    {
        bare(self.resource, arena)
    }

    fn reset_new(&self, object: &mut Map<'c>) {
        by_parts::reset_new(self.resource, object);
    }

    fn prepare(&self, object: &mut Map<'c>, old: Option<&Map<'c>>, subresource: Option<&str>) {
        if let Some(old) = old {
            by_parts::prepare(self.resource, object, old, subresource);
        }
    }

    fn validate(
        &self,
        object: &Map<'c>,
        old: Option<&Map<'c>>,
        subresource: Option<&str>,
    ) -> Vec<FieldError> {
        let changes = old.map(|old| by_parts::metadata_changes(old, object)).unwrap_or_default();
        if !changes.is_empty() {
            return changes;
        }
        // Names cannot change, so those of stored objects are not held to the rules of today.
        let rule = if old.is_some() { NameRule::PathSegment } else { NameRule::Subdomain };
        let metadata = object.map("metadata");
        let scope = self.resource.scope;
        let mut errors = metadata
            .map(|metadata| metadata_rules::validate(metadata, scope, rule, "metadata"))
            .unwrap_or_default();
        if let Some(schema) = &self.version.schema {
            let part = if subresource.is_some() { WrittenPart::Status } else { WrittenPart::Main };
            let subject = Subject { object, old, part, scale: self.version.scale.as_ref() };
            errors = check(schema, &self.version.rules, subject, errors);
        }
        errors.extend(document::errors(self.cluster, self.resource, object, old));
        errors
    }

    fn finish(&self, object: &mut Map<'c>, storing: Storing<'_, 'c>) {
        // Upstream: nulls that an apply has left and that pass validation are gone when the stored object is read.
        if storing.reading == Reading::Applied {
            self.reread(object);
        }
    }

    fn to_stored(&self, object: &mut Map<'c>) {
        object.set_text("apiVersion", &self.resource.storage);
    }

    fn load(&self, mut object: Map<'c>, _: &'c Arena) -> Map<'c> {
        self.reread(&mut object);
        object
    }

    fn columns(&self) -> Vec<TableColumn> {
        self.version.columns.clone()
    }

    fn is_terminating(&self) -> bool {
        self.version.terminating
    }
}
