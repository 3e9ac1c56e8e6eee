//! Conditions that controllers inside kube-apiserver write: whether a FlowSchema refers to a priority level that
//! exists, and whether an APIService is available.
//!
//! They are written after the request's own write: the answer to the write does not show them.

use kubemerge_kinds::tree::Arena;
use kubemerge_ssa::managed_fields::Conflicting;
use serde_json::{Value, json};

use crate::{
    catalog::{Resource, key_name},
    object::Object,
    protocol::{json::canonical, status::Outcome},
    write::{
        apply::{self, Configuration},
        commit::{commit, unless_changed},
        request::Old,
        rewrite::{keys_below, rewrite_status},
        track::Tracked,
        transaction::Transaction,
    },
};

const FLOW_SCHEMAS: &str = "flowcontrol.apiserver.k8s.io/flowschemas/";
const PRIORITY_LEVELS: &str = "flowcontrol.apiserver.k8s.io/prioritylevelconfigurations/";

/// Who owns the condition of a FlowSchema.
const FLOW_CONTROL_MANAGER: &str = "api-priority-and-fairness-config-consumer-v1";
/// Priority levels that exist even if no object says so.
const MANDATORY_LEVELS: [&str; 2] = ["exempt", "catch-all"];

/// Judges all FlowSchemas again: a priority level is new or gone.
pub(crate) fn judge_flow_schemas(transaction: &Transaction<'_>) -> Outcome<()> {
    keys_below(transaction, FLOW_SCHEMAS).iter().try_for_each(|key| judge(transaction, key))
}

/// Writes the condition of an object, if it is not there yet.
pub(crate) fn judge(transaction: &Transaction<'_>, key: &str) -> Outcome<()> {
    let Some(stored) = transaction.cluster.store.get(key) else { return Ok(()) };
    let object = Object::of_record(&stored.record);
    let (plural, condition) = match stored.record.kind() {
        "FlowSchema" => ("flowschemas", Some(dangling(transaction, &object))),
        _ => ("apiservices", unavailable(transaction, &object)),
    };
    let Some(mut condition) = condition else { return Ok(()) };
    let status = object.get("status").unwrap_or_default();
    let conditions = status["conditions"].as_array().cloned().unwrap_or_default();
    if conditions.iter().any(|one| is_same(one, &condition)) {
        return Ok(());
    }
    condition["lastTransitionTime"] = transaction.cluster.clock.now().to_string().into();
    let others = conditions.into_iter().filter(|one| one["type"] != condition["type"]);
    let conditions: Vec<Value> = others.chain([condition.clone()]).collect();
    let index = transaction.index();
    let group = key.split('/').next().unwrap_or_default();
    let Some(resource) = index.find(group, "v1", plural) else { return Ok(()) };
    if resource.kind == "FlowSchema" {
        return apply_condition(transaction, resource, key, &condition);
    }
    rewrite_status(transaction, key, resource, |object| {
        // A status that was read can be written.
        drop(object.set("status", &json!({"conditions": conditions})));
    })
}

/// Applies the condition of a FlowSchema, again if another client was faster: its manager applies, others update.
fn apply_condition(
    transaction: &Transaction<'_>,
    resource: &Resource,
    key: &str,
    condition: &Value,
) -> Outcome<()> {
    let config = json!({"apiVersion": resource.api_version, "kind": resource.kind,
        "metadata": {"name": key_name(key)}, "status": {"conditions": [condition]}});
    let (text, conflicting) = (canonical(&config)?, Conflicting::Force);
    let config = Configuration { text, manager: FLOW_CONTROL_MANAGER, conflicting };
    let endpoint = Tracked::of(transaction.cluster, resource, "status");
    while let Some(stored) = transaction.cluster.store.get(key) {
        let arena = Arena::new();
        let old = Old { stored: &stored, tree: &endpoint.kind.served(&stored.record, &arena) };
        let applied = apply::merge(endpoint, &config, Some(old))?;
        let Some(text) = applied.text else { return Ok(()) };
        // What was applied is JSON.
        let document: Value = serde_json::from_str(&text).unwrap_or_default();
        let mut new = Object::of_record(&stored.record);
        new.set("status", &document["status"])?;
        new.ownership = applied.ownership;
        if unless_changed(commit(transaction, resource, key, &stored, new.record()))?.is_some() {
            break;
        }
    }
    Ok(())
}

fn is_same(condition: &Value, other: &Value) -> bool {
    ["type", "status", "reason", "message"].iter().all(|name| condition[name] == other[name])
}

/// Whether the priority level of a FlowSchema is missing.
fn dangling(transaction: &Transaction<'_>, schema: &Object) -> Value {
    let level = schema.at(&["spec", "priorityLevelConfiguration", "name"]).unwrap_or_default();
    let level = level.as_str().unwrap_or_default();
    let intro = format!("This FlowSchema references the PriorityLevelConfiguration object named {level:?}");
    let exists = MANDATORY_LEVELS.contains(&level)
        || transaction.cluster.store.get(&[PRIORITY_LEVELS, level].concat()).is_some();
    match exists {
        true => json!({"type": "Dangling", "status": "False", "reason": "Found",
            "message": format!("{intro} and it exists")}),
        false => json!({"type": "Dangling", "status": "True", "reason": "NotFound",
            "message": format!("{intro} but there is no such object")}),
    }
}

/// Why an APIService is not available; none if nothing is known against it.
fn unavailable(transaction: &Transaction<'_>, service: &Object) -> Option<Value> {
    let reference = service.at(&["spec", "service"])?;
    let [namespace, name] = ["namespace", "name"].map(|field| reference[field].as_str().unwrap_or_default());
    let found = transaction.cluster.store.get(&format!("/services/{namespace}/{name}"));
    found.is_none().then(|| {
        json!({"type": "Available", "status": "False", "reason": "ServiceNotFound",
            "message": format!("service/{name} in {namespace:?} is not present")})
    })
}
