//! Loads an OpenAPI v2 document: the `swagger.json` of an API server.
//!
//! Version 2 writes extensions beside `$ref` and publishes no defaults.

use serde_json::Value;

use crate::error::LoadError;
use crate::model::{Column, Model};
use crate::openapi::{self, Definitions};
use crate::read::{AllOf, Syntax};

const SYNTAX: Syntax = Syntax { column: Column::V2, prefix: "#/definitions/", all_of: AllOf::Restricts };

/// Whether a document looks like OpenAPI v2.
pub(crate) fn recognises(document: &Value) -> bool {
    document.get("swagger").is_some() || document.get("definitions").is_some()
}

/// Adds the definitions of a document to the model.
pub(crate) fn load(model: &mut Model, document: &Value) -> Result<(), LoadError> {
    openapi::load(model, SYNTAX, Definitions { at: "definitions", schemas: schemas(document) })
}

/// The named schemas of a document.
pub(crate) fn schemas(document: &Value) -> Option<&Value> {
    document.get("definitions")
}
