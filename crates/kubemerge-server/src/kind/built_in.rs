//! Kinds that are built into Kubernetes: their Go types decode them, their entry in `kubemerge-kinds` has the rules.

use kubemerge::RuleSource;
use kubemerge_kinds::{
    BuiltinKind, User,
    columns::TableColumn,
    field_error::FieldError,
    ordered_json::OrderedJson,
    registry::{KindEntry, MayBeOff, RulesRead, StorageFolder, Times, VersionConversion, Written},
    tree::{Arena, Map},
    typed,
};
use kubemerge_schema::Schema;
use kubemerge_ssa::{SameForm, VersionConverter, fieldpath::FieldOrder, value::ParsedValue};
use kubemerge_value::Canonical;

use super::{
    built_in_versions::BuiltInVersions,
    contract::{Contract, DecodeError, Decoded, Given, OwnershipFacts, Source, Storing, TypeCheck},
    union_type,
};
use crate::{
    catalog::{
        Resource,
        cluster::{Cluster, Validation},
    },
    object::edit,
    protocol::status::Outcome,
    store::{Record, StoredForm},
};

/// Upstream: the scheme of built-in kinds is named after the file that makes it.
const SCHEME: &str = " in scheme \"pkg/runtime/scheme.go:111\"";

/// A built-in kind.
#[derive(Clone, Copy)]
pub(crate) struct BuiltIn<'c> {
    pub(super) cluster: &'c Cluster,
    pub(super) resource: &'c Resource,
    pub(super) kind: BuiltinKind<'c>,
}

impl<'c> BuiltIn<'c> {
    /// The kind whose rules apply.
    fn rules(&self) -> BuiltinKind<'c> {
        let stored = || BuiltinKind::find(&self.cluster.schema, &self.resource.storage, &self.resource.kind);
        self.converted_for_rules().and_then(|_| stored()).unwrap_or(self.kind)
    }

    /// How objects become those of the stored version, if that has other fields.
    fn conversion(&self) -> Option<VersionConversion> {
        self.entry()?.conversion
    }

    fn times(&self) -> Times {
        self.entry().map_or(Times::NONE, |entry| entry.times)
    }

    fn now(&self) -> String {
        self.cluster.clock.now().to_string()
    }

    /// The conversion that comes before the rules.
    fn converted_for_rules(&self) -> Option<VersionConversion> {
        self.conversion().filter(|conversion| conversion.rules == RulesRead::StoredVersion)
    }

    fn entry(&self) -> Option<&'static KindEntry> {
        self.resource.entry()
    }
}

