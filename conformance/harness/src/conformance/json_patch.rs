//! JSON patches for a document.

use serde_json::{Value, json};

use super::document::Writer;

/// A few operations at places that mostly exist.
pub(crate) fn operations(writer: &mut Writer<'_>, document: &Value) -> Value {
    let mut places = Vec::new();
    pointers(document, String::new(), &mut places);
    let count = 1 + writer.rng.below(4);
    (0..count).map(|_| operation(writer, &places)).collect()
}

fn operation(writer: &mut Writer<'_>, places: &[String]) -> Value {
    let path = place(writer, places);
    let from = place(writer, places);
    match writer.rng.below(7) {
        0 | 1 => json!({ "op": "add", "path": path, "value": writer.fault() }),
        2 => json!({ "op": "remove", "path": path }),
        3 => json!({ "op": "replace", "path": path, "value": writer.fault() }),
        4 => json!({ "op": "move", "path": path, "from": from }),
        5 => json!({ "op": "copy", "path": path, "from": from }),
        _ => json!({ "op": "test", "path": path, "value": writer.fault() }),
    }
}

fn place(writer: &mut Writer<'_>, places: &[String]) -> String {
    let mut place = writer.rng.pick(places).clone();
    match writer.rng.below(12) {
        0 => place.push_str("/new"),
        1 => place.push_str("/-"),
        2 => place.push_str("/0"),
        3 => place.push_str("/-1"),
        4 => place.push_str("/99"),
        _ => {}
    }
    place
}

fn pointers(value: &Value, at: String, found: &mut Vec<String>) {
    match value {
        Value::Object(members) => {
            for (key, member) in members {
                pointers(member, format!("{at}/{}", key.replace('~', "~0").replace('/', "~1")), found);
            }
        }
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                pointers(item, format!("{at}/{index}"), found);
            }
        }
        _ => {}
    }
    found.push(at);
}
