//! Validates values against a schema, in the words of the API server.

use std::collections::{BTreeSet, HashMap};

use serde_json::{Map, Value, json};

use super::{
    format,
    structural::{Additional, Checks, ListType, Structural},
};
use crate::{
    document_path::DocumentPath,
    field_error::{FieldError, has_enough},
};

/// Every complaint about a value; what is as it was before is let pass.
pub fn validate(value: &Value, old: Option<&Value>, schema: &Structural) -> Vec<FieldError> {
    let mut errors = Vec::new();
    check(value, old, schema, &DocumentPath::Root, &mut errors);
    errors
}

/// Every complaint about the value at a path.
pub fn validate_at(value: &Value, schema: &Structural, path: &str) -> Vec<FieldError> {
    let mut errors = Vec::new();
    check(value, None, schema, &DocumentPath::Field(&DocumentPath::Root, path), &mut errors);
    errors
}

fn check(
    value: &Value,
    old: Option<&Value>,
    schema: &Structural,
    path: &DocumentPath<'_>,
    errors: &mut Vec<FieldError>,
) {
    if has_enough(errors) || old == Some(value) || (value.is_null() && schema.nullable) {
        return;
    }
    if !has_type(value, schema) {
        errors.push(wrong_type(value, schema, path));
        return;
    }
    check_logical_operators(value, &schema.checks, path, errors);
    check_options(value, &schema.checks, path, errors);
    match value {
        Value::Object(map) => check_map(map, old, schema, path, errors),
        Value::Array(list) => check_list(list, old, schema, path, errors),
        Value::String(text) => check_text(text, &schema.checks, path, errors),
        Value::Number(_) => check_number(value, &schema.checks, path, errors),
        _ => {}
    }
}

fn has_type(value: &Value, schema: &Structural) -> bool {
    if schema.int_or_string {
        return value.is_string() || is_integer(value);
    }
    match schema.kind.as_deref() {
        None => true,
        Some("object") => value.is_object(),
        Some("array") => value.is_array(),
        Some("string") => value.is_string(),
        Some("boolean") => value.is_boolean(),
        Some("integer") => is_integer(value),
        Some("number") => value.is_number(),
        Some(_) => true,
    }
}

fn is_integer(value: &Value) -> bool {
    value.is_i64() || value.is_u64() || value.as_f64().is_some_and(|number| number.fract() == 0.0)
}

fn type_name(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) if is_integer(value) => "integer",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

fn wrong_type(value: &Value, schema: &Structural, path: &DocumentPath<'_>) -> FieldError {
    let wanted =
        if schema.int_or_string { "integer,string" } else { schema.kind.as_deref().unwrap_or_default() };
    let found = type_name(value);
    let detail = format!("{path} in body must be of type {wanted}: {found:?}");
    FieldError::type_invalid(field(path), &json!(found), &detail)
}

fn check_map(
    map: &Map<String, Value>,
    old: Option<&Value>,
    schema: &Structural,
    path: &DocumentPath<'_>,
    errors: &mut Vec<FieldError>,
) {
    let checks = &schema.checks;
    for name in checks.required.iter().filter(|name| !map.contains_key(*name)) {
        errors.push(FieldError::required(DocumentPath::Field(path, name).to_string(), ""));
    }
    let size = map.len() as u64;
    if checks.max_properties.is_some_and(|most| size > most) {
        let most = checks.max_properties.unwrap_or_default();
        errors.push(FieldError::too_many(field(path), map.len(), most as usize));
    }
    if let Some(least) = checks.min_properties.filter(|least| size < *least) {
        errors.push(invalid(path, &json!(size), &format!("should have at least {least} properties")));
    }
    for (name, value) in map {
        let old = old.and_then(|old| old.get(name));
        match (schema.properties.get(name), &schema.additional) {
            (Some(property), _) => check(value, old, property, &DocumentPath::Field(path, name), errors),
            (None, Additional::Schema(schema)) => {
                check(value, old, schema, &DocumentPath::Field(path, name), errors)
            }
            _ => {}
        }
    }
}

fn check_list(
    list: &[Value],
    old: Option<&Value>,
    schema: &Structural,
    path: &DocumentPath<'_>,
    errors: &mut Vec<FieldError>,
) {
    let (checks, size) = (&schema.checks, list.len() as u64);
    if let Some(most) = checks.max_items.filter(|most| size > *most) {
        errors.push(FieldError::too_many(field(path), list.len(), most as usize));
    }
    if let Some(least) = checks.min_items.filter(|least| size < *least) {
        errors.push(invalid(path, &json!(size), &format!("should have at least {least} items")));
    }
    if let Some(items) = schema.items.as_deref() {
        let before = by_key(old, schema);
        for (at, item) in list.iter().enumerate() {
            let found = (!before.is_empty()).then(|| before.get(&key(item, schema).to_string()));
            let old = found.flatten().copied();
            check(item, old, items, &DocumentPath::Item(path, at), errors);
        }
    }
    match schema.list_type {
        ListType::Atomic => {}
        ListType::Set => check_set(list, path, errors),
        ListType::Map => check_keys(list, schema, path, errors),
    }
}

