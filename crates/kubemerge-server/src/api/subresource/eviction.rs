//! `pods/eviction`: a deletion that asks the disruption budgets first.

use std::sync::Arc;

use kubemerge_kinds::disruption::{
    EvictionVerdict, count_disruption, covers, eviction_verdict, needs_no_budget,
};
use serde_json::Value;

use super::parent;
use crate::{
    catalog::{Resource, request_context::RequestContext},
    object::edit,
    protocol::{
        json::{Members, tree},
        query::DryRun,
        reason::Reason,
        reply::Reply,
        status::{Failure, Outcome, bad_request, done, forbidden, unclassified},
    },
    write::{
        commit::{self, transaction::Transaction},
        decode::body,
        deletion::{delete, delete_options::DeleteOptions},
    },
};

const TOO_MANY: &str =
    "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.";
const VIOLATES: &str = "Cannot evict pod as it would violate the pod's disruption budget.";

/// Evicts a pod.
pub(crate) fn handle(transaction: &Transaction<'_>, call: &RequestContext<'_>) -> Outcome<Reply> {
    let eviction = tree(&body::canonical_body(call)?);
    check_kind(&eviction)?;
    if eviction.pointer("/metadata/name").and_then(Value::as_str) != Some(call.name()) {
        return Err(bad_request("name in URL does not match name in Eviction object"));
    }
    let pod = parent::parent(call)?;
    let mut options = DeleteOptions::from_value(eviction.get("deleteOptions").unwrap_or(&Value::Null))?;
    if parent::write_options(call.query)?.dry_run == DryRun::All {
        options.dry_run = DryRun::All;
    }
    let pod = tree(pod.node());
    if !needs_no_budget(&pod) {
        ask_budgets(transaction, call, &pod, options.dry_run)?;
    }
    delete::delete(transaction, call.resource, &call.key(), &options)?;
    Ok(Reply::status(201, &done()))
}

fn check_kind(eviction: &Value) -> Outcome<()> {
    let given = |name: &str| eviction[name].as_str().filter(|text| !text.is_empty());
    let kind = given("kind").unwrap_or("Eviction");
    if kind == "Eviction" {
        return Ok(());
    }
    let api_version = given("apiVersion").unwrap_or("policy/v1");
    let version = api_version.rsplit('/').next().unwrap_or_default();
    Err(bad_request(format!(
        "{kind} in version {version:?} cannot be handled as a Eviction: no kind {kind:?} is registered for version \
         {api_version:?} in scheme \"pkg/runtime/scheme.go:111\""
    )))
}

fn ask_budgets(
    transaction: &Transaction<'_>,
    call: &RequestContext<'_>,
    pod: &Value,
    dry_run: DryRun,
) -> Outcome<()> {
    let index = transaction.index();
    let Some(resource) = index.preferred("policy", "poddisruptionbudgets") else { return Ok(()) };
    let budgets = matching(call, resource, pod);
    let key = match &budgets[..] {
        [] => return Ok(()),
        [only] => only,
        // Upstream: this is a server error without a reason, although the user can fix it.
        _ => return Err(unclassified(TOO_MANY.to_owned())),
    };
    // Two evictions may count at the same time; the one that loses asks again.
    while let Some(stored) = call.cluster.store.get(key) {
        let mut budget = tree(stored.record.node());
        let verdict = eviction_verdict(pod, &budget);
        // A dry run asks the budget but does not use it up.
        if verdict != EvictionVerdict::Counted || dry_run == DryRun::All {
            return answer(call, verdict);
        }
        let now = call.cluster.clock.now().to_string();
        let status = count_disruption(budget.member_mut("status").take(), call.name(), &now);
        let counted = edit::changed(&stored.record, |budget| edit::set_json(budget, "status", &status));
        let written = commit::commit(transaction, resource, key, &stored, counted);
        if commit::unless_changed(written)?.is_some() {
            break;
        }
    }
    Ok(())
}

/// The keys of the budgets that are about a pod.
fn matching(call: &RequestContext<'_>, resource: &Resource, pod: &Value) -> Vec<Arc<str>> {
    let prefix = resource.prefix(call.namespace());
    let all = call.cluster.store.newest(&prefix).into_iter();
    all.filter(|(_, stored)| covers(&tree(stored.record.node()), pod)).map(|(key, _)| key).collect()
}

fn answer(call: &RequestContext<'_>, verdict: EvictionVerdict) -> Outcome<()> {
    let refuse =
        |why: String| Failure::new(429, Reason::TooManyRequests, VIOLATES).cause("DisruptionBudget", why);
    match verdict {
        EvictionVerdict::Uncounted | EvictionVerdict::Counted => Ok(()),
        EvictionVerdict::NotObserved(why) => Err(refuse(why).retry_after(10)),
        EvictionVerdict::Exhausted(why) => Err(refuse(why)),
        EvictionVerdict::Negative => {
            Err(forbidden(call.resource.qualified(), call.name(), "pdb disruptions allowed is negative"))
        }
    }
}
