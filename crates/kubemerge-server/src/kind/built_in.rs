//! Kinds that are built into Kubernetes: their Go types decode them, their entry in `kubemerge-kinds` has the rules.

use kubemerge::Guide;
use kubemerge_kinds::{
    BuiltinKind, autoscaler_to_v1, autoscaler_to_v2,
    columns::TableColumn,
    field_error::FieldError,
    ordered_json::OrderedJson,
    registry::KindEntry,
    tree::{Arena, Map, Value},
    typed::read_typed_form,
};
use kubemerge_schema::Schema;
use kubemerge_ssa::{SameForm, VersionConverter, fieldpath::FieldOrder, value::ParsedValue};
use kubemerge_value::Canonical;

use super::{
    built_in_versions::BuiltInVersions,
    contract::{Contract, DecodeError, Decoded, Given, OwnershipFacts, Source, Storing, TypeCheck},
    times,
};
use crate::{
    catalog::{Resource, cluster::Cluster},
    protocol::status::Outcome,
    store::Record,
};

/// Upstream: the scheme of built-in kinds is named after the file that makes it.
const SCHEME: &str = " in scheme \"pkg/runtime/scheme.go:111\"";

/// The fields of an Event as they are stored, and their names in `events.k8s.io`.
const EVENT: [(&str, &str); 7] = [
    ("count", "deprecatedCount"),
    ("firstTimestamp", "deprecatedFirstTimestamp"),
    ("involvedObject", "regarding"),
    ("lastTimestamp", "deprecatedLastTimestamp"),
    ("message", "note"),
    ("reportingComponent", "reportingController"),
    ("source", "deprecatedSource"),
];

/// A built-in kind.
#[derive(Clone, Copy)]
pub(crate) struct BuiltIn<'c> {
    pub(super) cluster: &'c Cluster,
    pub(super) resource: &'c Resource,
    pub(super) kind: BuiltinKind<'c>,
}

impl<'c> BuiltIn<'c> {
    /// The kind whose rules apply: those of the version that is stored.
    fn rules(&self) -> BuiltinKind<'c> {
        match is_converted(self.resource) {
            true => {
                let newest =
                    BuiltinKind::find(&self.cluster.schema, &self.resource.storage, &self.resource.kind);
                newest.unwrap_or(self.kind)
            }
            false => self.kind,
        }
    }

    fn entry(&self) -> Option<&'static KindEntry> {
        self.resource.entry()
    }

    fn has_other_words(&self) -> bool {
        self.resource.group != self.resource.home()
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
        match (group.as_str(), plural.as_str()) {
            ("", "replicationcontrollers") => "controllers".to_owned(),
            ("", "endpoints") => "services/endpoints".to_owned(),
            ("", "nodes") => "minions".to_owned(),
            ("", "services") => "services/specs".to_owned(),
            ("networking.k8s.io", "ingresses") => "ingress".to_owned(),
            ("apiextensions.k8s.io" | "apiregistration.k8s.io", _) => format!("{group}/{plural}"),
            _ => plural.clone(),
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
            Source::Node(node) => self.kind.decode_node(arena, node),
        };
        // Kubernetes converts a map in its own way, which takes some values that its decoder refuses.
        if !given.reading.has_type() && decoded.is_err() {
            decoded = self
                .kind
                .convert(&given.source.text())
                .and_then(|text| self.kind.decode(arena, arena.alloc_str(&text)));
        }
        let decoded = decoded.map_err(|error| DecodeError::Undecodable(error.message().to_owned()))?;
        let complaints = decoded.strict.iter().map(ToString::to_string).collect();
        Ok(Decoded { object: decoded.object, complaints })
    }

    fn merge_guide(&self) -> Outcome<Guide<'c>> {
        let schema: &Schema = &self.cluster.schema;
        let ty = schema.type_of(&self.resource.api_version, &self.resource.kind);
        Ok(ty.map_or(Guide::Schema(schema), Guide::Type))
    }

    fn default(&self, object: &mut Map<'c>) {
        self.kind.default(object);
        times::set_defaults(self.cluster, self.resource, object);
    }

    fn served(&self, record: &'c Record, arena: &'c Arena) -> Map<'c> {
        let text = record.canonical().as_str();
        if is_converted(self.resource) {
            return autoscaler(arena, text, autoscaler_to_v1);
        }
        let mut object = self.kind.read_stored(arena, text);
        if self.has_other_words() {
            show_event(&mut object);
        }
        if object.str("apiVersion") != self.resource.api_version {
            object.set_text("apiVersion", &self.resource.api_version);
        }
        object
    }

    fn is_as_stored(&self, _: &Record) -> bool {
        !self.has_other_words() && !is_converted(self.resource)
    }

    fn ownership(&self, subresource: &str) -> OwnershipFacts {
        let reset_fields = self.entry().map_or(&[][..], |entry| entry.resets(subresource));
        OwnershipFacts { order: FieldOrder::Path, reset_fields }
    }

    fn with_versions(&self, run: &mut dyn FnMut(&dyn VersionConverter)) {
        let same = SameForm::built_in(self.cluster.types(), &self.resource.kind);
        run(&BuiltInVersions { same, schema: &self.cluster.schema, resource: self.resource });
    }

    fn empty<'a>(&self, arena: &'a Arena) -> ParsedValue<'a>
    where
        'c: 'a,
    {
        let typed = || {
            let Resource { api_version, kind, .. } = self.resource;
            let text = serde_json::json!({"apiVersion": api_version, "kind": kind}).to_string();
            let scratch = Arena::new();
            let decoded = self.kind.decode(&scratch, &text).ok()?;
            Canonical::from_bytes(decoded.object.to_text().as_bytes()).ok()
        };
        let text = self.resource.empty(typed);
        text.map_or(ParsedValue::Map(&[]), |text| ParsedValue::from_canonical(text, arena))
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
        if !is_converted(self.resource) {
            return None;
        }
        let rules = self.rules();
        let mut object = autoscaler(arena, &object.to_text(), autoscaler_to_v2);
        // What Go writes of the converted object.
        if let Ok(decoded) = rules.decode(arena, arena.alloc_str(&object.to_text())) {
            object = decoded.object;
        }
        rules.default(&mut object);
        let old = old.map(|old| rules.read_stored(arena, old.canonical().as_str()));
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
        times::set_transitions(self.cluster, self.resource, object, storing);
    }

    fn to_stored(&self, object: &mut Map<'c>) {
        let resource = self.resource;
        // The rules have worked on the stored version unless the object was loaded past the API.
        if is_converted(resource) && object.str("apiVersion") != resource.storage {
            *object = autoscaler(object.arena(), &object.to_text(), autoscaler_to_v2);
        }
        object.set_text("apiVersion", &resource.storage);
        object.set_text("kind", &resource.kind);
        if self.has_other_words() {
            store_event(object);
        }
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
        is_converted(self.resource)
    }

    fn quoted(&self, object: OrderedJson) -> OrderedJson {
        self.kind.in_go_order(object)
    }
}

