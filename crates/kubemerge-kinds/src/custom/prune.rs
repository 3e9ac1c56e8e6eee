//! Removes what a schema does not declare, and nulls that mean nothing.

use kubemerge_schema::{Additional, ValueType};
use kubemerge_value::deep;

use crate::{
    document_path::DocumentPath,
    tree::{Map, Value},
};

/// What every object has, whatever its schema declares.
const OWN: [&str; 3] = ["apiVersion", "kind", "metadata"];

/// Removes undeclared fields; answers their paths, sorted, as many as are reported. The root's own type and
/// metadata stay.
pub fn prune(object: &mut Map<'_>, schema: ValueType<'_>) -> Vec<String> {
    let mut removed = Vec::new();
    let own = OWN.map(|name| object.remove(name));
    prune_map(object, Some(schema), &DocumentPath::Root, &mut removed);
    for (name, value) in OWN.into_iter().zip(own) {
        value.into_iter().for_each(|value| object.set(name, value));
    }
    // Warnings come in the order of paths, whatever the order of fields is.
    removed.sort();
    removed
}

/// Removes undeclared fields of a value; answers whether there were any.
pub(super) fn loses_something(value: &mut Value<'_>, schema: ValueType<'_>) -> bool {
    let mut removed = Vec::new();
    prune_value(value, Some(schema), &DocumentPath::Root, &mut removed);
    !removed.is_empty()
}

fn prune_value(
    value: &mut Value<'_>,
    schema: Option<ValueType<'_>>,
    place: &DocumentPath<'_>,
    removed: &mut Vec<String>,
) {
    deep(|| match value {
        Value::Map(map) => prune_map(map, schema, place, removed),
        Value::List(list) => {
            let keep = schema.is_some_and(ValueType::keeps_unknown);
            let items = schema.and_then(ValueType::items);
            for (at, item) in list.iter_mut().enumerate() {
                let place = DocumentPath::Item(place, at);
                if keep {
                    skip_value(item, items, &place, removed);
                } else {
                    prune_value(item, items, &place, removed);
                }
            }
        }
        _ => {}
    });
}

fn prune_map(
    map: &mut Map<'_>,
    schema: Option<ValueType<'_>>,
    place: &DocumentPath<'_>,
    removed: &mut Vec<String>,
) {
    if let Some(schema) = schema.filter(|schema| schema.keeps_unknown()) {
        return skip_map(map, schema, place, removed);
    }
    map.retain_mut(|name, value| {
        let (place, child) = (DocumentPath::Field(place, name), child(schema, name));
        match child {
            Child::Untouched => {}
            Child::Declared(schema) => prune_value(value, schema, &place, removed),
            Child::Unknown => place.note(removed),
        }
        !matches!(child, Child::Unknown)
    });
}

/// Below a place that keeps unknown fields: undeclared ones stay, declared ones are pruned as usual.
fn skip_value(
    value: &mut Value<'_>,
    schema: Option<ValueType<'_>>,
    place: &DocumentPath<'_>,
    removed: &mut Vec<String>,
) {
    let Some(schema) = schema else { return };
    match value {
        Value::Map(map) => skip_map(map, schema, place, removed),
        Value::List(list) => {
            for (at, item) in list.iter_mut().enumerate() {
                skip_value(item, schema.items(), &DocumentPath::Item(place, at), removed);
            }
        }
        _ => {}
    }
}

fn skip_map(map: &mut Map<'_>, schema: ValueType<'_>, place: &DocumentPath<'_>, removed: &mut Vec<String>) {
    for (name, value) in map.iter_mut() {
        if let Child::Declared(Some(schema)) = child(Some(schema), name) {
            prune_value(value, Some(schema), &DocumentPath::Field(place, name), removed);
        }
    }
}

enum Child<'s> {
    /// The type and metadata of an embedded object.
    Untouched,
    Declared(Option<ValueType<'s>>),
    Unknown,
}

fn child<'s>(schema: Option<ValueType<'s>>, name: &str) -> Child<'s> {
    let Some(schema) = schema else { return Child::Unknown };
    if schema.is_embedded() && OWN.contains(&name) {
        return Child::Untouched;
    }
    match (schema.property(name), schema.additional()) {
        (Some(property), _) => Child::Declared(Some(property)),
        (None, Additional::Schema(schema)) => Child::Declared(Some(schema)),
        // Upstream: `false` is refused by validation later, so that it is not pruned silently.
        (None, Additional::Allowed | Additional::Refused) => Child::Declared(None),
        (None, Additional::Unset) => Child::Unknown,
    }
}

