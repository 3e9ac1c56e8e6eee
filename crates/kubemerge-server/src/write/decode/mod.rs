//! The first step: from the text of a request to an object of the resource's kind.

pub(crate) mod apply;
pub(crate) mod body;
pub(crate) mod patch;
pub(crate) mod precondition;
pub(crate) mod scale;
pub(crate) mod undecodable;

use kubemerge_kinds::{
    BuiltinKind,
    field_error::MAX_COMPLAINTS,
    tree::{Arena, KnownParts, Map, Value},
};
use kubemerge_schema::Schema;
use kubemerge_value::Node;

use crate::{
    catalog::request_context::RequestContext,
    kind::{DecodeError, Given, Kind, Source, TypeCheck},
    object::draft::Draft,
    protocol::{
        query::FieldValidation,
        status::{Failure, Outcome, Qualified, bad_request},
    },
    write::{
        decode::undecodable::{Origin, Patching, undecodable},
        request::Write,
    },
};

/// The object in a body, checked to be of the resource's kind, with unknown fields dropped and reported.
pub(crate) fn body_object(write: Write<'_>) -> Outcome<Draft<'_>> {
    decode(write, Source::Text(body::text(write)?), Origin::Body, body::repeated_keys(write)?)
}

/// The object that is the result of a patch, which must be of the kind it was before; parts of that object are known. `complaints` are those about the
/// patch itself.
pub(crate) fn patched_object<'w>(
    write: Write<'w>,
    node: Node<'w>,
    known: Option<&'w KnownParts<'w>>,
    patching: Patching<'_>,
    complaints: Vec<String>,
) -> Outcome<Draft<'w>> {
    let draft = decode(write, Source::Node(node, known), Origin::Patch(patching), complaints)?;
    // Bodies are not too deep, but a patch may put one part into another.
    let live = patching.stored.record.canonical().as_bytes();
    body::check_patched(&draft.tree, live, write.call.body, patching.patch_type)?;
    Ok(draft)
}

/// The object that is the result of an apply. It fits its type, so that there is nothing to report.
pub(crate) fn applied_object<'w>(write: Write<'w>, source: Source<'w>) -> Outcome<Draft<'w>> {
    decode(write, source, Origin::Apply, Vec::new())
}

fn decode<'w>(
    write: Write<'w>,
    source: Source<'w>,
    origin: Origin<'_>,
    mut complaints: Vec<String>,
) -> Outcome<Draft<'w>> {
    let (call, given) = (write.call, Given { source, reading: write.reading });
    let decoded = write.kind.decode(given, write.arena);
    if given.reading.has_type() {
        check_type(write, decoded.as_ref().ok().map(|decoded| &decoded.object), source, origin)?;
    }
    let mut decoded = decoded.map_err(|error| match error {
        DecodeError::Undecodable(why) => undecodable(write, &why, origin, &source.text()),
        DecodeError::Refused(failure) => failure,
    })?;
    decoded.object.set_text("apiVersion", &call.resource.api_version);
    decoded.object.set_text("kind", &call.resource.kind);
    // Complaints about the patch itself come first. Upstream: no more than this many.
    let room = MAX_COMPLAINTS.saturating_sub(complaints.len());
    complaints.extend(decoded.complaints.into_iter().take(room));
    let validation = match origin {
        Origin::Apply => FieldValidation::Ignore,
        Origin::Body | Origin::Patch(_) => write.options.field_validation,
    };
    report(call, validation, complaints)
        .map_err(|why| undecodable(write, &why, origin, &decoded.object.to_text()))?;
    Ok(Draft::new(decoded.object))
}

/// Reports complaints about the fields of an object as the request wants; an error is the text of the refusal.
fn report(
    call: &RequestContext<'_>,
    validation: FieldValidation,
    complaints: Vec<String>,
) -> Result<(), String> {
    match validation {
        // First, so that a strict request without complaints passes.
        _ if complaints.is_empty() => {}
        FieldValidation::Ignore => {}
        FieldValidation::Warn => complaints.into_iter().for_each(|complaint| call.warn(complaint)),
        FieldValidation::Strict => {
            return Err(format!("strict decoding error: {}", complaints.join(", ")));
        }
    }
    Ok(())
}

/// The `apiVersion` and `kind` of an object; empty if they are absent.
struct TypeNames {
    api_version: String,
    kind: String,
}

impl TypeNames {
    /// The type of an object that was decoded.
    fn of(object: &Map<'_>) -> TypeNames {
        TypeNames { api_version: object.str("apiVersion").into(), kind: object.str("kind").into() }
    }

    /// Only the type of an object that cannot be decoded.
    fn read(text: &str) -> Result<TypeNames, String> {
        let arena = Arena::new();
        let (Value::Map(object), _) = Source::Text(text).read(&arena) else {
            return Err("the body of the request is not a JSON object".to_owned());
        };
        for name in ["apiVersion", "kind"] {
            // Go reads a null into a string as the empty string.
            if !matches!(object.get(name), None | Some(Value::Null | Value::Str(_))) {
                return Err(format!("the field {name:?} of the object is not a string"));
            }
        }
        Ok(TypeNames::of(&object))
    }
}

