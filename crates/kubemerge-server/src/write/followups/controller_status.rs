//! Conditions that controllers inside kube-apiserver write: whether a FlowSchema refers to a priority level that
//! exists, and whether an APIService is available.
//!
//! They are written after the request's own write: the answer to the write does not show them.

use kubemerge_kinds::tree::{Arena, Value as TreeValue};
use kubemerge_ssa::managed_fields::Conflicting;
use serde_json::{Value, json};

use crate::{
    catalog::{Resource, key_name},
    object::{draft, edit},
    protocol::{
        json::{Members, canonical, tree},
        status::Outcome,
    },
    store::Record,
    write::{
        commit::{commit, transaction::Transaction, unless_changed},
        decode::apply::{self, Configuration},
        request::Old,
        rewrite::{keys_below, rewrite_status},
        track::Tracked,
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
    let (plural, condition) = match stored.record.kind() {
        "FlowSchema" => ("flowschemas", Some(dangling(transaction, &stored.record))),
        _ => ("apiservices", unavailable(transaction, &stored.record)),
    };
    let Some(mut condition) = condition else { return Ok(()) };
    let conditions = match stored.record.at(&["status", "conditions"]).map(tree) {
        Some(Value::Array(conditions)) => conditions,
        _ => Vec::new(),
    };
    if conditions.iter().any(|one| is_same(one, &condition)) {
        return Ok(());
    }
    condition.set_member("lastTransitionTime", transaction.cluster.clock.now().to_string().into());
    let others = conditions.into_iter().filter(|one| one.member("type") != condition.member("type"));
    let conditions: Vec<Value> = others.chain([condition.clone()]).collect();
    let index = transaction.index();
    let group = key.split('/').next().unwrap_or_default();
    let Some(resource) = index.find(group, "v1", plural) else { return Ok(()) };
    if resource.kind == "FlowSchema" {
        return apply_condition(transaction, resource, key, &condition);
    }
    let status = json!({"conditions": conditions});
    rewrite_status(transaction, key, resource, |object| edit::set_json(object, "status", &status))
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
        let old = Old { stored: &stored, tree: &endpoint.kind.served(&stored.record, &arena), known: None };
        let applied = apply::merge(endpoint, &config, Some(old), &arena)?;
        let Some(object) = applied.object else { return Ok(()) };
        let (TreeValue::Map(mut document), _) = object.read(&arena) else { return Ok(()) };
        let mut new = edit::tree(&stored.record, &arena);
        new.set("status", document.remove("status").unwrap_or(TreeValue::Null));
        let record = draft::record(&new, applied.ownership, stored.record.form());
        if unless_changed(commit(transaction, resource, key, &stored, record))?.is_some() {
            break;
        }
    }
    Ok(())
}

fn is_same(condition: &Value, other: &Value) -> bool {
    ["type", "status", "reason", "message"].iter().all(|name| condition[name] == other[name])
}

/// Whether the priority level of a FlowSchema is missing.
fn dangling(transaction: &Transaction<'_>, schema: &Record) -> Value {
    let level = &*schema.text_at(&["spec", "priorityLevelConfiguration", "name"]);
    let intro = format!("This FlowSchema references the PriorityLevelConfiguration object named {level:?}");
    let exists = MANDATORY_LEVELS.contains(&level)
        || transaction.cluster.store.get(&[PRIORITY_LEVELS, level].concat()).is_some();
    if exists {
        json!({"type": "Dangling", "status": "False", "reason": "Found",
    "message": format!("{intro} and it exists")})
    } else {
        json!({"type": "Dangling", "status": "True", "reason": "NotFound",
    "message": format!("{intro} but there is no such object")})
    }
}

/// Why an APIService is not available; none if nothing is known against it.
fn unavailable(transaction: &Transaction<'_>, service: &Record) -> Option<Value> {
    service.at(&["spec", "service"])?;
    let [namespace, name] = ["namespace", "name"].map(|field| service.text_at(&["spec", "service", field]));
    let found = transaction.cluster.store.get(&format!("/services/{namespace}/{name}"));
    found.is_none().then(|| {
        json!({"type": "Available", "status": "False", "reason": "ServiceNotFound",
            "message": format!("service/{name} in {namespace:?} is not present")})
    })
}
