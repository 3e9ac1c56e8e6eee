//! Server-side apply: the decode step of an apply patch, and the object that it creates if there is none.

use kubemerge_kinds::{field_error::quoted, strategy::Permission};
use kubemerge_ssa::{
    managed_fields::{self, ApplyError, Conflicting, Conflicts, Live, ManagedFields, Time, Writer},
    value::{Arena, ParsedValue},
};
use kubemerge_value::{Canonical, Kind, SharedValue};

use crate::{
    catalog::call::Call,
    object::view,
    protocol::{
        json::canonical,
        query::{ApplyOptions, FieldValidation},
        reason::Reason,
        status::{Cause, Failure, Outcome, bad_request, conflict, unclassified},
        yaml_documents,
    },
    store::{Ownership, metadata_field::Field},
    write::{
        body,
        decode::{self, Decoded, Tracking},
        precondition::{check_address, check_version},
        request::{Old, Write},
        track::endpoint,
        tracking::Tracked,
    },
};

/// A configuration that a manager applies.
pub(crate) struct Configuration<'c> {
    pub(crate) text: Canonical,
    pub(crate) manager: &'c str,
    pub(crate) conflicting: Conflicting,
}

/// What an apply made of an object.
pub(crate) struct Applied {
    /// None if the object stays as it is.
    pub(crate) document: Option<SharedValue>,
    pub(crate) ownership: Ownership,
}

/// Reads the body as a configuration.
pub(crate) fn read<'c>(call: &'c Call<'_>, options: ApplyOptions) -> Outcome<Configuration<'c>> {
    body::check_depth(call.body)?;
    let text = configuration(call.body)?;
    let conflicting = if options.force { Conflicting::Force } else { Conflicting::Refuse };
    Ok(Configuration { text, manager: call.query.get("fieldManager").unwrap_or_default(), conflicting })
}

/// The canonical text of a configuration in YAML, which JSON is too.
fn configuration(body: &[u8]) -> Outcome<Canonical> {
    let text = match Canonical::from_bytes(body) {
        Ok(text) => text,
        // Most clients send JSON, which is read faster.
        Err(_) => yaml(body)?,
    };
    let found = match text.node().kind() {
        Kind::Map => return Ok(text),
        // Go decodes null into an empty map.
        Kind::Null => return canonical(&serde_json::json!({})),
        other => other.go_name(),
    };
    Err(bad_request(format!(
        "error decoding patch: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal {found} into Go value \
         of type map[string]interface {{}}"
    )))
}

fn yaml(body: &[u8]) -> Outcome<Canonical> {
    if body.trim_ascii().is_empty() {
        return canonical(&serde_json::json!({}));
    }
    let undecodable = |why: String| {
        bad_request(format!("error decoding patch: error converting YAML to JSON: yaml: {why}"))
    };
    let text = std::str::from_utf8(body).map_err(|error| undecodable(error.to_string()))?;
    canonical(&yaml_documents::one_document(text).map_err(undecodable)?)
}

/// The object that a configuration makes of the stored one.
pub(crate) fn applied<'w>(
    write: Write<'w>,
    config: &Configuration<'_>,
    old: Old<'_>,
) -> Outcome<Decoded<'w>> {
    let call = write.call;
    let Applied { document, ownership } = merge(endpoint(call), config, Some(old))?;
    report_duplicates(call, write.options.field_validation)?;
    let mut decoded = match document {
        Some(document) => decode::applied_object(write, &document)?,
        None => {
            // The rules that follow know objects in the version of the request.
            let object = view::renamed(call.resource, old.object).unwrap_or_else(|| old.object.clone());
            Decoded { object, is_complete: true, tracking: Tracking::Done, typed: None }
        }
    };
    decoded.tracking = Tracking::Done;
    decoded.object.ownership = ownership;
    check_address(call, &mut decoded.object)?;
    check_version(call, &decoded.object, old.stored, Permission::Granted)?;
    Ok(decoded)
}

