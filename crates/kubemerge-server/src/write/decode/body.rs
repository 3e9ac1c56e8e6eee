//! The text of a body: from any encoding that is understood to JSON that is well-formed and not nested too deep.

use kubemerge::PatchType;
use kubemerge_kinds::tree::Map;
use kubemerge_value::{Canonical, Document, MAX_VALUE_DEPTH, ParseError};

use crate::{
    catalog::request_context::RequestContext,
    kind::Kind,
    protocol::{
        json::canonical,
        media::{self, Encoding},
        protobuf,
        query::FieldValidation,
        status::{Failure, Outcome, bad_request},
        yaml_documents,
    },
    write::request::Write,
};

/// The canonical JSON text of a body in any encoding that is understood.
pub(crate) fn canonical_body(call: &RequestContext<'_>) -> Outcome<Canonical> {
    match media::body_encoding(call.headers, reads_protobuf(call))? {
        Encoding::Json => json(call.body),
        Encoding::Yaml => yaml(call.body),
        Encoding::Protobuf => protobuf::to_canonical(call.body, &call.cluster.schema),
    }
}

fn reads_protobuf(call: &RequestContext<'_>) -> bool {
    Kind::of(call.cluster, call.resource).reads_protobuf()
}

fn json(bytes: &[u8]) -> Outcome<Canonical> {
    check_size(bytes)?;
    Canonical::from_bytes(bytes).map_err(|error| malformed(&error))
}

fn malformed(error: &ParseError) -> Failure {
    bad_request(format!("couldn't get version/kind; json parse error: {error}"))
}

/// Refuses a body that is empty or nested too deep.
fn check_size(bytes: &[u8]) -> Outcome<()> {
    if bytes.is_empty() {
        return Err(bad_request("the request has no body"));
    }
    check_depth(bytes)
}

fn yaml(bytes: &[u8]) -> Outcome<Canonical> {
    let text = std::str::from_utf8(bytes).map_err(|error| bad_request(format!("yaml: {error}")))?;
    let value = yaml_documents::one_document(text).map_err(bad_request)?;
    canonical(&value)
}

/// The body as well-formed JSON text, as it was sent if that is JSON.
pub(crate) fn text(write: Write<'_>) -> Outcome<&str> {
    let body = &write.call.body[..];
    if !matches!(media::body_encoding(write.call.headers, reads_protobuf(write.call))?, Encoding::Json) {
        return Ok(write.arena.alloc_str(canonical_body(write.call)?.as_str()));
    }
    check_size(body)?;
    Document::check(body).map_err(|error| malformed(&error))?;
    // What was checked is UTF-8.
    Ok(std::str::from_utf8(body).unwrap_or_default())
}

/// Complaints about keys that the body repeats; those of JSON come with the other complaints about its fields.
pub(crate) fn repeated_keys(write: Write<'_>) -> Outcome<Vec<String>> {
    let validation = write.options.field_validation;
    let encoding = media::body_encoding(write.call.headers, reads_protobuf(write.call))?;
    if !matches!(encoding, Encoding::Yaml) || validation == FieldValidation::Ignore {
        return Ok(Vec::new());
    }
    // What is not UTF-8 was refused before.
    let text = std::str::from_utf8(write.call.body).unwrap_or_default();
    let found = yaml_documents::repeated_key(text).map(|complaint| match validation {
        FieldValidation::Strict => format!("yaml: unmarshal errors:\n  {complaint}"),
        _ => complaint,
    });
    Ok(found.into_iter().collect())
}

/// Some steps turn objects into trees, which recursive code walks: they must not be too deep for the stack.
pub(crate) fn check_depth(bytes: &[u8]) -> Outcome<()> {
    // Counting brackets is fast and enough for nearly all bodies; only the others are parsed for depth.
    if brackets(bytes) <= MAX_VALUE_DEPTH || nesting(bytes) <= MAX_VALUE_DEPTH {
        return Ok(());
    }
    Err(too_deep())
}

/// The same for the result of a patch. A JSON patch may copy a value into itself; the result of any other is not nested
/// deeper than the object and the patch together.
pub(crate) fn check_patched(
    result: &Map<'_>,
    live: &[u8],
    patch: &[u8],
    patch_type: PatchType,
) -> Outcome<()> {
    let is_shallow = patch_type != PatchType::Json && brackets(live) + brackets(patch) <= MAX_VALUE_DEPTH;
    if !is_shallow && result.iter().any(|(_, value)| value.is_deeper_than(MAX_VALUE_DEPTH - 1)) {
        Err(too_deep())
    } else {
        Ok(())
    }
}

/// How many maps and lists a text opens at most.
fn brackets(bytes: &[u8]) -> usize {
    // `{` and `[` differ in one bit; a chunk's count fits a byte, which many lanes can add at once.
    let opens = |byte: &u8| u8::from(byte | 0x20 == b'{');
    bytes.chunks(255).map(|chunk| usize::from(chunk.iter().map(opens).sum::<u8>())).sum()
}

fn too_deep() -> Failure {
    bad_request(format!("the body of the request is nested deeper than {MAX_VALUE_DEPTH} levels"))
}

/// How deep a JSON text is nested.
fn nesting(bytes: &[u8]) -> usize {
    let (mut depth, mut deepest, mut at) = (0_usize, 0, 0);
    let mut in_string = false;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'\\' if in_string => at += 1,
            b'"' => in_string = !in_string,
            b'{' | b'[' if !in_string => {
                depth += 1;
                deepest = deepest.max(depth);
            }
            b'}' | b']' if !in_string => depth = depth.saturating_sub(1),
            _ => {}
        }
        at += 1;
    }
    deepest
}
