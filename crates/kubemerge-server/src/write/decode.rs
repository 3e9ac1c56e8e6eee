//! The first step: from the bytes of a request to an object of the resource's kind.

use kubemerge::PatchType;
use kubemerge_kinds::{
    BuiltinKind, duplicate_fields,
    field_error::{MAX_COMPLAINTS, quoted},
    pattern::{TypeMeta, ValidatedText},
};
use kubemerge_value::{Canonical, MAX_VALUE_DEPTH, SharedValue};

use crate::{
    catalog::call::Call,
    object::Object,
    protocol::{
        json::canonical,
        media::{self, Encoding},
        protobuf,
        query::FieldValidation,
        status::{Outcome, bad_request},
        yaml_documents,
    },
    store::{Stored, metadata_field::Field},
    write::{
        kind_rules,
        unknown_fields::{self, Found},
    },
};

/// An object that was decoded.
#[derive(Clone, Debug)]
pub(crate) struct Decoded {
    pub(crate) object: Object,
    /// Whether it is known that no default is missing.
    pub(crate) is_complete: bool,
    pub(crate) tracking: Tracking,
}

/// Whether the owners of the fields are known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tracking {
    /// The step that tracks finds them out.
    Pending,
    /// The object has them, because decoding found them out: it was applied, or scaled.
    Done,
}

/// Where the text of an object comes from; errors differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    /// The body of a request.
    Body,
    /// The result of a patch.
    Patch,
}

/// The result of a patch.
#[derive(Clone, Copy)]
pub(crate) struct Patched<'p> {
    pub(crate) document: &'p SharedValue,
    pub(crate) patch_type: PatchType,
    /// What was patched.
    pub(crate) current: &'p Stored,
    pub(crate) old: &'p Object,
}

