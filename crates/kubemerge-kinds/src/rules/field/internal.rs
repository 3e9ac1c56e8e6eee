//! Values as Kubernetes' internal Go types print them.
//!
//! Validation runs on internal types. Where a message shows a struct, it is JSON by the names of the internal Go
//! fields, in their order, with everything that is empty. `internal_types.txt`, which `cargo xtask schemas`
//! writes, has the fields of each type:
//!
//! ```text
//! core.Volume Name::s HostPath::*Score.HostPathVolumeSource …
//! ```
//!
//! A field is its printed name (`?` for `omitempty`, `!` for `omitzero`), its path in the API where that is not the
//! printed name with a small letter, and its type: `*` pointer, `[` list, `{` map, `S` struct, or a scalar.

use std::collections::HashMap;
use std::sync::OnceLock;

use kubemerge_value::part::text_of;
use kubemerge_value::{deep, write::write_escaped};

use super::{BadValue, Field};
use crate::tree::{Map, Value};

const TABLE: &str = include_str!("internal_types.txt");

/// Fields by the name of their struct, found when a message first needs them.
fn fields_of(name: &str) -> &'static str {
    static FIELDS: OnceLock<HashMap<&'static str, &'static str>> = OnceLock::new();
    let fields = FIELDS.get_or_init(|| TABLE.lines().filter_map(|line| line.split_once(' ')).collect());
    fields.get(name).copied().unwrap_or_default()
}

/// JSON that is yet to be laid out.
enum Json {
    Scalar(Vec<u8>),
    List(Vec<Json>),
    Map(Vec<(String, Json)>),
}

impl BadValue {
    /// A value of an internal Go type as messages print it: JSON by the names of the Go fields.
    pub fn internal(go_type: &str, value: Field<'_>) -> BadValue {
        BadValue::verbatim(internal_json(go_type, value))
    }
}

/// The value as JSON on one line.
pub fn internal_json(go_type: &str, value: Field<'_>) -> String {
    let mut out = Vec::new();
    json_of(go_type, value).write(None, 0, &mut out);
    text(out)
}

/// The value as JSON with one member or item to a line, indented by one space.
pub fn internal_pretty(go_type: &str, value: Field<'_>) -> String {
    let mut out = Vec::new();
    json_of(go_type, value).write(Some(1), 0, &mut out);
    text(out)
}

/// What was written is ASCII and pieces of strings, so it is always UTF-8.
fn text(out: Vec<u8>) -> String {
    String::from_utf8(out).unwrap_or_default()
}

fn json_of(go_type: &str, value: Field<'_>) -> Json {
    let letters = letters(go_type);
    match (value.root, letters.strip_prefix('S')) {
        (Some(map), Some(name)) => struct_json(name, Some(map)),
        _ => json(&letters, value.value),
    }
}

/// `[]*core.Volume` in the letters of the table.
fn letters(go_type: &str) -> String {
    if let Some(rest) = go_type.strip_prefix('*') {
        return format!("*{}", letters(rest));
    }
    if let Some(rest) = go_type.strip_prefix("[]") {
        return format!("[{}", letters(rest));
    }
    if let Some((_, rest)) = go_type.strip_prefix("map[").and_then(|rest| rest.split_once(']')) {
        return format!("{{{}", letters(rest));
    }
    match go_type {
        "string" => "s".to_owned(),
        "bool" => "b".to_owned(),
        "int32" | "int64" => "i".to_owned(),
        "resource.Quantity" => "q".to_owned(),
        "intstr.IntOrString" => "o".to_owned(),
        name => format!("S{name}"),
    }
}

