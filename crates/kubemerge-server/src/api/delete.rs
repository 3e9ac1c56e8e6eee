//! DELETE of an object or of a collection.

use kubemerge_kinds::strategy::DeleteAnswer;

use crate::{
    api::list,
    catalog::request_context::RequestContext,
    kind::shown::Shown,
    protocol::{
        query::ListOptions,
        reply::Reply,
        status::{Outcome, success},
    },
    read::present,
    write::{
        commit::transaction::Transaction,
        deletion::{
            delete::{Deleted, delete},
            delete_options::DeleteOptions,
        },
    },
};

/// Deletes one object.
pub(crate) fn handle(transaction: &Transaction<'_>, call: &RequestContext<'_>) -> Outcome<Reply> {
    let options = DeleteOptions::read(call)?;
    warn_of_orphans(call, &options);
    match delete(transaction, call.resource, &call.key(), &options)? {
        Deleted::Gone(stored) if call.resource.strategy.delete_answer == DeleteAnswer::Status => {
            let uid = stored.record.uid();
            Ok(Reply::status(200, &success(call.resource.qualified(), call.name(), &uid)))
        }
        Deleted::Gone(stored) => present::object(call, 200, Shown::stored(&stored)),
        Deleted::Waiting(stored) => {
            // Upstream: only this deprecated option changes the code.
            let code = if options.orphans_refused { 202 } else { 200 };
            present::object(call, code, Shown::stored(&stored))
        }
    }
}

/// Few expect that the pods of a Job stay.
fn warn_of_orphans(call: &RequestContext<'_>, options: &DeleteOptions) {
    let is_job = call.resource.group == "batch" && call.resource.kind == "Job";
    if is_job && options.propagation.is_none() {
        call.warn(
            "child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove \
             them or set propagationPolicy=Orphan to suppress this warning",
        );
    }
}

/// Deletes every object that the selectors name; answers those that were found.
pub(crate) fn handle_collection(transaction: &Transaction<'_>, call: &RequestContext<'_>) -> Outcome<Reply> {
    let options = DeleteOptions::read(call)?;
    warn_of_orphans(call, &options);
    let found = list::find(call, &ListOptions::for_list(call.query)?)?;
    for (key, _) in &found.items {
        match delete(transaction, call.resource, key, &options) {
            // An object that another client deleted meanwhile is deleted all the same.
            Err(failure) if failure.code() != 404 => return Err(failure),
            _ => {}
        }
    }
    present::list(call, found.items, &found.meta)
}
