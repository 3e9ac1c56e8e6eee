//! What the API server demands of the schema of a custom resource: that it is structural.

use serde_json::{Map, Value};

use super::collect::{Check, members, type_of};
use super::extension::{EMBEDDED, INT_OR_STRING, LIST_MAP_KEYS, LIST_TYPE, MAP_TYPE, PRESERVE_UNKNOWN};
use crate::document::{DocumentPath, MAX_SCHEMA_DEPTH, is_true};

type Schema = Map<String, Value>;

/// Where a schema stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Level {
    Root,
    Item,
    Field,
}

/// Whether a schema stands in the metadata of a whole object.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Inside {
    Object,
    Metadata,
    /// Below `additionalProperties` in the metadata.
    MetadataMap,
}

/// Keywords that no schema of a custom resource may have.
const FORBIDDEN: [&str; 7] =
    ["id", "$schema", "$ref", "patternProperties", "dependencies", "additionalItems", "definitions"];

/// The root keywords that may be used together with the status subresource.
const WITH_STATUS: [&str; 21] = [
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
    PRESERVE_UNKNOWN,
];

pub(super) fn check<'v>(check: &mut Check<'v>, version: &Value, schema: &'v Value, place: &DocumentPath<'_>) {
    let Value::Object(map) = schema else { return };
    root(check, map, place);
    if version.get("subresources").and_then(|parts| parts.get("status")).is_some() {
        with_status(check, map, place);
    }
    walk(check, map, place, (Level::Root, Inside::Object), 0);
}

fn root(check: &mut Check<'_>, map: &Schema, place: &DocumentPath<'_>) {
    if map.contains_key("additionalProperties") {
        let at = place.keyword("additionalProperties");
        check.broken("structural-root", &at, "must not be used at the root");
    }
    if !matches!(type_of(map), "" | "object") {
        check.broken("structural-root", &place.keyword("type"), "must be object at the root");
    }
    if is_true(map, "nullable") {
        check.broken("structural-root", &place.keyword("nullable"), "nullable cannot be true at the root");
    }
    let at = place.keyword("properties");
    for name in ["metadata", "kind", "apiVersion"] {
        let property = map.get("properties").and_then(|properties| properties.get(name));
        if property.is_some_and(|property| property.get("default").is_some()) {
            let message = format!("must not be set for {name}");
            check.broken("default-in-metadata", &at.key(name).keyword("default"), message);
        }
    }
    root_metadata(check, map, place);
}

/// `metadata` is implied; only the two names may be restricted.
fn root_metadata(check: &mut Check<'_>, map: &Schema, place: &DocumentPath<'_>) {
    let Some(Value::Object(metadata)) =
        map.get("properties").and_then(|properties| properties.get("metadata"))
    else {
        return;
    };
    let names = members(metadata, "properties").all(|(name, _)| name == "name" || name == "generateName");
    let keywords = metadata.keys().all(|word| matches!(word.as_str(), "type" | "properties" | "description"));
    if !names || !keywords {
        let message = "must not specify anything other than name and generateName, but metadata is implicitly specified";
        check.broken("metadata-implied", &place.keyword("properties").key("metadata"), message);
    }
}

fn with_status(check: &mut Check<'_>, map: &Schema, place: &DocumentPath<'_>) {
    let allowed = |word: &str| WITH_STATUS.contains(&word) || word == "x-kubernetes-validations";
    for word in map.keys().filter(|word| !allowed(word)) {
        let message = "must not be used at the root if the status subresource is enabled";
        check.broken("status-subresource-root", &place.keyword(word), message);
    }
}

