//! Writes values as JSON text in Go's canonical form: sorted, compact, HTML-escaped.

use std::io::Write;

use kubemerge_value::deep;

use super::ParsedValue;

impl ParsedValue<'_> {
    /// Appends the value as encoding/json writes it.
    pub fn write_json(self, out: &mut Vec<u8>) {
        write_value(self, Floats::EncodingJson, out);
    }

    /// The value as encoding/json writes it.
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
        ParsedValue::String(text) => write_string(text, out),
        ParsedValue::List(items) => deep(|| {
            out.push(b'[');
            for (place, item) in items.iter().enumerate() {
                if place > 0 {
                    out.push(b',');
                }
                write_value(*item, floats, out);
            }
            out.push(b']');
        }),
        ParsedValue::Map(members) => deep(|| {
            out.push(b'{');
            for (place, member) in members.iter().enumerate() {
                if place > 0 {
                    out.push(b',');
                }
                write_string(member.name, out);
                out.push(b':');
                write_value(member.value, floats, out);
            }
            out.push(b'}');
        }),
    }
}

fn write_int(int: i64, out: &mut Vec<u8>) {
    // Writing to a vector cannot fail.
    let _ = write!(out, "{int}");
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

fn write_string(text: &str, out: &mut Vec<u8>) {
    out.push(b'"');
    write_escaped(text, out);
    out.push(b'"');
}

/// Appends the text between the quotes of a JSON string, with HTML characters escaped.
pub(crate) fn write_escaped(text: &str, out: &mut Vec<u8>) {
    let bytes = text.as_bytes();
    let mut copied = 0;
    for (place, byte) in bytes.iter().enumerate() {
        if !is_special(*byte) {
            continue;
        }
        let rest = &bytes[place..];
        // U+2028 and U+2029 are the only characters beyond ASCII that are escaped.
        if *byte == 0xE2 && !rest.starts_with(b"\xE2\x80\xA8") && !rest.starts_with(b"\xE2\x80\xA9") {
            continue;
        }
        out.extend_from_slice(&bytes[copied..place]);
        copied = place + write_escape(rest, out);
    }
    out.extend_from_slice(&bytes[copied..]);
}

#[inline]
fn is_special(byte: u8) -> bool {
    const SPECIAL: [bool; 256] = {
        let mut table = [false; 256];
        let mut byte = 0;
        while byte < 0x20 {
            table[byte] = true;
            byte += 1;
        }
        table[b'"' as usize] = true;
        table[b'\\' as usize] = true;
        table[b'<' as usize] = true;
        table[b'>' as usize] = true;
        table[b'&' as usize] = true;
        table[0xE2] = true;
        table
    };
    SPECIAL[byte as usize]
}

/// Writes the escape of the first character and gives its length.
fn write_escape(rest: &[u8], out: &mut Vec<u8>) -> usize {
    match rest[0] {
        b'"' => out.extend_from_slice(br#"\""#),
        b'\\' => out.extend_from_slice(br"\\"),
        b'\n' => out.extend_from_slice(br"\n"),
        b'\r' => out.extend_from_slice(br"\r"),
        b'\t' => out.extend_from_slice(br"\t"),
        0x08 => out.extend_from_slice(br"\b"),
        0x0C => out.extend_from_slice(br"\f"),
        0xE2 => {
            let _ = write!(out, "\\u202{:x}", rest[2] & 0xF);
            return 3;
        }
        control => {
            let _ = write!(out, "\\u{control:04x}");
        }
    }
    1
}
