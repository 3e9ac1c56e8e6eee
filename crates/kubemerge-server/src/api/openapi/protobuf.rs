//! A version 2 document as the protobuf message that older kubectl asks for.
//!
//! Field numbers are those of gnostic's `openapi.v2`; only what the documents of this server say is written.

use serde_json::{Map, Value};

use crate::protocol::json::Members;

/// Encodes a version 2 document.
pub(super) fn encode(document: &Value) -> Vec<u8> {
    let mut out = Message::default();
    out.text(1, &document["swagger"]);
    out.message(2, |info| {
        info.text(1, document.member("info").member("title"));
        info.text(2, document.member("info").member("version"));
    });
    out.message(8, |paths| {
        for (name, item) in entries(&document["paths"]) {
            paths.named(2, name, |value| path_item(value, item));
        }
    });
    out.message(9, |definitions| {
        for (name, schema) in entries(&document["definitions"]) {
            definitions.named(1, name, |value| self::schema(value, schema));
        }
    });
    out.0
}

fn entries(value: &Value) -> impl Iterator<Item = (&String, &Value)> {
    value.as_object().into_iter().flatten()
}

fn path_item(out: &mut Message, item: &Value) {
    for (method, number) in [("get", 2), ("put", 3), ("post", 4), ("delete", 5), ("patch", 8)] {
        if let Some(found) = item.get(method) {
            out.message(number, |value| operation(value, found));
        }
    }
    for found in item["parameters"].as_array().into_iter().flatten() {
        out.message(9, |value| parameter(value, found));
    }
}

fn operation(out: &mut Message, operation: &Value) {
    out.text(5, &operation["operationId"]);
    for name in operation["consumes"].as_array().into_iter().flatten() {
        out.text(7, name);
    }
    for found in operation["parameters"].as_array().into_iter().flatten() {
        out.message(8, |value| parameter(value, found));
    }
    extensions(out, 13, operation);
}

/// A parameter that is not a body: in the query or in the path.
fn parameter(out: &mut Message, parameter: &Value) {
    let in_path = parameter["in"] == "path";
    out.message(1, |wrapped| {
        wrapped.message(2, |other| {
            // The message for paths has other numbers than that for queries.
            other.message(if in_path { 4 } else { 3 }, |value| {
                if in_path {
                    value.flag(1, true);
                }
                value.text(2, &parameter["in"]);
                value.text(4, &parameter["name"]);
                value.text(if in_path { 5 } else { 6 }, &parameter["type"]);
            });
        });
    });
}

fn schema(out: &mut Message, schema: &Value) {
    out.text(1, &schema["$ref"]);
    out.text(2, &schema["format"]);
    out.text(4, &schema["description"]);
    if let Some(default) = schema.get("default") {
        out.message(5, |value| value.any(default));
    }
    for name in schema["required"].as_array().into_iter().flatten() {
        out.text(19, name);
    }
    match schema.get("additionalProperties") {
        Some(Value::Bool(allowed)) => out.message(21, |value| value.flag(2, *allowed)),
        Some(additional) => {
            out.message(21, |value| value.message(1, |inner| self::schema(inner, additional)));
        }
        None => {}
    }
    if let Some(kind) = schema.get("type") {
        out.message(22, |value| value.text(1, kind));
    }
    if let Some(items) = schema.get("items") {
        out.message(23, |value| value.message(1, |inner| self::schema(inner, items)));
    }
    if let Some(properties) = schema.get("properties") {
        out.message(25, |value| {
            for (name, property) in entries(properties) {
                value.named(1, name, |inner| self::schema(inner, property));
            }
        });
    }
    extensions(out, 31, schema);
}

fn extensions(out: &mut Message, number: u32, owner: &Value) {
    let all = owner.as_object().map(Map::iter).into_iter().flatten();
    for (name, value) in all.filter(|(name, _)| name.starts_with("x-")) {
        out.named(number, name, |extension| extension.any(value));
    }
}

/// A protobuf message that is being written.
#[derive(Default)]
struct Message(Vec<u8>);

impl Message {
    fn varint(&mut self, mut number: u64) {
        while number > 127 {
            self.0.push((number & 127) as u8 | 128);
            number >>= 7;
        }
        self.0.push(number as u8);
    }

    fn bytes(&mut self, number: u32, bytes: &[u8]) {
        self.varint(u64::from(number) << 3 | 2);
        self.varint(bytes.len() as u64);
        self.0.extend_from_slice(bytes);
    }

    /// A string; what is no string is left out.
    fn text(&mut self, number: u32, value: &Value) {
        if let Some(text) = value.as_str() {
            self.bytes(number, text.as_bytes());
        }
    }

    fn flag(&mut self, number: u32, value: bool) {
        self.varint(u64::from(number) << 3);
        self.0.push(u8::from(value));
    }

    fn message(&mut self, number: u32, write: impl FnOnce(&mut Message)) {
        // The length comes before the content, so that it is written apart first.
        let mut inner = Message::default();
        write(&mut inner);
        self.bytes(number, &inner.0);
    }

    /// A name and a value under it.
    fn named(&mut self, number: u32, name: &str, write: impl FnOnce(&mut Message)) {
        self.message(number, |entry| {
            entry.bytes(1, name.as_bytes());
            entry.message(2, write);
        });
    }

    /// Any value, as YAML; JSON is YAML.
    fn any(&mut self, value: &Value) {
        self.bytes(2, value.to_string().as_bytes());
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_small_document_is_encoded() {
        let document = json!({"swagger": "2.0", "info": {"title": "K", "version": "v"},
            "definitions": {"D": {"type": "string"}}});
        let expected = [
            &[0x0a, 3][..],
            b"2.0",
            &[0x12, 6, 0x0a, 1],
            b"K",
            &[0x12, 1],
            b"v",
            &[0x42, 0],
            // definitions { entry { name: "D", value { type { "string" } } } }
            &[0x4a, 18, 0x0a, 16, 0x0a, 1],
            b"D",
            &[0x12, 11, 0xb2, 1, 8, 0x0a, 6],
            b"string",
        ];
        assert_eq!(encode(&document), expected.concat());
    }
}
