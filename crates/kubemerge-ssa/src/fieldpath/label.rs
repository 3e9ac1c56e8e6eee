//! The labels of `fieldsV1`: the text form of one path element.
//!
//! `f:` and a name, `k:` and a JSON object, `v:` and a JSON value, `i:` and a number.

use bumpalo::collections::Vec as ArenaVec;
use kubemerge_value::write::write_escaped;

use super::json_text::JsonText;
use super::{Element, FieldsError, KeyField};
use crate::value::{Arena, ParsedValue, write_label_value};

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
        Element::Index(index) => out.extend_from_slice(format!("i:{index}").as_bytes()),
    }
}

/// Appends the label of an element as a JSON string.
pub(super) fn write_quoted_label(element: Element<'_>, out: &mut Vec<u8>) {
    if let Element::Key(fields) = element
        && fields.iter().all(is_plain_key)
    {
        return write_plain_key(fields, out);
    }
    let mut label = Vec::new();
    write_label(element, &mut label);
    write_escaped(&label, out);
}

/// Whether nothing in a key field needs an escape.
fn is_plain_key(field: &KeyField<'_>) -> bool {
    let is_plain =
        |text: &str| text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-./_: ".contains(&byte));
    is_plain(field.name)
        && match field.value {
            ParsedValue::String(text) => is_plain(text),
            ParsedValue::Int(_) => true,
            _ => false,
        }
}

fn write_plain_key(fields: &[KeyField<'_>], out: &mut Vec<u8>) {
    out.extend_from_slice(b"\"k:{");
    for (place, field) in fields.iter().enumerate() {
        out.extend_from_slice(if place > 0 { br#",\"# } else { br#"\"# });
        out.push(b'"');
        out.extend_from_slice(field.name.as_bytes());
        out.extend_from_slice(br#"\":"#);
        match field.value {
            ParsedValue::String(text) => {
                out.extend_from_slice(br#"\""#);
                out.extend_from_slice(text.as_bytes());
                out.extend_from_slice(br#"\""#);
            }
            other => write_label_value(other, out),
        }
    }
    out.extend_from_slice(b"}\"");
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
