//! What the API server advises against in a definition: formats that it does not know, sets of objects or lists.

use serde_json::Value;

use super::schema::{any_schema, document};
use crate::custom::format::is_enforced;
use crate::field::Field;

/// The warnings about a definition that its stored form did not have.
pub(super) fn warnings(definition: Field<'_>, old: Option<Field<'_>>) -> Vec<String> {
    let known = old.map(of_one).unwrap_or_default();
    of_one(definition).into_iter().filter(|warning| !known.contains(warning)).collect()
}

fn of_one(definition: Field<'_>) -> Vec<String> {
    let versions = definition.fields(["spec", "versions"]);
    let schemas: Vec<Value> =
        versions.items().filter_map(|version| document(version.field("schema"))).collect();
    let mut found = Vec::new();
    schemas.iter().for_each(|schema| formats(schema, &mut found));
    // Upstream: sorted, after all formats.
    let mut sets = Vec::new();
    schemas.iter().for_each(|schema| sets_of_containers(schema, &mut sets));
    sets.sort();
    found.extend(sets);
    found
}

fn formats(schema: &Value, found: &mut Vec<String>) {
    each_schema(schema, &mut |schema| {
        let format = schema["format"].as_str().unwrap_or_default();
        if !format.is_empty() && !is_enforced(format, type_of(schema)) {
            add(found, format!("unrecognized format {format:?}"));
        }
    });
}

fn sets_of_containers(schema: &Value, found: &mut Vec<String>) {
    each_schema(schema, &mut |schema| {
        let items = schema["items"].get("type").and_then(Value::as_str).unwrap_or_default();
        if schema["x-kubernetes-list-type"] == "set" && matches!(items, "object" | "array") {
            add(
                found,
                format!(
                    "x-kubernetes-list-type: set for items of type {items:?} is not supported by server-side apply or \
                     CEL validation rules"
                ),
            );
        }
    });
}

/// A client sees each warning once.
fn add(found: &mut Vec<String>, warning: String) {
    if !found.contains(&warning) {
        found.push(warning);
    }
}

fn each_schema(schema: &Value, visit: &mut impl FnMut(&Value)) {
    let visit = std::cell::RefCell::new(visit);
    any_schema(schema, &|schema| {
        (visit.borrow_mut())(schema);
        false
    });
}

/// The type of a schema; none if its values may be integers or strings, which the formats of numbers do not mean.
fn type_of(schema: &Value) -> &str {
    let is_either = schema.get("x-kubernetes-int-or-string") == Some(&Value::Bool(true));
    schema.get("type").and_then(Value::as_str).filter(|_| !is_either).unwrap_or_default()
}