/// The canonical JSON text of a body in any encoding that is understood.
pub(crate) fn body(call: &Call<'_>) -> Outcome<Canonical> {
    // The table of messages has built-in kinds only.
    let understood = call.resource.custom().is_none();
    match media::body_encoding(call.headers, understood)? {
        Encoding::Json => json(call.body),
        Encoding::Yaml => yaml(call.body),
        Encoding::Protobuf => protobuf::to_canonical(call.body, &call.cluster.schema),
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
    let value = yaml_documents::one_document(text).map_err(bad_request)?;
    canonical(&value)
}

/// The object in a body, checked to be of the resource's kind, with unknown fields dropped and reported.
pub(crate) fn body_object(call: &Call<'_>, validation: FieldValidation) -> Outcome<Decoded> {
    let kind = kind_rules::of(call.cluster, call.resource);
    if kind.is_none()
        && let Some(text) = validated(call)
    {
        let object = Object::validated(&text, call.resource);
        return Ok(Decoded { object, is_complete: text.is_complete, tracking: Tracking::Pending });
    }
    let document = SharedValue::from(body(call)?);
    if let Some(kind) = kind {
        let complaints = duplicates_in_body(call, &document, validation);
        check_type(call, &mut head(call, &document, Source::Body)?)?;
        return typed(call, kind, &document, Found { validation, complaints, source: Source::Body });
    }
    let mut object = decoded(call, Object::read(&document), &document, Source::Body)?;
    check_type(call, &mut object)?;
    let complaints = duplicates_in_body(call, &document, validation);
    unknown_fields::drop_unknown(call, object, Found { validation, complaints, source: Source::Body })
}

/// The text of a body that needs no change and nothing reported: most requests end here.
fn validated<'c>(call: &'c Call<'_>) -> Option<ValidatedText<'c, { Field::COUNT }>> {
    let pattern = call.resource.pattern(&call.cluster.schema)?;
    if !matches!(media::body_encoding(call.headers, true), Ok(Encoding::Json)) {
        return None;
    }
    let wanted = TypeMeta { api_version: &call.resource.api_version, kind: &call.resource.kind };
    pattern.read(call.body, wanted, |name| Field::of_bytes(name).map(|field| field as usize))
}

/// The object, or why the text cannot be decoded.
fn decoded(
    call: &Call<'_>,
    object: Outcome<Object>,
    document: &SharedValue,
    source: Source,
) -> Outcome<Object> {
    object.map_err(|failure| {
        let text = String::from_utf8_lossy(document.as_bytes());
        unknown_fields::undecodable(call, failure.message(), source, &text)
    })
}

/// The object that is the result of a patch, which must be of the kind it was before. `complaints` are those about the
/// patch itself.
pub(crate) fn patched_object(
    call: &Call<'_>,
    patched: Patched<'_>,
    validation: FieldValidation,
    complaints: Vec<String>,
) -> Outcome<Decoded> {
    let Patched { document, patch_type, current, old } = patched;
    check_depth(document.as_bytes())?;
    if let Some(kind) = kind_rules::of(call.cluster, call.resource) {
        if patch_type != PatchType::Strategic {
            let mut head = head(call, document, Source::Patch)?;
            let checked = check_type(call, &mut head).map(|()| head);
            decoded(call, checked, document, Source::Patch)?;
        }
        return typed(call, kind, document, Found { validation, complaints, source: Source::Patch });
    }
    let object = Object::read_after(document, current, old);
    let mut object = decoded(call, object, document, Source::Patch)?;
    if patch_type == PatchType::Strategic {
        // Upstream: the result is decoded into the kind that was patched, whatever the patch says it is.
        object.api_version.clone_from(&call.resource.api_version);
        object.kind.clone_from(&call.resource.kind);
    }
    let checked = check_type(call, &mut object).map(|()| object);
    let object = decoded(call, checked, document, Source::Patch)?;
    unknown_fields::drop_unknown(call, object, Found { validation, complaints, source: Source::Patch })
}

/// The type of an object whose other fields are not read yet.
fn head(call: &Call<'_>, document: &SharedValue, source: Source) -> Outcome<Object> {
    decoded(call, Object::read_type(document), document, source)
}

/// The typed form of an object with the defaults of its kind.
fn typed(
    call: &Call<'_>,
    kind: BuiltinKind<'_>,
    document: &SharedValue,
    mut found: Found,
) -> Outcome<Decoded> {
    let typed = kind_rules::decode(kind, document).map_err(|text| {
        unknown_fields::undecodable(call, &text, found.source, &String::from_utf8_lossy(document.as_bytes()))
    })?;
    let mut object = Object::read(&typed.document)?;
    object.api_version.clone_from(&call.resource.api_version);
    object.kind.clone_from(&call.resource.kind);
    let room = MAX_COMPLAINTS.saturating_sub(found.complaints.len());
    found.complaints.extend(typed.complaints.into_iter().take(room));
    unknown_fields::report(call, found, &object)?;
    // Go leaves out an empty list, which here means to forget all owners.
    let member =
        |of: &SharedValue, wanted: &str| of.members().find(|(name, _)| name.is(wanted)).map(|(_, text)| text);
    if let Some(given) = member(document, "metadata").and_then(|metadata| member(&metadata, "managedFields"))
    {
        object.metadata.set_managed_fields(given);
    }
    Ok(Decoded { object, is_complete: true, tracking: Tracking::Pending })
}

/// The object that is the result of an apply. It fits its type, so that there is nothing to report.
pub(crate) fn applied_object(call: &Call<'_>, document: &SharedValue) -> Outcome<Decoded> {
    check_depth(document.as_bytes())?;
    let found = Found { validation: FieldValidation::Ignore, complaints: Vec::new(), source: Source::Patch };
    if let Some(kind) = kind_rules::of(call.cluster, call.resource) {
        return typed(call, kind, document, found);
    }
    let object = decoded(call, Object::read(document), document, Source::Patch)?;
    unknown_fields::drop_unknown(call, object, found)
}

/// Complaints about duplicate fields. Canonical text has none; if the body is canonical there is nothing to search.
fn duplicates_in_body(call: &Call<'_>, document: &SharedValue, validation: FieldValidation) -> Vec<String> {
    let is_json = media::content_type(call.headers).is_none_or(|name| name == media::JSON);
    if !is_json || validation == FieldValidation::Ignore || document.as_bytes() == call.body.trim_ascii() {
        return Vec::new();
    }
    let duplicates = duplicate_fields::fields(call.body);
    duplicates.iter().map(|path| format!("duplicate field {}", quoted(path))).collect()
}

/// Some steps turn objects into trees, which recursive code walks: they must not be too deep for the stack.
pub(crate) fn check_depth(bytes: &[u8]) -> Outcome<()> {
    // `{` and `[` differ in one bit; a chunk's count fits a byte, which many lanes can add at once.
    let opens = |byte: &u8| u8::from(byte | 0x20 == b'{');
    let opening: usize =
        bytes.chunks(255).map(|chunk| usize::from(chunk.iter().map(opens).sum::<u8>())).sum();
    // Counting brackets is fast and enough for nearly all bodies; only the others are parsed for depth.
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
        for (member, text) in [("BuiltinKind", &object.kind), ("apiVersion", &object.api_version)] {
            if text.is_empty() {
                let body = String::from_utf8_lossy(call.body);
                let text = format!("Object '{member}' is missing in '{body}'");
                return Err(unknown_fields::undecodable(call, &text, Source::Body, ""));
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
