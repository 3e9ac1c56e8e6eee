//! The defaults of a schema: what they must be, and how they fill an object.

use kubemerge_value::deep;
use serde_json::Value as Json;

use super::{
    prune,
    rules::default_errors,
    structural::{Additional, Structural},
    validate,
};
use crate::{
    field_error::FieldError,
    tree::{Arena, Map, Value},
};

/// Sets declared defaults where a value is absent, or null though it may not be.
pub fn fill(object: &mut Map<'_>, schema: &Structural) {
    let arena = object.arena();
    for (name, property) in &schema.properties {
        let Some(default) = &property.default else { continue };
        match object.get_mut(name) {
            None => object.set(arena.alloc_str(name), Value::of_json(default, arena)),
            // Null is replaced only where it could not be stored.
            Some(value @ Value::Null) if !property.nullable => *value = Value::of_json(default, arena),
            Some(_) => {}
        }
    }
    // After the defaults were added: they are filled in below, too.
    for (name, value) in object.iter_mut() {
        match (schema.properties.get(name), &schema.additional) {
            (Some(property), _) => fill_below(value, property, arena),
            (None, Additional::Schema(schema)) => fill_element(value, schema, arena),
            _ => {}
        }
    }
}

fn fill_below<'a>(value: &mut Value<'a>, schema: &Structural, arena: &'a Arena) {
    deep(|| match value {
        Value::Map(map) => fill(map, schema),
        Value::List(list) => {
            if let Some(items) = schema.items.as_deref() {
                list.iter_mut().for_each(|item| fill_element(item, items, arena));
            }
        }
        _ => {}
    });
}

fn fill_element<'a>(value: &mut Value<'a>, schema: &Structural, arena: &'a Arena) {
    if let (Value::Null, false, Some(default)) = (&value, schema.nullable, &schema.default) {
        *value = Value::of_json(default, arena);
    }
    fill_below(value, schema, arena);
}

/// Defaults must be what the schema around them would keep and accept, and satisfy its rules. As in Kubernetes, those
/// below `additionalProperties` are not looked at. `document` is what the schema was compiled from.
pub fn check(schema: &Structural, document: &Json, path: &str, errors: &mut Vec<FieldError>) {
    if let Some(default) = &schema.default {
        let place = format!("{path}.default");
        let arena = Arena::new();
        if prune::loses_something(&mut Value::of_json(default, &arena), schema) {
            errors.push(FieldError::invalid(place.clone(), default, "must not have unknown fields"));
        }
        let value = Value::of_json(default, &arena);
        let found = validate::validate_default(&value, schema, &place);
        // Rules are evaluated on values that have the types of the schema.
        let broken = if found.is_empty() { default_errors(document, &value, &place) } else { Vec::new() };
        errors.extend(found.into_iter().chain(broken));
    }
    if let Some(items) = &schema.items {
        check(items, &document["items"], &format!("{path}.items"), errors);
    }
    let documents = &document["properties"];
    for (name, property) in &schema.properties {
        check(property, &documents[name], &format!("{path}.properties[{name}]"), errors);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::custom::decode;

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
        let arena = Arena::new();
        let mut object = decode(&arena, r#"{"a":null,"l":[{"p":"UDP"},{}],"n":null}"#);
        fill(&mut object, &schema);
        assert_eq!(
            object.to_text(),
            r#"{"a":1,"b":{"c":"d"},"l":[{"p":"UDP"},{"p":"TCP"}],"n":null}"#,
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
