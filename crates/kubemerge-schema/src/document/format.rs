//! The three formats of documents, and where each has its schemas.

use serde_json::Value;

/// The format of a document, decided by the fields it has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DocumentFormat {
    OpenApiV2,
    OpenApiV3,
    CustomResourceDefinition,
}

impl DocumentFormat {
    /// The format of a document, if it is one of the three.
    pub(crate) fn of(document: &Value) -> Option<DocumentFormat> {
        let has = |name: &str| document.get(name).is_some();
        if document.get("kind").is_some_and(|kind| kind == "CustomResourceDefinition") {
            Some(DocumentFormat::CustomResourceDefinition)
        // The version keyword, or the schemas alone: users cut documents down to what they need.
        } else if has("openapi") || has("components") {
            Some(DocumentFormat::OpenApiV3)
        } else if has("swagger") || has("definitions") {
            Some(DocumentFormat::OpenApiV2)
        } else {
            None
        }
    }
}

/// The version of Kubernetes whose API server has written a document, such as `v1.37.0`: what it says about built-in
/// kinds belongs to the built-in tables of that version. None for documents of anything else.
pub fn kubernetes_version(document: &Value) -> Option<&str> {
    let text = |name: &str| document.get("info")?.get(name)?.as_str();
    text("version").filter(|_| text("title") == Some("Kubernetes"))
}

/// The path of the named schemas of an OpenAPI v2 document, for messages.
pub(crate) const V2_SCHEMAS: &str = "definitions";
/// The path of the named schemas of an OpenAPI v3 document, for messages.
pub(crate) const V3_SCHEMAS: &str = "components.schemas";

/// The named schemas of an OpenAPI v2 document.
pub(crate) fn v2_schemas(document: &Value) -> Option<&Value> {
    document.get("definitions")
}

/// The named schemas of an OpenAPI v3 document.
pub(crate) fn v3_schemas(document: &Value) -> Option<&Value> {
    document.get("components").and_then(|components| components.get("schemas"))
}

/// The entries of `spec.versions` of a custom resource definition.
pub(crate) fn crd_versions(document: &Value) -> &[Value] {
    let versions = document.get("spec").and_then(|spec| spec.get("versions")).and_then(Value::as_array);
    versions.map(Vec::as_slice).unwrap_or_default()
}

/// The schema of an entry of `spec.versions`.
pub(crate) fn crd_schema(version: &Value) -> Option<&Value> {
    version.get("schema")?.get("openAPIV3Schema")
}
