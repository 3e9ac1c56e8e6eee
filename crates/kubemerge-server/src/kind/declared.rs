//! Kinds that are not built in: versions of definitions, and kinds that only an OpenAPI document describes. Their rules are
//! in `kubemerge_kinds::declared`; here is what a server knows besides.

use std::sync::Arc;

use kubemerge::RuleSource;
use kubemerge_kinds::{
    columns::TableColumn,
    custom::default::DefaultsTooLarge,
    declared::{self, DeclaredRules, Form, Undecodable},
    duplicate_fields,
    field_error::{FieldError, quoted},
    registry::KindEntry,
    reset_fields,
    tree::{Arena, Map, Value},
    typed::{self, read_typed_form},
};
use kubemerge_schema::{Schema, Type};
use kubemerge_ssa::{SameForm, VersionConverter, fieldpath::FieldOrder, value::ParsedValue};

use super::{
    contract::{Contract, DecodeError, Decoded, Given, OwnershipFacts, Reading, Source, Storing, TypeCheck},
    union_type,
};
use crate::{
    catalog::{Resource, cluster::Cluster, custom::CustomVersion},
    protocol::status::{Outcome, bad_request, unclassified},
    store::{Record, StoredForm},
};

/// A kind with declared rules.
#[derive(Clone, Copy)]
pub(crate) struct Declared<'c> {
    pub(super) cluster: &'c Cluster,
    pub(super) resource: &'c Resource,
    pub(super) rules: &'c DeclaredRules,
    /// The version of the definition; none for kinds of documents.
    pub(super) version: Option<&'c CustomVersion>,
}

impl<'c> Declared<'c> {
    /// The type by which documents decode.
    fn ty(&self) -> Option<Type<'c>> {
        let schema: &Schema = &self.cluster.schema;
        schema.type_of(&self.resource.api_version, &self.resource.kind)
    }

    /// What a document says about values of a definition that says nothing itself, such as that of `Builder::kind`.
    fn beside_definition(&self) -> Option<Arc<DeclaredRules>> {
        let Resource { api_version, kind, .. } = self.resource;
        self.version.filter(|_| self.rules.says_nothing())?;
        declared::rules_of(&self.cluster.schema, api_version, kind)
    }

    /// Whether objects that are stored in a version are served as they are.
    fn serves_as_stored(&self, api_version: &str) -> bool {
        // Without a schema nothing is pruned or defaulted, so that all versions show the same fields.
        let Some(version) = self.version.filter(|_| self.rules.has_schema()) else { return true };
        !version.revised && api_version == self.resource.api_version
    }

    fn bare<'a>(&self, arena: &'a Arena) -> ParsedValue<'a>
    where
        'c: 'a,
    {
        let kind =
            ParsedValue::EMPTY_MAP.with_member("kind", ParsedValue::String(&self.resource.kind), arena);
        kind.with_member("apiVersion", ParsedValue::String(&self.resource.api_version), arena)
    }
}

/// How an object that was read comes.
fn form(reading: Reading) -> Form {
    match reading {
        Reading::Applied => Form::Applied,
        Reading::Body | Reading::Patched | Reading::Merged => Form::Sent,
    }
}

