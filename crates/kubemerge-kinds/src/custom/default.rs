//! The defaults of a schema: what they must be, and how they fill an object.

use kubemerge_schema::{Additional, ValueType, ValueTypeId};
use kubemerge_value::deep;
use serde_json::Value as Json;

use super::{prune, rules::default_errors, validate};
use crate::{
    field_error::FieldError,
    tree::{Arena, Map, Value},
};

/// How many bytes of JSON defaults may add to an object: more than is stored of any. A definition may have a large
/// default below the items of a list, of which a body has a hundred thousand.
pub const MAX_DEFAULT_BYTES: usize = 3 * 1024 * 1024;

/// Defaults would add more than [`MAX_DEFAULT_BYTES`] to an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DefaultsTooLarge;

/// Sets declared defaults where a value is absent, or null though it may not be. After an error, some are missing.
pub fn fill(object: &mut Map<'_>, schema: ValueType<'_>) -> Result<(), DefaultsTooLarge> {
    let mut filling = Filling { arena: object.arena(), room: MAX_DEFAULT_BYTES, open: Vec::new() };
    filling.map(object, schema)
}

/// Defaults that are being filled in.
struct Filling<'a> {
    arena: &'a Arena,
    /// How many more bytes of defaults the object may get.
    room: usize,
    /// The types of the defaults around the place: one of them in itself would never end.
    open: Vec<ValueTypeId>,
}

impl<'a> Filling<'a> {
    fn default(&mut self, default: &Json) -> Result<Value<'a>, DefaultsTooLarge> {
        self.room = self.room.checked_sub(size(default)).ok_or(DefaultsTooLarge)?;
        Ok(Value::of_json(default, self.arena))
    }

    fn map(&mut self, object: &mut Map<'a>, schema: ValueType<'_>) -> Result<(), DefaultsTooLarge> {
        let mut added = Vec::new();
        for (name, property) in schema.properties() {
            let Some(default) = property.default().filter(|_| !self.open.contains(&property.id())) else {
                continue;
            };
            match object.get_mut(name) {
                None => object.set(self.arena.alloc_str(name), self.default(default)?),
                // Null is replaced only where it could not be stored.
                Some(value @ Value::Null) if !property.is_nullable() => *value = self.default(default)?,
                Some(_) => continue,
            }
            added.push(name);
        }
        // After the defaults were added: they are filled in below, too.
        for (name, value) in object.iter_mut() {
            let Some(property) = schema.property(name) else {
                if let Additional::Schema(values) = schema.additional() {
                    self.element(value, values)?;
                }
                continue;
            };
            // Both are sorted by name.
            match added.binary_search(&name) {
                Ok(_) => self.below_default(value, property)?,
                Err(_) => self.below(value, property)?,
            }
        }
        Ok(())
    }

    fn below(&mut self, value: &mut Value<'a>, schema: ValueType<'_>) -> Result<(), DefaultsTooLarge> {
        deep(|| match value {
            Value::Map(map) => self.map(map, schema),
            Value::List(list) => match schema.items() {
                Some(items) => list.iter_mut().try_for_each(|item| self.element(item, items)),
                None => Ok(()),
            },
            _ => Ok(()),
        })
    }

    fn below_default(
        &mut self,
        value: &mut Value<'a>,
        schema: ValueType<'_>,
    ) -> Result<(), DefaultsTooLarge> {
        self.open.push(schema.id());
        let filled = self.below(value, schema);
        self.open.pop();
        filled
    }

    fn element(&mut self, value: &mut Value<'a>, schema: ValueType<'_>) -> Result<(), DefaultsTooLarge> {
        if let (Value::Null, false, Some(default)) = (&value, schema.is_nullable(), schema.default()) {
            *value = self.default(default)?;
        }
        self.below(value, schema)
    }
}

/// About how many bytes a value is as JSON, with the comma or the colon beside it.
fn size(value: &Json) -> usize {
    1 + match value {
        Json::Null | Json::Bool(_) | Json::Number(_) => 4,
        Json::String(text) => text.len() + 2,
        Json::Array(items) => deep(|| items.iter().map(size).sum::<usize>()) + 2,
        Json::Object(members) => {
            deep(|| members.iter().map(|(name, value)| name.len() + 3 + size(value)).sum::<usize>()) + 2
        }
    }
}

/// Defaults must be what the schema around them would keep and accept, and satisfy its rules. As in Kubernetes, those
/// below `additionalProperties` are not looked at.
pub fn check(schema: ValueType<'_>, path: &str, errors: &mut Vec<FieldError>) {
    if let Some(default) = schema.default() {
        let place = format!("{path}.default");
        let arena = Arena::new();
        if prune::loses_something(&mut Value::of_json(default, &arena), schema) {
            errors.push(FieldError::invalid(place.clone(), default, "must not have unknown fields"));
        }
        let value = Value::of_json(default, &arena);
        let found = validate::validate_default(&value, schema, &place);
        // Rules are evaluated on values that have the types of the schema.
        let broken = if found.is_empty() { default_errors(schema, &value, &place) } else { Vec::new() };
        errors.extend(found.into_iter().chain(broken));
    }
    if let Some(items) = schema.items() {
        check(items, &format!("{path}.items"), errors);
    }
    for (name, property) in schema.properties() {
        check(property, &format!("{path}.properties[{name}]"), errors);
    }
}

#[cfg(test)]
mod tests {
    use kubemerge_schema::DeclaredType;
    use serde_json::json;

    use super::*;
    use crate::custom::decode;

    #[test]
    fn defaults_fill_what_is_missing() {
        let schema = DeclaredType::of_schema(&json!({"properties": {
            "a": {"default": 1},
            "b": {"type": "object", "default": {}, "properties": {"c": {"default": "d"}}},
            "e": {"type": "object", "properties": {"f": {"default": true}}},
            "l": {"type": "array", "items": {"properties": {"p": {"default": "TCP"}}}},
            "n": {"nullable": true, "default": 5},
        }}))
        .unwrap();
        let arena = Arena::new();
        let mut object = decode(&arena, r#"{"a":null,"l":[{"p":"UDP"},{}],"n":null}"#);
        fill(&mut object, schema.values()).unwrap();
        assert_eq!(
            object.to_text(),
            r#"{"a":1,"b":{"c":"d"},"l":[{"p":"UDP"},{"p":"TCP"}],"n":null}"#,
            "nothing is made for a missing parent without default"
        );
    }

    #[test]
    fn defaults_of_many_items_are_bounded() {
        let schema = DeclaredType::of_schema(&json!({"properties": {
            "l": {"type": "array", "items": {"properties": {"p": {"default": "x".repeat(20_000)}}}},
        }}))
        .unwrap();
        let filled = |count: usize| {
            let arena = Arena::new();
            let mut object =
                decode(&arena, arena.alloc_str(&format!("{{\"l\":[{}]}}", vec!["{}"; count].join(","))));
            fill(&mut object, schema.values()).map(|()| object.to_text().len())
        };
        assert!(filled(100).is_ok_and(|bytes| bytes > 2_000_000));
        assert_eq!(filled(100_000), Err(DefaultsTooLarge));
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
            check(DeclaredType::of_schema(&schema).unwrap().values(), "s", &mut errors);
            assert_eq!(errors.len(), found, "{schema}");
        }
    }
}
