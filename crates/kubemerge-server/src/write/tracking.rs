//! Where a write arrives, as field managers see it: types, versions, fields that are reset, and the form in which objects
//! are tracked.
//!
//! Built-in objects are tracked in the form that Kubernetes' Go types give them, so that a zero value that Go leaves out
//! has no owner. Custom resources are tracked as they are.

use std::borrow::Cow;

use kubemerge_kinds::{BuiltinKind, reset_fields};
use kubemerge_schema::{Schema, TypeRef};
use kubemerge_ssa::{
    ConversionError, SameForm, VersionConverter,
    fieldpath::{FieldOrder, FieldSet},
    managed_fields::Endpoint,
    value::{Arena, ParsedValue},
};
use kubemerge_value::{Canonical, SharedValue};

use crate::{
    catalog::{
        Resource,
        cluster::{Cluster, Validation},
    },
    object::{Object, view},
    store::{Ownership, Record},
    write::{kind_rules, request::Old},
};

/// An endpoint whose writes are tracked.
#[derive(Clone, Copy)]
pub(crate) struct Tracked<'c> {
    pub(crate) cluster: &'c Cluster,
    pub(crate) resource: &'c Resource,
    /// Empty for the object itself.
    pub(crate) subresource: &'c str,
}

impl<'c> Tracked<'c> {
    /// The order inside `fieldsV1`: the API server holds that of custom resources as a sorted map.
    pub(crate) fn order(self) -> FieldOrder {
        if self.resource.custom().is_some() { FieldOrder::Label } else { FieldOrder::Path }
    }

    /// Runs an operation of the field manager at this endpoint, on an object that may not exist yet.
    pub(crate) fn run<R>(self, arena: &Arena, operation: impl FnOnce(&Endpoint<'_>) -> R) -> R {
        let empty = match self.resource.custom() {
            Some(_) => bare(self.resource, arena),
            None => {
                let text = self.resource.empty(|| self.typed_empty());
                text.map_or_else(
                    || bare(self.resource, arena),
                    |text| ParsedValue::from_canonical(text, arena),
                )
            }
        };
        self.run_with(empty, arena, operation)
    }

    /// Runs an operation on an object that exists, which needs no empty one.
    pub(crate) fn run_on_stored<R>(self, arena: &Arena, operation: impl FnOnce(&Endpoint<'_>) -> R) -> R {
        self.run_with(ParsedValue::Map(&[]), arena, operation)
    }

    fn run_with<R>(
        self,
        empty: ParsedValue<'_>,
        arena: &Arena,
        operation: impl FnOnce(&Endpoint<'_>) -> R,
    ) -> R {
        let reset_fields = FieldSet::of_names(self.reset_fields(), arena);
        let resource = self.resource;
        let run = |versions: &dyn VersionConverter| {
            let endpoint = Endpoint {
                versions,
                api_version: &resource.api_version,
                kind: &resource.kind,
                subresource: self.subresource,
                reset_fields: &reset_fields,
                order: self.order(),
                empty,
            };
            operation(&endpoint)
        };
        match resource.custom() {
            Some(version) => {
                let known: Vec<&str> = version.types.api_versions.iter().map(String::as_str).collect();
                match version.types.table() {
                    Some(table) => run(&SameForm::custom_resource(table, &resource.kind, &known)),
                    // A definition without a schema: lists are owned as a whole.
                    None => run(&SameForm::schemaless(self.cluster.types())),
                }
            }
            None => {
                let same = SameForm::built_in(self.cluster.types(), &resource.kind);
                run(&BuiltInVersions { same, schema: &self.cluster.schema, resource })
            }
        }
    }

    /// Whether a write that changes nothing leaves all entries as they are. Two with one identity, as a scale leaves them,
    /// become one, and managers of a version that is gone are forgotten.
    pub(crate) fn keeps_entries(self, live: &Ownership) -> bool {
        let entries = live.entries();
        let is_own = |version: &str| version == self.resource.api_version;
        entries.entries().iter().all(|entry| is_own(&entry.api_version)) && !entries.has_repeated_identity()
    }

    /// Whether objects are tracked in the form in which they are stored, in all versions of their kind.
    pub(crate) fn is_tracked_as_is(self) -> bool {
        self.cluster.validation == Validation::Off
            && self.resource.custom().is_none()
            && !KINDS_WITH_OTHER_FIELDS.contains(&self.resource.kind.as_str())
    }

    fn reset_fields(self) -> &'static [reset_fields::Names] {
        match self.resource.entry() {
            Some(entry) => entry.resets(self.subresource),
            None if self.resource.has_status() => reset_fields::custom_with_status(self.subresource),
            None => &[],
        }
    }

    /// An object in the version of the request and in the form in which it is tracked.
    pub(crate) fn form(self, object: &Object) -> Record {
        let mut object = Cow::Borrowed(object);
        if object.api_version != self.resource.api_version {
            object.to_mut().api_version.clone_from(&self.resource.api_version);
        }
        let is_typed = kind_rules::of(self.cluster, self.resource).is_some();
        let record = object.record();
        let typed = if is_typed { None } else { self.typed(&record.shared()) };
        let typed = typed.and_then(|typed| Object::read(&typed).ok());
        typed.map_or(record, |typed| typed.record())
    }

    /// A stored object in that form.
    pub(crate) fn stored_form(self, object: &Object) -> Record {
        // Events of the other group are stored with the names of the core group.
        let shown = view::renamed(self.resource, object);
        self.form(shown.as_ref().unwrap_or(object))
    }

    /// The stored object of a write in that form.
    pub(crate) fn old_form(self, old: Old<'_>) -> Record {
        if self.is_stored_form(old) { old.stored.record.clone() } else { self.stored_form(old.object) }
    }

    /// Whether the stored object of a write is in that form: objects with rules are stored in their typed form.
    pub(crate) fn is_stored_form(self, old: Old<'_>) -> bool {
        let record = &old.stored.record;
        kind_rules::of(self.cluster, self.resource).is_some()
            && record.api_version() == self.resource.api_version
            && view::is_as_stored(self.resource, record)
    }

    /// The typed form of a built-in object whose kind has no rules yet; objects with rules have it already.
    fn typed(self, document: &SharedValue) -> Option<SharedValue> {
        if self.resource.custom().is_some() || self.cluster.validation == Validation::Off {
            return None;
        }
        kind_rules::typed_form(self.resource.built_in(&self.cluster.schema)?, document)
    }

    /// What Go writes of an object without content.
    fn typed_empty(self) -> Option<Canonical> {
        let Resource { api_version, kind, .. } = self.resource;
        let text = serde_json::json!({"apiVersion": api_version, "kind": kind}).to_string();
        let bare = Canonical::from_bytes(text.as_bytes()).ok()?;
        let typed = self.typed(&bare.into())?;
        Canonical::from_bytes(typed.as_bytes()).ok()
    }
}

/// The versions of a built-in kind, which differ in `apiVersion` only for nearly all kinds.
struct BuiltInVersions<'t> {
    same: SameForm<'t>,
    schema: &'t Schema,
    resource: &'t Resource,
}

impl BuiltInVersions<'_> {
    /// Whether the endpoint knows the types of a version.
    ///
    /// Upstream: `/api` and `/apis` have tables of types of their own. Managers of an Event that wrote through the
    /// other one are forgotten (`conformance/api/core/event.yaml`).
    fn is_known(&self, api_version: &str) -> bool {
        let is_core = |api_version: &str| !api_version.contains('/');
        is_core(api_version) == is_core(&self.resource.api_version)
    }

