//! Objects from texts: YAML or JSON, one document or many.

use kubemerge_value::yaml;
use serde_json::Value;

/// The objects of a text; lists are taken apart.
pub(crate) fn documents(text: &str) -> Result<Vec<Value>, String> {
    let parsed =
        yaml::parse(text.as_bytes(), &yaml::Options::default()).map_err(|error| error.to_string())?;
    let mut objects = Vec::new();
    for document in parsed {
        let json = document.to_json().map_err(|error| error.to_string())?;
        let value: Value = serde_json::from_slice(&json).map_err(|error| error.to_string())?;
        match value {
            Value::Null => {}
            mut list if is_list(&list) => {
                objects.extend(list["items"].as_array_mut().map(std::mem::take).unwrap_or_default());
            }
            object => objects.push(object),
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

fn is_list(value: &Value) -> bool {
    let kind = value.get("kind").and_then(Value::as_str).unwrap_or_default();
    kind.ends_with("List") && value.get("items").is_some_and(Value::is_array)
}
