//! Texts as Go prints them.

pub use kubemerge_value::write::go_quoted as quoted;

use kubemerge_value::deep;
use serde_json::Value;

/// A value as Go's `%v` prints it: `map[a:1 b:[x y]]`.
pub fn value_text(value: &Value) -> String {
    match value {
        Value::Null => "<nil>".to_owned(),
        Value::String(text) => text.clone(),
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(|item| deep(|| value_text(item))).collect();
            format!("[{}]", items.join(" "))
        }
        Value::Object(members) => {
            let member = |(name, value)| format!("{name}:{}", deep(|| value_text(value)));
            format!("map[{}]", members.iter().map(member).collect::<Vec<_>>().join(" "))
        }
        Value::Bool(_) | Value::Number(_) => value.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn maps_are_sorted_and_texts_have_no_quotes() {
        let value = serde_json::json!({"b": [1, null, "x y"], "a": {"c": 1.5, "d": true}});
        assert_eq!(value_text(&value), "map[a:map[c:1.5 d:true] b:[1 <nil> x y]]");
    }
}