/// The items of a keyed list; those of other lists cannot be told apart.
fn by_key<'v>(list: Option<&'v Value>, schema: &Structural) -> HashMap<String, &'v Value> {
    let keyed = list.filter(|_| schema.list_type == ListType::Map).and_then(Value::as_array);
    keyed.into_iter().flatten().map(|item| (key(item, schema).to_string(), item)).collect()
}

/// The key fields of an item; absent ones are left out, without defaults.
fn key(item: &Value, schema: &Structural) -> Value {
    let keys = schema.list_map_keys.iter().filter_map(|key| Some((key.clone(), item.get(key)?.clone())));
    Value::Object(keys.collect())
}

/// Each value once; a repeated one is reported at its second place only.
fn check_set(list: &[Value], path: &DocumentPath<'_>, errors: &mut Vec<FieldError>) {
    let mut seen = BTreeSet::new();
    let mut reported = BTreeSet::new();
    for (at, item) in list.iter().enumerate() {
        let text = item.to_string();
        if !seen.insert(text.clone()) && reported.insert(text) && !has_enough(errors) {
            errors.push(FieldError::duplicate(DocumentPath::Item(path, at).to_string(), item));
        }
    }
}

/// Each key once.
fn check_keys(list: &[Value], schema: &Structural, path: &DocumentPath<'_>, errors: &mut Vec<FieldError>) {
    if list.len() < 2 {
        return;
    }
    let mut seen = BTreeSet::new();
    let mut reported = BTreeSet::new();
    for (at, item) in list.iter().enumerate() {
        if has_enough(errors) {
            return;
        }
        let place = || DocumentPath::Item(path, at).to_string();
        if !item.is_object() && !item.is_null() {
            errors.push(FieldError::invalid(
                place(),
                item,
                "must be an object for an array of list-type map",
            ));
            continue;
        }
        let key = key(item, schema);
        if !seen.insert(key.to_string()) && reported.insert(key.to_string()) {
            errors.push(FieldError::duplicate(place(), &key));
        }
    }
}

fn check_text(text: &str, checks: &Checks, path: &DocumentPath<'_>, errors: &mut Vec<FieldError>) {
    let (length, value) = (text.chars().count() as u64, json!(text));
    if let Some(most) = checks.max_length.filter(|most| length > *most) {
        errors.push(FieldError::too_long(field(path), most as usize));
    }
    if let Some(least) = checks.min_length.filter(|least| length < *least) {
        errors.push(invalid(path, &value, &format!("should be at least {least} chars long")));
    }
    if let Some(pattern) = checks.pattern.as_ref().filter(|pattern| !pattern.is_match(text)) {
        errors.push(invalid(path, &value, &format!("should match '{pattern}'")));
    }
    if let Some(name) = checks.format.as_deref().filter(|name| !format::holds(name, text)) {
        errors.push(invalid(path, &value, &format!("must be of type {name}: {text:?}")));
    }
}

fn check_number(value: &Value, checks: &Checks, path: &DocumentPath<'_>, errors: &mut Vec<FieldError>) {
    let Some(number) = value.as_f64() else { return };
    let mut refuse = |why: String| errors.push(invalid(path, value, &why));
    if let Some(least) = checks.minimum {
        if checks.exclusive_minimum && number <= least {
            refuse(format!("should be greater than {least}"));
        } else if number < least {
            refuse(format!("should be greater than or equal to {least}"));
        }
    }
    if let Some(most) = checks.maximum {
        if checks.exclusive_maximum && number >= most {
            refuse(format!("should be less than {most}"));
        } else if number > most {
            refuse(format!("should be less than or equal to {most}"));
        }
    }
    if let Some(step) = checks.multiple_of.filter(|step| *step > 0.0 && (number / step).fract() != 0.0) {
        refuse(format!("should be a multiple of {step}"));
    }
    if let Some(name) = checks.format.as_deref().filter(|name| !format::fits(name, value)) {
        refuse(format!("must be of type {name}: {value}"));
    }
}

fn check_options(value: &Value, checks: &Checks, path: &DocumentPath<'_>, errors: &mut Vec<FieldError>) {
    let Some(options) = checks.options.as_ref().filter(|options| !options.contains(value)) else { return };
    let texts: Vec<String> =
        options.iter().map(|one| one.as_str().map_or_else(|| one.to_string(), str::to_string)).collect();
    errors.push(FieldError::not_supported(field(path), value, &texts));
}

fn check_logical_operators(
    value: &Value,
    checks: &Checks,
    path: &DocumentPath<'_>,
    errors: &mut Vec<FieldError>,
) {
    let complaints = |schema: &Structural| {
        let mut found = Vec::new();
        check(value, None, schema, path, &mut found);
        found
    };
    let mut refuse = |why: &str| errors.push(invalid(path, value, why));
    if !checks.any_of.is_empty() && checks.any_of.iter().all(|schema| !complaints(schema).is_empty()) {
        refuse("must validate at least one schema (anyOf)");
    }
    if !checks.one_of.is_empty() {
        match checks.one_of.iter().filter(|schema| complaints(schema).is_empty()).count() {
            1 => {}
            0 => refuse("must validate one and only one schema (oneOf). Found none valid"),
            n => refuse(&format!(
                "must validate one and only one schema (oneOf). Found {n} valid alternatives"
            )),
        }
    }
    if checks.not.as_ref().is_some_and(|schema| complaints(schema).is_empty()) {
        refuse("must not validate the schema (not)");
    }
    let failing: Vec<FieldError> = checks.all_of.iter().flat_map(complaints).collect();
    if !failing.is_empty() {
        refuse("must validate all the schemas (allOf)");
        errors.extend(failing);
    }
}

