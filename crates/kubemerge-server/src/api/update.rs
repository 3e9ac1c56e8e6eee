//! PUT of an object, or of the part that a subresource writes.

use std::cell::Cell;

use kubemerge_kinds::strategy::Permission;

use crate::{
    catalog::call::Call,
    object::{Object, shown::Shown},
    protocol::{
        query::{OptionsKind, WriteOptions},
        reply::Reply,
        status::Outcome,
    },
    read::present,
    store::metadata_field::Field,
    write::{
        create,
        decode::{self, Decoded},
        part::Part,
        precondition::{check_address, check_identity, check_version},
        request::{self, Write},
        sequence,
        transaction::Transaction,
    },
};

/// Replaces an object.
pub(crate) fn handle(transaction: &Transaction<'_>, call: &Call<'_>, part: Part) -> Outcome<Reply> {
    let options = WriteOptions::read(call.query, OptionsKind::Update)?;
    let arena = request::arena(call.body.len());
    let write = Write { transaction, call, options, part, arena: &arena };
    let mut decoded = read(write)?;
    let may_create = part == Part::Main && call.resource.strategy.create_on_update == Permission::Granted;
    if may_create && call.cluster.store.get(&call.key()).is_none() {
        // Upstream: an object that is gone has another uid than the one that is meant.
        check_identity(write, &Object::default(), &decoded.object)?;
        decoded.object.metadata.remove(Field::ResourceVersion);
        let (record, revision) = create::create(write, decoded)?;
        return present::object(call, 201, Shown::new(&record, revision));
    }
    let first = Cell::new(Some(decoded));
    let done = sequence::change(write, |old| {
        // If another client was faster the body is read again: the first attempt has changed the object.
        let decoded = first.take().map_or_else(|| read(write), Ok)?;
        check_identity(write, old.object, &decoded.object)?;
        check_version(call, &decoded.object, old.stored, call.resource.strategy.unconditional_update)?;
        Ok(decoded)
    })?;
    present::object(call, 200, done.shown())
}

/// The object in the body, which must have the address in the path.
fn read(write: Write<'_>) -> Outcome<Decoded<'_>> {
    let mut decoded = decode::body_object(write)?;
    check_address(write.call, &mut decoded.object)?;
    Ok(decoded)
}
