//! Creating an object: where it may be, which name it gets, and the commit.

use kubemerge_kinds::{field_error::FieldError, meta::NameRule, strategy::MissingName};
use kubemerge_value::part::text_of;

use crate::{
    catalog::{Resource, key_name, request_context::RequestContext},
    object::draft::Draft,
    protocol::{
        query::DryRun,
        reason::Reason,
        status::{
            Failure, Outcome, already_exists, bad_request, forbidden, invalid, no_such_path, unclassified,
        },
    },
    store::{Record, Revision, Stored, WriteError, metadata_field::Field, store_failure},
    write::{decode::precondition::check_own_namespace, namespace, request::Write, sequence::state_to_store},
};

/// How many generated names are tried.
const MAX_NAME_ATTEMPTS: usize = 8;
/// What is left of `generateName` when the suffix is appended.
const MAX_GENERATE_NAME_BYTES: usize = 58;
const REPEATED_OWNERS: &str = ".metadata.ownerReferences contains duplicate entries; API server dedups owner \
    references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) \
    observed: ";

const DEFINITION_TERMINATING: &str = "create not allowed while custom resource definition is terminating";

/// A new object with its revision, if it was stored.
pub(crate) type Created = (Record, Option<Revision>);

/// A creation in progress.
#[derive(Clone, Copy)]
struct Creation<'w> {
    write: Write<'w>,
    /// The newest revision before the namespace was checked.
    seen: Revision,
}

impl Creation<'_> {
    /// Whether no other client has written since, so that the namespace is as it was. The definitions that are served
    /// change a little later than those that are stored, so that custom resources are always checked.
    fn is_undisturbed(self, stored: &Stored) -> bool {
        !self.write.kind.may_be_withdrawn() && stored.revision == self.seen + 1
    }
}

/// Creates an object that was decoded.
pub(crate) fn create<'w>(write: Write<'w>, mut draft: Draft<'w>) -> Outcome<Created> {
    let call = write.call;
    // Read before the namespace is checked: what is written later may concern it.
    let creation = Creation { write, seen: call.cluster.store.revision() };
    admit(write, &mut draft)?;
    let repeated = draft.dedup_owners();
    if !repeated.is_empty() {
        call.warn(format!("{REPEATED_OWNERS}{}", repeated.join(", ")));
    }
    let has_name = draft.has(Field::Name) || draft.has(Field::GenerateName);
    if !has_name && call.resource.strategy.missing_name == MissingName::Uid {
        draft.set_text(Field::Name, &call.cluster.entropy.uid());
    }
    // A name wins over generateName.
    if draft.has(Field::Name) {
        return attempt(creation, draft)?.map_err(|existing| exists(call, existing.as_ref()));
    }
    if !draft.has(Field::GenerateName) {
        // Everything else that is wrong is reported with it.
        state_to_store(write, draft, None)?;
        let error = FieldError::required("metadata.name", "name or generateName is required");
        return Err(invalid(call.resource.qualified_kind(), "", &[error]));
    }
    create_with_generated_name(creation, &draft)
}

fn create_with_generated_name<'w>(creation: Creation<'w>, draft: &Draft<'w>) -> Outcome<Created> {
    let call = creation.write.call;
    let base = draft.text(Field::GenerateName);
    for _ in 0..MAX_NAME_ATTEMPTS {
        let mut named = draft.copy();
        named.set_text(Field::Name, &generated_name(call, base));
        if let Ok(created) = attempt(creation, named)? {
            return Ok(created);
        }
    }
    let resource = call.resource.qualified();
    let text = already_exists(resource, base, "").message().to_string()
        + ", the server was not able to generate a unique name for the object";
    Err(Failure::new(409, Reason::AlreadyExists, text).about(resource, base).retry_after(1))
}

