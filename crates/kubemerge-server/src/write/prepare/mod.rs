//! The steps that set what the server owns: identity, times, what a request does not write.

pub(crate) mod allocation;

use kubemerge_kinds::tree::{Map, Value};

use crate::{
    kind::Storing,
    object::draft::{Draft, metadata_text},
    protocol::status::{Outcome, invalid},
    store::metadata_field::Field,
    write::{
        identity::set_identity,
        request::{Old, Write},
    },
};

/// Drops what a client cannot set.
pub(crate) fn reset<'w>(write: Write<'w>, draft: &mut Draft<'w>, old: Option<Old<'w>>) {
    // Whether it is the version that the client means was checked before.
    draft.remove(Field::ResourceVersion);
    if old.is_some() {
        return;
    }
    for owned in [Field::DeletionTimestamp, Field::DeletionGracePeriodSeconds, Field::SelfLink] {
        draft.remove(owned);
    }
    write.kind.reset_new(&mut draft.tree);
}

/// Gives a new object its identity; a changed one keeps that of the stored object.
pub(crate) fn identify<'w>(write: Write<'w>, draft: &mut Draft<'w>, old: Option<Old<'w>>) {
    match old {
        None => set_identity(write.call.cluster, write.call.resource, &mut draft.tree),
        Some(old) => keep_metadata(draft, old.tree),
    }
    (write.call.resource.strategy.named)(&mut draft.tree);
}

/// Takes the metadata that the client may not change from the old object.
fn keep_metadata<'w>(draft: &mut Draft<'w>, old: &Map<'w>) {
    let metadata = draft.metadata_mut();
    metadata.remove(Field::SelfLink.name());
    let Some(old) = old.map("metadata") else { return };
    for owned in [Field::CreationTimestamp, Field::Generation] {
        take(metadata, old, owned);
    }
    if old.has(Field::DeletionTimestamp.name()) {
        take(metadata, old, Field::DeletionTimestamp);
    }
    for owned in [Field::Uid, Field::DeletionGracePeriodSeconds, Field::Namespace] {
        // A client may leave these out, but not change them: validation compares them.
        if !metadata.has(owned.name()) {
            take(metadata, old, owned);
        }
    }
}

/// Takes a scalar from other metadata, or loses it if the other has none.
fn take<'a>(metadata: &mut Map<'a>, from: &Map<'a>, field: Field) {
    match from.get(field.name()) {
        Some(Value::Int(number)) => metadata.set(field.name(), *number),
        Some(Value::Str(text)) => metadata.set(field.name(), *text),
        _ => drop(metadata.remove(field.name())),
    }
}

/// Brings an object into the version whose rules apply; answers the stored object in that version, if it is another one.
pub(crate) fn in_rules_version<'w>(
    write: Write<'w>,
    draft: &mut Draft<'w>,
    old: Option<Old<'w>>,
) -> Option<Map<'w>> {
    let old = old.map(|old| &old.stored.record);
    let (object, old) = write.kind.in_rules_version(&draft.tree, old, write.arena)?;
    draft.tree = object;
    old
}

/// Allocates what the object asks for and prepares it by the rules of its kind.
pub(crate) fn prepare<'w>(write: Write<'w>, object: &mut Map<'w>, old: Option<&Map<'w>>) -> Outcome<()> {
    let subresource = write.subresource();
    if subresource.is_none() {
        let errors = write.kind.begin(object, old);
        if !errors.is_empty() {
            let name = metadata_text(object, Field::Name);
            return Err(invalid(write.call.resource.qualified_kind(), name, &errors));
        }
        allocation::allocate(write, object, old)?;
    }
    write.kind.prepare(object, old, subresource);
    if old.is_none() {
        write.kind.record_user(object, write.call.user);
    }
    Ok(())
}

/// The last changes of a valid object, and the form in which it is stored.
pub(crate) fn finish<'w>(write: Write<'w>, object: &mut Map<'w>, old: Option<&Map<'w>>) {
    let storing = Storing { old, subresource: write.subresource(), reading: write.reading };
    write.kind.finish(object, storing);
    write.kind.to_stored(object);
}
