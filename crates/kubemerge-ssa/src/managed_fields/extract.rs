//! The configuration that an applier would have to send to keep what it owns.

use kubemerge_schema::TypeRef;

use super::entry::Operation;
use super::{Live, ManagedFieldsError};
use crate::typed::extract;
use crate::value::{Arena, ParsedValue};

/// The part of an object that an applier owns, with kind and version; `None` if it owns nothing.
///
/// # Errors
/// If its entry cannot be read.
pub fn extract_applied<'a>(
    ty: TypeRef<'a>,
    live: Live<'a>,
    manager: &str,
    subresource: &str,
    arena: &'a Arena,
) -> Result<Option<ParsedValue<'a>>, ManagedFieldsError> {
    let is_it = |entry: &&super::ManagedFieldsEntry| {
        entry.operation == Operation::Apply
            && &*entry.manager == manager
            && &*entry.subresource == subresource
    };
    let Some(entry) = live.managed.entries().iter().find(is_it) else { return Ok(None) };
    let set = entry.fields.set(arena);
    let set =
        set.map_err(|error| ManagedFieldsError::new(format!("error marshalling FieldsV1 to JSON: {error}")))?;
    // Leaves only: an inner node would take its whole map along.
    let extracted = extract(ty, live.object, &set.leaves(arena), arena);
    if extracted.members().is_none() {
        return Ok(None);
    }
    let mut result = extracted;
    for name in ["kind", "apiVersion"] {
        // A configuration must say what it is for.
        if let Some(value) = live.object.get(name).filter(|_| extracted.get("kind").is_none()) {
            result = result.with_member(name, value, arena);
        }
    }
    Ok(Some(result))
}
