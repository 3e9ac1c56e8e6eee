//! PUT of an object, or of the part that a subresource writes.

use std::cell::Cell;

use kubemerge_kinds::strategy::Permission;

use crate::{
    catalog::request_context::RequestContext,
    kind::{Reading, shown::Shown},
    object::draft::Draft,
    protocol::{
        query::{OptionsKind, WriteOptions},
        reply::Reply,
        status::Outcome,
    },
    read::present,
    store::metadata_field::Field,
    write::{
        commit::transaction::Transaction,
        create,
        decode::{
            self,
            precondition::{check_address, check_identity, check_version},
        },
        part::Part,
        request::{Write, WriteScope},
        sequence,
    },
};

/// Replaces an object.
pub(crate) fn handle(transaction: &Transaction<'_>, call: &RequestContext<'_>, part: Part) -> Outcome<Reply> {
    let options = WriteOptions::read(call.query, OptionsKind::Update)?;
    let scope = WriteScope::new(transaction, call, call.body.len());
    let write = scope.write(options, part, Reading::Body);
    let mut draft = read(write)?;
    let may_create = part == Part::Main && call.resource.strategy.create_on_update == Permission::Granted;
    if may_create && call.cluster.store.get(&call.key()).is_none() {
        // Upstream: an object that is gone has another uid than the one that is meant.
        check_identity(write, "", draft.text(Field::Uid))?;
        draft.remove(Field::ResourceVersion);
        let (record, revision) = create::create(write, draft)?;
        return present::object(call, 201, Shown::new(&record, revision));
    }
    let first = Cell::new(Some(draft));
    let done = sequence::change(write, |old| {
        // If another client was faster the body is read again: the first attempt has changed the object.
        let draft = first.take().map_or_else(|| read(write), Ok)?;
        check_identity(write, old.uid(), draft.text(Field::Uid))?;
        let unconditional = call.resource.strategy.unconditional_update;
        check_version(call, draft.text(Field::ResourceVersion), old.stored, unconditional)?;
        Ok(draft)
    })?;
    present::object(call, 200, done.shown())
}

/// The object in the body, which must have the address in the path.
fn read(write: Write<'_>) -> Outcome<Draft<'_>> {
    let mut draft = decode::body_object(write)?;
    check_address(write.call, &mut draft)?;
    Ok(draft)
}
