//! Edits of JSON values: a map from JSON pointers to new values, where null removes a member.
//!
//! Recorded cases write bodies and answers as edits of earlier ones, which keeps their files short and readable.

use serde_json::{Map, Value};

/// The edits that make the second value from the first; none where they cannot.
pub fn edits(original: &Value, modified: &Value) -> Option<Value> {
    let mut found = Map::new();
    collect(original, modified, &mut String::new(), &mut found);
    let found = Value::Object(found);
    // A null in the wanted value cannot be told from a removal.
    (edited(original, &found) == *modified).then_some(found)
}

fn collect(original: &Value, modified: &Value, pointer: &mut String, found: &mut Map<String, Value>) {
    if original == modified {
        return;
    }
    match (original, modified) {
        (Value::Object(from), Value::Object(to)) => {
            for key in from.keys().filter(|key| !to.contains_key(*key)) {
                found.insert(format!("{pointer}/{}", escape(key)), Value::Null);
            }
            for (key, after) in to {
                let length = pointer.len();
                pointer.push('/');
                pointer.push_str(&escape(key));
                match from.get(key) {
                    Some(before) => collect(before, after, pointer, found),
                    None => drop(found.insert(pointer.clone(), after.clone())),
                }
                pointer.truncate(length);
            }
        }
        // Lists of another length are replaced as a whole.
        (Value::Array(from), Value::Array(to)) if from.len() == to.len() => {
            for (index, (before, after)) in from.iter().zip(to).enumerate() {
                let length = pointer.len();
                pointer.push_str(&format!("/{index}"));
                collect(before, after, pointer, found);
                pointer.truncate(length);
            }
        }
        _ => drop(found.insert(pointer.clone(), modified.clone())),
    }
}

/// The value with edits made. Missing parents become objects; an edit of an item that is not there is left out.
pub fn edited(original: &Value, edits: &Value) -> Value {
    let mut value = original.clone();
    for (pointer, new) in edits.as_object().into_iter().flatten() {
        let keys: Vec<String> = pointer.split('/').skip(1).map(unescape).collect();
        match keys.split_last() {
            None => value = new.clone(),
            Some((last, parents)) => edit(&mut value, parents, last, new),
        }
    }
    value
}

fn edit(value: &mut Value, parents: &[String], last: &str, new: &Value) {
    let mut place = value;
    for key in parents {
        let next = match place {
            Value::Object(map) => Some(map.entry(key.clone()).or_insert_with(|| Value::Object(Map::new()))),
            Value::Array(items) => key.parse::<usize>().ok().and_then(|index| items.get_mut(index)),
            _ => None,
        };
        let Some(next) = next else { return };
        place = next;
    }
    match (place, new) {
        (Value::Object(map), Value::Null) => drop(map.remove(last)),
        (Value::Object(map), new) => drop(map.insert(last.to_string(), new.clone())),
        (Value::Array(items), new) => {
            let index = last.parse::<usize>().ok().filter(|index| *index < items.len());
            match (index, new) {
                (Some(index), Value::Null) => drop(items.remove(index)),
                (Some(index), new) => items[index] = new.clone(),
                (None, _) => {}
            }
        }
        _ => {}
    }
}

fn escape(key: &str) -> String {
    // In this order: the second adds tildes.
    key.replace('~', "~0").replace('/', "~1")
}

fn unescape(key: &str) -> String {
    key.replace("~1", "/").replace("~0", "~")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn edits_lead_from_one_value_to_the_other() {
        let (from, to) =
            (json!({"a": [{"b/c": 1}, 2], "d": 3}), json!({"a": [{"b/c": 4}, 2], "e": {"f": []}}));
        let found = edits(&from, &to).expect("no nulls are involved");
        assert_eq!(found, json!({"/a/0/b~1c": 4, "/d": null, "/e": {"f": []}}));
        assert_eq!(edited(&from, &found), to);
    }

    #[test]
    fn a_null_that_is_a_value_cannot_be_an_edit() {
        assert_eq!(edits(&json!({}), &json!({"a": null})), None);
    }
}
