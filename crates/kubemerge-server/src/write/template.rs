//! New objects with the content of the one before: controllers create many objects of one template.
//!
//! For kinds whose rules say so, all that is stored besides the metadata follows from the same part of the body. If that
//! part is the text of the object that was created before, only the metadata is decoded and validated, and the rest is
//! copied from what was stored. Whatever is unusual goes the plain way.

use kubemerge_kinds::BuiltinKind;

use crate::{
    object::Object,
    protocol::status::{Outcome, invalid},
    store::{Record, metadata_field::Field},
    write::{
        admission, body,
        decode::{self, Decoded, Tracking},
        kind_rules::{self, Complaints, Extent, Typed},
        prepare,
        request::Write,
        track,
    },
};

/// Decodes a new object, or only its metadata if the rest is known.
pub(crate) fn body_object(write: Write<'_>) -> Outcome<Decoded<'_>> {
    let Some(kind) = kind_rules::of(write.call.cluster, write.call.resource) else {
        return decode::body_object(write);
    };
    let text = body::text(write)?;
    metadata(write, kind, text).map_or_else(|| decode::whole_body(write, kind, text), Ok)
}

/// Decodes only the metadata of a new object, if the rest is known.
fn metadata<'w>(write: Write<'w>, kind: BuiltinKind<'w>, text: &'w str) -> Option<Decoded<'w>> {
    let call = write.call;
    let [before, after] = kind_rules::around_metadata(text)?;
    if !call.cluster.shared_owners.has_text(call.resource, [before, after]) {
        return None;
    }
    let given = &text[before.len()..text.len() - after.len()];
    // What is wrong with it is said when all of the object is decoded.
    let (mut typed, _) = Typed::decode(kind, write.arena, alone(write, given)).ok()?;
    let object = Object::with_metadata(typed.metadata());
    // Rules read annotations, and managers are taken from the managedFields of a client.
    let is_plain = |field| !object.metadata.has(field);
    if typed.complaints == Complaints::Some
        || ![Field::Annotations, Field::ManagedFields].into_iter().all(is_plain)
    {
        return None;
    }
    (typed.content, typed.extent) = ([before, after], Extent::Metadata);
    Some(Decoded { object, is_complete: true, tracking: Tracking::Pending, typed: Some(typed) })
}

/// The text of an object that has nothing but this metadata.
fn alone<'w>(write: Write<'w>, metadata: &str) -> &'w str {
    let mut text = String::with_capacity(metadata.len() + "{\"metadata\":}".len());
    text.push_str("{\"metadata\":");
    text.push_str(metadata);
    text.push('}');
    write.arena.alloc_str(&text)
}

/// The rest of an object of which only the metadata was decoded.
pub(crate) fn whole<'w>(write: Write<'w>, typed: &Typed<'w>) -> Outcome<Option<Typed<'w>>> {
    Ok(decode::whole_body(write, typed.kind, body::text(write)?)?.typed)
}

/// What to store of a new object of which only the metadata was decoded; none if the rest is not known after all.
pub(crate) fn record<'w>(
    write: Write<'w>,
    typed: &mut Typed<'w>,
    object: &mut Object,
) -> Option<Outcome<Record>> {
    let (cluster, resource) = (write.call.cluster, write.call.resource);
    let (ownership, stored) = track::known_content(write, typed.content, object)?;
    // A class of today may not have been there when the other object was stored.
    if admission::has_default_priority(write) {
        return None;
    }
    object.ownership = ownership;
    object.api_version.clone_from(&resource.api_version);
    object.kind.clone_from(&resource.kind);
    prepare::identify(cluster, resource, object);
    typed.set_head(resource, object);
    let errors = typed.kind.validate_metadata(&typed.tree);
    if !errors.is_empty() {
        return Some(Err(invalid(resource.qualified_kind(), object.metadata.name(), &errors)));
    }
    object.take_fields_of(&stored);
    Some(Ok(object.record()))
}
