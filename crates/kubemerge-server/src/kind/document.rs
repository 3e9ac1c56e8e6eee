//! Kinds that only an OpenAPI document describes: its types decode them, its schemas validate them.

use kubemerge::Guide;
use kubemerge_kinds::{
    columns::TableColumn,
    custom::{correlation::Correlated, validate::validate},
    field_error::FieldError,
    meta::metadata_errors,
    reset_fields,
    tree::{Arena, Map},
    unknown_fields,
};
use kubemerge_schema::Schema;
use kubemerge_ssa::{SameForm, VersionConverter, fieldpath::FieldOrder, value::ParsedValue};

use super::{
    by_parts,
    contract::{Contract, DecodeError, Decoded, Given, OwnershipFacts, TypeCheck},
    untyped::{bare, complaints, read, read_record},
};
use crate::{
    catalog::{Resource, cluster::Cluster},
    protocol::status::Outcome,
    store::Record,
};

/// A kind of a document.
#[derive(Clone, Copy)]
pub(crate) struct Document<'c> {
    pub(super) cluster: &'c Cluster,
    pub(super) resource: &'c Resource,
}

impl<'c> Contract<'c> for Document<'c> {
    fn resource(&self) -> &'c Resource {
        self.resource
    }

    fn go_scheme(&self) -> Option<&'static str> {
        None
    }

    fn type_check(&self) -> TypeCheck {
        TypeCheck::First
    }

    fn decode(&self, given: Given<'c>, arena: &'c Arena) -> Result<Decoded<'c>, DecodeError> {
        let (mut object, mut unknown) = read(arena, given.source).map_err(DecodeError::Undecodable)?;
        let Resource { api_version, kind, .. } = self.resource;
        if let Some(ty) = self.cluster.schema.type_of(api_version, kind) {
            unknown.extend(unknown_fields::drop_unknown(&mut object, ty).map_err(DecodeError::Undecodable)?);
        }
        Ok(Decoded { object, complaints: complaints(given, unknown) })
    }

    fn merge_guide(&self) -> Outcome<Guide<'c>> {
        let schema: &Schema = &self.cluster.schema;
        let ty = schema.type_of(&self.resource.api_version, &self.resource.kind);
        Ok(ty.map_or(Guide::Schema(schema), Guide::Type))
    }

    fn default(&self, _: &mut Map<'c>) {}

    fn served(&self, record: &'c Record, arena: &'c Arena) -> Map<'c> {
        let mut object = read_record(record, arena);
        object.set_text("apiVersion", &self.resource.api_version);
        object
    }

    fn is_as_stored(&self, _: &Record) -> bool {
        true
    }

    fn ownership(&self, subresource: &str) -> OwnershipFacts {
        let reset_fields = match self.resource.has_status() {
            true => reset_fields::custom_with_status(subresource),
            false => &[],
        };
        OwnershipFacts { order: FieldOrder::Path, reset_fields }
    }

    fn with_versions(&self, run: &mut dyn FnMut(&dyn VersionConverter)) {
        run(&SameForm::built_in(self.cluster.types(), &self.resource.kind));
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

    fn validate(&self, object: &Map<'c>, old: Option<&Map<'c>>, _: Option<&str>) -> Vec<FieldError> {
        let changes = old.map(|old| by_parts::metadata_changes(old, object)).unwrap_or_default();
        if !changes.is_empty() {
            return changes;
        }
        let mut found = metadata_errors(object, self.resource.scope, self.resource.strategy.name);
        found.extend(errors(self.cluster, self.resource, object, old));
        found
    }

    fn to_stored(&self, object: &mut Map<'c>) {
        object.set_text("apiVersion", &self.resource.storage);
    }

    fn columns(&self) -> Vec<TableColumn> {
        let columns = self.resource.entry().map_or(&[][..], |entry| entry.presentation.columns);
        columns.iter().map(TableColumn::from).collect()
    }

    fn load(&self, object: Map<'c>, _: &'c Arena) -> Map<'c> {
        object
    }
}

/// What a document of the caller says about an object; what was wrong before and is unchanged passes.
pub(super) fn errors<'a>(
    cluster: &Cluster,
    resource: &Resource,
    object: &Map<'a>,
    old: Option<&Map<'a>>,
) -> Vec<FieldError> {
    let Resource { group, version, kind, .. } = resource;
    let Some(schema) = cluster.document_schemas.of_kind(group, version, kind) else { return Vec::new() };
    let correlated = old.map(|old| Correlated::new(object, old, &schema));
    validate(object, correlated.as_ref(), &schema)
}
