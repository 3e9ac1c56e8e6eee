//! The labels of `fieldsV1`: the text form of one path element.
//!
//! `f:` and a name, `k:` and a JSON object, `v:` and a JSON value, `i:` and a number.

use bumpalo::collections::Vec as ArenaVec;
use kubemerge_value::part::{item_at, text_of};
use kubemerge_value::quote_or_backslash;
use kubemerge_value::write::{write_escaped, write_int};

use super::json_text::JsonText;
use super::prefix::{index_prefix, key_prefix, value_prefix};
use super::{Element, FieldsError, KeyField};
use crate::value::{Arena, ParsedValue, write_label_value};

/// Reads a label; `None` for types of elements that are not defined yet.
pub(super) fn read_label<'a>(label: &'a str, arena: &'a Arena) -> Result<Option<Element<'a>>, FieldsError> {
    let rest = match label.as_bytes() {
        [_, b':', ..] => text_of(label, 2..),
        [_, _, ..] => return Err(FieldsError::new(format!("missing colon: {label}"))),
        _ => return Err(FieldsError::new("key must be 2 characters long:")),
    };
    Ok(Some(match label.as_bytes().first() {
        Some(b'f') => Element::Name(rest),
        Some(b'k') => read_key(rest, arena)?,
        Some(b'v') => {
            let mut text = JsonText::new(rest);
            let value = text.value(arena)?;
            text.end()?;
            Element::Value(value)
        }
        Some(b'i') => Element::Index(read_index(rest)?),
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

/// Reads the element at the beginning of a text. Answers its number and the text after it; `None` for names, and for
/// elements that are written in an unusual way.
// The element is written where it stays: copying it takes longer than reading it.
#[inline(never)]
pub(super) fn plain_element<'a>(
    text: &'a str,
    element: &mut Element<'a>,
    arena: &'a Arena,
) -> Option<(u64, &'a str)> {
    match text.as_bytes() {
        [b'k', b':', b'{', ..] => {
            let (fields, rest) = plain_key(text_of(text, 3..), arena)?;
            *element = Element::Key(fields);
            Some((key_prefix(fields), rest))
        }
        [b'v', b':', ..] => {
            let mut prefix = 0;
            let put = |value| {
                prefix = value_prefix(&value);
                *element = Element::Value(value);
            };
            let rest = plain_value(text_of(text, 2..), put)?;
            Some((prefix, rest))
        }
        [b'i', b':', ..] => {
            let (index, rest) = plain_number(text_of(text, 2..))?;
            *element = Element::Index(i64::from(index));
            Some((index_prefix(i64::from(index)), rest))
        }
        _ => None,
    }
}

/// The key at the beginning of a text, after its opening bracket, and the text after its closing one: fields in order,
/// whose names and values have no escapes but those of the quotes around them. `None` for any other key.
fn plain_key<'a>(mut text: &'a str, arena: &'a Arena) -> Option<(&'a [KeyField<'a>], &'a str)> {
    let mut fields: ArenaVec<'a, KeyField<'a>> = ArenaVec::with_capacity_in(2, arena);
    loop {
        let (name, rest) = plain_string(text)?;
        let is_sorted = fields.last().is_none_or(|last| last.name < name);
        is_sorted.then_some(())?;
        let rest = plain_value(rest.strip_prefix(':')?, |value| fields.push(KeyField { name, value }))?;
        match rest.as_bytes().first()? {
            b'}' => return Some((fields.into_bump_slice(), text_of(rest, 1..))),
            b',' => text = text_of(rest, 1..),
            _ => return None,
        }
    }
}

/// Reads the value at the beginning of a text that is a part of a label, and answers the text after it.
#[inline]
fn plain_value<'a>(text: &'a str, put: impl FnOnce(ParsedValue<'a>)) -> Option<&'a str> {
    if let Some((text, rest)) = plain_string(text) {
        put(ParsedValue::String(text));
        return Some(rest);
    }
    if let Some((number, rest)) = plain_number(text) {
        put(ParsedValue::Float(f64::from(number)));
        return Some(rest);
    }
    let rest = text.strip_prefix("true");
    let rest_of_false = text.strip_prefix("false");
    put(ParsedValue::Bool(rest.is_some()));
    rest.or(rest_of_false)
}

/// The digits at the beginning of a text, as a number, and the text after them. Numbers of other forms are left to the
/// full reader.
fn plain_number(text: &str) -> Option<(u32, &str)> {
    let bytes = text.as_bytes();
    let (mut number, mut len) = (0_u32, 0);
    while let Some(digit @ b'0'..=b'9') = bytes.get(len) {
        number = number.checked_mul(10)?.checked_add(u32::from(digit - b'0'))?;
        len += 1;
    }
    let has_leading_zero = len > 1 && bytes.first() == Some(&b'0');
    let goes_on = matches!(bytes.get(len), Some(b'.' | b'e' | b'E'));
    (len > 0 && !has_leading_zero && !goes_on).then(|| (number, text_of(text, len..)))
}

/// A string whose quotes are escaped, as they are in a label, and nothing else is.
#[inline]
fn plain_string(text: &str) -> Option<(&str, &str)> {
    let text = text.strip_prefix("\\\"")?;
    let end = quote_or_backslash(text.as_bytes())?;
    Some((text_of(text, ..end), text_of(text, end..).strip_prefix("\\\"")?))
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
    text.bytes().all(|byte| *item_at(&IS_PLAIN, byte as usize))
}

/// Bytes that are written as they are in every kind of label.
#[expect(clippy::indexing_slicing, reason = "a constant, whose places are bytes of ASCII")]
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
        out.extend_from_slice(if place > 0 { br",\" } else { br"\" });
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