impl<'c> Contract<'c> for BuiltIn<'c> {
    fn resource(&self) -> &'c Resource {
        self.resource
    }

    fn go_scheme(&self) -> Option<&'static str> {
        Some(SCHEME)
    }

    fn reads_protobuf(&self) -> bool {
        true
    }

    fn may_be_withdrawn(&self) -> bool {
        false
    }

    fn items_have_type(&self) -> bool {
        false
    }

    fn storage_folder(&self) -> String {
        let Resource { group, plural, .. } = self.resource;
        match self.entry().map_or(StorageFolder::Plural, |entry| entry.folder) {
            StorageFolder::Plural => plural.clone(),
            StorageFolder::GroupAndPlural => format!("{group}/{plural}"),
            StorageFolder::Named(name) => name.to_owned(),
        }
    }

    fn converts_scale(&self) -> bool {
        true
    }

    fn type_check(&self) -> TypeCheck {
        TypeCheck::First
    }

    fn decode(&self, given: Given<'c>, arena: &'c Arena) -> Result<Decoded<'c>, DecodeError> {
        let mut decoded = match given.source {
            Source::Text(text) => self.kind.decode(arena, text),
            Source::Node(node, known) => self.kind.decode_node(arena, node, known),
            Source::Tree(tree) => self.kind.decode(arena, arena.alloc_str(&tree.to_text())),
        };
        // Kubernetes converts a map in its own way, which takes some values that its decoder refuses.
        if !given.reading.has_type() && decoded.is_err() {
            decoded = self
                .kind
                .convert(&given.source.text())
                .and_then(|text| self.kind.decode(arena, arena.alloc_str(&text)));
        }
        let decoded = decoded.map_err(|error| DecodeError::Undecodable(error.into()))?;
        let complaints = decoded.strict.iter().map(ToString::to_string).collect();
        Ok(Decoded { object: decoded.object, complaints })
    }

    fn keep_applied(&self, object: ParsedValue<'_>, arena: &'c Arena) -> Source<'c> {
        // It has values of the client, of which Go's types read texts.
        Source::Text(arena.alloc_str(&String::from_utf8_lossy(&object.to_json())))
    }

    fn merge_rules(&self) -> Outcome<RuleSource<'c>> {
        let schema: &Schema = &self.cluster.schema;
        let ty = schema.type_of(&self.resource.api_version, &self.resource.kind);
        Ok(ty.map_or(RuleSource::Schema(schema), RuleSource::Type))
    }

    fn default(&self, object: &mut Map<'c>) -> Outcome<()> {
        self.kind.default(object);
        if let Some(set) = self.times().defaults {
            set(object, &self.now());
        }
        Ok(())
    }

    fn to_served(&self, object: &mut Map<'c>, _: StoredForm) {
        if let Some(conversion) = self.conversion() {
            (conversion.from_stored)(object);
        }
        if object.str("apiVersion") != self.resource.api_version {
            object.set_text("apiVersion", &self.resource.api_version);
        }
    }

    fn is_as_stored(&self, _: &Record) -> bool {
        self.conversion().is_none()
    }

    fn ownership(&self, subresource: &str) -> OwnershipFacts {
        let reset_fields = self.entry().map_or(&[][..], |entry| entry.resets(subresource));
        OwnershipFacts { order: FieldOrder::Path, reset_fields }
    }

    fn with_versions(&self, run: &mut dyn FnMut(&dyn VersionConverter)) {
        let same = SameForm::built_in(&self.cluster.schema, &self.resource.kind)
            .with_unions(union_type(self.cluster, self));
        run(&BuiltInVersions { same, schema: &self.cluster.schema, resource: self.resource });
    }

    fn empty<'a>(&self, arena: &'a Arena) -> ParsedValue<'a>
    where
        'c: 'a,
    {
        let typed = || {
            let Resource { api_version, kind, .. } = self.resource;
            let scratch = Arena::new();
            let mut bare = Map::new_in(&scratch);
            bare.set_text("apiVersion", api_version);
            bare.set_text("kind", kind);
            let text = bare.to_text();
            let decoded = self.kind.decode(&scratch, &text).ok()?;
            Canonical::from_bytes(decoded.object.to_text().as_bytes()).ok()
        };
        let text = self.resource.empty(typed);
        text.map_or(ParsedValue::EMPTY_MAP, |text| ParsedValue::from_canonical(text, arena))
    }

    fn complete_for_tracking(&self, object: &mut Map<'c>) -> Option<Map<'c>> {
        self.entry().filter(|entry| entry.decode.track.is_some())?;
        let metadata = object.ensure_map("metadata");
        let before = metadata.copy_in(metadata.arena());
        self.kind.complete_for_tracking(object);
        Some(before)
    }

    fn in_rules_version(
        &self,
        object: &Map<'c>,
        old: Option<&'c Record>,
        arena: &'c Arena,
    ) -> Option<(Map<'c>, Option<Map<'c>>)> {
        let conversion = self.converted_for_rules()?;
        let rules = self.rules();
        let mut object = object.copy_in(arena);
        (conversion.to_stored)(&mut object);
        object.set_text("apiVersion", &self.resource.storage);
        // What Go writes of the converted object.
        if let Ok(decoded) = rules.decode(arena, arena.alloc_str(&object.to_text())) {
            object = decoded.object;
        }
        rules.default(&mut object);
        let old = old.map(|old| edit::tree(old, arena));
        Some((object, old))
    }

    fn begin(&self, object: &mut Map<'c>, old: Option<&Map<'c>>) -> Vec<FieldError> {
        self.rules().begin(object, old)
    }

    fn prepare(&self, object: &mut Map<'c>, old: Option<&Map<'c>>, subresource: Option<&str>) {
        let rules = self.rules();
        match (old, subresource) {
            (None, _) => rules.prepare_create(object),
            (Some(old), None) => rules.prepare_update(object, old),
            (Some(old), Some(name)) => rules.prepare_subresource(name, object, old),
        }
    }

    fn is_completed_by_reading(&self, _: bool, object: &Map<'c>) -> bool {
        self.entry().is_some_and(|entry| (entry.strategy.completed_by_reading)(object))
    }

    fn record_user(&self, object: &mut Map<'c>, user: &User) {
        self.rules().record_user(object, user);
    }

    fn is_validated(&self, setting: Validation) -> bool {
        let may_be_off = self.entry().map_or(MayBeOff::Yes, |entry| entry.validation.may_be_off);
        setting == Validation::Full || may_be_off == MayBeOff::No
    }

    fn validate(
        &self,
        object: &Map<'c>,
        old: Option<&Map<'c>>,
        subresource: Option<&str>,
    ) -> Vec<FieldError> {
        let rules = self.rules();
        match (old, subresource) {
            (None, _) => rules.validate(object),
            (Some(old), None) => rules.validate_update(object, old),
            (Some(old), Some(name)) => rules.validate_subresource(name, object, old),
        }
    }

    fn warnings(&self, object: &Map<'c>, old: Option<&Map<'c>>) -> Vec<String> {
        self.rules().warnings(object, old)
    }

    fn finish(&self, object: &mut Map<'c>, storing: Storing<'_, 'c>) {
        if let Some(set) = self.times().changes {
            let Storing { old, subresource, .. } = storing;
            set(object, &Written { old, subresource, now: &self.now() });
        }
    }

    fn to_stored(&self, object: &mut Map<'c>) {
        let resource = self.resource;
        // The rules may have worked on the stored version already.
        if let Some(conversion) = self.conversion()
            && object.str("apiVersion") != resource.storage
        {
            (conversion.to_stored)(object);
        }
        object.set_text("apiVersion", &resource.storage);
        object.set_text("kind", &resource.kind);
    }

    fn load(&self, mut object: Map<'c>, arena: &'c Arena) -> Map<'c> {
        if let Ok(decoded) = self.kind.decode(arena, arena.alloc_str(&object.to_text())) {
            object = decoded.object;
            self.kind.default(&mut object);
        }
        object
    }

    fn columns(&self) -> Vec<TableColumn> {
        let columns = self.entry().map_or(&[][..], |entry| entry.presentation.columns);
        columns.iter().map(TableColumn::from).collect()
    }

    fn row_condition(&self, object: &serde_json::Value) -> Option<serde_json::Value> {
        self.entry().and_then(|entry| (entry.presentation.row_condition)(object))
    }

    fn is_printed_as_stored(&self) -> bool {
        self.converted_for_rules().is_some()
    }

    fn quoted(&self, object: OrderedJson) -> OrderedJson {
        self.kind.in_go_order(object)
    }
}

/// Reads a text into the typed form of a kind and fills in defaults. Returns unknown and duplicate fields, as strict
/// field validation words them.
pub(crate) fn decode_complete<'a>(
    kind: BuiltinKind<'a>,
    arena: &'a Arena,
    text: &'a str,
) -> Result<(Map<'a>, Vec<String>), typed::DecodeError> {
    let decoded = kind.decode(arena, text)?;
    let mut object = decoded.object;
    kind.default(&mut object);
    Ok((object, decoded.strict.iter().map(ToString::to_string).collect()))
}
