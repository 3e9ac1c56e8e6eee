//! Decoding of kinds without Go types: any JSON, whose type and metadata are those of all objects.

use kubemerge_kinds::{
    custom, duplicate_fields,
    field_error::quoted,
    tree::{Arena, Map, Value},
};
use kubemerge_ssa::value::ParsedValue;

use super::{
    contract::{Given, Reading, Source},
    metadata,
};
use crate::{catalog::Resource, store::Record};

/// The tree of an object in JSON, with its type and metadata decoded; and the paths of metadata that was dropped.
pub(super) fn read<'a>(arena: &'a Arena, source: Source<'a>) -> Result<(Map<'a>, Vec<String>), String> {
    // Upstream: any other JSON value has no kind and cannot be decoded.
    let Value::Map(mut object) = source.read(arena) else {
        return Err("the body of the request is not a JSON object".to_owned());
    };
    metadata::check_type_names(&mut object)?;
    let unknown = metadata::decode(&mut object)?;
    Ok((object, unknown))
}

/// The tree of an object of any kind; an error says what its type and metadata lack.
pub(crate) fn read_object<'a>(arena: &'a Arena, text: &'a str) -> Result<Map<'a>, String> {
    read(arena, Source::Text(text)).map(|(object, _)| object)
}

/// Complaints about the duplicate fields of a body, then about unknown fields, in one order.
pub(super) fn complaints(given: Given<'_>, mut unknown: Vec<String>) -> Vec<String> {
    let duplicates = match given.source {
        Source::Text(text) if given.reading == Reading::Body => duplicate_fields::fields(text.as_bytes()),
        // What our own engine wrote has none.
        _ => Vec::new(),
    };
    unknown.sort();
    let duplicates = duplicates.iter().map(|path| format!("duplicate field {}", quoted(path)));
    duplicates.chain(unknown.iter().map(|path| format!("unknown field {}", quoted(path)))).collect()
}

/// The tree of a stored object.
pub(super) fn read_record<'a>(record: &'a Record, arena: &'a Arena) -> Map<'a> {
    custom::decode(arena, record.canonical().as_str())
}

/// An object with nothing but its type.
pub(super) fn bare<'a>(resource: &'a Resource, arena: &'a Arena) -> ParsedValue<'a> {
    let kind = ParsedValue::Map(&[]).with_member("kind", ParsedValue::String(&resource.kind), arena);
    kind.with_member("apiVersion", ParsedValue::String(&resource.api_version), arena)
}
