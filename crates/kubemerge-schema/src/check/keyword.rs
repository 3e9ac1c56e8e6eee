//! What the API server says about the keywords of a schema in a definition, restrictions included.
//!
//! These rules hold whether or not the schema is structural ([`super::structural`]), and they are reported beside the
//! structural ones.

use serde_json::{Map, Value, json};

use super::collect::{Check, members, type_of};
use super::extension::{self, EMBEDDED};
use super::finding::ViolationKind::{Forbidden, NotSupported};
use crate::document::{DocumentPath, MAX_SCHEMA_DEPTH, is_true};

type JsonMap = Map<String, Value>;

/// Keywords that no schema of a custom resource may have.
const UNSUPPORTED: [&str; 6] =
    ["id", "$ref", "patternProperties", "dependencies", "additionalItems", "definitions"];

/// The types of values.
const TYPES: &[&str] = &["array", "boolean", "integer", "number", "object", "string"];

/// A schema and what is known from the schemas around it.
#[derive(Clone, Copy)]
struct Position<'p> {
    is_root: bool,
    in_metadata: bool,
    /// Where the schema is, if it may have no defaults there.
    no_defaults: Option<&'p str>,
    depth: usize,
}

/// Checks a schema and all below it.
pub(super) fn check<'v>(check: &mut Check<'v>, schema: &'v Value, path: &DocumentPath<'_>) {
    if let Value::Object(map) = schema {
        if is_true(map, "nullable") {
            let detail = "nullable cannot be true at the root";
            check.violates("structural-root", &path.keyword("nullable"), Forbidden, detail);
        }
        walk(check, map, path, Position { is_root: true, in_metadata: false, no_defaults: None, depth: 0 });
    }
}

fn walk<'v>(check: &mut Check<'v>, map: &'v JsonMap, path: &DocumentPath<'_>, position: Position<'_>) {
    // Loading refuses deeper schemas.
    if position.depth > MAX_SCHEMA_DEPTH {
        return;
    }
    typed(check, map, path);
    if let Some(place) = position.no_defaults.filter(|_| is_given(map, "default")) {
        let detail = format!("must not be set {place}");
        check.violates("default-in-metadata", &path.keyword("default"), Forbidden, detail);
    }
    unsupported(check, map, path);
    if position.in_metadata && is_true(map, EMBEDDED) {
        let detail = "must not be used inside of resource meta";
        check.violates("metadata-implied", &path.keyword(EMBEDDED), Forbidden, detail);
    }
    let has_properties = members(map, "properties").next().is_some();
    if has_properties && is_given(map, "additionalProperties") && !is_true(map, "additionalProperties") {
        let detail = "additionalProperties and properties are mutual exclusive";
        let at = path.keyword("additionalProperties");
        check.violates("properties-exclude-additional", &at, Forbidden, detail);
    }
    walk_values(check, map, path, position);
    walk_restrictions(check, map, path, position);
    walk_items(check, map, path, position);
    extension::check(check, map, path);
}

fn typed(check: &mut Check<'_>, map: &JsonMap, path: &DocumentPath<'_>) {
    let (word, at) = (type_of(map), path.keyword("type"));
    if !word.is_empty() && !TYPES.contains(&word) {
        check.not_supported("type-value", &at, NotSupported { value: json!(word), supported: TYPES });
    }
    if word == "null" {
        let detail = "type cannot be set to null, use nullable as an alternative";
        check.violates("type-value", &at, Forbidden, detail);
    }
}

fn unsupported(check: &mut Check<'_>, map: &JsonMap, path: &DocumentPath<'_>) {
    for word in UNSUPPORTED.into_iter().filter(|word| map.contains_key(*word)) {
        let detail = format!("{word} is not supported");
        check.violates("keyword-not-supported", &path.keyword(word), Forbidden, detail);
    }
    if map.contains_key("$schema") {
        // Upstream: refused as a part of the whole schema, unless something else is wrong with it.
        check.broken("keyword-not-supported", &path.keyword("$schema"), "$schema is not supported");
    }
    if matches!(map.get("items"), Some(Value::Array(_))) {
        let detail = "items must be a schema object and not an array";
        check.violates("keyword-not-supported", &path.keyword("items"), Forbidden, detail);
    }
    if is_true(map, "uniqueItems") {
        let detail = "uniqueItems cannot be set to true since the runtime complexity becomes quadratic";
        check.violates("unique-items", &path.keyword("uniqueItems"), Forbidden, detail);
    }
}

/// The schemas of the fields in a value.
fn walk_values<'v>(check: &mut Check<'v>, map: &'v JsonMap, path: &DocumentPath<'_>, position: Position<'_>) {
    let below = Position { is_root: false, depth: position.depth + 1, ..position };
    if let Some(Value::Object(values)) = map.get("additionalProperties") {
        let place = "inside additionalProperties applying to object metadata";
        let no_defaults = if position.in_metadata { Some(place) } else { position.no_defaults };
        walk(check, values, &path.keyword("additionalProperties"), Position { no_defaults, ..below });
    }
    let is_whole = position.is_root || is_true(map, EMBEDDED);
    for (name, property) in members(map, "properties") {
        let Value::Object(property) = property else { continue };
        let is_meta = is_whole && matches!(name.as_str(), "metadata" | "kind" | "apiVersion");
        let place = format!("in top-level {name}");
        let no_defaults = if is_meta && position.is_root { Some(&*place) } else { position.no_defaults };
        let below = Position { in_metadata: position.in_metadata || is_meta, no_defaults, ..below };
        walk(check, property, &path.keyword("properties").key(name), below);
    }
}

/// The schemas of the items in a value.
fn walk_items<'v>(check: &mut Check<'v>, map: &'v JsonMap, path: &DocumentPath<'_>, position: Position<'_>) {
    let below = Position { is_root: false, depth: position.depth + 1, ..position };
    match map.get("items") {
        Some(Value::Object(items)) => walk(check, items, &path.keyword("items"), below),
        Some(Value::Array(list)) => {
            for (index, items) in list.iter().enumerate() {
                walk_any(check, items, &path.keyword("items").index(index), below);
            }
        }
        _ => {}
    }
}

/// The schemas that a value must satisfy, too.
fn walk_restrictions<'v>(
    check: &mut Check<'v>,
    map: &'v JsonMap,
    path: &DocumentPath<'_>,
    position: Position<'_>,
) {
    let below = Position { is_root: false, depth: position.depth + 1, ..position };
    if let Some(not) = map.get("not") {
        walk_any(check, not, &path.keyword("not"), below);
    }
    for word in ["allOf", "oneOf", "anyOf"] {
        let branches = map.get(word).and_then(Value::as_array).into_iter().flatten();
        for (index, branch) in branches.enumerate() {
            walk_any(check, branch, &path.keyword(word).index(index), below);
        }
    }
    for word in ["definitions", "dependencies"] {
        for (name, schema) in members(map, word) {
            walk_any(check, schema, &path.keyword(word).key(name), below);
        }
    }
}

fn walk_any<'v>(check: &mut Check<'v>, schema: &'v Value, path: &DocumentPath<'_>, position: Position<'_>) {
    if let Value::Object(map) = schema {
        walk(check, map, path, position);
    }
}

/// Whether a keyword has a value; null means that it has none.
pub(super) fn is_given(map: &JsonMap, keyword: &str) -> bool {
    map.get(keyword).is_some_and(|value| !value.is_null())
}
