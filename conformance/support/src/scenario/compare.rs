//! Compares our answers with those of the reference program.

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::Answer;

#[derive(Default, Deserialize)]
struct Stored<'a> {
    #[serde(borrow, default)]
    object: StoredObject<'a>,
}

#[derive(Default, Deserialize)]
struct StoredObject<'a> {
    #[serde(borrow, default)]
    metadata: Metadata<'a>,
}

#[derive(Default, Deserialize)]
struct Metadata<'a> {
    #[serde(borrow, default, rename = "managedFields")]
    entries: Vec<Entry<'a>>,
}

#[derive(Deserialize)]
struct Entry<'a> {
    #[serde(borrow, rename = "fieldsV1")]
    fields: &'a RawValue,
}

/// How an answer differs from that of the reference program; `None` if it does not.
pub fn difference(ours: &Answer, their_text: &str) -> Option<String> {
    let theirs: Value = serde_json::from_str(their_text).unwrap_or_default();
    match ours {
        Answer::Object { object, managed } => {
            let mut their_object = theirs["object"].clone();
            let metadata = their_object.get_mut("metadata").and_then(Value::as_object_mut);
            let entries = metadata.and_then(|metadata| metadata.remove("managedFields")).unwrap_or(json!([]));
            let our_entries: Value = serde_json::from_str(managed).unwrap_or_default();
            if plain(object) == plain(&their_object)
                && our_entries == entries
                && same_fields(managed, their_text)
            {
                return None;
            }
            let error = &theirs["error"];
            let theirs = format!("{their_object}\n        {entries} {error}");
            Some(format!("ours:   {object}\n        {managed}\ntheirs: {theirs}"))
        }
        Answer::Error { code, message, causes } => {
            let error = &theirs["error"];
            let same = error["code"] == *code && same_message(message, error) && same_causes(causes, error);
            (!same).then(|| format!("ours:   {code} {message}\ntheirs: {theirs}"))
        }
    }
}

/// Go prints 1.0 as 1.
fn plain(value: &Value) -> Value {
    match value {
        Value::Number(number) => match number.as_f64() {
            Some(float) if float.fract() == 0.0 => json!(float as i64),
            _ => value.clone(),
        },
        Value::Array(items) => Value::Array(items.iter().map(plain).collect()),
        Value::Object(members) => {
            Value::Object(members.iter().map(|(name, value)| (name.clone(), plain(value))).collect())
        }
        other => other.clone(),
    }
}

/// Whether the sets are the same byte by byte.
fn same_fields(ours: &str, theirs: &str) -> bool {
    let ours: Vec<Entry<'_>> = serde_json::from_str(ours).unwrap_or_default();
    let theirs: Stored<'_> = serde_json::from_str(theirs).unwrap_or_default();
    let texts =
        |entries: &[Entry<'_>]| entries.iter().map(|entry| entry.fields.get().to_owned()).collect::<Vec<_>>();
    texts(&ours) == texts(&theirs.object.metadata.entries)
}

/// Several problems come in the order of Go's maps.
fn same_message(ours: &str, theirs: &Value) -> bool {
    let lines = |text: &str| {
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        lines.sort();
        lines
    };
    let theirs = theirs["message"].as_str().unwrap_or_default();
    lines(ours) == lines(theirs)
}

fn same_causes(ours: &[[String; 2]], theirs: &Value) -> bool {
    let mut theirs: Vec<[String; 2]> = theirs["causes"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|cause| ["message", "field"].map(|name| cause[name].as_str().unwrap_or_default().to_owned()))
        .collect();
    let mut ours = ours.to_vec();
    ours.sort();
    theirs.sort();
    ours == theirs
}