fn walk<'v>(
    check: &mut Check<'v>,
    map: &'v Schema,
    place: &DocumentPath<'_>,
    (level, inside): (Level, Inside),
    depth: usize,
) {
    if depth > MAX_SCHEMA_DEPTH {
        return;
    }
    forbidden(check, map, place);
    pattern(check, map, place);
    typed(check, map, place, level);
    names(check, map, place, level);
    in_metadata(check, map, place, inside);
    if map.contains_key("properties")
        && !matches!(map.get("additionalProperties"), None | Some(Value::Bool(true)))
    {
        let message = "additionalProperties and properties are mutual exclusive";
        check.broken("properties-exclude-additional", &place.keyword("additionalProperties"), message);
    }
    logical_operators(check, map, place);
    let is_whole = level == Level::Root || is_true(map, EMBEDDED);
    for (name, property) in members(map, "properties") {
        if let Value::Object(property) = property {
            let inside = if is_whole && name == "metadata" { Inside::Metadata } else { inside };
            walk(check, property, &place.keyword("properties").key(name), (Level::Field, inside), depth + 1);
        }
    }
    if let Some(Value::Object(items)) = map.get("items") {
        walk(check, items, &place.keyword("items"), (Level::Item, inside), depth + 1);
    }
    if let Some(Value::Object(child)) = map.get("additionalProperties") {
        let inside = if inside == Inside::Object { inside } else { Inside::MetadataMap };
        walk(check, child, &place.keyword("additionalProperties"), (Level::Field, inside), depth + 1);
    }
}

fn in_metadata(check: &mut Check<'_>, map: &Schema, place: &DocumentPath<'_>, inside: Inside) {
    if inside != Inside::Object && is_true(map, EMBEDDED) {
        check.broken(
            "metadata-implied",
            &place.keyword(EMBEDDED),
            "must not be used inside of resource meta",
        );
    }
    if inside == Inside::MetadataMap && map.contains_key("default") {
        let message = "must not be set inside additionalProperties applying to object metadata";
        check.broken("default-in-metadata", &place.keyword("default"), message);
    }
}

fn forbidden(check: &mut Check<'_>, map: &Schema, place: &DocumentPath<'_>) {
    for word in FORBIDDEN.into_iter().filter(|word| map.contains_key(*word)) {
        check.broken("keyword-not-supported", &place.keyword(word), "is not supported");
    }
    if matches!(map.get("items"), Some(Value::Array(_))) {
        let message = "must be a schema object and not an array";
        check.broken("keyword-not-supported", &place.keyword("items"), message);
    }
    if is_true(map, "uniqueItems") {
        let message = "uniqueItems cannot be set to true since the runtime complexity becomes quadratic";
        check.broken("unique-items", &place.keyword("uniqueItems"), message);
    }
}

/// Go's expressions and these agree but for a few rare escapes.
fn pattern(check: &mut Check<'_>, map: &Schema, place: &DocumentPath<'_>) {
    let Some(pattern) = map.get("pattern").and_then(Value::as_str) else { return };
    let only_in_go = ["\\Q", "\\C"].iter().any(|escape| pattern.contains(escape));
    if !only_in_go && regex_syntax::parse(pattern).is_err() {
        let message = "must be a valid regular expression, but isn't";
        check.broken("pattern-invalid", &place.keyword("pattern"), message);
    }
}

fn typed(check: &mut Check<'_>, map: &Schema, place: &DocumentPath<'_>, level: Level) {
    let at = place.keyword("type");
    match type_of(map) {
        "null" => {
            let message = "type cannot be set to null, use nullable as an alternative";
            check.broken("type-value", &at, message);
        }
        "array" if !map.contains_key("items") => {
            check.broken("array-without-items", &place.keyword("items"), "must be specified");
        }
        "" if !is_true(map, INT_OR_STRING) && !is_true(map, PRESERVE_UNKNOWN) => {
            let message = match level {
                Level::Root => "must not be empty at the root",
                Level::Item => "must not be empty for specified array items",
                Level::Field => "must not be empty for specified object fields",
            };
            check.broken("type-missing", &at, message);
        }
        "" | "object" | "array" | "string" | "integer" | "number" | "boolean" => {}
        other => check.broken("type-value", &at, format!("Unsupported value: {other:?}")),
    }
}

/// `kind`, `apiVersion` and `metadata` of whole objects have types of their own.
fn names(check: &mut Check<'_>, map: &Schema, place: &DocumentPath<'_>, level: Level) {
    if level != Level::Root && !is_true(map, EMBEDDED) {
        return;
    }
    for (name, wanted) in [("kind", "string"), ("apiVersion", "string"), ("metadata", "object")] {
        let property =
            map.get("properties").and_then(|properties| properties.get(name)).and_then(Value::as_object);
        if property.is_some_and(|property| type_of(property) != wanted) {
            let place = place.keyword("properties");
            let place = place.key(name);
            check.broken("type-value", &place.keyword("type"), format!("must be {wanted}"));
        }
    }
}

