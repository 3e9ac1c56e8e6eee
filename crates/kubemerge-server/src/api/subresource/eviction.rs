//! `pods/eviction`: a deletion that asks the disruption budgets first.

use std::sync::Arc;

use kubemerge_kinds::disruption::{
    EvictionVerdict, count_disruption, covers, eviction_verdict, needs_no_budget,
};
use serde_json::{Value, json};

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
        commit::{self, Committed, transaction::Transaction},
        decode::body,
        deletion::{
            delete,
            delete_options::{DeleteOptions, Preconditions},
        },
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
    if options.dry_run != DryRun::All {
        mark_as_target(transaction, call, &mut options.preconditions)?;
    }
    delete::delete(transaction, call.resource, &call.key(), &options)?;
    Ok(Reply::status(201, &done()))
}

/// Says in the conditions of the pod why it ends. A version that the request asks for is that before this.
fn mark_as_target(
    transaction: &Transaction<'_>,
    call: &RequestContext<'_>,
    preconditions: &mut Preconditions,
) -> Outcome<()> {
    let key = call.key();
    loop {
        let stored = call.cluster.store.get(&key).ok_or_else(|| call.not_found())?;
        delete::check_preconditions(call.resource, &stored, preconditions)?;
        let pod = tree(stored.record.node());
        let status =
            with_target_condition(pod.member("status").clone(), &call.cluster.clock.now().to_string());
        let marked = edit::changed(&stored.record, |pod| edit::set_json(pod, "status", &status));
        let written = commit::commit(transaction, call.resource, &key, &stored, marked);
        match commit::unless_changed(written)? {
            Some(Committed::Stored(marked)) if preconditions.resource_version.is_some() => {
                preconditions.resource_version = Some(marked.revision.to_string());
                return Ok(());
            }
            Some(_) => return Ok(()),
            None => {}
        }
    }
}

/// A status of a pod with the condition that the pod is to make room.
fn with_target_condition(mut status: Value, now: &str) -> Value {
    let mut condition = json!({
        "type": "DisruptionTarget",
        "status": "True",
        "reason": "EvictionByEvictionAPI",
        "message": "Eviction API: evicting",
        "lastProbeTime": null,
        "lastTransitionTime": now,
    });
    let mut conditions = status.member("conditions").as_array().cloned().unwrap_or_default();
    match conditions.iter_mut().find(|one| one.member("type") == condition.member("type")) {
        Some(old) => {
            // The time is that of the change of the status, not of its reason.
            if old.member("status") == condition.member("status") {
                condition.set_member("lastTransitionTime", old.member("lastTransitionTime").clone());
            }
            *old = condition;
        }
        None => conditions.push(condition),
    }
    status.set_member("conditions", conditions.into());
    status
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
