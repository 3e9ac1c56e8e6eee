//! Objects that are not shown as they are stored: custom resources whose schema has changed since, or which
//! were stored in another version.

use crate::{catalog::Resource, custom, object::Object, store::Record};

/// Whether the resource shows a record as it is stored, but for its apiVersion.
pub(crate) fn is_as_stored(resource: &Resource, record: &Record) -> bool {
    let Some(version) = resource.custom() else { return true };
    version.schema.is_none() || (!version.revised && record.api_version() == resource.api_version)
}

/// The record as the resource shows it; none if that is as it is stored.
pub(crate) fn shown(resource: &Resource, record: &Record) -> Option<Record> {
    if is_as_stored(resource, record) {
        return None;
    }
    let mut object = Object::of_record(record);
    custom::reread(resource.custom()?, &mut object);
    Some(object.record())
}
