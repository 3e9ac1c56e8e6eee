//! The defaults of a schema: what they must be, and how they fill an object.

use serde_json::Value;

use super::{
    prune,
    rules::default_errors,
    structural::{Additional, Structural},
    validate,
};
use crate::field_error::FieldError;

/// Sets declared defaults where a value is absent, or null though it may not be.
pub fn fill(value: &mut Value, schema: &Structural) {
    match value {
        Value::Object(map) => {
            for (name, property) in &schema.properties {
                let Some(default) = &property.default else { continue };
                // Null is replaced only where it could not be stored.
                let missing = map.get(name).is_none_or(|value| value.is_null() && !property.nullable);
                if missing {
                    map.insert(name.clone(), default.clone());
                }
            }
            // After the defaults were added: they are filled in below, too.
            for (name, value) in map.iter_mut() {
                match (schema.properties.get(name), &schema.additional) {
                    (Some(property), _) => fill(value, property),
                    (None, Additional::Schema(schema)) => fill_element(value, schema),
                    _ => {}
                }
            }
        }
        Value::Array(list) => {
            if let Some(items) = schema.items.as_deref() {
                list.iter_mut().for_each(|item| fill_element(item, items));
            }
        }
        _ => {}
    }
}

fn fill_element(value: &mut Value, schema: &Structural) {
    if let (true, false, Some(default)) = (value.is_null(), schema.nullable, &schema.default) {
        *value = default.clone();
    }
    fill(value, schema);
}

/// Defaults must be what the schema around them would keep and accept, and satisfy its rules. As in Kubernetes, those
/// below `additionalProperties` are not looked at. `document` is what the schema was compiled from.
pub fn check(schema: &Structural, document: &Value, path: &str, errors: &mut Vec<FieldError>) {
    if let Some(default) = &schema.default {
        let place = format!("{path}.default");
        if prune::loses_something(default, schema) {
            errors.push(FieldError::invalid(place.clone(), default, "must not have unknown fields"));
        }
        let found = validate::validate_default(default, schema, &place);
        // Rules are evaluated on values that have the types of the schema.
        let broken = if found.is_empty() { default_errors(document, default, &place) } else { Vec::new() };
        errors.extend(found.into_iter().chain(broken));
    }
    if let Some(items) = &schema.items {
        check(items, &document["items"], &format!("{path}.items"), errors);
    }
    for (name, property) in &schema.properties {
        check(property, &document["properties"][name], &format!("{path}.properties[{name}]"), errors);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn defaults_fill_what_is_missing() {
        let schema = Structural::compile(&json!({"properties": {
            "a": {"default": 1},
            "b": {"type": "object", "default": {}, "properties": {"c": {"default": "d"}}},
            "e": {"type": "object", "properties": {"f": {"default": true}}},
            "l": {"type": "array", "items": {"properties": {"p": {"default": "TCP"}}}},
            "n": {"nullable": true, "default": 5},
        }}))
        .unwrap();
        let mut value = json!({"a": null, "l": [{"p": "UDP"}, {}], "n": null});
        fill(&mut value, &schema);
        assert_eq!(
            value,
            json!({"a": 1, "b": {"c": "d"}, "l": [{"p": "UDP"}, {"p": "TCP"}], "n": null}),
            "nothing is made for a missing parent without default"
        );
    }

    #[test]
    fn defaults_are_checked_where_kubernetes_checks_them() {
        let wrong = json!({"type": "object", "properties": {"a": {"type": "integer", "default": "x"}}});
        for (schema, found) in [
            (json!({"properties": {"f": wrong}}), 1),
            (json!({"items": wrong}), 1),
            (json!({"additionalProperties": wrong}), 0),
        ] {
            let mut errors = Vec::new();
            check(&Structural::compile(&schema).unwrap(), &schema, "s", &mut errors);
            assert_eq!(errors.len(), found, "{schema}");
        }
    }
}
