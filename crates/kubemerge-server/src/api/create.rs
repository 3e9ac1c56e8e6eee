//! POST to a collection.

use crate::{
    catalog::call::Call,
    kind::{Kind, Reading, shown::Shown},
    protocol::{query::WriteOptions, reply::Reply, status::Outcome},
    read::present,
    write::{
        create, decode,
        part::Part,
        request::{self, Caller, Memory, Write},
        transaction::Transaction,
    },
};

/// Creates an object.
pub(crate) fn handle(transaction: &Transaction<'_>, call: &Call<'_>) -> Outcome<Reply> {
    let options = WriteOptions::read(call.query, "CreateOptions")?;
    let arena = request::arena(call.body.len());
    let (caller, memory) = (Caller::of(call), Memory::default());
    let (kind, part, reading) = (Kind::of(call.cluster, call.resource), Part::Main, Reading::Body);
    let write = Write {
        transaction,
        call,
        caller: &caller,
        kind,
        options,
        part,
        reading,
        memory: &memory,
        arena: &arena,
    };
    let decoded = decode::body_object(write)?;
    let (record, revision) = create::create(write, decoded)?;
    present::object(call, 201, Shown::new(&record, revision))
}
