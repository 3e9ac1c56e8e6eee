//! The first step: from the bytes of a request to an object of the resource's kind.

use kubemerge::PatchType;
use kubemerge_kinds::{
    BuiltinKind, duplicate_fields,
    field_error::{MAX_COMPLAINTS, quoted},
    pattern::{TypeMeta, ValidatedText},
    tree::Arena,
};
use kubemerge_value::SharedValue;

use crate::{
    catalog::{Resource, call::Call},
    object::Object,
    protocol::{
        media::{self, Encoding},
        query::FieldValidation,
        status::{Failure, Outcome, bad_request},
    },
    store::{KnownForm, metadata_field::Field},
    write::{
        body::{self, canonical_body},
        kind_rules::{self, Typed},
        request::{Old, Write},
        times,
        undecodable::{Patching, Source, undecodable},
        unknown_fields::{self, Found},
    },
};

/// An object that was decoded.
#[derive(Debug)]
pub(crate) struct Decoded<'a> {
    /// The object; only its type and metadata if there is a typed form.
    pub(crate) object: Object,
    /// Whether it is known that no default is missing.
    pub(crate) is_complete: bool,
    pub(crate) tracking: Tracking,
    /// All fields, for kinds with rules.
    pub(crate) typed: Option<Typed<'a>>,
}

/// Whether the owners of the fields are known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tracking {
    /// The step that tracks finds them out.
    Pending,
    /// The object has them, because decoding found them out: it was applied, or scaled.
    Done,
}

impl Decoded<'_> {
    /// An independent copy.
    pub(crate) fn copy(&self) -> Self {
        let typed = self.typed.as_ref().map(Typed::copy);
        let Decoded { object, is_complete, tracking, .. } = self;
        Decoded { object: object.clone(), is_complete: *is_complete, tracking: *tracking, typed }
    }
}

/// The result of a patch.
#[derive(Clone, Copy)]
pub(crate) struct Patched<'p> {
    pub(crate) document: &'p SharedValue,
    pub(crate) patch_type: PatchType,
    /// What was patched.
    pub(crate) old: Old<'p>,
}

/// The object in a body, checked to be of the resource's kind, with unknown fields dropped and reported.
pub(crate) fn body_object(write: Write<'_>) -> Outcome<Decoded<'_>> {
    let (call, validation) = (write.call, write.options.field_validation);
    if let Some(kind) = kind_rules::of(call.cluster, call.resource) {
        let text = body::text(write)?;
        return whole_body(write, kind, text);
    }
    if let Some(text) = validated(call) {
        let object = Object::validated(&text, call.resource);
        let (is_complete, tracking) = (text.is_complete, Tracking::Pending);
        return Ok(Decoded { object, is_complete, tracking, typed: None });
    }
    let document = SharedValue::from(canonical_body(call)?);
    let mut object = decoded(call, Object::read(&document), &document, Source::Body)?;
    check_type(call, &mut object)?;
    let complaints = duplicates_in_body(call, &document, validation);
    unknown_fields::drop_unknown(
        call,
        object,
        Found { validation, complaints, source: Source::Body, checked: None },
    )
}

/// All of the object in a body whose kind has rules.
fn whole_body<'w>(write: Write<'w>, kind: BuiltinKind<'w>, text: &'w str) -> Outcome<Decoded<'w>> {
    let validation = write.options.field_validation;
    let found = Found { validation, complaints: Vec::new(), source: Source::Body, checked: None };
    typed(write, kind, Given { text, reading: Reading::Json }, found)
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
    source: Source<'_>,
) -> Outcome<Object> {
    object.map_err(|failure| {
        let text = String::from_utf8_lossy(document.as_bytes());
        undecodable(call, failure.message(), source, &text)
    })
}