fn json(letters: &str, value: Option<&Value<'_>>) -> Json {
    let value = value.filter(|value| !matches!(value, Value::Null));
    let Some((kind, rest)) = letters.split_at_checked(1) else { return scalar("null") };
    match (kind, value) {
        ("[", Some(Value::Omitted(_))) => scalar("[]"),
        ("{", Some(Value::Omitted(_))) => scalar("{}"),
        ("*" | "[" | "{" | "t" | "y" | "j", None) => scalar("null"),
        ("*", value) => json(rest, value),
        ("[", Some(Value::List(list))) => {
            Json::List(list.iter().map(|item| json(rest, Some(item))).collect())
        }
        ("{", Some(Value::Map(map))) => {
            let member = |(name, value): (&str, &Value<'_>)| (name.to_owned(), json(rest, Some(value)));
            Json::Map(map.iter().map(member).collect())
        }
        ("S", value) if rest.starts_with(SCHEMA_OR) => {
            deep(|| schema_or(text_of(rest, SCHEMA_OR.len()..), value))
        }
        // Structs are printed with all their fields, so absent ones are walked, too.
        ("S", value) => deep(|| struct_json(rest, value.and_then(Value::as_map))),
        ("b", None) => scalar("false"),
        ("i" | "f" | "o", None) => scalar("0"),
        ("q", None) => scalar("\"0\""),
        ("d", None) => scalar("\"0s\""),
        (_, None) => scalar("\"\""),
        (_, Some(value)) => Json::Scalar(value.to_text().into_bytes()),
    }
}

/// Types whose JSON in the API is that of one of their fields.
const SCHEMA_OR: &str = "apiextensions.JSONSchemaPropsOr";

/// A schema, or what may be in its place: `Array`, `Bool` or `StringArray`.
fn schema_or(other: &str, value: Option<&Value<'_>>) -> Json {
    let schema = match value {
        Some(Value::Map(map)) => struct_json("apiextensions.JSONSchemaProps", Some(map)),
        _ => scalar("null"),
    };
    let list = |letters: &str| match value {
        Some(list @ Value::List(_)) => json(letters, Some(list)),
        _ => scalar("null"),
    };
    let schema = ("Schema".to_owned(), schema);
    Json::Map(match other {
        "Bool" => {
            let allows = !matches!(value, None | Some(Value::Bool(false)));
            vec![("Allows".to_owned(), scalar(if allows { "true" } else { "false" })), schema]
        }
        "Array" => vec![schema, ("JSONSchemas".to_owned(), list("[Sapiextensions.JSONSchemaProps"))],
        _ => vec![schema, ("Property".to_owned(), list("[s"))],
    })
}

fn scalar(text: &str) -> Json {
    Json::Scalar(text.as_bytes().to_vec())
}

fn struct_json(name: &str, map: Option<&Map<'_>>) -> Json {
    let mut members = Vec::new();
    for field in fields_of(name).split(' ') {
        let mut parts = field.splitn(3, ':');
        let (Some(printed), Some(path), Some(letters)) = (parts.next(), parts.next(), parts.next()) else {
            continue;
        };
        let name = printed.trim_end_matches(['?', '!']);
        let value = map.and_then(|map| find(map, name, path));
        // A struct is never empty to Go's encoder.
        let is_empty = value.is_none_or(Value::is_empty) && !letters.starts_with('S');
        // Times are structs: `omitempty` has no effect on them.
        let is_left_out = match printed.strip_prefix(name) {
            Some("?") => is_empty && letters != "t",
            Some("!") => value.is_none_or(Value::is_empty),
            _ => false,
        };
        if !is_left_out {
            members.push((name.to_owned(), json(letters, value)));
        }
    }
    Json::Map(members)
}

fn find<'m, 'a>(map: &'m Map<'a>, printed: &str, path: &str) -> Option<&'m Value<'a>> {
    if path.is_empty() {
        let mut chars = printed.chars();
        // Most fields have the name of their JSON with a capital first letter; the table names the others.
        let first = chars.next()?.to_ascii_lowercase();
        let mut buffer = [0; 4];
        let name = [first.encode_utf8(&mut buffer), chars.as_str()].concat();
        return map.get_raw(&name);
    }
    match path.split_once('/') {
        Some((first, rest)) => map.map(first)?.get_raw(rest),
        None => map.get_raw(path),
    }
}

impl Json {
    fn write(&self, indent: Option<usize>, depth: usize, out: &mut Vec<u8>) {
        match self {
            Json::Scalar(text) => out.extend_from_slice(text),
            Json::List(items) => {
                let write = |item: &Json, out: &mut Vec<u8>| item.write(indent, depth + 1, out);
                write_all(items, [b'[', b']'], Indent { width: indent, depth }, write, out);
            }
            Json::Map(members) => {
                let write = |(name, value): &(String, Json), out: &mut Vec<u8>| {
                    write_escaped(name.as_bytes(), out);
                    out.extend_from_slice(if indent.is_some() { b": " } else { b":" });
                    deep(|| value.write(indent, depth + 1, out));
                };
                write_all(members, [b'{', b'}'], Indent { width: indent, depth }, write, out);
            }
        }
    }
}

/// How many blanks a level has, if lines are wanted, and the level.
#[derive(Clone, Copy)]
struct Indent {
    width: Option<usize>,
    depth: usize,
}

/// Writes what is between brackets, with a line for each part where lines are wanted.
fn write_all<T>(
    parts: &[T],
    [open, close]: [u8; 2],
    indent: Indent,
    write: impl Fn(&T, &mut Vec<u8>),
    out: &mut Vec<u8>,
) {
    let new_line = |depth: usize, out: &mut Vec<u8>| {
        if let Some(width) = indent.width {
            out.push(b'\n');
            out.resize(out.len() + width * depth, b' ');
        }
    };
    out.push(open);
    for (place, part) in parts.iter().enumerate() {
        if place > 0 {
            out.push(b',');
        }
        new_line(indent.depth + 1, out);
        write(part, out);
    }
    if !parts.is_empty() {
        new_line(indent.depth, out);
    }
    out.push(close);
}
