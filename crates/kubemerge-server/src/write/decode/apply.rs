//! Server-side apply: the decode step of an apply patch, and the object that it creates if it does not exist.

use kubemerge::MergeErrorKind;
use kubemerge_kinds::strategy::Permission;
use kubemerge_ssa::{
    managed_fields::{self, ApplyError, Conflicting, Conflicts, Live, ManagedFields, Time, Writer},
    typed::{ValidationError, ValidationErrors},
    value::{Arena, ParsedValue},
};
use kubemerge_value::{Canonical, Kind};

use crate::{
    catalog::request_context::RequestContext,
    kind::Source,
    object::draft::Draft,
    protocol::{
        json::canonical,
        query::{ApplyOptions, FieldValidation},
        reason::Reason,
        status::{Cause, Failure, Outcome, bad_request, conflict, unclassified},
        yaml_documents,
    },
    store::{Ownership, metadata_field::Field},
    write::{
        decode::{
            self, body,
            precondition::{check_address, check_version},
        },
        request::{Old, Write},
        track::{Tracked, endpoint},
    },
};

/// A configuration that a manager applies.
pub(crate) struct Configuration<'c> {
    pub(crate) text: Canonical,
    pub(crate) manager: &'c str,
    pub(crate) conflicting: Conflicting,
}

/// What an apply made of an object.
pub(crate) struct Applied<'a> {
    /// The new object; none if it stays as it is.
    pub(crate) object: Option<Source<'a>>,
    pub(crate) ownership: Ownership,
}

/// Reads the body as a configuration.
pub(crate) fn read<'c>(call: &'c RequestContext<'_>, options: ApplyOptions) -> Outcome<Configuration<'c>> {
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
pub(crate) fn applied<'w>(write: Write<'w>, config: &Configuration<'_>, old: Old<'w>) -> Outcome<Draft<'w>> {
    let call = write.call;
    let Applied { object, ownership } = merge(endpoint(write), config, Some(old), write.arena)?;
    report_duplicates(call, write.options.field_validation)?;
    let draft = match object {
        Some(object) => decode::applied_object(write, object)?,
        None => Draft::new(old.tree.copy_in(write.arena)),
    };
    let mut draft = draft.owned(ownership);
    check_address(call, &mut draft)?;
    check_version(call, draft.text(Field::ResourceVersion), old.stored, Permission::Granted)?;
    Ok(draft)
}

/// The object that a configuration makes of nothing.
pub(crate) fn created<'w>(write: Write<'w>, config: &Configuration<'_>) -> Outcome<Draft<'w>> {
    let call = write.call;
    let Applied { object, ownership } = merge(endpoint(write), config, None, write.arena)?;
    report_duplicates(call, write.options.field_validation)?;
    // A configuration without content changes nothing, but is still an object.
    let object = object.unwrap_or_else(|| Source::Text(write.arena.alloc_str(config.text.as_str())));
    let mut draft = decode::applied_object(write, object)?.owned(ownership);
    let uid = draft.text(Field::Uid);
    if !uid.is_empty() {
        let text = format!(
            "uid mismatch: the provided object specified uid {uid}, and no existing object was found"
        );
        return Err(conflict(call.resource.qualified(), call.name(), &text));
    }
    check_address(call, &mut draft)?;
    // Upstream: it says nothing about an object that does not exist.
    draft.remove(Field::ResourceVersion);
    draft.remove(Field::CreationTimestamp);
    Ok(draft)
}

/// What a configuration makes of the object at an endpoint.
pub(crate) fn merge<'a>(
    endpoint: Tracked<'a>,
    config: &Configuration<'_>,
    old: Option<Old<'_>>,
    arena: &'a Arena,
) -> Outcome<Applied<'a>> {
    let (version, nothing) = (old.map(|old| old.stored.revision.to_string()), ManagedFields::new());
    let managed = old.map_or(&nothing, |old| old.ownership().entries());
    let time = Some(Time(endpoint.cluster.clock.now().seconds()));
    let scratch = &Arena::new();
    let merged = endpoint.run(scratch, |place| {
        let config_value = ParsedValue::from_canonical(&config.text, scratch);
        let object = match (&old, &version) {
            (Some(old), Some(version)) => with_version(ParsedValue::of_map(old.tree), version, scratch),
            // Nothing is stored: the merge begins with an object that only has a type.
            _ => place.empty,
        };
        let writer = Writer { manager: config.manager, time };
        let live = Live { object, managed };
        let applied = managed_fields::apply(place, live, config_value, writer, config.conflicting, scratch);
        let applied = applied.map_err(refused)?;
        let object = applied.object.map(|object| endpoint.kind.keep_applied(object, arena));
        Ok(Applied { object, ownership: Ownership::new(applied.managed) })
    });
    merged.unwrap_or_else(|| Err(unclassified("the kind has no types".to_owned())))
}

/// Stored text has no resourceVersion, but a configuration may name one.
fn with_version<'a>(object: ParsedValue<'a>, version: &'a str, arena: &'a Arena) -> ParsedValue<'a> {
    let metadata = object.get("metadata").unwrap_or(ParsedValue::EMPTY_MAP);
    let metadata = metadata.with_member("resourceVersion", ParsedValue::String(version), arena);
    object.with_member("metadata", metadata, arena)
}

/// Why an apply was refused, with the API server's code.
pub(crate) fn refused(error: ApplyError) -> Failure {
    match error {
        ApplyError::BadRequest(text) => bad_request(text),
        ApplyError::Conflicts(conflicts) => conflicting(&conflicts),
        ApplyError::InvalidUnions(errors) => contradicting(&errors),
        other => unclassified(other.to_string()),
    }
}

/// As a strategic patch that contradicts itself is refused.
fn contradicting(errors: &ValidationErrors) -> Failure {
    let cause = |one: &ValidationError| Cause {
        reason: MergeErrorKind::InvalidUnion.name(),
        message: one.message.clone(),
        field: one.path.clone(),
    };
    Failure::new(422, Reason::Invalid, errors.to_string()).causes(errors.0.iter().map(cause).collect())
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
pub(crate) fn report_duplicates(call: &RequestContext<'_>, validation: FieldValidation) -> Outcome<()> {
    if validation == FieldValidation::Ignore {
        return Ok(());
    }
    // A body that is not UTF-8 was refused before anything was applied.
    let text = std::str::from_utf8(call.body).unwrap_or_default();
    let Some(text) = yaml_documents::repeated_key(text) else { return Ok(()) };
    if validation == FieldValidation::Strict {
        return Err(bad_request(format!(
            "error strict decoding patch: error converting YAML to JSON: yaml: unmarshal errors:\n  {text}"
        )));
    }
    call.warn(text);
    Ok(())
}