fn invalid(path: &DocumentPath<'_>, value: &Value, why: &str) -> FieldError {
    FieldError::invalid(field(path), value, &format!("{path} in body {why}"))
}

/// The root has no path; messages name it so.
fn field(path: &DocumentPath<'_>) -> String {
    if let DocumentPath::Root = path { "<nil>".to_string() } else { path.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn complaints(schema: Value, value: Value) -> Vec<String> {
        let schema = Structural::compile(&json!({"properties": {"f": schema}})).unwrap();
        validate(&json!({"f": value}), None, &schema).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn complaints_read_as_the_api_server_words_them() {
        for (schema, value, text) in [
            (
                json!({"type": "integer"}),
                json!("x"),
                "f: Invalid value: \"string\": f in body must be of type integer: \"string\"",
            ),
            (
                json!({"type": "integer", "minimum": 1}),
                json!(0),
                "f: Invalid value: 0: f in body should be greater than or equal to 1",
            ),
            (
                json!({"enum": ["a", "b"]}),
                json!("c"),
                "f: Unsupported value: \"c\": supported values: \"a\", \"b\"",
            ),
            (json!({"pattern": "^a$"}), json!("b"), "f: Invalid value: \"b\": f in body should match '^a$'"),
            (json!({"maxLength": 2}), json!("abc"), "f: Too long: may not be more than 2 bytes"),
            (json!({"maxItems": 1}), json!([1, 2]), "f: Too many: 2: must have at most 1 items"),
            (json!({"required": ["x"]}), json!({}), "f.x: Required value"),
            (
                json!({"type": "array", "x-kubernetes-list-type": "set"}),
                json!(["a", "b", "a", "a"]),
                "f[2]: Duplicate value: \"a\"",
            ),
            (
                json!({"x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k"]}),
                json!([{"k": 1}, {"k": 2}, {"k": 1}]),
                "f[2]: Duplicate value: {\"k\":1}",
            ),
            (
                json!({"oneOf": [{"required": ["a"]}, {"required": ["b"]}]}),
                json!({"a": 1, "b": 2}),
                "f: Invalid value: {\"a\":1,\"b\":2}: f in body must validate one and only one schema (oneOf). Found 2 valid alternatives",
            ),
        ] {
            assert_eq!(complaints(schema, value), [text]);
        }
    }

    #[test]
    fn a_long_name_above_many_faults_is_written_out_once() {
        let schema = json!({"additionalProperties": {"additionalProperties": {"type": "string"}}});
        let schema = Structural::compile(&schema).unwrap();
        let faults: Map<String, Value> = (0..100_000).map(|at| (at.to_string(), json!(at))).collect();
        let value = json!({"n".repeat(1024 * 1024): faults});
        assert_eq!(validate(&value, None, &schema).len(), 1);
    }

    #[test]
    fn good_values_pass() {
        for (schema, value) in [
            (json!({"type": "string", "nullable": true}), json!(null)),
            (json!({"x-kubernetes-int-or-string": true}), json!("80%")),
            (json!({"type": "number", "maximum": 5}), json!(4.5)),
            (json!({"type": "integer"}), json!(2.0)),
            (json!({"anyOf": [{"type": "integer"}, {"type": "string"}]}), json!("x")),
            (json!({"not": {"type": "string"}}), json!(1)),
        ] {
            assert_eq!(complaints(schema, value), [""; 0]);
        }
    }

    #[test]
    fn what_did_not_change_is_let_pass() {
        let schema = Structural::compile(&json!({"properties": {
            "low": {"minimum": 5},
            "map": {"required": ["x"]},
            "keyed": {"x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k"],
                "items": {"properties": {"v": {"minimum": 5}}}},
        }}))
        .unwrap();
        let count = |old: Value, new: Value| validate(&new, Some(&old), &schema).len();
        assert_eq!(count(json!({"low": 1}), json!({"low": 1, "other": 2})), 0);
        assert_eq!(count(json!({"low": 1}), json!({"low": 2})), 1);
        assert_eq!(count(json!({"map": {}}), json!({"map": {"y": 1}})), 1);
        let keyed = |items: Value| json!({"keyed": items});
        let old = keyed(json!([{"k": 1, "v": 1}, {"k": 2, "v": 2}]));
        assert_eq!(count(old.clone(), keyed(json!([{"k": 2, "v": 2}, {"k": 1, "v": 1}]))), 0);
        assert_eq!(count(old, keyed(json!([{"k": 2, "v": 1}, {"k": 1, "v": 1}]))), 1);
    }
}
