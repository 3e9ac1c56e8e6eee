//! Documents that the laws of the `spec` dialect speak of: no nulls in maps, a key in every item of a keyed
//! list, nothing twice in a merge list.

use serde_json::{Map, Value, json};

/// What is left of a document when all is taken away that the laws do not speak of.
pub fn sound(document: &Value) -> Value {
    match document {
        Value::Object(members) => Value::Object(members.iter().filter_map(member).collect::<Map<_, _>>()),
        other => other.clone(),
    }
}

fn member((field, value): (&String, &Value)) -> Option<(String, Value)> {
    let value = match (field.as_str(), value) {
        (_, Value::Null) => return None,
        ("keyed", Value::Array(items)) => unique(items, |item| keys(item, ["name"])),
        ("ports", Value::Array(items)) => unique(items, |item| keys(item, ["port", "protocol"])),
        ("scalars" | "set", Value::Array(items)) => {
            unique(items, |item| item.is_string().then(|| item.clone()))
        }
        (_, Value::Array(items)) => items.iter().map(sound).collect(),
        (_, value) => sound(value),
    };
    Some((field.clone(), value))
}

/// The first item of each identity.
fn unique(items: &[Value], identity: impl Fn(&Value) -> Option<Value>) -> Value {
    let mut known = Vec::new();
    let is_new = |item: &Value| {
        identity(item).is_some_and(|identity| {
            let is_new = !known.contains(&identity);
            known.push(identity);
            is_new
        })
    };
    items.iter().map(sound).filter(is_new).collect()
}

/// The keys that an item has, completed by the default; none if it has none of its own.
fn keys<const N: usize>(item: &Value, names: [&str; N]) -> Option<Value> {
    let own = names.map(|name| item.get(name).filter(|value| !value.is_object() && !value.is_array()));
    own.iter().any(Option::is_some).then(|| {
        let default = |name| if name == "protocol" { json!("TCP") } else { Value::Null };
        names.iter().zip(own).map(|(name, own)| own.cloned().unwrap_or_else(|| default(*name))).collect()
    })
}
