//! What `allOf`, `anyOf`, `oneOf` and `not` may say: they restrict values, but declare nothing.

use serde_json::{Value, json};

use crate::field_error::FieldError;

/// Keywords that declare, with the words in which they are refused.
const DECLARING: &[(&str, &str)] = &[
    ("type", "must be empty to be structural"),
    ("additionalProperties", "must be undefined to be structural"),
    ("default", "must be undefined to be structural"),
    ("title", "must be empty to be structural"),
    ("description", "must be empty to be structural"),
    ("nullable", "must be false to be structural"),
    ("x-kubernetes-preserve-unknown-fields", "must be false to be structural"),
    ("x-kubernetes-embedded-resource", "must be false to be structural"),
    ("x-kubernetes-int-or-string", "must be false to be structural"),
    ("x-kubernetes-list-map-keys", "must be empty to be structural"),
    ("x-kubernetes-list-type", "must be undefined to be structural"),
    ("x-kubernetes-map-type", "must be undefined to be structural"),
    ("x-kubernetes-validations", "must be empty to be structural"),
];

/// Where the two types of an int-or-string may be spelt out as `anyOf`.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Spelt {
    HereOrInFirst,
    Here,
    Nowhere,
}

/// Checks the junctors of a schema that declares a value.
pub(super) fn check(schema: &Value, path: &str, errors: &mut Vec<FieldError>) {
    check_branches(schema, path, Spelt::HereOrInFirst, errors);
}

/// Checks that the junctors of a root speak only of what the root declares.
pub(super) fn check_completeness(root: &Value, path: &str, errors: &mut Vec<FieldError>) {
    complete_branches(root, (root, path), path, errors);
}

/// The branches of all junctors with their places.
fn branches<'v>(schema: &'v Value, path: &str) -> Vec<(String, &'v Value)> {
    let mut found = Vec::new();
    for junctor in ["allOf", "anyOf", "oneOf"] {
        let list = schema.get(junctor).and_then(Value::as_array).into_iter().flatten();
        found.extend(list.enumerate().map(|(at, branch)| (format!("{path}.{junctor}[{at}]"), branch)));
    }
    found.extend(schema.get("not").map(|not| (format!("{path}.not"), not)));
    found
}

fn spells_int_or_string(schema: &Value) -> bool {
    schema.get("anyOf") == Some(&json!([{"type": "integer"}, {"type": "string"}]))
}

fn check_branches(schema: &Value, path: &str, spelt: Spelt, errors: &mut Vec<FieldError>) {
    let spelt_here = spelt != Spelt::Nowhere && spells_int_or_string(schema);
    for (place, branch) in branches(schema, path) {
        let below = &place[path.len()..];
        if spelt_here && below.starts_with(".anyOf") {
            continue;
        }
        let first = spelt == Spelt::HereOrInFirst && below == ".allOf[0]";
        check_nested(branch, &place, if first { Spelt::Here } else { Spelt::Nowhere }, errors);
    }
}

fn check_nested(schema: &Value, path: &str, spelt: Spelt, errors: &mut Vec<FieldError>) {
    check_branches(schema, path, spelt, errors);
    if let Some(items) = schema.get("items") {
        check_nested(items, &format!("{path}.items"), Spelt::Nowhere, errors);
    }
    for (name, property) in schema.get("properties").and_then(Value::as_object).into_iter().flatten() {
        let place = format!("{path}.properties[{name}]");
        check_nested(property, &place, Spelt::Nowhere, errors);
        if name == "metadata" {
            errors.push(FieldError::forbidden(place, "must not be specified in a nested context"));
        }
    }
    for (keyword, why) in DECLARING.iter().filter(|(keyword, _)| says_something(schema.get(keyword))) {
        errors.push(FieldError::forbidden(format!("{path}.{keyword}"), why));
    }
}

/// Whether a keyword is there and has more than the value it has by itself.
fn says_something(value: Option<&Value>) -> bool {
    match value {
        None | Some(Value::Null | Value::Bool(false)) => false,
        Some(Value::String(text)) => !text.is_empty(),
        Some(Value::Array(list)) => !list.is_empty(),
        Some(_) => true,
    }
}

fn complete_branches(schema: &Value, declared: (&Value, &str), path: &str, errors: &mut Vec<FieldError>) {
    for (place, branch) in branches(schema, path) {
        complete(branch, (Some(declared.0), declared.1), &place, errors);
    }
}

fn complete(
    schema: &Value,
    (declared, at): (Option<&Value>, &str),
    path: &str,
    errors: &mut Vec<FieldError>,
) {
    let Some(declared) = declared else {
        errors.push(FieldError::required(at, &format!("because it is defined in {path}")));
        return;
    };
    complete_branches(schema, (declared, at), path, errors);
    if let Some(items) = schema.get("items") {
        let (at, path) = (format!("{at}.items"), format!("{path}.items"));
        complete(items, (declared.get("items"), &at), &path, errors);
    }
    for (name, property) in schema.get("properties").and_then(Value::as_object).into_iter().flatten() {
        let (at, path) = (format!("{at}.properties[{name}]"), format!("{path}.properties[{name}]"));
        let declared = declared.get("properties").and_then(|properties| properties.get(name));
        complete(property, (declared, &at), &path, errors);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn complaints(schema: Value) -> Vec<String> {
        let mut errors = Vec::new();
        check(&schema, "s", &mut errors);
        check_completeness(&schema, "s", &mut errors);
        errors.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn branches_declare_nothing() {
        assert_eq!(
            complaints(
                json!({"anyOf": [{"type": "string", "not": {"default": 1}}], "allOf": [{"nullable": true}]})
            ),
            [
                "s.allOf[0].nullable: Forbidden: must be false to be structural",
                "s.anyOf[0].not.default: Forbidden: must be undefined to be structural",
                "s.anyOf[0].type: Forbidden: must be empty to be structural",
            ]
        );
        assert_eq!(
            complaints(
                json!({"properties": {"a": {}}, "oneOf": [{"required": ["a"]}, {"properties": {"a": {"minimum": 1}}}]})
            ),
            [""; 0]
        );
    }

    #[test]
    fn an_int_or_string_may_be_spelt_out() {
        let types = json!([{"type": "integer"}, {"type": "string"}]);
        assert_eq!(complaints(json!({"anyOf": types})), [""; 0]);
        assert_eq!(complaints(json!({"allOf": [{"anyOf": types}, {"pattern": "x"}]})), [""; 0]);
        assert_eq!(complaints(json!({"allOf": [{}, {"anyOf": types}]})).len(), 2);
    }

    #[test]
    fn branches_speak_of_declared_fields() {
        assert_eq!(
            complaints(json!({"anyOf": [{"properties": {"b": {"items": {"minimum": 1}}}}]})),
            ["s.properties[b]: Required value: because it is defined in s.anyOf[0].properties[b]"]
        );
    }
}
