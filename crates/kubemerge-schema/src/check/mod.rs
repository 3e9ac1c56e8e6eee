//! Finds what is wrong in a document: metadata that contradicts itself, and what the API server refuses.
//!
//! A custom resource definition with an error does not load; an OpenAPI document does, because Kubernetes'
//! own documents break some of these rules. The walk is here; each set of rules has its own file.

mod extension;
mod operation;
mod patch;
mod structural;

use serde_json::{Map, Value};

use crate::place::Place;
use crate::read::MAX_DEPTH;
use crate::{crd, openapi_v2, openapi_v3};

/// Something wrong in a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// How bad it is.
    pub severity: Severity,
    /// Where it is, e.g. `definitions[a.B].properties[c].x-kubernetes-list-type`.
    pub path: String,
    /// The name of the rule, for machines.
    pub rule: &'static str,
    /// What is wrong, in Kubernetes' words where it has some.
    pub message: String,
}

/// How bad a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// The metadata is used, but does not do what it seems to.
    Warning,
    /// The API server refuses it.
    Error,
}

impl std::fmt::Display for Finding {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {} [{}]", self.path, self.message, self.rule)
    }
}

/// Checks a document of any kind that [`crate::SchemaBuilder::document`] takes.
///
/// A document that is none of them has no findings: loading it says what is wrong.
pub fn document(document: &Value) -> Vec<Finding> {
    if crd::recognises(document) {
        custom_resource_definition(document)
    } else if openapi_v3::recognises(document) {
        openapi(document, "components.schemas", openapi_v3::schemas(document))
    } else if openapi_v2::recognises(document) {
        openapi(document, "definitions", openapi_v2::schemas(document))
    } else {
        Vec::new()
    }
}

fn openapi(document: &Value, at: &str, schemas: Option<&Value>) -> Vec<Finding> {
    let Some(Value::Object(definitions)) = schemas else { return Vec::new() };
    let mut check = Check::new(Rules::OpenApi, definitions);
    let place = Place::root(at);
    for (name, schema) in definitions {
        extension::kinds(&mut check, schema, &place.key(name));
        check.schema(schema, &place.key(name), 0);
    }
    operation::check(&mut check, document);
    check.finish()
}

pub(crate) fn custom_resource_definition(document: &Value) -> Vec<Finding> {
    let none = Map::new();
    let mut check = Check::new(Rules::CustomResource, &none);
    let versions = Place::root("spec");
    let versions = versions.keyword("versions");
    for (index, version) in crd::versions(document).iter().enumerate() {
        let place = versions.index(index);
        let place = place.keyword("schema");
        let place = place.keyword("openAPIV3Schema");
        let Some(schema) = crd::schema_of(version) else { continue };
        structural::check(&mut check, version, schema, &place);
        check.schema(schema, &place, 0);
    }
    check.finish()
}

/// Which rules a document is held to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Rules {
    OpenApi,
    CustomResource,
}

/// A walk over the schemas of one document.
struct Check<'v> {
    rules: Rules,
    definitions: &'v Map<String, Value>,
    findings: Vec<Finding>,
    /// Bytes of text in the findings.
    size: usize,
}

/// How much is reported about one document.
const MAX_FINDINGS: usize = 1_000;
const MAX_SIZE: usize = 1 << 20;

impl<'v> Check<'v> {
    fn new(rules: Rules, definitions: &'v Map<String, Value>) -> Check<'v> {
        Check { rules, definitions, findings: Vec::new(), size: 0 }
    }

    /// Reports something that the API server refuses in a custom resource definition.
    fn broken(&mut self, rule: &'static str, place: &Place<'_>, message: impl Into<String>) {
        let severity = match self.rules {
            Rules::OpenApi => Severity::Warning,
            Rules::CustomResource => Severity::Error,
        };
        self.report(severity, rule, place, message.into());
    }

    fn warn(&mut self, rule: &'static str, place: &Place<'_>, message: impl Into<String>) {
        self.report(Severity::Warning, rule, place, message.into());
    }

    fn report(&mut self, severity: Severity, rule: &'static str, place: &Place<'_>, message: String) {
        if self.findings.len() < MAX_FINDINGS && self.size < MAX_SIZE {
            let path = place.to_string();
            self.size += path.len() + message.len();
            self.findings.push(Finding { severity, path, rule, message });
        }
    }

    fn finish(mut self) -> Vec<Finding> {
        self.findings.sort_by(|left, right| (&left.path, left.rule).cmp(&(&right.path, right.rule)));
        self.findings
    }

    /// Checks a schema and all below it.
    fn schema(&mut self, schema: &'v Value, place: &Place<'_>, depth: usize) {
        let Value::Object(map) = schema else { return };
        if depth > MAX_DEPTH {
            return;
        }
        extension::check(self, map, place);
        patch::check(self, map, place);
        for (name, property) in members(map, "properties") {
            self.schema(property, &place.keyword("properties").key(name), depth + 1);
        }
        for keyword in ["items", "additionalProperties"] {
            if let Some(child) = map.get(keyword) {
                self.schema(child, &place.keyword(keyword), depth + 1);
            }
        }
    }

    /// The schema that describes the value: the end of the references of `map`.
    fn resolve(&self, map: &'v Map<String, Value>) -> &'v Map<String, Value> {
        let mut map = map;
        // As many steps as loading allows.
        for _ in 0..64 {
            match reference(map).and_then(|name| self.definitions.get(name)).and_then(Value::as_object) {
                Some(target) => map = target,
                None => break,
            }
        }
        map
    }

    /// The items of a list, after references.
    fn items(&self, map: &'v Map<String, Value>) -> Option<&'v Map<String, Value>> {
        let items = self.resolve(map).get("items").and_then(Value::as_object)?;
        Some(self.resolve(items))
    }
}

/// The name of the definition that a schema refers to, plainly or wrapped.
fn reference(map: &Map<String, Value>) -> Option<&str> {
    let wrapped = map.get("allOf").and_then(Value::as_array).and_then(|entries| entries.first());
    let reference = map.get("$ref").or_else(|| wrapped?.get("$ref"))?.as_str()?;
    reference.strip_prefix("#/definitions/").or_else(|| reference.strip_prefix("#/components/schemas/"))
}

/// The members of the object under a keyword.
fn members<'v>(map: &'v Map<String, Value>, keyword: &str) -> impl Iterator<Item = (&'v String, &'v Value)> {
    map.get(keyword).and_then(Value::as_object).into_iter().flatten()
}

/// The one word of `type`.
fn type_of(map: &Map<String, Value>) -> &str {
    map.get("type").and_then(Value::as_str).unwrap_or_default()
}

fn is_true(map: &Map<String, Value>, keyword: &str) -> bool {
    map.get(keyword) == Some(&Value::Bool(true))
}

/// The strings of the list under a keyword.
fn words<'v>(map: &'v Map<String, Value>, keyword: &str) -> Vec<&'v str> {
    map.get(keyword).and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect()
}
