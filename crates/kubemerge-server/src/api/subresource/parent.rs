//! What the subresources have in common: the object they belong to, and the options of actions.

use crate::{
    catalog::request_context::RequestContext,
    protocol::{
        query::{OptionsKind, Query, WriteOptions},
        status::Outcome,
    },
    store::Record,
};

/// The object in the path, which must exist.
pub(crate) fn parent(call: &RequestContext<'_>) -> Outcome<Record> {
    let stored = call.cluster.store.get(&call.key()).ok_or_else(|| call.not_found())?;
    Ok(stored.record)
}

/// The options of an action; `dryRun` is the only one that matters.
pub(crate) fn write_options(query: &Query) -> Outcome<WriteOptions> {
    WriteOptions::read(query, OptionsKind::Create)
}
