//! Differences between two objects, one line per field.

use serde_json::{Map, Value};

/// What differs: `~ spec.replicas: 1 -> 3`, `+ data.b: "2"`, `- data.a: "1"`.
pub(crate) fn differences(before: &Value, after: &Value) -> Vec<String> {
    let mut lines = Vec::new();
    compare("", before, after, &mut lines);
    lines
}

fn compare(path: &str, before: &Value, after: &Value, lines: &mut Vec<String>) {
    match (before, after) {
        _ if before == after => {}
        (Value::Object(old), Value::Object(new)) => {
            let mut names: Vec<&String> = old.keys().chain(new.keys()).collect();
            names.sort();
            names.dedup();
            for name in names {
                let place = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
                compare(
                    &place,
                    old.get(name).unwrap_or(&Value::Null),
                    new.get(name).unwrap_or(&Value::Null),
                    lines,
                );
            }
        }
        (Value::Array(old), Value::Array(new)) => {
            for at in 0..old.len().max(new.len()) {
                let place = format!("{path}[{at}]");
                compare(
                    &place,
                    old.get(at).unwrap_or(&Value::Null),
                    new.get(at).unwrap_or(&Value::Null),
                    lines,
                );
            }
        }
        (Value::Null, new) => lines.push(format!("+ {path}: {new}")),
        (old, Value::Null) => lines.push(format!("- {path}: {old}")),
        (old, new) => lines.push(format!("~ {path}: {old} -> {new}")),
    }
}

/// The part of a value that a pattern is about: maps have only the members of the pattern, lists are whole.
pub(crate) fn part_of(value: &Value, pattern: &Value) -> Value {
    match (value, pattern) {
        (Value::Object(members), Value::Object(wanted)) => {
            let part = wanted.iter().filter_map(|(name, wanted)| {
                members.get(name).map(|member| (name.clone(), part_of(member, wanted)))
            });
            Value::Object(part.collect::<Map<_, _>>())
        }
        (Value::Array(items), Value::Array(wanted)) => {
            let at = |(at, item): (usize, &Value)| part_of(item, wanted.get(at).unwrap_or(&Value::Null));
            items.iter().enumerate().map(at).collect()
        }
        (value, _) => value.clone(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn differences_name_their_place() {
        let before = json!({"a": 1, "b": {"c": [1, 2]}, "gone": true});
        let after = json!({"a": 2, "b": {"c": [1, 3, 4]}, "new": "x"});
        let wanted = ["~ a: 1 -> 2", "~ b.c[1]: 2 -> 3", "+ b.c[2]: 4", "- gone: true", "+ new: \"x\""];
        assert_eq!(differences(&before, &after), wanted);
    }

    #[test]
    fn a_part_has_the_members_of_its_pattern_and_whole_lists() {
        let value = json!({"a": 1, "b": {"c": 2, "d": 3}, "l": [{"x": 1, "y": 2}, {"x": 3}]});
        let pattern = json!({"b": {"c": 0, "missing": 1}, "l": [{"x": 0}]});
        assert_eq!(part_of(&value, &pattern), json!({"b": {"c": 2}, "l": [{"x": 1}, {"x": 3}]}));
    }
}
