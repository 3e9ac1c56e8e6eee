//! One served version of a custom resource.

use std::sync::{Arc, OnceLock};

use kubemerge::{Dialect, RuleSource, Schema, SchemaBuilder};
use kubemerge_kinds::{
    columns::TableColumn,
    custom::{
        definition::text,
        scale::{self, ScalePaths},
    },
    declared::DeclaredRules,
};
use kubemerge_schema::{DeclaredType, LoadError, Overlay};
use serde_json::{Value, json};

use crate::{
    catalog::resource::Resource,
    protocol::{
        group_version::api_version,
        status::{Outcome, bad_request},
    },
};

/// One served version of a custom resource.
#[derive(Debug)]
pub(crate) struct CustomVersion {
    /// What happens to objects, and what they must satisfy.
    pub(crate) rules: DeclaredRules,
    pub(crate) columns: Vec<TableColumn>,
    /// The warning for users of a deprecated version.
    pub(crate) deprecation: Option<String>,
    /// The definition has changed since its objects could first be stored.
    pub(crate) revised: bool,
    /// The definition is established: discovery and OpenAPI list its resources.
    pub(crate) established: bool,
    /// The definition is being deleted: nothing new is created.
    pub(crate) terminating: bool,
    /// The schema as it was written, for OpenAPI.
    pub(crate) open_api: Value,
    /// How objects of all versions merge and are owned.
    pub(crate) types: Arc<CustomTypes>,
}

/// The types of all versions of a definition, as merges and server-side apply see them: loaded once.
#[derive(Debug)]
pub(crate) struct CustomTypes {
    /// Group and version of all versions, whether served or not.
    pub(crate) api_versions: Vec<String>,
    definition: Value,
    overlays: Arc<[Overlay]>,
    loaded: OnceLock<Option<SchemaBuilder>>,
    ownership: OnceLock<Option<Schema>>,
    /// Made when the first strategic merge patch comes.
    merge: OnceLock<Option<Schema>>,
}

impl CustomTypes {
    pub(crate) fn of(definition: &Value, overlays: &Arc<[Overlay]>) -> CustomTypes {
        let mut definition = definition.clone();
        let group = text(&definition, "/spec/group").to_string();
        let mut api_versions = Vec::new();
        for version in
            definition.pointer_mut("/spec/versions").and_then(Value::as_array_mut).into_iter().flatten()
        {
            api_versions.push(api_version(&group, text(version, "/name")));
            // Managers may own fields in versions that are no longer served.
            version["served"] = json!(true);
        }
        let (loaded, ownership, merge) = (OnceLock::new(), OnceLock::new(), OnceLock::new());
        CustomTypes { api_versions, definition, overlays: overlays.clone(), loaded, ownership, merge }
    }

    /// Where each version has its replicas; none for versions without scale.
    pub(crate) fn scale_paths(&self) -> Vec<(String, Option<Vec<String>>)> {
        let versions =
            self.definition.pointer("/spec/versions").and_then(Value::as_array).into_iter().flatten();
        let path = |version: &Value| {
            let paths = scale::of_version(version).map(ScalePaths::read)?;
            Some(scale::names(&paths.spec_replicas).into_iter().map(str::to_string).collect())
        };
        self.api_versions.iter().cloned().zip(versions.map(path)).collect()
    }

    /// What values a version has; none if its definition cannot be loaded.
    pub(crate) fn declared(&self, version: &Value) -> Option<DeclaredType> {
        let api_version = api_version(text(&self.definition, "/spec/group"), text(version, "/name"));
        self.loaded()?.declared_type(&api_version, text(&self.definition, "/spec/names/kind"))
    }

    /// None for definitions whose schema has no types: their objects are tracked as they are.
    pub(crate) fn ownership(&self) -> Option<&Schema> {
        self.ownership.get_or_init(|| self.loaded()?.compile(Dialect::Upstream).ok()).as_ref()
    }

    /// The rules by which strategic merge patches merge, where they are taken at all: those of the dialect `spec`.
    fn merge(&self) -> Option<&Schema> {
        self.merge.get_or_init(|| self.loaded()?.compile(Dialect::Spec).ok()).as_ref()
    }

    fn loaded(&self) -> Option<&SchemaBuilder> {
        self.loaded.get_or_init(|| load(&self.definition, &self.overlays).ok()).as_ref()
    }
}

impl CustomVersion {
    /// How lists of this resource merge: by what its schema declares, and by overlays.
    pub(crate) fn merge_rules(&self, resource: &Resource) -> Outcome<RuleSource<'_>> {
        let ty = self.types.merge().and_then(|schema| schema.type_of(&resource.api_version, &resource.kind));
        ty.map(RuleSource::Type).ok_or_else(|| bad_request("strategic merge patch format is not supported"))
    }
}

/// Loads a definition with the rules of overlays that are about its types.
fn load(definition: &Value, overlays: &[Overlay]) -> Result<SchemaBuilder, LoadError> {
    let builder = SchemaBuilder::new().custom_resource_definition(definition)?;
    let own: Vec<Overlay> = overlays
        .iter()
        .map(|overlay| overlay.split(|rule| builder.has_type_of(rule)))
        .map(|[own, _]| own)
        .collect();
    Ok(own.into_iter().fold(builder, SchemaBuilder::overlay))
}

/// Refuses rules of overlays that are about no type of these definitions, or about fields that it does not have.
///
/// # Errors
/// What is wrong with the first such rule.
pub(crate) fn check_overlays(definitions: &[Value], overlays: &[Overlay]) -> Result<(), String> {
    let mut left = overlays.to_vec();
    for definition in definitions {
        // What cannot be loaded has no types that merge.
        let Ok(builder) = load(definition, overlays) else { continue };
        builder.compile(Dialect::Spec).map_err(|error| error.to_string())?;
        left = left
            .iter()
            .map(|overlay| overlay.split(|rule| builder.has_type_of(rule)))
            .map(|[_, rest]| rest)
            .collect();
    }
    match left.iter().flat_map(Overlay::rules).next() {
        None => Ok(()),
        Some(rule) => Err(format!(
            "{}: there is no such type in the schema (give the definition of a custom resource with the overlay)",
            rule.target
        )),
    }
}