/// Below these words stand restrictions of what the structural part declares, never declarations.
fn logical_operators<'v>(check: &mut Check<'v>, map: &'v Schema, place: &DocumentPath<'_>) {
    for word in ["allOf", "anyOf", "oneOf"] {
        if is_int_or_string_pattern(map, word) {
            continue;
        }
        let entries = map.get(word).and_then(Value::as_array).into_iter().flatten();
        for (index, entry) in entries.enumerate() {
            // The first entry of allOf may spell out the alternatives of int-or-string.
            let is_pattern = word == "allOf" && index == 0 && entry.as_object().is_some_and(is_pattern_alone);
            if !is_pattern {
                restriction(check, (map, entry), &place.keyword(word).index(index), 0);
            }
        }
    }
    if let Some(not) = map.get("not") {
        restriction(check, (map, not), &place.keyword("not"), 0);
    }
}

/// `anyOf: [{type: integer}, {type: string}]`, which the reference accepts with and without the extension.
fn is_int_or_string_pattern(map: &Schema, word: &str) -> bool {
    let alternatives = map.get(word).filter(|_| word == "anyOf").and_then(Value::as_array);
    let words: Option<Vec<&str>> = alternatives.map(|entries| {
        let plain = |entry: &Value| entry.as_object().is_some_and(|entry| entry.len() == 1);
        entries
            .iter()
            .map(|entry| if plain(entry) { entry["type"].as_str().unwrap_or("") } else { "" })
            .collect()
    });
    words.is_some_and(|words| words == ["integer", "string"])
}

fn is_pattern_alone(entry: &Schema) -> bool {
    entry.len() == 1 && is_int_or_string_pattern(entry, "anyOf")
}

/// What may not stand in a restriction, and how the reference says it.
const NOT_IN_RESTRICTIONS: [(&[&str], &str); 3] = [
    (
        &["type", "title", "description", LIST_MAP_KEYS, "x-kubernetes-validations"],
        "must be empty to be structural",
    ),
    (&["additionalProperties", "default", LIST_TYPE, MAP_TYPE], "must be undefined to be structural"),
    (&["nullable", PRESERVE_UNKNOWN, EMBEDDED, INT_OR_STRING], "must be false to be structural"),
];

/// Checks a restriction against the schema it restricts.
fn restriction(
    check: &mut Check<'_>,
    (restricted, entry): (&Schema, &Value),
    place: &DocumentPath<'_>,
    depth: usize,
) {
    let Value::Object(entry) = entry else { return };
    if depth > MAX_SCHEMA_DEPTH {
        return;
    }
    for (words, message) in NOT_IN_RESTRICTIONS {
        let harmless = if message.contains("false") { Some(&Value::Bool(false)) } else { None };
        let given = |word: &&&str| entry.contains_key(**word) && entry.get(**word) != harmless;
        for word in words.iter().filter(given) {
            check.broken("not-structural", &place.keyword(word), message);
        }
    }
    for (name, property) in members(entry, "properties") {
        let place = place.keyword("properties");
        let place = place.key(name);
        if name == "metadata" && depth > 0 {
            check.broken("not-structural", &place, "must not be specified in a nested context");
        }
        let declared = restricted.get("properties").and_then(|properties| properties.get(name));
        declared_restriction(check, (declared, property), &place, depth);
    }
    if let Some(items @ Value::Object(_)) = entry.get("items") {
        declared_restriction(check, (restricted.get("items"), items), &place.keyword("items"), depth);
    }
    for word in ["allOf", "anyOf", "oneOf"] {
        let entries = entry.get(word).and_then(Value::as_array).into_iter().flatten();
        for (index, inner) in entries.enumerate().filter(|_| !is_int_or_string_pattern(entry, word)) {
            restriction(check, (restricted, inner), &place.keyword(word).index(index), depth + 1);
        }
    }
    if let Some(not) = entry.get("not") {
        restriction(check, (restricted, not), &place.keyword("not"), depth + 1);
    }
}

fn declared_restriction(
    check: &mut Check<'_>,
    (declared, property): (Option<&Value>, &Value),
    place: &DocumentPath<'_>,
    depth: usize,
) {
    match declared.and_then(Value::as_object) {
        Some(declared) => restriction(check, (declared, property), place, depth + 1),
        None => {
            let message = format!("must be declared outside too, because it is defined in {place}");
            check.broken("not-structural", place, message);
        }
    }
}
