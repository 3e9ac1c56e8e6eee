//! What must be true of an object before it replaces a stored one: address, identity, version.

use kubemerge_kinds::{field_error::FieldError, strategy::Permission};
use serde_json::json;

use crate::{
    catalog::request_context::RequestContext,
    object::draft::Draft,
    protocol::{
        query::{DryRun, go_number},
        status::{Outcome, bad_request, conflict, invalid, unclassified},
    },
    store::{Stored, metadata_field::Field},
    write::request::Write,
};

const MODIFIED: &str =
    "the object has been modified; please apply your changes to the latest version and try again";

/// Name and namespace of the new state must be those of the path; a missing namespace is filled in.
pub(crate) fn check_address(call: &RequestContext<'_>, draft: &mut Draft<'_>) -> Outcome<()> {
    if call.resource.is_namespaced() {
        check_own_namespace(call, draft)?;
    } else {
        draft.remove(Field::Namespace);
    }
    let (name, wanted) = (draft.name(), call.name());
    // Upstream: PUT and PATCH need the name in the object, even though the path has it.
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

/// The resourceVersion that is given must be the stored one; whether it may be missing depends on the kind.
pub(crate) fn check_version(
    call: &RequestContext<'_>,
    given: &str,
    current: &Stored,
    unconditional: Permission,
) -> Outcome<()> {
    // Upstream: both mean "whatever is stored".
    if matches!(given, "" | "0") {
        if unconditional == Permission::Granted {
            return Ok(());
        }
        let error =
            FieldError::invalid("metadata.resourceVersion", &json!(0), "must be specified for an update");
        // Upstream: it is the resource that is named here, not the kind.
        return Err(invalid(call.resource.qualified(), call.name(), &[error]));
    }
    if revision(given)? == current.revision {
        return Ok(());
    }
    Err(conflict(call.resource.qualified(), call.name(), MODIFIED))
}

/// The version that a body names. Upstream: one that cannot be read is an error of the server.
fn revision(given: &str) -> Outcome<u64> {
    go_number("ParseUint", given).map_err(unclassified)
}

/// The namespace of an object is that of the path, which is filled in if the object has none.
pub(crate) fn check_own_namespace(call: &RequestContext<'_>, draft: &mut Draft<'_>) -> Outcome<()> {
    match draft.text(Field::Namespace) {
        "" => draft.set_text(Field::Namespace, call.namespace()),
        given => check_namespace(call, given)?,
    }
    Ok(())
}

/// Refuses a namespace that is not that of the path.
pub(crate) fn check_namespace(call: &RequestContext<'_>, given: &str) -> Outcome<()> {
    if given == call.namespace() {
        return Ok(());
    }
    Err(bad_request("the namespace of the provided object does not match the namespace sent on the request"))
}

/// A uid that is given must be the object's own.
pub(crate) fn check_identity(write: Write<'_>, own: &str, given: &str) -> Outcome<()> {
    // A client that leaves out the uid means the object in the path.
    if given.is_empty() || given == own {
        return Ok(());
    }
    let text = format!(
        "StorageError: invalid object, Code: 4, Key: {}, ResourceVersion: 0, AdditionalErrorMsg: \
         Precondition failed: UID in precondition: {given}, UID in object meta: {own}",
        storage_key(write)
    );
    Err(conflict(write.call.resource.qualified(), write.call.name(), &text))
}

/// Where kube-apiserver keeps the object of a request in etcd.
fn storage_key(Write { call, options, kind, .. }: Write<'_>) -> String {
    // Upstream: a dry run does not get as far as the prefix.
    let root = if options.dry_run == DryRun::All { "" } else { "/registry" };
    let folder = kind.storage_folder();
    let namespace = call.namespace();
    let separator = if namespace.is_empty() { "" } else { "/" };
    format!("{root}/{folder}{separator}{namespace}/{}", call.name())
}