    /// What Go writes of an object in its own version; what does not fit its type stays as it is.
    fn typed(&self, api_version: &str, object: SharedValue) -> SharedValue {
        let kind = BuiltinKind::find(self.schema, api_version, &self.resource.kind);
        kind.and_then(|kind| kind_rules::typed_form(kind, &object)).unwrap_or(object)
    }

    /// The object in a version with other fields; none if only `apiVersion` differs.
    fn with_other_fields(&self, object: ParsedValue<'_>, api_version: &str) -> Option<SharedValue> {
        let given = object.get("apiVersion")?.as_str()?;
        if !view::has_other_fields(&self.resource.kind, given, api_version) {
            return None;
        }
        // Conversion is between Go types: an explicit null is gone after it.
        let typed = self.typed(given, Canonical::from_bytes(&object.to_json()).ok()?.into());
        let other = view::autoscaler_in(&serde_json::from_slice(typed.as_bytes()).ok()?, api_version);
        let other = Canonical::from_bytes(other.to_string().as_bytes()).ok()?;
        Some(self.typed(api_version, other.into()))
    }
}

impl VersionConverter for BuiltInVersions<'_> {
    fn type_of(&self, api_version: &str) -> Option<TypeRef<'_>> {
        self.same.type_of(api_version).filter(|_| self.is_known(api_version))
    }

    fn convert<'a>(
        &self,
        object: ParsedValue<'a>,
        api_version: &'a str,
        arena: &'a Arena,
    ) -> Result<ParsedValue<'a>, ConversionError> {
        if !self.is_known(api_version) {
            return Err(ConversionError::MissingVersion);
        }
        match self.with_other_fields(object, api_version) {
            None => self.same.convert(object, api_version, arena),
            Some(other) => ParsedValue::parse(arena.alloc_slice_copy(other.as_bytes()), arena)
                .map_err(|error| ConversionError::Failed(error.to_string())),
        }
    }
}

/// Kinds whose fields differ between their versions or groups.
const KINDS_WITH_OTHER_FIELDS: [&str; 2] = ["Event", "HorizontalPodAutoscaler"];

/// An object with nothing but its type.
fn bare<'a>(resource: &'a Resource, arena: &'a Arena) -> ParsedValue<'a> {
    let kind = ParsedValue::Map(&[]).with_member("kind", ParsedValue::String(&resource.kind), arena);
    kind.with_member("apiVersion", ParsedValue::String(&resource.api_version), arena)
}
