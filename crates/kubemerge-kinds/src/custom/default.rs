//! The defaults of a schema: what they must be, and how they fill an object.

use serde_json::{Number, Value};

use super::{
    prune,
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

/// A default with floats where numbers of any kind may be: the text of a definition that is stored does not tell `7.0`
/// from `7`, and only the first has the factor 0.5.
fn as_given(default: &Value, schema: &Structural) -> Value {
    match default {
        Value::Number(number) if schema.only_type() == Some("number") => {
            number.as_f64().and_then(Number::from_f64).map_or_else(|| default.clone(), Value::Number)
        }
        Value::Array(list) => match schema.items.as_deref() {
            Some(items) => list.iter().map(|item| as_given(item, items)).collect(),
            None => default.clone(),
        },
        Value::Object(map) => {
            let given = |(name, value): (&String, &Value)| {
                let child = match (schema.properties.get(name), &schema.additional) {
                    (Some(property), _) => Some(property),
                    (None, Additional::Schema(values)) => Some(&**values),
                    _ => None,
                };
                (name.clone(), child.map_or_else(|| value.clone(), |child| as_given(value, child)))
            };
            Value::Object(map.iter().map(given).collect())
        }
        other => other.clone(),
    }
}

/// Defaults must be what the schema around them would keep and accept. As in Kubernetes, those below
/// `additionalProperties` are not looked at.
pub fn check(schema: &Structural, path: &str, errors: &mut Vec<FieldError>) {
    if let Some(default) = &schema.default {
        let place = format!("{path}.default");
        if prune::loses_something(default, schema) {
            errors.push(FieldError::invalid(place.clone(), default, "must not have unknown fields"));
        }
        errors.extend(validate::validate_default(&as_given(default, schema), schema, &place));
    }
    if let Some(items) = &schema.items {
        check(items, &format!("{path}.items"), errors);
    }
    for (name, property) in &schema.properties {
        check(property, &format!("{path}.properties[{name}]"), errors);
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
            check(&Structural::compile(&schema).unwrap(), "s", &mut errors);
            assert_eq!(errors.len(), found, "{schema}");
        }
    }
}
