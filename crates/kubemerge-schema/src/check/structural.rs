//! What the API server demands of the schema of a custom resource: that it is structural.
//!
//! `kubemerge-kinds` reports the same violations as field errors. [`super::extension`] has the rules about
//! list and map types, [`super::restriction`] those about `allOf`, `anyOf`, `oneOf` and `not`.

use serde_json::{Map, Value, json};

use super::collect::{Check, members, type_of};
use super::extension::{EMBEDDED, INT_OR_STRING, PRESERVE_UNKNOWN};
use super::finding::ViolationKind::{Forbidden, Invalid, NotSupported, Required};
use super::restriction;
use crate::document::{DocumentPath, MAX_SCHEMA_DEPTH, is_true};

type JsonMap = Map<String, Value>;

/// What a schema describes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Level {
    Root,
    Item,
    Field,
}

/// Whether a schema is part of the metadata of a whole object.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Inside {
    Object,
    Metadata,
    /// Below `additionalProperties` in the metadata.
    MetadataMap,
}

/// A schema and what is known from the schemas around it.
#[derive(Clone, Copy)]
struct Position {
    level: Level,
    inside: Inside,
    depth: usize,
}

impl Position {
    fn below(self, level: Level, inside: Inside) -> Position {
        Position { level, inside, depth: self.depth + 1 }
    }
}

/// Keywords that no schema of a custom resource may have.
const UNSUPPORTED: [&str; 7] =
    ["id", "$schema", "$ref", "patternProperties", "dependencies", "additionalItems", "definitions"];

/// The types of values.
const TYPES: &[&str] = &["array", "boolean", "integer", "number", "object", "string"];

/// The root keywords that may be used together with the status subresource.
const WITH_STATUS: [&str; 22] = [
    "description",
    "type",
    "format",
    "title",
    "maximum",
    "exclusiveMaximum",
    "minimum",
    "exclusiveMinimum",
    "maxLength",
    "minLength",
    "pattern",
    "maxItems",
    "minItems",
    "uniqueItems",
    "multipleOf",
    "required",
    "items",
    "properties",
    "externalDocs",
    "example",
    "x-kubernetes-validations",
    PRESERVE_UNKNOWN,
];

/// Checks what a version of a definition says besides its schema.
pub(super) fn check_version(check: &mut Check<'_>, version: &Value, schema: &Value, path: &DocumentPath<'_>) {
    let Value::Object(map) = schema else { return };
    if version.get("subresources").and_then(|parts| parts.get("status")).is_some() {
        // The server validates status apart from the rest, which works with these keywords at the root alone.
        for word in map.keys().filter(|word| !WITH_STATUS.contains(&word.as_str())) {
            let message = "must not be used at the root if the status subresource is enabled";
            check.broken("status-subresource-root", &path.keyword(word), message);
        }
    }
    root_defaults(check, map, path);
}

/// The names of an object have no defaults.
fn root_defaults(check: &mut Check<'_>, map: &JsonMap, path: &DocumentPath<'_>) {
    for name in ["metadata", "kind", "apiVersion"] {
        // Type and identity are set before defaults are filled in.
        if property(map, name).is_some_and(|property| property.contains_key("default")) {
            let path = path.keyword("properties");
            let message = format!("must not be set for {name}");
            check.broken("default-in-metadata", &path.key(name).keyword("default"), message);
        }
    }
}

