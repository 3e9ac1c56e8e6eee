//! Loads OpenAPI v3 documents, as the API server publishes one per group and version.
//!
//! References resolve within their document. Documents of one server repeat definitions of each other; one
//! that repeats only known definitions, word for word, shares them instead of adding copies.

use serde_json::Value;

use crate::error::LoadError;
use crate::model::{Column, Model};
use crate::openapi::{self, Definitions};
use crate::read::{AllOf, Syntax};

const SYNTAX: Syntax =
    Syntax { column: Column::V3, prefix: "#/components/schemas/", all_of: AllOf::Describes };

/// Whether a document looks like OpenAPI v3.
pub(crate) fn recognises(document: &Value) -> bool {
    document.get("openapi").is_some() || document.get("components").is_some()
}

/// Adds the definitions of a document to the model.
pub(crate) fn load(model: &mut Model, document: &Value) -> Result<(), LoadError> {
    openapi::load(model, SYNTAX, Definitions { at: "components.schemas", schemas: schemas(document) })
}

/// The named schemas of a document.
pub(crate) fn schemas(document: &Value) -> Option<&Value> {
    document.get("components").and_then(|components| components.get("schemas"))
}

/// Whether a document holds schemas at all; some that a server publishes list paths only.
#[cfg(feature = "generate")]
pub(crate) fn defines_something(document: &Value) -> bool {
    schemas(document).and_then(Value::as_object).is_some_and(|schemas| !schemas.is_empty())
}
