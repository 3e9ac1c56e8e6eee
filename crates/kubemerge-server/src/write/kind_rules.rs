//! The steps of a write in which the rules of a built-in kind take part: decode and default, prepare and validate.
//!
//! The rules work on a tree ([`kubemerge_kinds::tree`]), the server on the texts of fields. An object crosses twice:
//! with the body or the result of a patch, and before it is stored.

use kubemerge_kinds::{
    BuiltinKind,
    field_error::FieldError,
    tree::{Arena, Map},
};
use kubemerge_value::{Canonical, SharedValue};

use crate::{
    catalog::{
        Resource,
        call::Call,
        cluster::{Cluster, Validation},
        definition::is_definition,
    },
    object::Object,
    protocol::status::{Outcome, invalid, unclassified},
    write::part::Part,
};

/// The rules of a resource's kind, unless the object is checked by its OpenAPI document alone.
pub(crate) fn of<'c>(cluster: &'c Cluster, resource: &Resource) -> Option<BuiltinKind<'c>> {
    // What a definition serves depends on its rules, so they always hold.
    let is_off = cluster.validation == Validation::Off && !is_definition(resource);
    if is_off || resource.custom().is_some() {
        return None;
    }
    BuiltinKind::find(&cluster.schema, &resource.api_version, &resource.kind).filter(|kind| kind.has_rules())
}

/// The rules of definitions.
pub(crate) fn definition(cluster: &Cluster) -> Option<BuiltinKind<'_>> {
    BuiltinKind::find(&cluster.schema, "apiextensions.k8s.io/v1", "CustomResourceDefinition")
}

/// A new object that is loaded past the API, prepared by the rules of its kind; the inner error is what they refuse.
pub(crate) fn create(
    kind: Option<BuiltinKind<'_>>,
    object: &Object,
) -> Outcome<Result<Object, Vec<FieldError>>> {
    let Some(kind) = kind else { return Ok(Ok(object.clone())) };
    let typed = decode(kind, &document_of(object)).map_err(unclassified)?;
    let arena = Arena::new();
    let mut new = tree(kind, &arena, &typed.document)?;
    let errors = kind.create(&mut new);
    if !errors.is_empty() {
        return Ok(Err(errors));
    }
    Object::read(&canonical(&new)?).map(Ok)
}

/// A text in its typed form.
pub(crate) struct Typed {
    pub(crate) document: SharedValue,
    /// Unknown and duplicate fields, as strict field validation words them.
    pub(crate) complaints: Vec<String>,
}

/// Reads a text into the typed form of its kind and fills in defaults; an error is the message of the decoder.
pub(crate) fn decode(kind: BuiltinKind<'_>, document: &SharedValue) -> Result<Typed, String> {
    let arena = Arena::new();
    let mut decoded = kind.decode(&arena, text(document)).map_err(|error| error.message().to_owned())?;
    kind.default(&mut decoded.object);
    let document = canonical(&decoded.object).map_err(|failure| failure.message().to_owned())?;
    Ok(Typed { document, complaints: decoded.strict.iter().map(ToString::to_string).collect() })
}

/// The typed form of a text, without defaults; none if the text does not fit its kind.
pub(crate) fn typed_form(kind: BuiltinKind<'_>, document: &SharedValue) -> Option<SharedValue> {
    let arena = Arena::new();
    let decoded = kind.decode(&arena, text(document)).ok()?;
    canonical(&decoded.object).ok()
}

/// Prepares an object for the store and refuses it if it breaks a rule.
pub(crate) fn admit(
    call: &Call<'_>,
    kind: BuiltinKind<'_>,
    part: Part,
    object: &Object,
    old: Option<&Object>,
) -> Outcome<Object> {
    let arena = Arena::new();
    let (text, old_text) = (document_of(object), old.map(document_of));
    let mut new = tree(kind, &arena, &text)?;
    let errors = match &old_text {
        None => kind.create(&mut new),
        Some(old_text) => {
            let old = tree(kind, &arena, old_text)?;
            match subresource(call, part) {
                None => kind.update(&mut new, &old),
                Some(name) => kind.update_subresource(name, &mut new, &old),
            }
        }
    };
    if !errors.is_empty() {
        return Err(invalid(call.resource.qualified_kind(), object.metadata.name(), &errors));
    }
    Object::read(&canonical(&new)?)
}

/// Completes an object that is loaded past the API: typed form and defaults. What cannot be decoded stays as it is.
pub(crate) fn complete(kind: BuiltinKind<'_>, object: &mut Object) {
    let completed =
        decode(kind, &document_of(object)).ok().and_then(|typed| Object::read(&typed.document).ok());
    if let Some(mut completed) = completed {
        completed.ownership = std::mem::take(&mut object.ownership);
        *object = completed;
    }
}

/// The subresource whose rules apply, if it is one.
fn subresource<'c>(call: &'c Call<'_>, part: Part) -> Option<&'c str> {
    if part == Part::Main { None } else { call.subresource() }
}

fn tree<'a>(kind: BuiltinKind<'a>, arena: &'a Arena, document: &'a SharedValue) -> Outcome<Map<'a>> {
    let decoded = kind.decode(arena, text(document));
    decoded.map(|decoded| decoded.object).map_err(|error| unclassified(error.message()))
}

fn document_of(object: &Object) -> SharedValue {
    object.record().shared()
}

/// Canonical text is UTF-8: it was checked when it came in.
fn text(document: &SharedValue) -> &str {
    std::str::from_utf8(document.as_bytes()).unwrap_or_default()
}

fn canonical(object: &Map<'_>) -> Outcome<SharedValue> {
    let text = object.to_text();
    Canonical::from_bytes(text.as_bytes())
        .map(SharedValue::from)
        .map_err(|error| unclassified(error.to_string()))
}
