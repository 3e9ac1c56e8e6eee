//! Trees as canonical JSON text: sorted names, no spaces, escapes and numbers as Go writes them.

use crate::{
    deep,
    write::{write_escaped, write_float, write_int},
};

use super::{Map, Value};

/// How values are written that have more than one form; a number, since constant parameters are.
type Form = u8;
/// As Kubernetes stores them.
const STORED: Form = 0;
/// Empty lists and maps as the client gave them.
const GIVEN: Form = 1;
/// Floats that can be told from integers.
const TELLING: Form = 2;

impl Map<'_> {
    /// The map as canonical text.
    pub fn to_text(&self) -> String {
        // Most objects are smaller, and none is much larger than a few of these.
        let mut out = Vec::with_capacity(2048);
        write_map::<STORED>(self, &mut out);
        text(out)
    }
}

impl Value<'_> {
    /// The value as canonical text.
    pub fn to_text(&self) -> String {
        let mut out = Vec::with_capacity(64);
        self.append_to(&mut out);
        text(out)
    }

    /// Appends the value as canonical text; returns how deep it is nested: 0 for a scalar.
    pub fn append_to(&self, out: &mut Vec<u8>) -> usize {
        self.append::<STORED>(out)
    }

    /// The same with lists and maps that are stored as null although the client gave empty ones.
    pub fn append_as_given(&self, out: &mut Vec<u8>) -> usize {
        self.append::<GIVEN>(out)
    }

    /// Appends a text that only values have that are the [same in Go](super::ValueRef::same_in_go): `7.0` is not `7`.
    pub fn append_key(&self, out: &mut Vec<u8>) {
        self.append::<TELLING>(out);
    }

    fn append<const FORM: Form>(&self, out: &mut Vec<u8>) -> usize {
        match self {
            Value::Omitted(omitted) if FORM == GIVEN => {
                out.extend_from_slice(if omitted.is_list { b"[]" } else { b"{}" });
                return 1;
            }
            Value::Null | Value::Omitted(_) => out.extend_from_slice(b"null"),
            Value::Bool(true) => out.extend_from_slice(b"true"),
            Value::Bool(false) => out.extend_from_slice(b"false"),
            Value::Int(number) => write_int(*number, out),
            Value::Float(number) if FORM == TELLING => {
                out.extend_from_slice(format!("{number:?}").as_bytes());
            }
            Value::Float(number) => write_float(*number, out),
            Value::Str(text) => write_escaped(text.as_bytes(), out),
            Value::List(list) => return deep(|| write_list::<FORM>(list, out)),
            Value::Map(map) => return deep(|| write_map::<FORM>(map, out)),
        }
        0
    }
}

/// What was written is ASCII and pieces of strings, so it is always UTF-8.
fn text(out: Vec<u8>) -> String {
    String::from_utf8(out).unwrap_or_default()
}

fn write_list<const FORM: Form>(list: &[Value<'_>], out: &mut Vec<u8>) -> usize {
    let mut depth = 0;
    out.push(b'[');
    for (place, item) in list.iter().enumerate() {
        if place > 0 {
            out.push(b',');
        }
        depth = item.append::<FORM>(out).max(depth);
    }
    out.push(b']');
    depth + 1
}

fn write_map<const FORM: Form>(map: &Map<'_>, out: &mut Vec<u8>) -> usize {
    let mut depth = 0;
    out.push(b'{');
    for (place, (name, value)) in map.iter().enumerate() {
        if place > 0 {
            out.push(b',');
        }
        write_escaped(name.as_bytes(), out);
        out.push(b':');
        depth = value.append::<FORM>(out).max(depth);
    }
    out.push(b'}');
    depth + 1
}
