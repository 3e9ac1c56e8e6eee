//! PUT of an object, or of the part that a subresource writes.

use kubemerge_kinds::strategy::Permission;

use crate::{
    catalog::call::Call,
    object::{Object, shown::Shown},
    protocol::{query::WriteOptions, reply::Reply, status::Outcome},
    read::present,
    store::metadata_field::Field,
    write::{
        create, decode,
        part::Part,
        precondition::{check_address, check_identity, check_version},
        sequence::{self, Write},
        transaction::Transaction,
    },
};

/// Replaces an object.
pub(crate) fn handle(transaction: &Transaction<'_>, call: &Call<'_>, part: Part) -> Outcome<Reply> {
    let options = WriteOptions::read(call.query, "UpdateOptions")?;
    let mut decoded = decode::body_object(call, options.field_validation)?;
    check_address(call, &mut decoded.object)?;
    let write = Write { transaction, call, options, part };
    let may_create = part == Part::Main && call.resource.strategy.create_on_update == Permission::Granted;
    if call.cluster.store.get(&call.key()).is_none() {
        // Upstream: an object that is gone has another uid than the one that is meant.
        check_identity(call.resource, &Object::default(), &decoded.object)?;
        if may_create {
            decoded.object.metadata.remove(Field::ResourceVersion);
            let (record, revision) = create::create(write, decoded)?;
            return present::object(call, 201, Shown::new(&record, revision));
        }
    }
    let done = sequence::change(write, |current, old| {
        check_identity(call.resource, old, &decoded.object)?;
        check_version(call, &decoded.object, current, call.resource.strategy.unconditional_update)?;
        Ok(decoded.clone())
    })?;
    present::object(call, 200, done.shown())
}
