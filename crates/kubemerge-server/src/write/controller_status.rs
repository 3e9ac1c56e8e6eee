//! Conditions that controllers inside kube-apiserver write: whether a FlowSchema refers to a priority level that
//! exists, and whether an APIService is available.
//!
//! They are written after the request's own write: the answer to the write does not show them.

use serde_json::{Value, json};

use crate::{
    object::Object,
    protocol::status::Outcome,
    write::{
        rewrite::{keys_below, rewrite},
        transaction::Transaction,
    },
};

const FLOW_SCHEMAS: &str = "flowcontrol.apiserver.k8s.io/flowschemas/";
const PRIORITY_LEVELS: &str = "flowcontrol.apiserver.k8s.io/prioritylevelconfigurations/";

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
    rewrite(transaction, key, resource, |object| {
        // A status that was read can be written.
        drop(object.set("status", &json!({"conditions": conditions})));
    })?;
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
    match transaction.cluster.store.get(&[PRIORITY_LEVELS, level].concat()) {
        Some(_) => json!({"type": "Dangling", "status": "False", "reason": "Found",
            "message": format!("{intro} and it exists")}),
        None => json!({"type": "Dangling", "status": "True", "reason": "NotFound",
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
