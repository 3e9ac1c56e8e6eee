//! `pods/eviction`: a deletion that asks the disruption budgets first.

use kubemerge_kinds::label_selector::LabelSelector;
use serde_json::{Value, json};

use super::parent;
use crate::{
    catalog::{Resource, call::Call},
    object::Object,
    protocol::{
        json::tree,
        query::DryRun,
        reply::Reply,
        status::{Failure, Outcome, bad_request, done, forbidden, internal},
    },
    store::{Range, Stored},
    write::{body, commit, delete, delete_options::DeleteOptions, transaction::Transaction},
};

const TOO_MANY: &str =
    "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.";
const VIOLATES: &str = "Cannot evict pod as it would violate the pod's disruption budget.";

/// Evicts a pod.
pub(crate) fn handle(transaction: &Transaction<'_>, call: &Call<'_>) -> Outcome<Reply> {
    let eviction = tree(&body::canonical_body(call)?);
    let name = eviction.pointer("/metadata/name").and_then(Value::as_str).unwrap_or(call.name());
    if name != call.name() {
        return Err(bad_request(format!(
            "name in URL does not match name in Eviction object: {} != {name}",
            call.name()
        )));
    }
    let pod = parent::parent(call)?;
    let mut options = DeleteOptions::from_value(eviction.get("deleteOptions").unwrap_or(&Value::Null))?;
    if parent::write_options(call.query)?.dry_run == DryRun::All {
        options.dry_run = DryRun::All;
    }
    if !needs_no_permission(&pod) {
        ask_budgets(transaction, call, &pod, options.dry_run)?;
    }
    delete::delete(transaction, call.resource, &call.key(), &options)?;
    Ok(Reply::status(201, &done()))
}

/// Pods that are finished, not yet running or terminating are evicted without asking a budget.
fn needs_no_permission(pod: &Object) -> bool {
    let phase = pod.at(&["status", "phase"]);
    let phase = phase.as_ref().and_then(Value::as_str);
    matches!(phase, Some("Succeeded" | "Failed" | "Pending")) || pod.metadata.is_terminating()
}

fn ask_budgets(transaction: &Transaction<'_>, call: &Call<'_>, pod: &Object, dry_run: DryRun) -> Outcome<()> {
    let index = transaction.index();
    let Some(resource) = index.preferred("policy", "poddisruptionbudgets") else { return Ok(()) };
    let budgets = matching(call, resource, pod);
    let (key, _) = match &budgets[..] {
        [] => return Ok(()),
        [only] => only,
        // Upstream: this is a server error, although the user can fix it.
        _ => return Err(internal(TOO_MANY).cause("", TOO_MANY)),
    };
    let mut verdict = Ok(());
    while let Some(stored) = call.cluster.store.get(key) {
        let mut budget = Object::of(&stored);
        if is_spared(pod, &budget) {
            return Ok(());
        }
        verdict = check(call, &budget);
        // A dry run asks the budget but does not use it up.
        if verdict.is_err() || dry_run == DryRun::All {
            break;
        }
        take_one(call, &mut budget)?;
        if commit::commit(transaction, resource, key, &stored, budget.record()).is_ok() {
            break;
        }
    }
    verdict
}

fn matching(call: &Call<'_>, resource: &Resource, pod: &Object) -> Vec<(std::sync::Arc<str>, Stored)> {
    let prefix = resource.prefix(call.namespace());
    let page = call.cluster.store.range(Range { prefix: &prefix, ..Range::default() });
    let all = page.map(|page| page.items).unwrap_or_default();
    all.into_iter()
        .filter(|(_, stored)| {
            let selector = Object::of(stored).at(&["spec", "selector"]).unwrap_or_default();
            let selector = LabelSelector::from_object(&selector);
            selector.is_some_and(|selector| selector.matches(|key| pod.metadata.label(key)))
        })
        .collect()
}

fn number(object: &Object, path: &[&str]) -> i64 {
    object.at(path).and_then(|value| value.as_i64()).unwrap_or(0)
}

/// An unready pod may go without being counted, if the policy says so or enough others are healthy.
fn is_spared(pod: &Object, budget: &Object) -> bool {
    let conditions = pod.at(&["status", "conditions"]).unwrap_or_default();
    let ready = conditions
        .as_array()
        .into_iter()
        .flatten()
        .any(|one| one["type"] == "Ready" && one["status"] == "True");
    if ready {
        return false;
    }
    let always = budget.at(&["spec", "unhealthyPodEvictionPolicy"]) == Some(json!("AlwaysAllow"));
    let desired = number(budget, &["status", "desiredHealthy"]);
    always || (desired > 0 && number(budget, &["status", "currentHealthy"]) >= desired)
}

fn check(call: &Call<'_>, budget: &Object) -> Outcome<()> {
    let name = budget.metadata.name();
    let refuse = |why: String| Failure::new(429, "TooManyRequests", VIOLATES).cause("DisruptionBudget", why);
    if number(budget, &["status", "observedGeneration"]) < budget.metadata.generation() {
        let why = format!("The disruption budget {name} is still being processed by the server.");
        return Err(refuse(why).retry_after(10));
    }
    match number(budget, &["status", "disruptionsAllowed"]) {
        ..0 => Err(forbidden(call.resource.qualified(), call.name(), "pdb disruptions allowed is negative")),
        0 => {
            let (wanted, healthy) = (
                number(budget, &["status", "desiredHealthy"]),
                number(budget, &["status", "currentHealthy"]),
            );
            Err(refuse(format!(
                "The disruption budget {name} needs {wanted} healthy pods and has {healthy} currently"
            )))
        }
        _ => Ok(()),
    }
}

fn take_one(call: &Call<'_>, budget: &mut Object) -> Outcome<()> {
    let allowed = number(budget, &["status", "disruptionsAllowed"]);
    budget.set_at(&["status", "disruptionsAllowed"], json!(allowed - 1))?;
    budget.set_at(&["status", "disruptedPods", call.name()], json!(call.cluster.clock.now().to_string()))
}
