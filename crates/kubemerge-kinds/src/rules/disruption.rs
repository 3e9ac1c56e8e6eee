//! Whether a pod may be evicted: what its disruption budget says. The caller finds the budgets and stores the change.

use serde_json::{Map, Value, json};

use crate::label_selector::LabelSelector;

/// What a budget says about the eviction of a pod.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EvictionVerdict {
    /// The pod may go without being counted.
    Uncounted,
    /// The pod may go and is counted, see [`count_disruption`].
    Counted,
    /// Not before the budget's status is up to date; the text says so.
    NotObserved(String),
    /// No disruption is allowed now; the text says why.
    Exhausted(String),
    /// The status of the budget is broken.
    Negative,
}

/// Whether a pod is evicted without asking a budget: it is finished, not yet running or being deleted.
pub fn needs_no_budget(pod: &Value) -> bool {
    let phase = pod.pointer("/status/phase").and_then(Value::as_str);
    matches!(phase, Some("Succeeded" | "Failed" | "Pending"))
        || pod.pointer("/metadata/deletionTimestamp").is_some()
}

/// Whether a budget is about a pod.
pub fn covers(budget: &Value, pod: &Value) -> bool {
    let selector = budget.pointer("/spec/selector").unwrap_or(&Value::Null);
    let labels = pod.pointer("/metadata/labels");
    let label = |key: &str| labels?.get(key)?.as_str().map(str::to_owned);
    LabelSelector::from_object(selector).is_some_and(|selector| selector.matches(label))
}

/// What a budget says about a pod that it covers.
pub fn eviction_verdict(pod: &Value, budget: &Value) -> EvictionVerdict {
    if is_spared(pod, budget) {
        return EvictionVerdict::Uncounted;
    }
    let name = budget.pointer("/metadata/name").and_then(Value::as_str).unwrap_or_default();
    // Counts of an older spec would allow too much.
    if number(budget, "/status/observedGeneration") < number(budget, "/metadata/generation") {
        let why = format!("The disruption budget {name} is still being processed by the server.");
        return EvictionVerdict::NotObserved(why);
    }
    match number(budget, "/status/disruptionsAllowed") {
        // No controller writes this; a client did.
        ..0 => EvictionVerdict::Negative,
        0 => {
            let wanted = number(budget, "/status/desiredHealthy");
            let healthy = number(budget, "/status/currentHealthy");
            EvictionVerdict::Exhausted(format!(
                "The disruption budget {name} needs {wanted} healthy pods and has {healthy} currently"
            ))
        }
        _ => EvictionVerdict::Counted,
    }
}

/// The status of a budget after the eviction of a pod.
pub fn count_disruption(status: Value, pod: &str, now: &str) -> Value {
    let mut status = members(status);
    let allowed = status.get("disruptionsAllowed").and_then(Value::as_i64).unwrap_or(0).saturating_sub(1);
    status.insert("disruptionsAllowed".to_owned(), json!(allowed));
    let mut disrupted = members(status.remove("disruptedPods").unwrap_or_default());
    disrupted.insert(pod.to_owned(), json!(now));
    status.insert("disruptedPods".to_owned(), disrupted.into());
    // The controller sets the condition otherwise; until it has counted, nothing more is allowed.
    if allowed == 0 {
        refuse_disruptions(&mut status, now);
    }
    status.into()
}

/// The members of an object; nothing else has any.
fn members(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(members) => members,
        _ => Map::new(),
    }
}

/// Sets the condition `DisruptionAllowed` to False.
fn refuse_disruptions(status: &mut Map<String, Value>, now: &str) {
    let mut conditions = status.get("conditions").and_then(Value::as_array).cloned().unwrap_or_default();
    let known = conditions.iter_mut().find(|known| known["type"] == "DisruptionAllowed");
    // A condition that was False before keeps its time.
    let before = known.as_deref().filter(|known| known["status"] == "False");
    let since = before.map_or_else(|| json!(now), |known| known["lastTransitionTime"].clone());
    let mut condition = members(json!({"type": "DisruptionAllowed", "status": "False",
        "reason": "InsufficientPods", "message": "", "lastTransitionTime": since}));
    if let Some(observed) = status.get("observedGeneration").filter(|observed| **observed != 0) {
        condition.insert("observedGeneration".to_owned(), observed.clone());
    }
    match known {
        Some(known) => *known = condition.into(),
        None => conditions.push(condition.into()),
    }
    status.insert("conditions".to_owned(), conditions.into());
}

/// An unready pod may go without being counted, if the policy says so or enough others are healthy.
fn is_spared(pod: &Value, budget: &Value) -> bool {
    let conditions = pod.pointer("/status/conditions").and_then(Value::as_array).into_iter().flatten();
    if conditions.into_iter().any(|one| one["type"] == "Ready" && one["status"] == "True") {
        return false;
    }
    let always = budget.pointer("/spec/unhealthyPodEvictionPolicy") == Some(&json!("AlwaysAllow"));
    let desired = number(budget, "/status/desiredHealthy");
    // A budget that wants no healthy pods at all is not met by having none.
    always || (desired > 0 && number(budget, "/status/currentHealthy") >= desired)
}

/// A number that counts as 0 where it is absent, as in Go.
fn number(object: &Value, pointer: &str) -> i64 {
    object.pointer(pointer).and_then(Value::as_i64).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn budget(allowed: i64) -> Value {
        json!({"metadata": {"name": "b", "generation": 2}, "spec": {"selector": {"matchLabels": {"app": "web"}}},
            "status": {"observedGeneration": 2, "disruptionsAllowed": allowed, "desiredHealthy": 3, "currentHealthy": 2}})
    }

    fn ready() -> Value {
        json!({"metadata": {"labels": {"app": "web"}}, "status": {"phase": "Running",
            "conditions": [{"type": "Ready", "status": "True"}]}})
    }

    #[test]
    fn a_budget_is_about_the_pods_that_it_selects() {
        assert!(covers(&budget(1), &ready()));
        assert!(!covers(&budget(1), &json!({"metadata": {}})));
    }

    #[test]
    fn disruptions_are_counted_until_none_is_allowed() {
        assert_eq!(eviction_verdict(&ready(), &budget(1)), EvictionVerdict::Counted);
        let text = "The disruption budget b needs 3 healthy pods and has 2 currently";
        assert_eq!(eviction_verdict(&ready(), &budget(0)), EvictionVerdict::Exhausted(text.into()));
        assert_eq!(eviction_verdict(&ready(), &budget(-1)), EvictionVerdict::Negative);
        let status = count_disruption(json!({"disruptionsAllowed": 1}), "p", "now");
        let condition = json!({"type": "DisruptionAllowed", "status": "False", "reason": "InsufficientPods",
            "message": "", "lastTransitionTime": "now"});
        assert_eq!(
            status,
            json!({"disruptionsAllowed": 0, "disruptedPods": {"p": "now"}, "conditions": [condition]})
        );
    }

    #[test]
    fn unready_pods_go_uncounted_where_enough_others_are_healthy() {
        let (mut unready, mut budget) = (ready(), budget(0));
        unready["status"]["conditions"] = json!([]);
        assert!(matches!(eviction_verdict(&unready, &budget), EvictionVerdict::Exhausted(_)));
        budget["status"]["currentHealthy"] = json!(3);
        assert_eq!(eviction_verdict(&unready, &budget), EvictionVerdict::Uncounted);
    }
}
