//! Loads OpenAPI v3 documents, as the API server publishes one per group and version.
//!
//! References resolve within their document. Documents of one server repeat definitions of each other; one
//! that repeats only known definitions, word for word, shares them instead of adding copies.

use serde_json::Value;

use super::openapi::{self, Definitions};
use super::paths;
use super::reader::{AllOf, Syntax};
use crate::document::{V3_SCHEMAS, v3_schemas};
use crate::error::LoadError;
use crate::model::{Column, Model};

const SYNTAX: Syntax =
    Syntax { column: Column::V3, prefix: "#/components/schemas/", all_of: AllOf::Describes };

/// Adds the definitions of a document to the model.
pub(crate) fn load(model: &mut Model, document: &Value) -> Result<(), LoadError> {
    openapi::load(model, SYNTAX, Definitions { at: V3_SCHEMAS, schemas: v3_schemas(document) })?;
    paths::load(model, document);
    Ok(())
}

/// Whether a document has any schemas; some that a server publishes list paths only.
#[cfg(feature = "generate")]
pub(crate) fn has_schemas(document: &Value) -> bool {
    v3_schemas(document).and_then(Value::as_object).is_some_and(|schemas| !schemas.is_empty())
}
