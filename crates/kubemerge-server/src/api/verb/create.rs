//! POST to a collection.

use kubemerge_kinds::field_error::FieldError;

use crate::{
    api::call::Call,
    catalog::Resource,
    object::{Object, meta::Field},
    protocol::{
        query::{DryRun, WriteOptions},
        reply::Reply,
        status::{Failure, Outcome, already_exists, bad_request, forbidden, invalid, no_such_path},
    },
    read::present::{self, Shown},
    store::{Mismatch, Record, Revision, Stored},
    write::{admit, decode, namespace, strategy},
};

/// How often a generated name is tried before the server gives up.
const ATTEMPTS: usize = 8;
/// What is left of `generateName` when the suffix is appended.
const GENERATE_NAME_MOST: usize = 58;
const REPEATED_OWNERS: &str = "metadata.ownerReferences contains duplicate entries; API server dedups owner \
    references in 1.20+, and may reject such requests as early as 1.24; please fix your requests";

const DEFINITION_GOES: &str = "create not allowed while custom resource definition is terminating";

/// A new object with its revision, if it was stored.
pub(crate) type Created = (Record, Option<Revision>);

/// How an object is created.
#[derive(Clone, Copy)]
struct Way {
    dry_run: DryRun,
    /// The newest revision before its place was looked for.
    seen: Revision,
}

impl Way {
    /// Whether nobody else has written since, so that a namespace is as it was. The definitions that are served
    /// change a little later than those that are stored.
    fn is_undisturbed(self, call: &Call<'_>, stored: &Stored) -> bool {
        call.resource.custom().is_none() && stored.revision == self.seen + 1
    }
}

/// Creates an object.
pub(crate) fn handle(call: &Call<'_>) -> Outcome<Reply> {
    let options = WriteOptions::read(call.query, "CreateOptions")?;
    let object = decode::object(call, options.field_validation)?;
    let (record, revision) = create(call, object, options.dry_run)?;
    present::object(call, 201, Shown { record: &record, revision })
}

/// Creates an object that was decoded.
pub(crate) fn create(call: &Call<'_>, mut object: Object, dry_run: DryRun) -> Outcome<Created> {
    if !matches!(object.metadata.resource_version(), "" | "0") {
        return Err(bad_request("resourceVersion should not be set on objects to be created"));
    }
    let way = Way { dry_run, seen: call.app().store.revision() };
    check_namespace(call, &mut object)?;
    if call.resource.custom().is_some_and(|version| version.terminating) {
        return Err(forbidden(call.resource.qualified(), object.metadata.name(), DEFINITION_GOES));
    }
    if object.metadata.dedup_owners() {
        call.warn(REPEATED_OWNERS);
    }
    if object.metadata.has(Field::Name) {
        return attempt(call, &mut object, way)?.map_err(|existing| exists(call, existing.as_ref()));
    }
    if object.metadata.generate_name().is_empty() {
        let error = FieldError::required("metadata.name", "name or generateName is required");
        return Err(invalid(call.resource.qualified_kind(), "", &[error]));
    }
    create_with_generated_name(call, &object, way)
}

fn create_with_generated_name(call: &Call<'_>, object: &Object, way: Way) -> Outcome<Created> {
    for _ in 0..ATTEMPTS {
        let mut named = object.clone();
        named.metadata.set(Field::Name, generated_name(call, object.metadata.generate_name()));
        if let Ok(created) = attempt(call, &mut named, way)? {
            return Ok(created);
        }
    }
    let (resource, base) = (call.resource.qualified(), object.metadata.generate_name());
    let text = already_exists(resource, base, "").message().to_string()
        + ", the server was not able to generate a unique name for the object";
    Err(Failure::new(409, "AlreadyExists", text).about(resource, base).retry_after(1))
}

/// Tries to store an object; the inner error is what has its name already.
fn attempt(call: &Call<'_>, object: &mut Object, way: Way) -> Outcome<Result<Created, Option<Stored>>> {
    strategy::prepare_create(call.app(), call.resource, object)?;
    admit::create(call, object)?;
    let key = call.resource.key(object.metadata.namespace(), object.metadata.name());
    let record = object.record();
    if way.dry_run == DryRun::All {
        let existing = call.app().store.get(&key);
        return Ok(if existing.is_some() { Err(existing) } else { Ok((record, None)) });
    }
    let stored = match call.ledger.create(call.resource, &key, record) {
        Ok(stored) => stored,
        Err(Mismatch(existing)) => return Ok(Err(existing)),
    };
    if !way.is_undisturbed(call, &stored)
        && let Err(failure) = check_place(call, object.metadata.name())
    {
        // Whoever has emptied the place meanwhile did not see the object.
        drop(call.ledger.remove(call.resource, &key, &stored));
        return Err(failure);
    }
    Ok(Ok((stored.record, Some(stored.revision))))
}

/// The place of an object must be there: its namespace, and the definition of its kind.
fn check_place(call: &Call<'_>, name: &str) -> Outcome<()> {
    let Resource { group, version, plural, .. } = call.resource;
    if call.resource.custom().is_some() && call.app().catalog.index().find(group, version, plural).is_none() {
        return Err(no_such_path());
    }
    match call.namespace() {
        "" => Ok(()),
        namespace => namespace::check_open(call.ledger, call.resource, namespace, name),
    }
}

/// The object's namespace is the path's; the namespace must exist and not be on its way out.
fn check_namespace(call: &Call<'_>, object: &mut Object) -> Outcome<()> {
    if !call.resource.is_namespaced() {
        object.metadata.remove(Field::Namespace);
        return Ok(());
    }
    if call.namespace().is_empty() {
        return Err(bad_request("an empty namespace may not be set during creation"));
    }
    check_own_namespace(call, object)?;
    check_place(call, object.metadata.name())
}

/// The namespace of an object is that of the path, which is filled in if the object has none.
pub(crate) fn check_own_namespace(call: &Call<'_>, object: &mut Object) -> Outcome<()> {
    let (given, wanted) = (object.metadata.namespace(), call.namespace());
    if given == wanted {
        return Ok(());
    }
    if !given.is_empty() {
        return Err(bad_request(
            "the namespace of the provided object does not match the namespace sent on the request",
        ));
    }
    object.metadata.set_text(Field::Namespace, wanted);
    Ok(())
}

fn generated_name(call: &Call<'_>, base: &str) -> String {
    let mut end = base.len().min(GENERATE_NAME_MOST);
    while !base.is_char_boundary(end) {
        end -= 1;
    }
    format!("{}{}", &base[..end], call.app().entropy.suffix())
}

fn exists(call: &Call<'_>, existing: Option<&Stored>) -> Failure {
    let metadata = existing.map(|one| Object::of_record(&one.record).metadata).unwrap_or_default();
    let prefix = if metadata.is_terminating() { "object is being deleted: " } else { "" };
    already_exists(call.resource.qualified(), metadata.name(), prefix)
}
