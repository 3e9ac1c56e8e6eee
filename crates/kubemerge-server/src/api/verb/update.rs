//! PUT of an object, or of the part a subresource stands for.

use kubemerge_kinds::{field_error::FieldError, strategy::Permission};
use serde_json::json;

use crate::{
    api::{call::Call, verb::create},
    object::{Object, meta::Field},
    protocol::{
        query::{WriteOptions, parse_resource_version},
        reply::Reply,
        status::{Outcome, bad_request, conflict, invalid},
    },
    read::present::{self, Shown},
    store::Stored,
    write::{
        admit, commit, decode,
        strategy::{self, Part},
    },
};

/// What a client is told whose object is not the newest.
const MODIFIED: &str =
    "the object has been modified; please apply your changes to the latest version and try again";

/// Replaces an object.
pub(crate) fn handle(call: &Call<'_>, part: Part) -> Outcome<Reply> {
    let options = WriteOptions::read(call.query, "UpdateOptions")?;
    let mut object = decode::object(call, options.field_validation)?;
    check_address(call, &mut object)?;
    let may_create = part == Part::Main && call.resource.rules.create_on_update == Permission::Granted;
    if call.app().store.get(&call.key()).is_none() {
        // Upstream: an object that is gone has another uid than the one that is meant.
        strategy::check_identity(call.resource, &Object::default(), &object)?;
        if may_create {
            object.metadata.remove(Field::ResourceVersion);
            let (record, revision) = create::create(call, object, options.dry_run)?;
            return present::object(call, 201, Shown { record: &record, revision });
        }
    }
    let compute = |current: &Stored| replaced(call, &object, current, part);
    let done = commit::change(call, options.dry_run, compute)?;
    present::object(call, 200, done.shown())
}

fn replaced(call: &Call<'_>, object: &Object, current: &Stored, part: Part) -> Outcome<Object> {
    let mut old = Object::of_record(&current.record);
    strategy::check_identity(call.resource, &old, object)?;
    check_version(call, object, current, call.resource.rules.unconditional_update)?;
    let mut new = object.clone();
    strategy::complete(call.resource, &mut old, &mut new, part);
    strategy::prepare_update(call.resource, &old, &mut new, part)?;
    admit::update(call, &old, &mut new, part)?;
    Ok(new)
}

/// Name and namespace of the new state must be those of the path; a missing namespace is filled in.
pub(crate) fn check_address(call: &Call<'_>, object: &mut Object) -> Outcome<()> {
    if call.resource.is_namespaced() {
        create::check_own_namespace(call, object)?;
    } else {
        object.metadata.remove(Field::Namespace);
    }
    let (name, wanted) = (object.metadata.name(), call.name());
    if name.is_empty() {
        return Err(bad_request(format!(
            "the name of the object ({wanted} based on URL) was undeterminable: name must be provided"
        )));
    }
    if name != wanted {
        return Err(bad_request(format!(
            "the name of the object ({name}) does not match the name on the URL ({wanted})"
        )));
    }
    Ok(())
}

/// The resourceVersion in the body must be the stored one; whether it may be missing depends on the kind.
pub(crate) fn check_version(
    call: &Call<'_>,
    object: &Object,
    current: &Stored,
    unconditional: Permission,
) -> Outcome<()> {
    let given = object.metadata.resource_version();
    if matches!(given, "" | "0") {
        if unconditional == Permission::Granted {
            return Ok(());
        }
        let error =
            FieldError::invalid("metadata.resourceVersion", &json!(0), "must be specified for an update");
        return Err(invalid(call.resource.qualified_kind(), call.name(), &[error]));
    }
    if parse_resource_version(given)? == current.revision {
        return Ok(());
    }
    Err(conflict(call.resource.qualified(), call.name(), MODIFIED))
}
