//! From the bytes of a request to an object: the encoding, the fields the kind has, the type it must be.

use kubemerge::PatchType;
use kubemerge_kinds::{duplicate_fields, field_error::quoted};
use kubemerge_value::{Canonical, Excerpt, MAX_VALUE_DEPTH};

use crate::{
    api::call::Call,
    object::{Object, canonical},
    protocol::{
        fixture,
        media::{self, Encoding},
        protobuf,
        query::FieldValidation,
        status::{Outcome, bad_request},
    },
    store::Stored,
    write::fields,
};

/// How an object came to the server.
#[derive(Clone, Copy)]
pub(crate) enum Source<'o> {
    /// As the body of a request.
    Body,
    /// As the result of a patch of this object.
    Patch(&'o Object),
}

impl<'o> Source<'o> {
    /// The object that was patched.
    pub(crate) fn old(self) -> Option<&'o Object> {
        match self {
            Source::Body => None,
            Source::Patch(old) => Some(old),
        }
    }
}

/// The canonical JSON text of a body in any encoding that is understood.
pub(crate) fn body(call: &Call<'_>) -> Outcome<Canonical> {
    let understood = call.resource.custom().is_none();
    match media::body_encoding(call.headers, understood)? {
        Encoding::Json => json(call.body),
        Encoding::Yaml => yaml(call.body),
        Encoding::Protobuf => protobuf::to_canonical(call.body, &call.app().schema),
    }
}

pub(crate) fn json(bytes: &[u8]) -> Outcome<Canonical> {
    if bytes.is_empty() {
        return Err(bad_request("the request has no body"));
    }
    check_depth(bytes)?;
    Canonical::from_bytes(bytes)
        .map_err(|error| bad_request(format!("couldn't get version/kind; json parse error: {error}")))
}

fn yaml(bytes: &[u8]) -> Outcome<Canonical> {
    let text = std::str::from_utf8(bytes).map_err(|error| bad_request(format!("yaml: {error}")))?;
    let value = fixture::one_document(text).map_err(bad_request)?;
    canonical(&value)
}

/// The object in a body, checked to be of the resource's kind, with unknown fields dealt with.
pub(crate) fn object(call: &Call<'_>, validation: FieldValidation) -> Outcome<Object> {
    if let Some(object) = sound(call) {
        return Ok(object);
    }
    let document = Excerpt::from(body(call)?);
    let mut object = decoded(call, Object::read(&document), &document, Source::Body)?;
    check_type(call, &mut object)?;
    let repeated = repeated(call, &document, validation);
    fields::settle(call, &mut object, (validation, repeated), Source::Body)?;
    Ok(object)
}

/// The object in a body, if it is of a built-in kind and there is nothing to put right or to report.
fn sound(call: &Call<'_>) -> Option<Object> {
    let pattern = call.resource.pattern(&call.app().schema)?;
    if !matches!(media::body_encoding(call.headers, true), Ok(Encoding::Json)) {
        return None;
    }
    let sound = pattern.read(call.body, &call.resource.api_version, &call.resource.kind)?;
    Some(Object::sound(sound, call.resource, pattern))
}

/// The object, or why the text cannot be decoded.
fn decoded(call: &Call<'_>, object: Outcome<Object>, document: &Excerpt, source: Source) -> Outcome<Object> {
    object.map_err(|failure| {
        let text = String::from_utf8_lossy(document.as_bytes());
        fields::undecodable(call, failure.message(), source, &text)
    })
}

/// The object that a patch made of an older one, which must be of the kind it was before.
pub(crate) fn patched(
    call: &Call<'_>,
    document: &Excerpt,
    patch: PatchType,
    (current, old): (&Stored, &Object),
) -> Outcome<Object> {
    check_depth(document.as_bytes())?;
    let object = Object::read_after(document, current, old);
    let mut object = decoded(call, object, document, Source::Patch(old))?;
    if patch == PatchType::Strategic {
        // Upstream: the result is decoded into the kind that was patched, whatever the patch says it is.
        object.api_version.clone_from(&call.resource.api_version);
        object.kind.clone_from(&call.resource.kind);
    }
    let checked = check_type(call, &mut object).map(|()| object);
    decoded(call, checked, document, Source::Patch(old))
}

/// Complaints about repeated fields. They are gone from the canonical text; where that is the body there were none.
fn repeated(call: &Call<'_>, document: &Excerpt, validation: FieldValidation) -> Vec<String> {
    let is_json = media::content_type(call.headers).is_none_or(|name| name == media::JSON);
    if !is_json || validation == FieldValidation::Ignore || document.as_bytes() == call.body.trim_ascii() {
        return Vec::new();
    }
    let repeated = duplicate_fields::fields(call.body);
    repeated.iter().map(|path| format!("duplicate field {}", quoted(path))).collect()
}

/// Objects are turned into trees here and there, which must not be too deep for the stack.
pub(crate) fn check_depth(bytes: &[u8]) -> Outcome<()> {
    // One bit tells the two brackets apart; a chunk's count fits a byte, which many lanes can add at once.
    let opens = |byte: &u8| u8::from(byte | 0x20 == b'{');
    let opening: usize =
        bytes.chunks(255).map(|chunk| usize::from(chunk.iter().map(opens).sum::<u8>())).sum();
    if opening <= MAX_VALUE_DEPTH || nesting(bytes) <= MAX_VALUE_DEPTH {
        return Ok(());
    }
    Err(bad_request(format!("the body of the request is nested deeper than {MAX_VALUE_DEPTH} levels")))
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

/// Fills in a missing type, which custom resources must have, and refuses another one.
pub(crate) fn check_type(call: &Call<'_>, object: &mut Object) -> Outcome<()> {
    let expected = &call.resource.api_version;
    if call.resource.custom().is_some() {
        for (member, text) in [("Kind", &object.kind), ("apiVersion", &object.api_version)] {
            if text.is_empty() {
                let body = String::from_utf8_lossy(call.body);
                let text = format!("Object '{member}' is missing in '{body}'");
                return Err(fields::undecodable(call, &text, Source::Body, ""));
            }
        }
    }
    if object.api_version.is_empty() {
        object.api_version.clone_from(expected);
    }
    if object.kind.is_empty() {
        object.kind = call.resource.kind.clone();
    }
    if object.api_version != *expected {
        return Err(bad_request(format!(
            "the API version in the data ({}) does not match the expected API version ({expected})",
            object.api_version
        )));
    }
    if object.kind != call.resource.kind {
        return Err(bad_request(format!(
            "{} in version {:?} cannot be handled as a {}: no kind {:?} is registered for version {:?}",
            object.kind, call.resource.version, call.resource.kind, object.kind, expected
        )));
    }
    Ok(())
}
