//! Finds what is wrong in a document: metadata that contradicts itself, and what the API server refuses.
//!
//! A custom resource definition with an error does not load; an OpenAPI document does, because Kubernetes'
//! own documents break some of these rules. The walk is here; each set of rules has its own file.

mod collect;
mod extension;
mod finding;
mod keyword;
mod list_map;
mod operation;
mod patch;
mod restriction;
mod root_keyword;
mod structural;
mod union;

use std::sync::LazyLock;

use serde_json::{Map, Value};

use crate::document::{
    DocumentFormat, DocumentPath, MAX_SCHEMA_DEPTH, V2_SCHEMAS, V3_SCHEMAS, crd_schema, crd_versions,
    v2_schemas, v3_schemas,
};

use collect::{Check, RuleSet, members};
pub use finding::{SchemaFinding, Severity, Violation, ViolationKind};
pub use root_keyword::{KEYWORDS, RootUse};

/// Checks a document of any kind that [`crate::SchemaBuilder::document`] takes.
///
/// Another document has no findings: loading it says what is wrong.
pub fn document(document: &Value) -> Vec<SchemaFinding> {
    match DocumentFormat::of(document) {
        Some(DocumentFormat::CustomResourceDefinition) => custom_resource_definition(document),
        Some(DocumentFormat::OpenApiV3) => openapi(document, V3_SCHEMAS, v3_schemas(document)),
        Some(DocumentFormat::OpenApiV2) => openapi(document, V2_SCHEMAS, v2_schemas(document)),
        // What is no schema has no rules to break; loading says that it is unknown.
        None => Vec::new(),
    }
}

fn openapi(document: &Value, at: &str, schemas: Option<&Value>) -> Vec<SchemaFinding> {
    let Some(Value::Object(definitions)) = schemas else { return Vec::new() };
    let mut check = Check::new(RuleSet::OpenApi, definitions);
    let path = DocumentPath::root(at);
    for (name, schema) in definitions {
        extension::kinds(&mut check, schema, &path.key(name));
        check_schema(&mut check, schema, &path.key(name), 0);
    }
    operation::check(&mut check, document);
    check.finish()
}

pub(crate) fn custom_resource_definition(document: &Value) -> Vec<SchemaFinding> {
    // Definitions cannot refer to others: `$ref` is refused in custom resources.
    let none = Map::new();
    let mut check = Check::new(RuleSet::CustomResource, &none);
    let versions = DocumentPath::root("spec");
    let versions = versions.keyword("versions");
    for (index, version) in crd_versions(document).iter().enumerate() {
        let path = versions.index(index);
        let path = path.keyword("schema");
        let path = path.keyword("openAPIV3Schema");
        let Some(schema) = crd_schema(version) else { continue };
        // First what the version as a whole forbids, then the schema node by node.
        structural::check_version(&mut check, version, schema, &path);
        structural::check(&mut check, schema, &path);
        keyword::check(&mut check, schema, &path);
        check_schema(&mut check, schema, &path, 0);
    }
    check.finish()
}

/// Checks that the schema of one version of a custom resource definition is structural. The path is that of the schema
/// in the definition.
pub fn structural_schema(schema: &Value, path: &str) -> Vec<SchemaFinding> {
    check_part(|check| structural::check(check, schema, &DocumentPath::root(path))).finish()
}

/// Checks the keywords of a schema in a custom resource definition, whether or not it is structural.
///
/// The findings are in the order in which the API server tells them.
pub fn schema_keywords(schema: &Value, path: &str) -> Vec<SchemaFinding> {
    check_part(|check| keyword::check(check, schema, &DocumentPath::root(path))).into_findings()
}

fn check_part<'v>(part: impl FnOnce(&mut Check<'v>)) -> Check<'v> {
    static NONE: LazyLock<Map<String, Value>> = LazyLock::new(Map::new);
    let mut check = Check::new(RuleSet::CustomResource, &NONE);
    part(&mut check);
    check
}

/// Checks a schema and all below it.
fn check_schema<'v>(check: &mut Check<'v>, schema: &'v Value, path: &DocumentPath<'_>, depth: usize) {
    let Value::Object(map) = schema else { return };
    // Loading refuses deeper schemas; this only bounds the recursion.
    if depth > MAX_SCHEMA_DEPTH {
        return;
    }
    if check.rules == RuleSet::OpenApi {
        extension::check_flags(check, map, path);
        extension::int_or_string(check, map, path);
        extension::check(check, map, path);
    }
    union::check(check, map, path);
    patch::check(check, map, path);
    for (name, property) in members(map, "properties") {
        check_schema(check, property, &path.keyword("properties").key(name), depth + 1);
    }
    for keyword in ["items", "additionalProperties"] {
        if let Some(child) = map.get(keyword) {
            check_schema(check, child, &path.keyword(keyword), depth + 1);
        }
    }
}