impl<'c> Contract<'c> for Declared<'c> {
    fn resource(&self) -> &'c Resource {
        self.resource
    }

    fn go_scheme(&self) -> Option<&'static str> {
        None
    }

    fn replicas_paths(&self) -> Vec<(String, Option<Vec<String>>)> {
        match self.version {
            Some(version) => version.types.scale_paths(),
            None => vec![(self.resource.api_version.clone(), Some(vec!["spec".into(), "replicas".into()]))],
        }
    }

    fn type_check(&self) -> TypeCheck {
        match self.version {
            Some(_) => TypeCheck::Last,
            None => TypeCheck::First,
        }
    }

    fn decode(&self, given: Given<'c>, arena: &'c Arena) -> Result<Decoded<'c>, DecodeError> {
        let (value, has_repeats) = given.source.read(arena);
        let read = declared::read_object(value);
        let (mut object, mut unknown) = read.map_err(|error| DecodeError::Undecodable(error.into()))?;
        let dropped = self.rules.decode(&mut object, self.ty(), form(given.reading));
        unknown.extend(dropped.map_err(|error| match error {
            Undecodable::Value(error) => DecodeError::Undecodable(error.into()),
            Undecodable::Embedded(error) => DecodeError::Refused(bad_request(error.to_string())),
        })?);
        let duplicates = match given.source {
            // Only now is the text read again, for their places.
            Source::Text(text) if has_repeats && given.reading == Reading::Body => {
                duplicate_fields::fields(text.as_bytes())
            }
            _ => Vec::new(),
        };
        Ok(Decoded { object, complaints: complaints(&duplicates, unknown) })
    }

    fn keep_applied(&self, object: ParsedValue<'_>, arena: &'c Arena) -> Source<'c> {
        let scratch = Arena::new();
        match object.to_value(&scratch).copy_in(arena) {
            Value::Map(object) => Source::Tree(arena.alloc(object)),
            other => Source::Text(arena.alloc_str(&other.to_text())),
        }
    }

    fn merge_rules(&self) -> Outcome<RuleSource<'c>> {
        match self.version {
            Some(version) => version.merge_rules(self.resource),
            None => Ok(self.ty().map_or(RuleSource::Schema(&self.cluster.schema), RuleSource::Type)),
        }
    }

    fn default(&self, object: &mut Map<'c>) -> Outcome<()> {
        // As when it is stored, which comes after copies of it were made.
        self.rules
            .default(object)
            .map_err(|DefaultsTooLarge| unclassified("etcdserver: request is too large"))
    }

    fn to_served(&self, object: &mut Map<'c>, form: StoredForm) {
        // What went through all steps of a write with these rules is as it would be.
        if !self.serves_as_stored(object.str("apiVersion")) || form == StoredForm::Unchecked {
            self.rules.reread(object, self.ty());
        }
        if object.str("apiVersion") != self.resource.api_version {
            object.set_text("apiVersion", &self.resource.api_version);
        }
    }

    fn is_as_stored(&self, record: &Record) -> bool {
        self.serves_as_stored(record.api_version())
    }

    fn ownership(&self, subresource: &str) -> OwnershipFacts {
        let reset_fields =
            if self.resource.has_status() { reset_fields::custom_with_status(subresource) } else { &[] };
        let order = match self.version {
            // The API server holds the fields of custom resources as a sorted map.
            Some(_) => FieldOrder::Label,
            None => FieldOrder::Path,
        };
        OwnershipFacts { order, reset_fields }
    }

    fn with_versions(&self, run: &mut dyn FnMut(&dyn VersionConverter)) {
        let unions = union_type(self.cluster, self);
        let Some(CustomVersion { types, .. }) = self.version else {
            let same = SameForm::built_in(&self.cluster.schema, &self.resource.kind);
            return run(&same.with_unions(unions));
        };
        let known: Vec<&str> = types.api_versions.iter().map(String::as_str).collect();
        match types.ownership() {
            Some(schema) => {
                let same = SameForm::custom_resource(schema, &self.resource.kind, &known);
                run(&same.with_unions(unions));
            }
            // A definition without a schema: lists are owned as a whole.
            None => run(&SameForm::schemaless()),
        }
    }

    fn empty<'a>(&self, arena: &'a Arena) -> ParsedValue<'a>
    where
        'c: 'a,
    {
        self.bare(arena)
    }

    fn reset_new(&self, object: &mut Map<'c>) {
        self.rules.reset_new(object);
    }

    fn is_completed_by_reading(&self, had_status: bool, object: &Map<'c>) -> bool {
        // Upstream: the status of a new object is dropped after defaults, and comes back with those.
        self.version.is_some() && self.resource.has_status() && !had_status && object.has("status")
    }

    fn prepare(&self, object: &mut Map<'c>, old: Option<&Map<'c>>, subresource: Option<&str>) {
        self.rules.prepare(object, old, subresource);
    }

    fn validate(
        &self,
        object: &Map<'c>,
        old: Option<&Map<'c>>,
        subresource: Option<&str>,
    ) -> Vec<FieldError> {
        let errors = self.rules.validate(object, old, subresource);
        let Some(document) = self.beside_definition() else { return errors };
        document.with_values(errors, object, old)
    }

    fn finish(&self, object: &mut Map<'c>, storing: Storing<'_, 'c>) {
        self.rules.finish(object, form(storing.reading));
    }

    fn to_stored(&self, object: &mut Map<'c>) {
        object.set_text("apiVersion", &self.resource.storage);
    }

    fn load(&self, mut object: Map<'c>, _: &'c Arena) -> Map<'c> {
        self.rules.reread(&mut object, self.ty());
        object
    }

    fn columns(&self) -> Vec<TableColumn> {
        match self.version {
            Some(version) => version.columns.clone(),
            None => KindEntry::UNLISTED.presentation.columns.iter().map(TableColumn::from).collect(),
        }
    }

    fn is_terminating(&self) -> bool {
        self.version.is_some_and(|version| version.terminating)
    }
}

/// The tree of an object of any kind.
pub(crate) fn read_object<'a>(arena: &'a Arena, text: &'a str) -> Result<Map<'a>, typed::DecodeError> {
    declared::read_object(read_typed_form(arena, text)).map(|(object, _)| object)
}

/// Complaints about the duplicate fields of a body, then about unknown fields, in one order.
fn complaints(duplicates: &[String], mut unknown: Vec<String>) -> Vec<String> {
    unknown.sort();
    let duplicates = duplicates.iter().map(|path| format!("duplicate field {}", quoted(path)));
    duplicates.chain(unknown.iter().map(|path| format!("unknown field {}", quoted(path)))).collect()
}
