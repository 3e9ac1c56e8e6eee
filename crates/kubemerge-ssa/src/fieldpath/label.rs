//! The labels of `fieldsV1`: the text form of one path element.
//!
//! `f:` and a name, `k:` and a JSON object, `v:` and a JSON value, `i:` and a number.

use bumpalo::collections::Vec as ArenaVec;
use kubemerge_value::write::{write_escaped, write_int};

use super::json_text::JsonText;
use super::{Element, FieldsError, KeyField};
use crate::value::{Arena, ParsedValue, quote_or_escape, write_label_value};

/// Reads a label; `None` for types of elements that are not defined yet.
pub(super) fn read_label<'a>(label: &'a str, arena: &'a Arena) -> Result<Option<Element<'a>>, FieldsError> {
    let bytes = label.as_bytes();
    if bytes.len() < 2 {
        return Err(FieldsError::new("key must be 2 characters long:"));
    }
    if bytes[1] != b':' {
        return Err(FieldsError::new(format!("missing colon: {label}")));
    }
    Ok(Some(match bytes[0] {
        b'f' => Element::Name(&label[2..]),
        b'k' => read_key(&label[2..], arena)?,
        b'v' => {
            let mut text = JsonText::new(&label[2..]);
            let value = text.value(arena)?;
            text.end()?;
            Element::Value(value)
        }
        b'i' => Element::Index(read_index(&label[2..])?),
        // Later versions may add types; upstream ignores them.
        _ => return Ok(None),
    }))
}

fn read_index(text: &str) -> Result<i64, FieldsError> {
    text.parse().map_err(|_| FieldsError::new(format!("strconv.Atoi: parsing {text:?}: invalid syntax")))
}

fn read_key<'a>(text: &'a str, arena: &'a Arena) -> Result<Element<'a>, FieldsError> {
    let mut text = JsonText::new(text);
    let mut fields = ArenaVec::with_capacity_in(1, arena);
    if text.open_map()? {
        while let Some(name) = text.name(arena)? {
            fields.push(KeyField { name, value: text.value(arena)? });
        }
    }
    text.end()?;
    // Texts of other tools may have another order, and sets need one.
    if !fields.is_sorted_by(|one, two| one.name <= two.name) {
        fields.sort_by(|one, two| one.name.cmp(two.name));
    }
    Ok(Element::Key(fields.into_bump_slice()))
}

/// The key at the beginning of a text, after its opening bracket, and the text after its closing one: fields in order,
/// whose names and values have no escapes but those of the quotes around them. `None` for any other key.
pub(super) fn plain_key<'a>(text: &'a str, arena: &'a Arena) -> Option<(Element<'a>, &'a str)> {
    let (first, mut rest) = plain_key_field(text)?;
    if let Some(rest) = rest.strip_prefix('}') {
        return Some((Element::Key(arena.alloc_slice_copy(&[first])), rest));
    }
    let mut fields = ArenaVec::with_capacity_in(2, arena);
    fields.push(first);
    loop {
        let (field, after) = plain_key_field(rest.strip_prefix(',')?)?;
        let is_sorted = fields.last().is_some_and(|last: &KeyField<'a>| last.name < field.name);
        is_sorted.then(|| fields.push(field))?;
        rest = after;
        if let Some(rest) = rest.strip_prefix('}') {
            return Some((Element::Key(fields.into_bump_slice()), rest));
        }
    }
}

fn plain_key_field(text: &str) -> Option<(KeyField<'_>, &str)> {
    let (name, rest) = plain_string(text)?;
    let (value, rest) = plain_value(rest.strip_prefix(':')?)?;
    Some((KeyField { name, value }, rest))
}

/// The value at the beginning of a text that is a part of a label, and the text after it.
pub(super) fn plain_value(text: &str) -> Option<(ParsedValue<'_>, &str)> {
    if let Some((text, rest)) = plain_string(text) {
        return Some((ParsedValue::String(text), rest));
    }
    let (number, rest) = plain_number(text)?;
    Some((ParsedValue::Float(number as f64), rest))
}

/// The digits at the beginning of a text. Numbers of other forms are left to the full reader.
pub(super) fn plain_number(text: &str) -> Option<(u32, &str)> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (number, rest) = text.split_at(digits);
    let has_leading_zero = digits > 1 && number.starts_with('0');
    let goes_on = rest.starts_with(['.', 'e', 'E']);
    if has_leading_zero || goes_on { None } else { Some((number.parse().ok()?, rest)) }
}

/// A string whose quotes are escaped, as they are in a label, and nothing else is.
fn plain_string(text: &str) -> Option<(&str, &str)> {
    let text = text.strip_prefix("\\\"")?;
    let end = quote_or_escape(text.as_bytes())?;
    Some((&text[..end], text[end..].strip_prefix("\\\"")?))
}

