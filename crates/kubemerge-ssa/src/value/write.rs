//! Writes values as JSON text in Go's canonical form: sorted, compact, HTML-escaped.

use std::io::Write;

use kubemerge_value::deep;
use kubemerge_value::write::{write_escaped, write_int};

use super::ParsedValue;

impl ParsedValue<'_> {
    /// Appends the value as encoding/json writes it.
    pub fn write_json(self, out: &mut Vec<u8>) {
        write_value(self, Floats::EncodingJson, out);
    }

    /// The value as encoding/json writes it.
    #[must_use]
    pub fn to_json(self) -> Vec<u8> {
        let mut out = Vec::new();
        self.write_json(&mut out);
        out
    }
}

/// Appends a value as the labels of fieldsV1 have it.
pub(crate) fn write_label_value(value: ParsedValue<'_>, out: &mut Vec<u8>) {
    write_value(value, Floats::JsonIterator, out);
}

/// Whose text for small exponents: `1e-7` or `1e-07`.
#[derive(Clone, Copy)]
enum Floats {
    EncodingJson,
    JsonIterator,
}

fn write_value(value: ParsedValue<'_>, floats: Floats, out: &mut Vec<u8>) {
    match value {
        ParsedValue::Null => out.extend_from_slice(b"null"),
        ParsedValue::Bool(true) => out.extend_from_slice(b"true"),
        ParsedValue::Bool(false) => out.extend_from_slice(b"false"),
        ParsedValue::Int(int) => write_int(int, out),
        ParsedValue::Float(float) => write_float(float, floats, out),
        ParsedValue::String(text) => write_escaped(text.as_bytes(), out),
        ParsedValue::List(items) => deep(|| {
            out.push(b'[');
            for (place, item) in items.iter().enumerate() {
                if place > 0 {
                    out.push(b',');
                }
                write_value(item, floats, out);
            }
            out.push(b']');
        }),
        ParsedValue::Map(members) => deep(|| {
            out.push(b'{');
            for (place, member) in members.iter().enumerate() {
                if place > 0 {
                    out.push(b',');
                }
                write_escaped(member.name.as_bytes(), out);
                out.push(b':');
                write_value(member.value, floats, out);
            }
            out.push(b'}');
        }),
    }
}

/// Plain digits from 1e-6 up to 1e21, an exponent outside.
fn write_float(float: f64, floats: Floats, out: &mut Vec<u8>) {
    let size = float.abs();
    if float == 0.0 || (1e-6..1e21).contains(&size) {
        let _ = write!(out, "{float}");
        return;
    }
    let text = format!("{float:e}");
    let Some((digits, exponent)) = text.split_once('e') else {
        return out.extend_from_slice(text.as_bytes());
    };
    out.extend_from_slice(digits.as_bytes());
    let _ = match (exponent.strip_prefix('-'), floats) {
        // Go's encoding/json strips the zero of e-09; json-iterator does not.
        (Some(exponent), Floats::EncodingJson) => write!(out, "e-{exponent}"),
        (Some(exponent), Floats::JsonIterator) => write!(out, "e-{exponent:0>2}"),
        (None, _) => write!(out, "e+{exponent:0>2}"),
    };
}
