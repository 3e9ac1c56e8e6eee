//! What the subresources have in common: the object they belong to, and the options of actions.

use crate::{
    catalog::call::Call,
    object::Object,
    protocol::{
        query::{OptionsKind, Query, WriteOptions},
        status::Outcome,
    },
};

/// The object in the path, which must exist.
pub(crate) fn parent(call: &Call<'_>) -> Outcome<Object> {
    let stored = call.cluster.store.get(&call.key()).ok_or_else(|| call.not_found())?;
    Ok(Object::of(&stored))
}

/// The options of an action; `dryRun` is the only one that matters.
pub(crate) fn write_options(query: &Query) -> Outcome<WriteOptions> {
    WriteOptions::read(query, OptionsKind::Create)
}