/// The object that a configuration makes of nothing.
pub(crate) fn created<'w>(write: Write<'w>, config: &Configuration<'_>) -> Outcome<Decoded<'w>> {
    let call = write.call;
    let Applied { document, ownership } = merge(endpoint(call), config, None)?;
    report_duplicates(call, write.options.field_validation)?;
    // A configuration without content changes nothing, but is still an object.
    let document = document.unwrap_or_else(|| SharedValue::from(config.text.clone()));
    let mut decoded = decode::applied_object(write, &document)?;
    decoded.tracking = Tracking::Done;
    decoded.object.ownership = ownership;
    let uid = decoded.object.metadata.uid();
    if !uid.is_empty() {
        let text = format!(
            "uid mismatch: the provided object specified uid {uid}, and no existing object was found"
        );
        return Err(conflict(call.resource.qualified(), call.name(), &text));
    }
    check_address(call, &mut decoded.object)?;
    // Upstream: it says nothing about an object that does not exist.
    decoded.object.metadata.remove(Field::ResourceVersion);
    decoded.object.metadata.remove(Field::CreationTimestamp);
    Ok(decoded)
}

/// What a configuration makes of the object at an endpoint.
pub(crate) fn merge(
    endpoint: Tracked<'_>,
    config: &Configuration<'_>,
    old: Option<Old<'_>>,
) -> Outcome<Applied> {
    let form = old.map(|old| endpoint.old_form(old));
    let (version, nothing) = (old.map(|old| old.stored.revision.to_string()), ManagedFields::new());
    let managed = old.map_or(&nothing, |old| old.object.ownership.entries());
    let time = Time(endpoint.cluster.clock.now().seconds());
    let arena = &Arena::new();
    endpoint.run(arena, |place| {
        let config_value = ParsedValue::from_canonical(&config.text, arena);
        let object = match (&form, &version) {
            (Some(form), Some(version)) => {
                with_version(ParsedValue::from_canonical(form.canonical(), arena), version, arena)
            }
            // Nothing is stored: the merge begins with an object that only has a type.
            _ => place.empty,
        };
        let writer = Writer { manager: config.manager, time };
        let live = Live { object, managed };
        let applied = managed_fields::apply(place, live, config_value, writer, config.conflicting, arena);
        let applied = applied.map_err(refused)?;
        let document = applied.object.map(|object| document(object)).transpose()?;
        Ok(Applied { document, ownership: Ownership::new(applied.managed) })
    })
}

/// Stored text has no resourceVersion, but a configuration may name one.
fn with_version<'a>(object: ParsedValue<'a>, version: &'a str, arena: &'a Arena) -> ParsedValue<'a> {
    let metadata = object.get("metadata").unwrap_or(ParsedValue::Map(&[]));
    let metadata = metadata.with_member("resourceVersion", ParsedValue::String(version), arena);
    object.with_member("metadata", metadata, arena)
}

fn document(object: ParsedValue<'_>) -> Outcome<SharedValue> {
    let mut text = Vec::new();
    object.write_json(&mut text);
    let canonical = Canonical::from_bytes(&text).map_err(|error| unclassified(error.to_string()))?;
    Ok(SharedValue::from(canonical))
}

/// Why an apply was refused, with the API server's code.
pub(crate) fn refused(error: ApplyError) -> Failure {
    match error {
        ApplyError::BadRequest(text) => bad_request(text),
        ApplyError::Failed(text) => unclassified(text),
        ApplyError::Conflicts(conflicts) => conflicting(&conflicts),
    }
}

fn conflicting(conflicts: &Conflicts) -> Failure {
    let cause = |one: &managed_fields::ManagerConflict| Cause {
        reason: "FieldManagerConflict",
        message: one.cause(),
        field: one.path.clone(),
    };
    Failure::new(409, Reason::Conflict, conflicts.to_string()).causes(conflicts.0.iter().map(cause).collect())
}

/// A repeated key of the configuration. Upstream: looked for only after the apply has succeeded.
pub(crate) fn report_duplicates(call: &Call<'_>, validation: FieldValidation) -> Outcome<()> {
    if validation == FieldValidation::Ignore {
        return Ok(());
    }
    // A body that is not UTF-8 was refused before anything was applied.
    let text = std::str::from_utf8(call.body).unwrap_or_default();
    let Some((line, key)) = yaml_documents::repeated_key(text) else { return Ok(()) };
    let text = format!("line {line}: key {} already set in map", quoted(&key));
    if validation == FieldValidation::Strict {
        return Err(bad_request(format!(
            "error strict decoding patch: error converting YAML to JSON: yaml: unmarshal errors:\n  {text}"
        )));
    }
    call.warn(text);
    Ok(())
}
