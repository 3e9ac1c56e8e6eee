//! The step that collects every complaint about an object that is about to be written.

use kubemerge_kinds::tree::Map;

use crate::{
    object::draft::metadata_text,
    protocol::status::{Outcome, invalid},
    store::metadata_field::Field,
    write::{admission, request::Write, unions},
};

/// Refuses an object that breaks a rule, and adds advice about one that does not.
pub(crate) fn validate<'w>(write: Write<'w>, object: &Map<'w>, old: Option<&Map<'w>>) -> Outcome<()> {
    let (resource, subresource) = (write.call.resource, write.subresource());
    if write.kind.is_validated(write.call.cluster.validation) {
        let mut errors = write.kind.validate(object, old, subresource);
        errors.extend(unions::errors(write, object));
        if !errors.is_empty() {
            let name = metadata_text(object, Field::Name);
            return Err(invalid(resource.qualified_kind(), name, &errors));
        }
    }
    if subresource.is_none() {
        admission::validate(write, object, old)?;
        write.kind.warnings(object, old).into_iter().for_each(|warning| write.call.warn(warning));
    }
    Ok(())
}