/// The object that is the result of a patch, which must be of the kind it was before. `complaints` are those about the
/// patch itself.
pub(crate) fn patched_object<'w>(
    write: Write<'w>,
    patched: Patched<'_>,
    complaints: Vec<String>,
) -> Outcome<Decoded<'w>> {
    let Patched { document, patch_type, old } = patched;
    let (call, validation) = (write.call, write.options.field_validation);
    let source = Source::Patch(Patching { patch_type, stored: old.stored });
    let checked = Some(old.object).filter(|old| old.ownership.form() == KnownForm::Complete);
    let found = Found { validation, complaints, source, checked };
    body::check_depth(document.as_bytes())?;
    if let Some(kind) = kind_rules::of(call.cluster, call.resource) {
        let reading = match patch_type {
            // Upstream: the result is converted into the kind that was patched, whatever the patch says it is.
            PatchType::Strategic => Reading::Map,
            _ => Reading::Json,
        };
        return typed(write, kind, Given { text: write.arena.alloc_str(document.as_str()), reading }, found);
    }
    let object = Object::read_after(document, old.stored, old.object);
    let mut object = decoded(call, object, document, source)?;
    if patch_type == PatchType::Strategic {
        // Upstream: the result is decoded into the kind that was patched, whatever the patch says it is.
        object.api_version.clone_from(&call.resource.api_version);
        object.kind.clone_from(&call.resource.kind);
    }
    let checked = check_type(call, &mut object).map(|()| object);
    let object = decoded(call, checked, document, source)?;
    unknown_fields::drop_unknown(call, object, found)
}

/// A text to decode into the typed form of a kind.
#[derive(Clone, Copy)]
struct Given<'w> {
    text: &'w str,
    reading: Reading,
}

/// How Kubernetes reads a text into the struct of a kind.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reading {
    /// As JSON; its `apiVersion` and `kind` must be those of the resource.
    Json,
    /// As a map, which it converts; `apiVersion` and `kind` are replaced by those of the resource.
    Map,
}

/// The typed form of an object with the defaults of its kind.
fn typed<'w>(
    write: Write<'w>,
    kind: BuiltinKind<'w>,
    given: Given<'w>,
    mut found: Found<'_>,
) -> Outcome<Decoded<'w>> {
    let call = write.call;
    let mut decoded = Typed::decode(kind, write.arena, given.text);
    if given.reading == Reading::Map && decoded.is_err() {
        decoded = converted(write, kind, given.text);
    }
    if given.reading == Reading::Json {
        check_given_type(call, decoded.as_ref().ok().map(|(typed, _)| typed), given, found.source)?;
    }
    let (mut typed, strict) =
        decoded.map_err(|message| undecodable(call, &message, found.source, given.text))?;
    // Complaints about the patch itself come first.
    let room = MAX_COMPLAINTS.saturating_sub(found.complaints.len());
    found.complaints.extend(strict.into_iter().take(room));
    unknown_fields::report(call, found, || typed.to_value())?;
    times::set_defaults(write, &mut typed.tree);
    let object = Object::with_metadata(typed.metadata());
    Ok(Decoded { object, is_complete: true, tracking: Tracking::Pending, typed: Some(typed) })
}

/// The same as Kubernetes converts a map: it takes some values that its decoder refuses.
fn converted<'w>(
    write: Write<'w>,
    kind: BuiltinKind<'w>,
    text: &str,
) -> Result<(Typed<'w>, Vec<String>), String> {
    let converted = kind.convert(text).map_err(|error| error.message().to_owned())?;
    Typed::decode(kind, write.arena, write.arena.alloc_str(&converted))
}

/// The object that is the result of an apply. It fits its type, so that there is nothing to report.
pub(crate) fn applied_object<'w>(write: Write<'w>, document: &SharedValue) -> Outcome<Decoded<'w>> {
    let call = write.call;
    body::check_depth(document.as_bytes())?;
    let source = Source::Apply;
    let found = Found { validation: FieldValidation::Ignore, complaints: Vec::new(), source, checked: None };
    if let Some(kind) = kind_rules::of(call.cluster, call.resource) {
        let text = write.arena.alloc_str(document.as_str());
        return typed(write, kind, Given { text, reading: Reading::Map }, found);
    }
    let object = decoded(call, Object::read(document), document, source)?;
    unknown_fields::drop_unknown(call, object, found)
}

