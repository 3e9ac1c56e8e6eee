//! GET of one object.

use crate::{
    catalog::request_context::RequestContext,
    kind::shown::Shown,
    protocol::{
        query::parse_resource_version,
        reply::Reply,
        status::{Outcome, too_large_resource_version, unclassified},
    },
    read::present,
};

/// Answers the newest state.
pub(crate) fn handle(call: &RequestContext<'_>) -> Outcome<Reply> {
    if let Some(text) = call.query.get("resourceVersion") {
        let (asked, current) =
            (parse_resource_version(text).map_err(unclassified)?, call.cluster.store.revision());
        // The client has seen a newer state, of another server perhaps.
        if asked > current {
            return Err(too_large_resource_version(asked, current));
        }
    }
    let stored = call.cluster.store.get(&call.key()).ok_or_else(|| call.not_found())?;
    present::object(call, 200, Shown::stored(&stored))
}