/// Removes nulls where the schema neither allows nor replaces them.
pub fn drop_nulls(object: &mut Map<'_>, schema: ValueType<'_>) {
    object.retain_mut(|name, value| {
        let Some(known) = schema.member(name) else { return true };
        // A null with a default was replaced before this step.
        if matches!(value, Value::Null) && !known.is_nullable() && known.default().is_none() {
            return false;
        }
        drop_nulls_below(value, known);
        true
    });
}

fn drop_nulls_below(value: &mut Value<'_>, schema: ValueType<'_>) {
    deep(|| match value {
        Value::Map(map) => drop_nulls(map, schema),
        Value::List(list) => {
            if let Some(items) = schema.items() {
                list.iter_mut().for_each(|item| drop_nulls_below(item, items));
            }
        }
        _ => {}
    });
}

#[cfg(test)]
mod tests {
    use kubemerge_schema::DeclaredType;
    use serde_json::{Value as Json, json};

    use super::*;
    use crate::{custom::decode, tree::Arena};

    fn changed<R>(object: &Json, change: impl FnOnce(&mut Map<'_>) -> R) -> (Json, R) {
        let (arena, text) = (Arena::new(), object.to_string());
        let mut object = decode(&arena, &text);
        let result = change(&mut object);
        (serde_json::from_str(&object.to_text()).unwrap(), result)
    }

    fn pruned(schema: Json, object: Json) -> (Json, Vec<String>) {
        let schema = DeclaredType::of_schema(&schema).unwrap();
        changed(&object, |object| prune(object, schema.values()))
    }

    #[test]
    fn undeclared_fields_go_and_are_named() {
        let schema = json!({"type": "object", "properties": {"spec": {"type": "object", "properties": {
            "a": {"type": "string"},
            "list": {"type": "array", "items": {"type": "object", "properties": {"x": {"type": "integer"}}}},
            "map": {"type": "object", "additionalProperties": {"type": "object", "properties": {"y": {}}}},
        }}}});
        let object = json!({"apiVersion": "v1", "kind": "K", "metadata": {"name": "n"}, "extra": 1,
            "spec": {"a": "s", "b": 1, "list": [{"x": 1, "z": 2}], "map": {"k": {"y": 1, "w": 2}}}});
        let (kept, removed) = pruned(schema, object);
        assert_eq!(removed, ["extra", "spec.b", "spec.list[0].z", "spec.map.k.w"]);
        assert_eq!(kept["spec"], json!({"a": "s", "list": [{"x": 1}], "map": {"k": {"y": 1}}}));
        assert_eq!(kept["metadata"], json!({"name": "n"}));
    }

    #[test]
    fn no_more_paths_are_written_out_than_reported() {
        let schema = json!({"type": "object", "properties": {"map": {"type": "object",
            "additionalProperties": {"type": "object"}}}});
        let many: serde_json::Map<String, Json> = (0..100_000).map(|at| (at.to_string(), json!(1))).collect();
        let (kept, removed) = pruned(schema, json!({"map": {"x".repeat(1 << 20): many}}));
        assert_eq!(removed.len(), crate::field_error::MAX_COMPLAINTS);
        assert_eq!(kept, json!({"map": {"x".repeat(1 << 20): {}}}));
    }

    #[test]
    fn unknown_fields_can_be_kept() {
        let schema = json!({"type": "object", "properties": {"spec": {"type": "object",
            "x-kubernetes-preserve-unknown-fields": true,
            "properties": {"known": {"type": "object", "properties": {"a": {}}}}}}});
        let (kept, removed) = pruned(schema, json!({"spec": {"x": {"y": 1}, "known": {"a": 1, "b": 2}}}));
        assert_eq!(kept, json!({"spec": {"x": {"y": 1}, "known": {"a": 1}}}));
        assert_eq!(removed, ["spec.known.b"]);
    }

    #[test]
    fn nulls_go_unless_allowed_or_replaced() {
        let schema = DeclaredType::of_schema(&json!({"properties": {
            "a": {"type": "string"}, "b": {"type": "string", "nullable": true}, "c": {"type": "string", "default": "x"},
        }}))
        .unwrap();
        let given = json!({"a": null, "b": null, "c": null, "unknown": null});
        let (kept, ()) = changed(&given, |object| drop_nulls(object, schema.values()));
        assert_eq!(kept, json!({"b": null, "c": null, "unknown": null}));
    }

    #[test]
    fn lists_may_be_nested_deeply() {
        let schema = DeclaredType::of_schema(&json!({"additionalProperties": true})).unwrap();
        let text = format!("{{\"l\":{}{{\"x\":1}}{}}}", "[".repeat(9_000), "]".repeat(9_000));
        let arena = Arena::new();
        let mut object = decode(&arena, &text);
        assert_eq!(prune(&mut object, schema.values()).len(), 1);
        assert_eq!(object.to_text(), text.replace("\"x\":1", ""));
    }
}
