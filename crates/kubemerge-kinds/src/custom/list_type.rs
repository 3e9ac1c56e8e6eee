//! Lists of distinct items: `x-kubernetes-list-type: set` and `map`.

use std::collections::HashMap;

use kubemerge_schema::{Additional, ListType, ValueType};
use kubemerge_value::deep;

use crate::{
    field::BadValue,
    field_error::{FieldError, has_enough},
    tree::{Arena, Map, Value, ValueRef},
};

/// Reports items that are in a list twice, anywhere in an object.
pub(super) fn check(object: &Map<'_>, schema: ValueType<'_>) -> Vec<FieldError> {
    let mut errors = Vec::new();
    walk(object.into(), schema, "", &mut errors);
    errors
}

fn walk(value: ValueRef<'_>, schema: ValueType<'_>, path: &str, errors: &mut Vec<FieldError>) {
    if has_enough(errors) {
        return;
    }
    deep(|| match value {
        ValueRef::List(list) => {
            match schema.list_type() {
                ListType::Unset | ListType::Atomic => {}
                ListType::Set => report(list.iter(), path, errors),
                ListType::Map => check_map_list(list, schema, path, errors),
            }
            let Some(items) = schema.items() else { return };
            list.iter()
                .enumerate()
                .for_each(|(at, item)| walk(item.into(), items, &format!("{path}[{at}]"), errors));
        }
        ValueRef::Map(map) => {
            for (name, value) in map.iter() {
                match (schema.property(name), schema.additional()) {
                    (Some(property), _) => walk(value.into(), property, &child(path, name), errors),
                    (None, Additional::Schema(values)) => {
                        walk(value.into(), values, &format!("{path}[{name}]"), errors);
                    }
                    _ => {}
                }
            }
        }
        _ => {}
    });
}

/// The path of a field.
pub(super) fn child(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_string() } else { format!("{path}.{name}") }
}

fn check_map_list(list: &[Value<'_>], schema: ValueType<'_>, path: &str, errors: &mut Vec<FieldError>) {
    let is_other = |item: &Value<'_>| !matches!(item, Value::Map(_) | Value::Null);
    if let Some((at, item)) = list.iter().enumerate().find(|(_, item)| is_other(item)) {
        let detail = "must be an object for an array of list-type map";
        return errors.push(FieldError::invalid_as(format!("{path}[{at}]"), item.into(), detail));
    }
    let arena = Arena::new();
    let keys: Vec<Value<'_>> = list.iter().map(|item| keys_of(item, schema, &arena)).collect();
    report(keys.iter(), path, errors);
}

/// The key fields of an item; absent ones are left out, without defaults.
fn keys_of<'a>(item: &Value<'_>, schema: ValueType<'a>, arena: &'a Arena) -> Value<'a> {
    let mut keys = Map::new_in(arena);
    for key in schema.list_map_keys() {
        let value = item.as_map().and_then(|item| item.get(key));
        value.into_iter().for_each(|value| keys.set(key, value.copy_in(arena)));
    }
    Value::Map(keys)
}

/// Reports each value that is there more than once, at its second place only.
fn report<'v>(values: impl Iterator<Item = &'v Value<'v>>, path: &str, errors: &mut Vec<FieldError>) {
    let mut counts: HashMap<Vec<u8>, usize> = HashMap::new();
    for (at, value) in values.enumerate() {
        let mut key = Vec::new();
        value.append_key(&mut key);
        let count = counts.entry(key).or_default();
        *count += 1;
        // Upstream reports one error for each value, however often it is there.
        if *count == 2 && !has_enough(errors) {
            errors.push(FieldError::duplicate(format!("{path}[{at}]"), BadValue::from(value)));
        }
    }
}

#[cfg(test)]
mod tests {
    use kubemerge_schema::DeclaredType;
    use serde_json::json;

    use super::*;
    use crate::custom::decode;

    #[test]
    fn repeated_items_are_reported_at_their_second_place() {
        let schema = DeclaredType::of_schema(&json!({"properties": {
            "set": {"type": "array", "x-kubernetes-list-type": "set"},
            "map": {"x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k"]},
        }}))
        .unwrap();
        let arena = Arena::new();
        let object = r#"{"set":["a","b",7,"a","a",7.0],"map":[{"k":1},{"k":2},{"k":1},{"k":2.0}]}"#;
        let object = decode(&arena, object);
        let texts: Vec<String> = check(&object, schema.values()).iter().map(ToString::to_string).collect();
        assert_eq!(texts, ["map[2]: Duplicate value: {\"k\":1}", "set[3]: Duplicate value: \"a\""]);
    }
}
