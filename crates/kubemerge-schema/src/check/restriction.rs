//! Rules about `allOf`, `anyOf`, `oneOf` and `not`: they restrict what a schema declares, and declare nothing.

use serde_json::{Map, Value, json};

use super::collect::{Check, members};
use super::extension::{EMBEDDED, INT_OR_STRING, LIST_MAP_KEYS, LIST_TYPE, MAP_TYPE, PRESERVE_UNKNOWN};
use super::finding::ViolationKind::{Forbidden, Invalid, Required};
use crate::document::{DocumentPath, MAX_SCHEMA_DEPTH};
use crate::model::too_large;
use crate::pattern::translate;

type JsonMap = Map<String, Value>;

/// Keywords that declare something, by what Kubernetes says about them in a restriction.
const DECLARING: [(&[&str], &str); 3] = [
    (
        &["type", "title", "description", LIST_MAP_KEYS, "x-kubernetes-validations"],
        "must be empty to be structural",
    ),
    (&["additionalProperties", "default", LIST_TYPE, MAP_TYPE], "must be undefined to be structural"),
    (&["nullable", PRESERVE_UNKNOWN, EMBEDDED, INT_OR_STRING], "must be false to be structural"),
];

/// Where `anyOf: [{type: integer}, {type: string}]` may spell out an int-or-string.
#[derive(Clone, Copy, PartialEq, Eq)]
enum IntOrString {
    HereOrInFirst,
    Here,
    Nowhere,
}

/// Checks the restrictions of a schema that declares a value.
pub(super) fn check(check: &mut Check<'_>, map: &JsonMap, path: &DocumentPath<'_>) {
    check_branches(check, map, path, IntOrString::HereOrInFirst, 0);
}

fn check_branches(
    check: &mut Check<'_>,
    map: &JsonMap,
    path: &DocumentPath<'_>,
    spelled: IntOrString,
    depth: usize,
) {
    // Loading refuses deeper documents; this only bounds the recursion.
    if depth > MAX_SCHEMA_DEPTH {
        return;
    }
    check_pattern(check, map, path);
    // The one place where `anyOf` may declare types: it is how older definitions write int-or-string.
    let is_spelled_out = spelled != IntOrString::Nowhere
        && map.get("anyOf") == Some(&json!([{"type": "integer"}, {"type": "string"}]));
    for word in ["allOf", "anyOf", "oneOf"] {
        if word == "anyOf" && is_spelled_out {
            continue;
        }
        for (index, branch) in branches(map, word).enumerate() {
            // The API server accepts the pattern in the first branch of `allOf` only.
            let is_first = spelled == IntOrString::HereOrInFirst && word == "allOf" && index == 0;
            let spelled = if is_first { IntOrString::Here } else { IntOrString::Nowhere };
            check_nested(check, branch, &path.keyword(word).index(index), spelled, depth);
        }
    }
    if let Some(not) = map.get("not") {
        check_nested(check, not, &path.keyword("not"), IntOrString::Nowhere, depth);
    }
}

fn check_nested(
    check: &mut Check<'_>,
    schema: &Value,
    path: &DocumentPath<'_>,
    spelled: IntOrString,
    depth: usize,
) {
    let Value::Object(map) = schema else { return };
    check_branches(check, map, path, spelled, depth + 1);
    if let Some(items) = map.get("items") {
        check_nested(check, items, &path.keyword("items"), IntOrString::Nowhere, depth + 1);
    }
    for (name, property) in members(map, "properties") {
        let path = path.keyword("properties");
        let path = path.key(name);
        check_nested(check, property, &path, IntOrString::Nowhere, depth + 1);
        // A branch cannot restrict metadata, which the server validates itself.
        if name == "metadata" {
            let detail = "must not be specified in a nested context";
            check.violates("not-structural", &path, Forbidden, detail);
        }
    }
    for (words, detail) in DECLARING {
        for word in words.iter().filter(|word| says_something(map.get(**word))) {
            check.violates("not-structural", &path.keyword(word), Forbidden, detail);
        }
    }
}

