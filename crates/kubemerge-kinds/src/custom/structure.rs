//! What the schema of a definition may say: the structural rules, the syntax of CEL rules, and defaults.
//!
//! `kubemerge-schema` has the structural rules; here their violations become field errors.

use kubemerge_schema::check::{Finding, ViolationKind, schema_keywords, structural_schema};
use serde_json::{Value, json};

use super::{default, rules, structural::Structural};
use crate::field_error::{FieldError, has_enough};

/// How long the path to a field may be: every error has a path, so longer ones would multiply.
const MAX_PATH_BYTES: usize = 16 * 1024;

/// The length of the longest path to a field.
fn longest_path(schema: &Value) -> usize {
    let members = schema.as_object().into_iter().flatten();
    let nested = members.map(|(name, value)| name.len() + 1 + longest_path(value));
    let listed = schema.as_array().into_iter().flatten().map(|value| 4 + longest_path(value));
    nested.chain(listed).max().unwrap_or_default()
}

/// Checks the schema of a version.
pub fn check(schema: &Value, path: &str, errors: &mut Vec<FieldError>) {
    let before = errors.len();
    if longest_path(schema) > MAX_PATH_BYTES {
        let why = format!("the names on the way to a field may take {MAX_PATH_BYTES} bytes");
        errors.push(FieldError::forbidden(path, &why));
        return;
    }
    let findings = [structural_schema(schema, path), schema_keywords(schema, path)];
    for error in findings.into_iter().flatten().filter_map(field_error) {
        if has_enough(errors) {
            break;
        }
        errors.push(error);
    }
    check_rules(schema, path, errors);
    errors[before..].sort_by_cached_key(ToString::to_string);
    // Defaults are checked against the schema, which must be valid for that.
    if errors.len() > before {
        return;
    }
    match Structural::compile(schema) {
        Ok(compiled) => default::check(&compiled, path, errors),
        Err(why) => errors.push(FieldError::invalid(path, &json!(""), &why)),
    }
}

/// The error with which the API server refuses the field; none for what only `schema check` reports.
fn field_error(finding: Finding) -> Option<FieldError> {
    let violation = finding.violation?;
    let (path, detail) = (finding.path, violation.detail.as_str());
    Some(match violation.kind {
        ViolationKind::Required => FieldError::required(path, detail),
        ViolationKind::Forbidden => FieldError::forbidden(path, detail),
        ViolationKind::Invalid(value) => FieldError::invalid(path, &value, detail),
        ViolationKind::NotSupported { value, supported } => {
            let supported: Vec<String> = supported.iter().map(ToString::to_string).collect();
            FieldError::not_supported(path, &value, &supported)
        }
    })
}

/// Checks the CEL rules of a schema and of all below it.
fn check_rules(schema: &Value, path: &str, errors: &mut Vec<FieldError>) {
    if has_enough(errors) {
        return;
    }
    rules::check_syntax(schema, path, errors);
    for (name, property) in schema.get("properties").and_then(Value::as_object).into_iter().flatten() {
        check_rules(property, &format!("{path}.properties[{name}]"), errors);
    }
    for keyword in ["items", "additionalProperties"] {
        if let Some(child) = schema.get(keyword).filter(|child| child.is_object()) {
            check_rules(child, &format!("{path}.{keyword}"), errors);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn complaints(schema: Value) -> Vec<String> {
        let mut errors = Vec::new();
        check(&schema, "s", &mut errors);
        errors.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn endless_names_are_refused_once() {
        let deep = json!({"type": "object", "properties": {"n".repeat(MAX_PATH_BYTES): {"type": "string"}}});
        let text = "s: Forbidden: the names on the way to a field may take 16384 bytes";
        assert_eq!(complaints(deep), [text]);
    }

    #[test]
    fn a_structural_schema_passes() {
        let schema = json!({"type": "object", "properties": {
            "spec": {"type": "object", "x-kubernetes-preserve-unknown-fields": true},
            "ports": {"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["p", "q"],
                "items": {"type": "object", "required": ["p"], "properties": {
                    "p": {"type": "integer"}, "q": {"type": "string", "default": "TCP"}}}},
            "either": {"x-kubernetes-int-or-string": true, "anyOf": [{"type": "integer"}, {"type": "string"}]},
        }});
        assert_eq!(complaints(schema), [""; 0]);
    }

    #[test]
    fn faults_are_named() {
        assert_eq!(
            complaints(json!({"properties": {"a": {"type": "array"}, "b": {}}})),
            [
                "s.properties[a].items: Required value: must be specified",
                "s.properties[b].type: Required value: must not be empty for specified object fields",
                "s.type: Required value: must not be empty at the root",
            ]
        );
        assert_eq!(
            complaints(json!({"type": "object", "properties": {"l": {"type": "array",
                "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k"],
                "items": {"type": "object", "properties": {"k": {"type": "string"}}}}}}))
            .len(),
            1
        );
    }
}