/// Reads a text into the typed form of a kind and fills in defaults. Answers unknown and duplicate fields, as strict
/// field validation words them; an error is the message of the decoder.
pub(crate) fn decode_complete<'a>(
    kind: BuiltinKind<'a>,
    arena: &'a Arena,
    text: &'a str,
) -> Result<(Map<'a>, Vec<String>), String> {
    let decoded = kind.decode(arena, text).map_err(|error| error.message().to_owned())?;
    let mut object = decoded.object;
    kind.default(&mut object);
    Ok((object, decoded.strict.iter().map(ToString::to_string).collect()))
}

/// Whether the fields of the version that is served differ from those of the version that is stored.
fn is_converted(resource: &Resource) -> bool {
    resource.kind == "HorizontalPodAutoscaler"
        && resource.api_version == "autoscaling/v1"
        && resource.storage == "autoscaling/v2"
}

/// An autoscaler in another version.
fn autoscaler<'a>(
    arena: &'a Arena,
    text: &str,
    convert: fn(&serde_json::Value) -> serde_json::Value,
) -> Map<'a> {
    // Both texts are our own.
    let converted = convert(&serde_json::from_str(text).unwrap_or_default()).to_string();
    match read_typed_form(arena, arena.alloc_str(&converted)) {
        Value::Map(object) => object,
        _ => Map::new_in(arena),
    }
}

/// The newer group leaves out what is empty; the core group writes it.
fn show_event(event: &mut Map<'_>) {
    EVENT.iter().for_each(|(stored, shown)| rename(event, stored, shown));
    for name in ["reportingController", "reportingInstance"] {
        if event.str(name).is_empty() {
            event.remove(name);
        }
    }
}

/// The other way round: an Event is stored as the core group writes it.
fn store_event(event: &mut Map<'_>) {
    EVENT.iter().for_each(|(stored, shown)| rename(event, shown, stored));
    for name in ["reportingComponent", "reportingInstance"] {
        if !event.has(name) {
            event.set(name, "");
        }
    }
}

/// Gives a field another name.
fn rename(object: &mut Map<'_>, from: &str, to: &'static str) {
    if let Some(value) = object.remove(from) {
        object.set(to, value);
    }
}
