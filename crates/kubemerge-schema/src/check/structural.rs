//! What the API server demands of the schema of a custom resource: that it is structural.
//!
//! `kubemerge-kinds` reports the same violations as field errors. [`super::extension`] has the rules about
//! list and map types, [`super::restriction`] those about `allOf`, `anyOf`, `oneOf` and `not`.

use serde_json::{Map, Value, json};

use super::collect::{Check, members, type_of};
use super::extension::{self, EMBEDDED, INT_OR_STRING, PRESERVE_UNKNOWN};
use super::finding::ViolationKind::{Forbidden, Invalid, Required};
use super::keyword::is_given;
use super::restriction;
use super::root_keyword::{RootUse, root_use};
use crate::document::{DocumentPath, MAX_SCHEMA_DEPTH, is_true};

type JsonMap = Map<String, Value>;

/// What a schema describes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Level {
    Root,
    Item,
    Field,
}

/// A schema and what is known from the schemas around it.
#[derive(Clone, Copy)]
struct Position {
    level: Level,
    depth: usize,
}

impl Position {
    fn below(self, level: Level) -> Position {
        Position { level, depth: self.depth + 1 }
    }
}

/// Checks what a version of a definition says besides its schema.
pub(super) fn check_version(check: &mut Check<'_>, version: &Value, schema: &Value, path: &DocumentPath<'_>) {
    let Value::Object(map) = schema else { return };
    if version.get("subresources").and_then(|parts| parts.get("status")).is_some() {
        // The server validates status apart from the rest, which works with these keywords at the root alone.
        for word in map.keys().filter(|word| root_use(word) == RootUse::WithoutStatus) {
            let message = "must not be used at the root if the status subresource is enabled";
            check.broken("status-subresource-root", &path.keyword(word), message);
        }
    }
}

/// Checks a schema and all below it.
pub(super) fn check(check: &mut Check<'_>, schema: &Value, path: &DocumentPath<'_>) {
    let Value::Object(map) = schema else { return };
    root(check, map, path);
    walk(check, map, path, Position { level: Level::Root, depth: 0 });
    restriction::check_completeness(check, map, path);
}

fn root(check: &mut Check<'_>, map: &JsonMap, path: &DocumentPath<'_>) {
    if is_given(map, "additionalProperties") {
        let at = path.keyword("additionalProperties");
        check.violates("structural-root", &at, Forbidden, "must not be used at the root");
    }
    if !matches!(type_of(map), "" | "object") {
        let kind = Invalid(json!(type_of(map)));
        check.violates("structural-root", &path.keyword("type"), kind, "must be object at the root");
    }
    root_metadata(check, map, path);
}

/// `metadata` is implied; only the two names may be restricted.
fn root_metadata(check: &mut Check<'_>, map: &JsonMap, path: &DocumentPath<'_>) {
    let Some(metadata) = property(map, "metadata") else { return };
    let is_name = |name: &str| matches!(name, "name" | "generateName");
    let is_allowed = |(keyword, value): (&String, &Value)| match keyword.as_str() {
        // `default` has a finding of its own.
        "type" | "default" => true,
        "properties" => value.as_object().is_some_and(|map| map.keys().all(|name| is_name(name))),
        _ => value.is_null(),
    };
    if !metadata.iter().all(is_allowed) {
        let detail = "must not specify anything other than name and generateName, but metadata is implicitly specified";
        check.violates("metadata-implied", &path.keyword("properties").key("metadata"), Forbidden, detail);
    }
}

fn walk(check: &mut Check<'_>, map: &JsonMap, path: &DocumentPath<'_>, position: Position) {
    // Loading refuses deeper schemas.
    if position.depth > MAX_SCHEMA_DEPTH {
        return;
    }
    typed(check, map, path, position.level);
    names(check, map, path, position.level);
    extension::check_flags(check, map, path);
    restriction::check(check, map, path);
    walk_children(check, map, path, position);
}

fn walk_children(check: &mut Check<'_>, map: &JsonMap, path: &DocumentPath<'_>, position: Position) {
    for (name, property) in members(map, "properties") {
        if let Value::Object(property) = property {
            let path = path.keyword("properties");
            walk(check, property, &path.key(name), position.below(Level::Field));
        }
    }
    if let Some(Value::Object(items)) = map.get("items") {
        walk(check, items, &path.keyword("items"), position.below(Level::Item));
    }
    if let Some(Value::Object(child)) = map.get("additionalProperties") {
        walk(check, child, &path.keyword("additionalProperties"), position.below(Level::Field));
    }
}

fn typed(check: &mut Check<'_>, map: &JsonMap, path: &DocumentPath<'_>, level: Level) {
    let at = path.keyword("type");
    let word = type_of(map);
    // An embedded resource without a type is reported as such.
    let may_be_empty = [INT_OR_STRING, PRESERVE_UNKNOWN, EMBEDDED].iter().any(|flag| is_true(map, flag));
    if word.is_empty() && !may_be_empty {
        let detail = match level {
            Level::Root => "must not be empty at the root",
            Level::Item => "must not be empty for specified array items",
            Level::Field => "must not be empty for specified object fields",
        };
        check.violates("type-missing", &at, Required, detail);
    }
    if word == "array" && !is_given(map, "items") {
        check.violates("array-without-items", &path.keyword("items"), Required, "must be specified");
    }
}

/// `kind`, `apiVersion` and `metadata` of whole objects have types of their own.
fn names(check: &mut Check<'_>, map: &JsonMap, path: &DocumentPath<'_>, level: Level) {
    if level != Level::Root && !is_true(map, EMBEDDED) {
        return;
    }
    for (name, wanted) in [("kind", "string"), ("apiVersion", "string"), ("metadata", "object")] {
        let Some(property) = property(map, name).filter(|property| type_of(property) != wanted) else {
            continue;
        };
        let path = path.keyword("properties");
        let path = path.key(name);
        let kind = Invalid(json!(type_of(property)));
        check.violates("type-value", &path.keyword("type"), kind, format!("must be {wanted}"));
    }
}

fn property<'v>(map: &'v JsonMap, name: &str) -> Option<&'v JsonMap> {
    map.get("properties")?.get(name)?.as_object()
}
