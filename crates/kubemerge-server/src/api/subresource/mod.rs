//! Subresources: parts of objects, and actions on them.

mod binding;
#[cfg(feature = "serve")]
mod connect;
mod eviction;
mod log;
mod parent;
mod review;
mod scale;
mod service_account_token;
pub(super) mod token_claims;
mod typed_body;

use parent::parent;
pub(crate) use review::review;

use crate::{
    api::{get, patch, state::Api, update},
    catalog::request_context::RequestContext,
    protocol::{
        reason::Reason,
        reply::Reply,
        status::{Failure, Outcome, method_not_allowed},
        verb::Verb,
    },
    write::{commit::transaction::Transaction, part::Part},
};

/// Carries out a request for a subresource that the resource has.
pub(crate) fn handle(
    api: &Api,
    transaction: &Transaction<'_>,
    call: &RequestContext<'_>,
    verb: Verb,
) -> Outcome<Reply> {
    let custom = api.settings.custom_strategic_merge;
    match call.subresource().unwrap_or_default() {
        "scale" => scale::handle(transaction, call, custom, verb),
        "eviction" => eviction::handle(transaction, call),
        "binding" => binding::handle(transaction, call),
        "token" => service_account_token::handle(call),
        "log" => log::handle(api, call),
        #[cfg(feature = "serve")]
        "exec" | "attach" | "portforward" => connect::handle(api, call),
        #[cfg(not(feature = "serve"))]
        "exec" | "attach" | "portforward" => Err(no_connection()),
        "proxy" => Err(no_connection()),
        _ => part(transaction, call, custom, verb),
    }
}

fn no_connection() -> Failure {
    Failure::new(501, Reason::NotImplemented, "there is nothing in a pod that this server could connect to")
}

/// A subresource that writes a part of the object, such as its status.
fn part(
    transaction: &Transaction<'_>,
    call: &RequestContext<'_>,
    custom: patch::CustomStrategicMerge,
    verb: Verb,
) -> Outcome<Reply> {
    let part = Part::of(call.subresource());
    let part = part.ok_or_else(|| method_not_allowed(call.resource.qualified(), verb.name()))?;
    match verb {
        Verb::Get => get::handle(call),
        Verb::Update => update::handle(transaction, call, part),
        Verb::Patch => patch::handle(transaction, call, custom, part),
        _ => Err(method_not_allowed(call.resource.qualified(), verb.name())),
    }
}