/// Refuses a text of another type; that is said first, even if the text cannot be decoded.
fn check_given_type(
    call: &Call<'_>,
    typed: Option<&Typed<'_>>,
    given: Given<'_>,
    source: Source<'_>,
) -> Outcome<()> {
    if let Some(Typed { tree, .. }) = typed
        && check_type_names(call, tree.str("apiVersion"), tree.str("kind")).is_ok()
    {
        return Ok(());
    }
    let document = SharedValue::from(body::json(given.text.as_bytes())?);
    let mut head = decoded(call, Object::read_type(&document), &document, source)?;
    match source {
        Source::Body => match other_kind(call, &head, given.text) {
            Some(failure) => Err(failure),
            None => check_type(call, &mut head),
        },
        Source::Patch(_) | Source::Apply => {
            let checked = check_type(call, &mut head).map(|()| head);
            decoded(call, checked, &document, source).map(drop)
        }
    }
}

/// Why an object of another built-in kind cannot be one of the resource: it is decoded as what it is first.
fn other_kind(call: &Call<'_>, head: &Object, text: &str) -> Option<Failure> {
    let Resource { group, kind: wanted, .. } = call.resource;
    if head.kind == *wanted || call.resource.custom().is_some() {
        return None;
    }
    let kind = BuiltinKind::find(&call.cluster.schema, &head.api_version, &head.kind)?;
    let version = head.api_version.rsplit('/').next().unwrap_or_default();
    let problem = match kind.decode(&Arena::new(), text) {
        Err(error) => error.message().to_owned(),
        Ok(_) => {
            // Go's packages are named after the first part of their group; both groups of Events share one.
            let package = match group.split('.').next() {
                Some("" | "events") | None => "core",
                Some(package) => package,
            };
            format!("converting ({version}.{}) to ({package}.{wanted}): unknown conversion", head.kind)
        }
    };
    let text = format!("{} in version {version:?} cannot be handled as a {wanted}: {problem}", head.kind);
    Some(bad_request(text))
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

/// Fills in a missing type, which custom resources must have, and refuses another one.
pub(crate) fn check_type(call: &Call<'_>, object: &mut Object) -> Outcome<()> {
    let expected = &call.resource.api_version;
    if call.resource.custom().is_some() {
        // In the order in which unstructured objects are checked.
        for (member, text) in [("Kind", &object.kind), ("apiVersion", &object.api_version)] {
            if text.is_empty() {
                let body = String::from_utf8_lossy(call.body);
                let text = format!("Object '{member}' is missing in '{body}'");
                return Err(undecodable(call, &text, Source::Body, ""));
            }
        }
    }
    check_type_names(call, &object.api_version, &object.kind)?;
    object.api_version.clone_from(expected);
    object.kind.clone_from(&call.resource.kind);
    Ok(())
}

/// Refuses names that are given and are not those of the resource.
pub(crate) fn check_type_names(call: &Call<'_>, api_version: &str, kind: &str) -> Outcome<()> {
    let (expected, wanted) = (&call.resource.api_version, &call.resource.kind);
    if !api_version.is_empty() && api_version != expected {
        let kind = if kind.is_empty() { wanted } else { kind };
        // Go still has the types of versions that are no longer served, nearly all of them betas.
        let is_registered = api_version.contains("beta")
            || BuiltinKind::find(&call.cluster.schema, api_version, kind).is_some();
        // Upstream: of built-in kinds the decoder looks for the type first.
        if call.resource.custom().is_none() && !is_registered {
            return Err(unregistered(call, api_version, kind));
        }
        return Err(bad_request(format!(
            "the API version in the data ({api_version}) does not match the expected API version ({expected})"
        )));
    }
    if !kind.is_empty() && kind != wanted {
        return Err(unregistered(call, expected, kind));
    }
    Ok(())
}

/// Why an object of a type that is not served cannot be decoded.
fn unregistered(call: &Call<'_>, api_version: &str, kind: &str) -> Failure {
    // Upstream: the scheme of built-in kinds is named after the file that makes it.
    let scheme =
        if call.resource.custom().is_none() { " in scheme \"pkg/runtime/scheme.go:111\"" } else { "" };
    let version = api_version.rsplit('/').next().unwrap_or_default();
    let wanted = &call.resource.kind;
    bad_request(format!(
        "{kind} in version {version:?} cannot be handled as a {wanted}: no kind {kind:?} is registered for version \
         {api_version:?}{scheme}"
    ))
}
