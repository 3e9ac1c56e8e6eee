//! Custom resources: their definitions, and what a schema does to every object.

use std::sync::OnceLock;

use kubemerge::{Dialect, Guide, Schema, SchemaBuilder};
use kubemerge_kinds::{
    columns::Column,
    custom::{default, rules::Rules, scale::ScalePaths, structural::Structural, validate},
    field_error::FieldError,
};
use serde_json::{Value, json};

use crate::{
    api::call::Call,
    object::Object,
    protocol::status::{Outcome, bad_request},
    write::fields,
};

/// One served version of a custom resource.
#[derive(Debug)]
pub(crate) struct CustomVersion {
    /// None for definitions without a schema: everything is kept.
    pub(crate) schema: Option<Structural>,
    pub(crate) rules: Rules,
    pub(crate) columns: Vec<Column>,
    pub(crate) scale: Option<ScalePaths>,
    /// What users of a deprecated version are told.
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

/// Makes a stored object what the schema of today makes of it.
pub(crate) fn reread(version: &CustomVersion, object: &mut Object) {
    if let Some(schema) = &version.schema {
        drop(fields::prune_custom(object, schema));
        fill(version, object);
    }
}

/// Fills in the defaults of the schema.
pub(crate) fn fill(version: &CustomVersion, object: &mut Object) {
    let Some(schema) = &version.schema else { return };
    let mut tree = object.to_value();
    default::fill(&mut tree, schema);
    let own = |name: &str| !matches!(name, "apiVersion" | "kind" | "metadata");
    for (name, value) in tree.as_object().into_iter().flatten().filter(|(name, _)| own(name)) {
        drop(object.set(name, value));
    }
}

/// Validates; on an update, what was wrong before and is unchanged is let pass.
pub(crate) fn check(version: &CustomVersion, object: &Object, old: Option<&Object>) -> Vec<FieldError> {
    version
        .schema
        .as_ref()
        .map_or_else(Vec::new, |schema| complaints(version, schema, &object.to_value(), old))
}

fn complaints(
    version: &CustomVersion,
    schema: &Structural,
    tree: &Value,
    old: Option<&Object>,
) -> Vec<FieldError> {
    let old = old.map(Object::to_value);
    let mut errors = validate::validate(tree, old.as_ref(), schema);
    let repeats = |errors: &[FieldError]| errors.iter().any(FieldError::is_duplicate);
    // Lists may repeat items as long as the object has not been without repeated ones.
    if repeats(&errors) && old.as_ref().is_some_and(|old| repeats(&validate::validate(old, None, schema))) {
        errors.retain(|error| !error.is_duplicate());
    }
    // Rules are only evaluated on objects that have the right shape.
    if errors.is_empty() {
        errors = version.rules.check(tree, old.as_ref());
    }
    errors
}

/// Tells users of a deprecated version so.
pub(crate) fn warn_of_deprecation(call: &Call<'_>) {
    if let Some(text) = call.resource.custom().and_then(|version| version.deprecation.as_ref()) {
        call.warn(text.clone());
    }
}