/// Refuses an object of another type.
fn check_type(
    write: Write<'_>,
    decoded: Option<&Map<'_>>,
    source: Source<'_>,
    origin: Origin<'_>,
) -> Outcome<()> {
    let names = match decoded {
        Some(object) => TypeNames::of(object),
        // That the type is wrong is said first, even if the text cannot be decoded.
        None if write.kind.type_check() == TypeCheck::First => {
            let text = source.text();
            TypeNames::read(&text).map_err(|why| undecodable(write, &why, origin, &text))?
        }
        None => return Ok(()),
    };
    let checked = check_names(write, &names, source, origin);
    checked.map_err(|failure| match origin {
        Origin::Body => failure,
        Origin::Patch(_) | Origin::Apply => undecodable(write, failure.message(), origin, &source.text()),
    })
}

fn check_names(write: Write<'_>, names: &TypeNames, source: Source<'_>, origin: Origin<'_>) -> Outcome<()> {
    let TypeNames { api_version, kind } = names;
    if write.kind.type_check() == TypeCheck::Last {
        // In the order in which unstructured objects are checked.
        for (member, text) in [("Kind", kind), ("apiVersion", api_version)] {
            if text.is_empty() {
                let body = String::from_utf8_lossy(write.call.body);
                let text = format!("Object '{member}' is missing in '{body}'");
                return Err(undecodable(write, &text, Origin::Body, ""));
            }
        }
    }
    if matches!(origin, Origin::Body)
        && write.kind.go_scheme().is_some()
        && let Some(failure) = other_kind(
            &write.call.cluster.schema,
            Qualified { group: &write.call.resource.group, name: &write.call.resource.kind },
            GivenType { api_version: &names.api_version, kind: &names.kind },
            &source.text(),
        )
    {
        return Err(failure);
    }
    check_type_names(write.call, write.kind, api_version, kind)
}

/// Why an object of another built-in kind cannot be one of the resource: it is decoded as what it is first.
pub(crate) fn other_kind(
    schema: &Schema,
    Qualified { group, name: wanted }: Qualified<'_>,
    given: GivenType<'_>,
    text: &str,
) -> Option<Failure> {
    if given.kind == wanted {
        return None;
    }
    let kind = BuiltinKind::find(schema, given.api_version, given.kind)?;
    let version = given.api_version.rsplit('/').next().unwrap_or_default();
    let problem = if let Err(error) = kind.decode(&Arena::new(), text) {
        error.message().to_owned()
    } else {
        // Go's packages are named after the first part of their group; both groups of Events share one.
        let package = match group.split('.').next() {
            Some("" | "events") | None => "core",
            Some(package) => package,
        };
        format!("converting ({version}.{}) to ({package}.{wanted}): unknown conversion", given.kind)
    };
    let text = format!("{} in version {version:?} cannot be handled as a {wanted}: {problem}", given.kind);
    Some(bad_request(text))
}

/// Refuses names that are given and are not those of the resource.
pub(crate) fn check_type_names(
    call: &RequestContext<'_>,
    of: Kind<'_>,
    api_version: &str,
    kind: &str,
) -> Outcome<()> {
    let expected = GivenType { api_version: &call.resource.api_version, kind: &call.resource.kind };
    expected.check(&call.cluster.schema, of.go_scheme(), GivenType { api_version, kind })
}

/// The names of a type in an object.
#[derive(Clone, Copy)]
pub(crate) struct GivenType<'n> {
    pub(crate) api_version: &'n str,
    pub(crate) kind: &'n str,
}

impl GivenType<'_> {
    /// Refuses names that are given and are not these; `scheme` has the words for the types of a program in Go.
    pub(crate) fn check(self, schema: &Schema, scheme: Option<&str>, given: GivenType<'_>) -> Outcome<()> {
        let GivenType { api_version, kind } = given;
        if !api_version.is_empty() && api_version != self.api_version {
            let kind = if kind.is_empty() { self.kind } else { kind };
            // Go still has the types of versions that are no longer served, nearly all of them betas.
            let is_registered =
                api_version.contains("beta") || BuiltinKind::find(schema, api_version, kind).is_some();
            // Upstream: of built-in kinds the decoder looks for the type first.
            if scheme.is_some() && !is_registered {
                return Err(self.unregistered(scheme, GivenType { api_version, kind }));
            }
            return Err(bad_request(format!(
                "the API version in the data ({api_version}) does not match the expected API version ({})",
                self.api_version
            )));
        }
        if !kind.is_empty() && kind != self.kind {
            return Err(self.unregistered(scheme, GivenType { api_version: self.api_version, kind }));
        }
        Ok(())
    }

    /// Why an object of a type that is not served cannot be decoded.
    fn unregistered(self, scheme: Option<&str>, given: GivenType<'_>) -> Failure {
        let GivenType { api_version, kind } = given;
        let version = api_version.rsplit('/').next().unwrap_or_default();
        let (wanted, scheme) = (self.kind, scheme.unwrap_or_default());
        bad_request(format!(
            "{kind} in version {version:?} cannot be handled as a {wanted}: no kind {kind:?} is registered for \
             version {api_version:?}{scheme}"
        ))
    }
}
