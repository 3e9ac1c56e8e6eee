//! One served version of a custom resource.

use std::sync::{Arc, OnceLock};

use kubemerge::{Dialect, Guide, Schema, SchemaBuilder};
use kubemerge_kinds::{
    columns::TableColumn,
    custom::{
        definition::text,
        rules::CelRules,
        scale::{self, ScalePaths},
        structural::Structural,
    },
};
use kubemerge_schema::TypeTable;
use serde_json::{Value, json};

use crate::protocol::{
    group_version::api_version,
    status::{Outcome, bad_request},
};

/// One served version of a custom resource.
#[derive(Debug)]
pub(crate) struct CustomVersion {
    /// None for definitions without a schema: everything is kept.
    pub(crate) schema: Option<Structural>,
    pub(crate) rules: CelRules,
    pub(crate) columns: Vec<TableColumn>,
    pub(crate) scale: Option<ScalePaths>,
    /// The warning for users of a deprecated version.
    pub(crate) deprecation: Option<String>,
    /// The definition has changed since its objects could first be stored.
    pub(crate) revised: bool,
    /// The definition is being deleted: nothing new is created.
    pub(crate) terminating: bool,
    /// The schema as it was written, for OpenAPI.
    pub(crate) open_api: Value,
    /// The rules by which strategic merge patches merge, made when the first one comes.
    pub(crate) merge: OnceLock<Option<Schema>>,
    /// The types of server-side apply, of all versions.
    pub(crate) types: Arc<CustomTypes>,
}

/// The types of all versions of a definition, as server-side apply sees them.
#[derive(Debug)]
pub(crate) struct CustomTypes {
    /// Group and version of all versions, whether served or not.
    pub(crate) api_versions: Vec<String>,
    definition: Value,
    table: OnceLock<Option<TypeTable>>,
}

impl CustomTypes {
    pub(crate) fn of(definition: &Value) -> CustomTypes {
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
        CustomTypes { api_versions, definition, table: OnceLock::new() }
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

    /// None for definitions whose schema has no types: their objects are tracked as they are.
    pub(crate) fn table(&self) -> Option<&TypeTable> {
        let compile = || {
            let schema = SchemaBuilder::new().custom_resource_definition(&self.definition).ok()?;
            Some(TypeTable::compile(&schema.compile(Dialect::Upstream).ok()?))
        };
        self.table.get_or_init(compile).as_ref()
    }
}

/// The name under which a schema is known to the merge.
const ROOT: &str = "Root";

impl CustomVersion {
    /// How lists of this resource merge: by the keys its schema declares.
    pub(crate) fn merge_guide(&self) -> Outcome<Guide<'_>> {
        let compile = || {
            let document = json!({"components": {"schemas": {ROOT: with_metadata(&self.open_api)}}});
            SchemaBuilder::new().openapi_v3(&document).ok()?.compile(Dialect::Spec).ok()
        };
        let schema = self.merge.get_or_init(compile).as_ref();
        let ty = schema.and_then(|schema| schema.definition(ROOT));
        ty.map(Guide::Type).ok_or_else(|| bad_request("strategic merge patch format is not supported"))
    }
}

/// The schema with the metadata that all objects have; definitions do not declare it.
fn with_metadata(schema: &Value) -> Value {
    let mut schema = if schema.is_object() { schema.clone() } else { json!({"type": "object"}) };
    let finalizers = json!({"type": "array", "items": {"type": "string"}, "x-kubernetes-list-type": "set"});
    let owners = json!({"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["uid"],
        "items": {"type": "object", "required": ["uid"], "properties": {"uid": {"type": "string"}}}});
    schema["properties"]["metadata"] =
        json!({"type": "object", "properties": {"finalizers": finalizers, "ownerReferences": owners}});
    schema
}