/// Whether a keyword has more than the value it has by default.
fn says_something(value: Option<&Value>) -> bool {
    match value {
        // Go decodes absent, null and the zero value alike.
        None | Some(Value::Null | Value::Bool(false)) => false,
        Some(Value::String(text)) => !text.is_empty(),
        Some(Value::Array(list)) => !list.is_empty(),
        Some(_) => true,
    }
}

/// Checks that the restrictions of a root restrict only what the root declares.
///
/// Upstream: the restrictions of schemas below the root are not held to this.
pub(super) fn check_completeness(check: &mut Check<'_>, root: &JsonMap, path: &DocumentPath<'_>) {
    complete_branches(check, root, Declared { schema: root, path }, path, 0);
}

/// The schema that declares what a restriction is about.
#[derive(Clone, Copy)]
struct Declared<'v, 'p> {
    schema: &'v JsonMap,
    path: &'p DocumentPath<'p>,
}

fn complete_branches(
    check: &mut Check<'_>,
    map: &JsonMap,
    declared: Declared<'_, '_>,
    path: &DocumentPath<'_>,
    depth: usize,
) {
    if depth > MAX_SCHEMA_DEPTH {
        return;
    }
    for word in ["allOf", "anyOf", "oneOf"] {
        for (index, branch) in branches(map, word).enumerate() {
            complete(check, branch, declared, &path.keyword(word).index(index), depth);
        }
    }
    if let Some(not) = map.get("not") {
        complete(check, not, declared, &path.keyword("not"), depth);
    }
}

fn complete(
    check: &mut Check<'_>,
    schema: &Value,
    declared: Declared<'_, '_>,
    path: &DocumentPath<'_>,
    depth: usize,
) {
    let Value::Object(map) = schema else { return };
    complete_branches(check, map, declared, path, depth + 1);
    if let Some(items) = map.get("items") {
        let (at, path) = (declared.path.keyword("items"), path.keyword("items"));
        complete_child(
            check,
            items,
            Counterpart { schema: declared.schema.get("items"), path: &at },
            &path,
            depth,
        );
    }
    for (name, property) in members(map, "properties") {
        let (at, path) = (declared.path.keyword("properties"), path.keyword("properties"));
        let of_name = declared.schema.get("properties").and_then(|properties| properties.get(name));
        complete_child(
            check,
            property,
            Counterpart { schema: of_name, path: &at.key(name) },
            &path.key(name),
            depth,
        );
    }
}

/// Where a part of a branch must be declared, and what is declared there.
#[derive(Clone, Copy)]
struct Counterpart<'d> {
    schema: Option<&'d Value>,
    path: &'d DocumentPath<'d>,
}

fn complete_child(
    check: &mut Check<'_>,
    schema: &Value,
    declared: Counterpart<'_>,
    path: &DocumentPath<'_>,
    depth: usize,
) {
    let at = declared.path;
    match declared.schema.and_then(Value::as_object) {
        Some(schema_there) => {
            complete(check, schema, Declared { schema: schema_there, path: at }, path, depth + 1);
        }
        // Pruning follows the declared properties only, so it would drop what the branch restricts.
        None => check.violates("not-structural", at, Required, format!("because it is defined in {path}")),
    }
}

fn branches<'v>(map: &'v JsonMap, word: &str) -> impl Iterator<Item = &'v Value> {
    map.get(word).and_then(Value::as_array).into_iter().flatten()
}

fn check_pattern(check: &mut Check<'_>, map: &JsonMap, path: &DocumentPath<'_>) {
    let Some(pattern) = map.get("pattern").and_then(Value::as_str) else { return };
    let detail = match translate(pattern) {
        Err(error) => format!("must be a valid regular expression, but isn't: {error}"),
        Ok(found) if check.exceeds_patterns(pattern, found.compiled_bytes) => too_large(),
        Ok(_) => return,
    };
    check.violates("pattern-invalid", &path.keyword("pattern"), Invalid(json!(pattern)), detail);
}