/// Appends the label of an element as it is before the escapes of the JSON string around it.
pub(super) fn write_label(element: Element<'_>, out: &mut Vec<u8>) {
    match element {
        Element::Name(name) => {
            out.extend_from_slice(b"f:");
            out.extend_from_slice(name.as_bytes());
        }
        Element::Key(fields) => {
            out.extend_from_slice(b"k:{");
            for (place, field) in fields.iter().enumerate() {
                out.extend_from_slice(if place > 0 { b",\"" } else { b"\"" });
                write_quoted(field.name, out);
                out.extend_from_slice(b"\":");
                write_label_value(field.value, out);
            }
            out.push(b'}');
        }
        Element::Value(value) => {
            out.extend_from_slice(b"v:");
            write_label_value(value, out);
        }
        Element::Index(index) => {
            out.extend_from_slice(b"i:");
            write_int(index, out);
        }
    }
}

/// Appends the label of an element as a JSON string. `unescaped` is room for a label before it is escaped.
pub(super) fn write_quoted_label(element: Element<'_>, unescaped: &mut Vec<u8>, out: &mut Vec<u8>) {
    match element {
        Element::Key(fields) if fields.iter().all(is_plain_field) => write_plain_key(fields, out),
        Element::Value(value) if is_plain_value(value) => {
            out.extend_from_slice(b"\"v:");
            write_plain_value(value, out);
            out.push(b'"');
        }
        Element::Index(index) => {
            out.extend_from_slice(b"\"i:");
            write_int(index, out);
            out.push(b'"');
        }
        other => {
            unescaped.clear();
            write_label(other, unescaped);
            write_escaped(unescaped, out);
        }
    }
}

/// Whether nothing in a key field needs an escape.
fn is_plain_field(field: &KeyField<'_>) -> bool {
    is_plain(field.name) && is_plain_value(field.value)
}

fn is_plain_value(value: ParsedValue<'_>) -> bool {
    match value {
        ParsedValue::String(text) => is_plain(text),
        ParsedValue::Int(_) | ParsedValue::Bool(_) => true,
        ParsedValue::Float(float) => as_int(float).is_some(),
        _ => false,
    }
}

/// The integer that a float is, if its text has neither a point nor an exponent. Numbers of labels are read as floats.
fn as_int(float: f64) -> Option<i64> {
    let int = float as i64;
    // -0 is written with its sign.
    (int as f64 == float && int.abs() < 1_000_000_000_000_000 && int != 0).then_some(int)
}

fn is_plain(text: &str) -> bool {
    text.bytes().all(|byte| IS_PLAIN[byte as usize])
}

/// Bytes that are written as they are in every kind of label.
const IS_PLAIN: [bool; 256] = {
    let mut plain = [false; 256];
    let mut byte = 0x20;
    while byte < 0x7f {
        plain[byte] = !matches!(byte as u8, b'"' | b'\\' | b'<' | b'>' | b'&');
        byte += 1;
    }
    plain
};

fn write_plain_key(fields: &[KeyField<'_>], out: &mut Vec<u8>) {
    out.extend_from_slice(b"\"k:{");
    for (place, field) in fields.iter().enumerate() {
        out.extend_from_slice(if place > 0 { br#",\"# } else { br#"\"# });
        out.push(b'"');
        out.extend_from_slice(field.name.as_bytes());
        out.extend_from_slice(br#"\":"#);
        write_plain_value(field.value, out);
    }
    out.extend_from_slice(b"}\"");
}

/// Appends a plain value as it is in a label that is a JSON string.
fn write_plain_value(value: ParsedValue<'_>, out: &mut Vec<u8>) {
    match value {
        ParsedValue::String(text) => {
            out.extend_from_slice(br#"\""#);
            out.extend_from_slice(text.as_bytes());
            out.extend_from_slice(br#"\""#);
        }
        ParsedValue::Int(int) => write_int(int, out),
        ParsedValue::Float(float) if as_int(float).is_some() => write_int(float as i64, out),
        other => write_label_value(other, out),
    }
}

/// The names of key fields are escaped as JSON strings, but not for HTML.
fn write_quoted(name: &str, out: &mut Vec<u8>) {
    for byte in name.bytes() {
        match byte {
            b'"' | b'\\' => out.extend_from_slice(&[b'\\', byte]),
            b'\n' => out.extend_from_slice(br"\n"),
            b'\r' => out.extend_from_slice(br"\r"),
            b'\t' => out.extend_from_slice(br"\t"),
            // Upstream writes labels with json-iterator, which escapes less than encoding/json.
            ..0x20 => out.extend_from_slice(format!("\\u{byte:04x}").as_bytes()),
            _ => out.push(byte),
        }
    }
}
