//! Lists of distinct items: `x-kubernetes-list-type: set` and `map`.

use std::collections::HashMap;

use serde_json::{Map, Value};

use super::structural::{Additional, ListType, Structural};
use crate::field_error::{FieldError, has_enough};

/// Reports items that are in a list twice, anywhere in an object.
pub(super) fn check(value: &Value, schema: &Structural) -> Vec<FieldError> {
    let mut errors = Vec::new();
    walk(value, schema, "", &mut errors);
    errors
}

fn walk(value: &Value, schema: &Structural, path: &str, errors: &mut Vec<FieldError>) {
    if has_enough(errors) {
        return;
    }
    match value {
        Value::Array(list) => {
            match schema.list_type {
                ListType::Atomic => {}
                ListType::Set => report(list.iter().cloned(), path, errors),
                ListType::Map => check_map_list(list, schema, path, errors),
            }
            let Some(items) = schema.items.as_deref() else { return };
            list.iter()
                .enumerate()
                .for_each(|(at, item)| walk(item, items, &format!("{path}[{at}]"), errors));
        }
        Value::Object(map) => {
            for (name, value) in map {
                match (schema.properties.get(name), &schema.additional) {
                    (Some(property), _) => walk(value, property, &child(path, name), errors),
                    (None, Additional::Schema(values)) => {
                        walk(value, values, &format!("{path}[{name}]"), errors)
                    }
                    _ => {}
                }
            }
        }
        _ => {}
    }
}

/// The path of a field.
pub(super) fn child(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_string() } else { format!("{path}.{name}") }
}

fn check_map_list(list: &[Value], schema: &Structural, path: &str, errors: &mut Vec<FieldError>) {
    if let Some(at) = list.iter().position(|item| !item.is_object() && !item.is_null()) {
        let detail = "must be an object for an array of list-type map";
        return errors.push(FieldError::invalid(format!("{path}[{at}]"), &list[at], detail));
    }
    report(list.iter().map(|item| keys_of(item, schema)), path, errors);
}

/// The key fields of an item; absent ones are left out, without defaults.
fn keys_of(item: &Value, schema: &Structural) -> Value {
    let keys = schema.list_map_keys.iter().filter_map(|key| Some((key.clone(), item.get(key)?.clone())));
    Value::Object(keys.collect::<Map<_, _>>())
}

/// Reports each value that is there more than once, at its second place only.
fn report(values: impl Iterator<Item = Value>, path: &str, errors: &mut Vec<FieldError>) {
    let mut counts: HashMap<String, usize> = HashMap::new();
    for (at, value) in values.enumerate() {
        let count = counts.entry(value.to_string()).or_default();
        *count += 1;
        // Upstream reports one error for each value, however often it is there.
        if *count == 2 && !has_enough(errors) {
            errors.push(FieldError::duplicate(format!("{path}[{at}]"), &value));
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn repeated_items_are_reported_at_their_second_place() {
        let schema = Structural::compile(&json!({"properties": {
            "set": {"type": "array", "x-kubernetes-list-type": "set"},
            "map": {"x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k"]},
        }}))
        .unwrap();
        let object = json!({"set": ["a", "b", "a", "a"], "map": [{"k": 1}, {"k": 2}, {"k": 1}]});
        let texts: Vec<String> = check(&object, &schema).iter().map(ToString::to_string).collect();
        assert_eq!(texts, ["map[2]: Duplicate value: {\"k\":1}", "set[2]: Duplicate value: \"a\""]);
    }
}
