//! Objects in YAML or JSON texts.

use kubemerge_kinds::field_error::quoted;
use kubemerge_yaml as yaml;
use serde_json::{Value, json};

use crate::protocol::json::Members;

/// An object of a text.
pub(crate) struct Located {
    pub(crate) value: Value,
    /// Where its document begins, counted from 1.
    pub(crate) line: usize,
}

/// The objects of a text with their lines; lists are taken apart.
pub(crate) fn located(text: &str) -> Result<Vec<Located>, String> {
    let parsed =
        yaml::parse(text.as_bytes(), &yaml::Options::default()).map_err(|error| error.to_string())?;
    let mut objects = Vec::new();
    for document in parsed {
        let line = document.root().position().line;
        let json = document.to_json().map_err(|error| error.to_string())?;
        let value: Value = serde_json::from_slice(&json).map_err(|error| error.to_string())?;
        match value {
            // An empty document between two separators.
            Value::Null => {}
            list if is_list(&list) => {
                objects.extend(items(list).into_iter().map(|value| Located { value, line }));
            }
            value => objects.push(Located { value, line }),
        }
    }
    Ok(objects)
}

/// The only document of a text; as in Kubernetes, the last of repeated keys counts.
pub(crate) fn one_document(text: &str) -> Result<Value, String> {
    let options = yaml::Options { duplicate_keys: yaml::DuplicateKeys::LastWins, ..yaml::Options::default() };
    let parsed = yaml::parse(text.as_bytes(), &options).map_err(|error| error.to_string())?;
    let first = parsed.first().ok_or_else(|| "the request has no body".to_string())?;
    let json = first.to_json().map_err(|error| error.to_string())?;
    serde_json::from_slice(&json).map_err(|error| error.to_string())
}

/// What Go says about the first key that a map of the text repeats.
pub(crate) fn repeated_key(text: &str) -> Option<String> {
    let error = yaml::parse(text.as_bytes(), &yaml::Options::default()).err()?;
    let yaml::YamlErrorKind::DuplicateKey { .. } = error.kind() else { return None };
    let position = error.position();
    // The error points at the second key.
    let key = text.get(position.offset..)?.split(':').next()?.trim().trim_matches(['"', '\'']);
    Some(format!("line {}: key {} already set in map", position.line, quoted(key)))
}

/// The items of a list. Those of a list of one kind may leave out what the list says.
fn items(mut list: Value) -> Vec<Value> {
    let mut items = list.member_mut("items").as_array_mut().map(std::mem::take).unwrap_or_default();
    let kind = list.member("kind").as_str().and_then(|kind| kind.strip_suffix("List")).unwrap_or_default();
    for item in items.iter_mut().filter(|item| !kind.is_empty() && item.is_object() && item["kind"].is_null())
    {
        item["kind"] = json!(kind);
        item.set_member("apiVersion", list.member("apiVersion").clone());
    }
    items
}

fn is_list(value: &Value) -> bool {
    let kind = value.get("kind").and_then(Value::as_str).unwrap_or_default();
    kind.ends_with("List") && value.get("items").is_some_and(Value::is_array)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_take_their_kind_from_a_list_of_one_kind() {
        let list = |kind: &str| {
            format!("apiVersion: v1\nkind: {kind}\nitems: [{{metadata: {{name: a}}}}, 1, {{kind: B}}]")
        };
        let kinds = |text: &str| {
            let objects = located(text).unwrap();
            let kind = |object: &Located| object.value["kind"].as_str().unwrap_or("-").to_owned();
            objects.iter().map(kind).collect::<Vec<_>>()
        };
        assert_eq!(kinds(&list("PodList")), ["Pod", "-", "B"]);
        assert_eq!(kinds(&list("List")), ["-", "-", "B"]);
    }
}
