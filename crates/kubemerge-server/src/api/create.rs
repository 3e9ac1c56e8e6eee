//! POST to a collection.

use crate::{
    catalog::call::Call,
    object::shown::Shown,
    protocol::{
        query::{OptionsKind, WriteOptions},
        reply::Reply,
        status::Outcome,
    },
    read::present,
    write::{
        create,
        part::Part,
        request::{self, Write},
        template,
        transaction::Transaction,
    },
};

/// Creates an object.
pub(crate) fn handle(transaction: &Transaction<'_>, call: &Call<'_>) -> Outcome<Reply> {
    let options = WriteOptions::read(call.query, OptionsKind::Create)?;
    let arena = request::arena(call.body.len());
    let write = Write { transaction, call, options, part: Part::Main, arena: &arena };
    let decoded = template::body_object(write)?;
    let (record, revision) = create::create(write, decoded)?;
    present::object(call, 201, Shown::new(&record, revision))
}