/// Tries to store an object; the inner error is the object that has its name already.
fn attempt<'w>(creation: Creation<'w>, draft: Draft<'w>) -> Outcome<Result<Created, Option<Stored>>> {
    let Write { transaction, call, options, .. } = creation.write;
    let key = call.resource.key(draft.text(Field::Namespace), draft.name());
    let given = draft.text(Field::ResourceVersion).parse().ok().filter(|version| *version != 0);
    let name = draft.name();
    let record = state_to_store(creation.write, draft, None)?;
    check_name(call, name)?;
    if options.dry_run == DryRun::All {
        let existing = call.cluster.store.get(&key);
        // Upstream: the version that a client gives is shown as it is.
        return Ok(if existing.is_some() { Err(existing) } else { Ok((record, given)) });
    }
    // Clients that send a stored object back mean an update, not a creation. Upstream: only the store looks at it.
    if given.is_some() {
        return Err(unclassified("resourceVersion should not be set on objects to be created".to_owned()));
    }
    let stored = match transaction.create(call.resource, &key, record) {
        Ok(stored) => stored,
        Err(WriteError::Mismatch(existing)) => return Ok(Err(existing)),
        Err(WriteError::Store(error)) => return Err(store_failure(&error)),
    };
    if !creation.is_undisturbed(&stored)
        && let Err(failure) = check_place(creation.write, key_name(&key))
    {
        // The namespace was deleted meanwhile, by a request that did not see this object.
        drop(transaction.remove(call.resource, &key, &stored));
        return Err(failure);
    }
    Ok(Ok((stored.record, Some(stored.revision))))
}

/// The step that decides whether an object may be created where it is.
fn admit(write: Write<'_>, draft: &mut Draft<'_>) -> Outcome<()> {
    check_namespace(write, draft)?;
    let resource = write.call.resource;
    if write.kind.is_terminating() {
        return Err(forbidden(resource.qualified(), draft.name(), DEFINITION_TERMINATING));
    }
    Ok(())
}

/// The namespace of an object must be open, and the definition of its kind must be served.
fn check_place(write: Write<'_>, name: &str) -> Outcome<()> {
    let call = write.call;
    let Resource { group, version, plural, .. } = &**call.resource;
    if write.kind.may_be_withdrawn() && call.cluster.catalog.index().find(group, version, plural).is_none() {
        return Err(no_such_path());
    }
    match call.namespace() {
        "" => Ok(()),
        namespace => namespace::check_open(write.transaction, call.resource, namespace, name),
    }
}

/// The object's namespace is the path's; the namespace must exist and not be terminating.
fn check_namespace(write: Write<'_>, draft: &mut Draft<'_>) -> Outcome<()> {
    let call = write.call;
    // Upstream: a namespace in a cluster-scoped object is dropped, not refused.
    if !call.resource.is_namespaced() {
        draft.remove(Field::Namespace);
        return Ok(());
    }
    if call.namespace().is_empty() {
        return Err(bad_request("an empty namespace may not be set during creation"));
    }
    check_own_namespace(call, draft)?;
    check_place(write, draft.name())
}

/// A name is part of a path, and of the key of its object, whatever else is validated.
fn check_name(call: &RequestContext<'_>, name: &str) -> Outcome<()> {
    let problems = NameRule::PathSegment.check(name);
    if problems.is_empty() {
        return Ok(());
    }
    let why = problems.join(", ");
    let error = FieldError::invalid("metadata.name", &name.into(), &why);
    Err(invalid(call.resource.qualified_kind(), name, &[error]))
}

fn generated_name(call: &RequestContext<'_>, base: &str) -> String {
    // Five characters are added, and names have at most 63 bytes.
    let end = base.floor_char_boundary(MAX_GENERATE_NAME_BYTES);
    format!("{}{}", text_of(base, ..end), call.cluster.entropy.suffix())
}

fn exists(call: &RequestContext<'_>, existing: Option<&Stored>) -> Failure {
    let record = existing.map(|one| &one.record);
    // Tells clients that waiting helps.
    let is_ending = record.is_some_and(Record::is_terminating);
    let prefix = if is_ending { "object is being deleted: " } else { "" };
    let name = record.map(Record::name).unwrap_or_default();
    already_exists(call.resource.qualified(), &name, prefix)
}
