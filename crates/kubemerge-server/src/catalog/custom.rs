//! One served version of a custom resource.

use std::sync::OnceLock;

use kubemerge::{Dialect, Guide, Schema, SchemaBuilder};
use kubemerge_kinds::{
    columns::TableColumn,
    custom::{rules::CelRules, scale::ScalePaths, structural::Structural},
};
use serde_json::{Value, json};

use crate::protocol::status::{Outcome, bad_request};

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
}

/// The name under which a schema is known to the merge.
const ROOT: &str = "Root";

impl CustomVersion {
    /// How lists of this resource merge: by the keys its schema declares.
    pub(crate) fn merge_guide(&self) -> Outcome<Guide<'_>> {
        let compile = || {
            let document = json!({"components": {"schemas": {ROOT: self.open_api}}});
            SchemaBuilder::new().openapi_v3(&document).ok()?.compile(Dialect::Spec).ok()
        };
        let schema = self.merge.get_or_init(compile).as_ref();
        let ty = schema.and_then(|schema| schema.definition(ROOT));
        ty.map(Guide::Type).ok_or_else(|| bad_request("strategic merge patch format is not supported"))
    }
}
