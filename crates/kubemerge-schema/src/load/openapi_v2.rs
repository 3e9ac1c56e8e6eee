//! Loads an OpenAPI v2 document: the `swagger.json` of an API server.
//!
//! Version 2 writes extensions beside `$ref` and publishes no defaults.

use serde_json::Value;

use super::openapi::{self, Definitions};
use super::paths;
use super::reader::{AllOf, Syntax};
use crate::document::{V2_SCHEMAS, v2_schemas};
use crate::error::LoadError;
use crate::model::{Column, Model};

const SYNTAX: Syntax = Syntax { column: Column::V2, prefix: "#/definitions/", all_of: AllOf::Restricts };

/// Adds the definitions of a document to the model.
pub(crate) fn load(model: &mut Model, document: &Value) -> Result<(), LoadError> {
    openapi::load(model, SYNTAX, Definitions { at: V2_SCHEMAS, schemas: v2_schemas(document) })?;
    paths::load(model, document);
    Ok(())
}
