//! POST to a collection.

use crate::{
    catalog::request_context::RequestContext,
    kind::{Reading, shown::Shown},
    protocol::{
        query::{OptionsKind, WriteOptions},
        reply::Reply,
        status::Outcome,
    },
    read::present,
    write::{
        commit::transaction::Transaction,
        create,
        decode::{self},
        part::Part,
        request::WriteScope,
    },
};

/// Creates an object.
pub(crate) fn handle(transaction: &Transaction<'_>, call: &RequestContext<'_>) -> Outcome<Reply> {
    let options = WriteOptions::read(call.query, OptionsKind::Create)?;
    let scope = WriteScope::new(transaction, call, call.body.len());
    let write = scope.write(options, Part::Main, Reading::Body);
    let decoded = decode::body_object(write)?;
    let (record, revision) = create::create(write, decoded)?;
    present::object(call, 201, Shown::new(&record, revision))
}