/// Checks a schema and all below it.
pub(super) fn check(check: &mut Check<'_>, schema: &Value, path: &DocumentPath<'_>) {
    let Value::Object(map) = schema else { return };
    root(check, map, path);
    walk(check, map, path, Position { level: Level::Root, inside: Inside::Object, depth: 0 });
    // After the walk: it compares branches with what was declared outside them.
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
    if is_true(map, "nullable") {
        let detail = "nullable cannot be true at the root";
        check.violates("structural-root", &path.keyword("nullable"), Forbidden, detail);
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
    unsupported(check, map, path);
    pattern(check, map, path);
    typed(check, map, path, position.level);
    names(check, map, path, position.level);
    in_metadata(check, map, path, position.inside);
    let has_properties = members(map, "properties").next().is_some();
    if has_properties && is_given(map, "additionalProperties") && !is_true(map, "additionalProperties") {
        let detail = "additionalProperties and properties are mutual exclusive";
        let at = path.keyword("additionalProperties");
        check.violates("properties-exclude-additional", &at, Forbidden, detail);
    }
    restriction::check(check, map, path);
    walk_children(check, map, path, position);
}

fn walk_children(check: &mut Check<'_>, map: &JsonMap, path: &DocumentPath<'_>, position: Position) {
    // Only whole objects have metadata with rules; elsewhere it is an ordinary name.
    let is_whole = position.level == Level::Root || is_true(map, EMBEDDED);
    for (name, property) in members(map, "properties") {
        if let Value::Object(property) = property {
            let inside = if is_whole && name == "metadata" { Inside::Metadata } else { position.inside };
            let path = path.keyword("properties");
            walk(check, property, &path.key(name), position.below(Level::Field, inside));
        }
    }
    if let Some(Value::Object(items)) = map.get("items") {
        walk(check, items, &path.keyword("items"), position.below(Level::Item, position.inside));
    }
    if let Some(Value::Object(child)) = map.get("additionalProperties") {
        // Labels and annotations are maps in metadata, and their values take no defaults.
        let inside = if position.inside == Inside::Object { Inside::Object } else { Inside::MetadataMap };
        walk(check, child, &path.keyword("additionalProperties"), position.below(Level::Field, inside));
    }
}

fn in_metadata(check: &mut Check<'_>, map: &JsonMap, path: &DocumentPath<'_>, inside: Inside) {
    if inside != Inside::Object && is_true(map, EMBEDDED) {
        let detail = "must not be used inside of resource meta";
        check.violates("metadata-implied", &path.keyword(EMBEDDED), Forbidden, detail);
    }
    if inside == Inside::MetadataMap && map.contains_key("default") {
        let message = "must not be set inside additionalProperties applying to object metadata";
        check.broken("default-in-metadata", &path.keyword("default"), message);
    }
}

fn unsupported(check: &mut Check<'_>, map: &JsonMap, path: &DocumentPath<'_>) {
    for word in UNSUPPORTED.into_iter().filter(|word| map.contains_key(*word)) {
        let detail = format!("{word} is not supported");
        check.violates("keyword-not-supported", &path.keyword(word), Forbidden, detail);
    }
    // Tuples would need a rule per position, which neither pruning nor merging has.
    if matches!(map.get("items"), Some(Value::Array(_))) {
        let detail = "items must be a schema object and not an array";
        check.violates("keyword-not-supported", &path.keyword("items"), Forbidden, detail);
    }
    if is_true(map, "uniqueItems") {
        let detail = "uniqueItems cannot be set to true since the runtime complexity becomes quadratic";
        check.violates("unique-items", &path.keyword("uniqueItems"), Forbidden, detail);
    }
}

/// Go's expressions and these agree but for a few rare escapes.
fn pattern(check: &mut Check<'_>, map: &JsonMap, path: &DocumentPath<'_>) {
    let Some(pattern) = map.get("pattern").and_then(Value::as_str) else { return };
    // Not reported rather than reported wrongly.
    let only_in_go = ["\\Q", "\\C"].iter().any(|escape| pattern.contains(escape));
    if only_in_go {
        return;
    }
    if let Err(error) = regex_syntax::parse(pattern) {
        let detail = format!("must be a valid regular expression, but isn't: {error}");
        check.violates("pattern-invalid", &path.keyword("pattern"), Invalid(json!(pattern)), detail);
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
    // `null` gets this finding and the next one, as from the API server.
    if !word.is_empty() && !TYPES.contains(&word) {
        check.not_supported("type-value", &at, NotSupported { value: json!(word), supported: TYPES });
    }
    if word == "null" {
        let detail = "type cannot be set to null, use nullable as an alternative";
        check.violates("type-value", &at, Forbidden, detail);
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

/// Whether a keyword has a value; null means that it has none.
fn is_given(map: &JsonMap, keyword: &str) -> bool {
    map.get(keyword).is_some_and(|value| !value.is_null())
}

fn property<'v>(map: &'v JsonMap, name: &str) -> Option<&'v JsonMap> {
    map.get("properties")?.get(name)?.as_object()
}
