//! The status of ResourceQuotas: what a controller of Kubernetes counts, where the plugin is on.

use kubemerge_kinds::admission::{ResourceAmounts, add_usage, quota_limits};
use serde_json::{Map, Value, json};

use crate::{
    catalog::Resource,
    object::edit,
    protocol::{json::tree, status::Outcome},
    store::Stored,
    write::{
        admission::plugins::{quota_resource, total_usage},
        commit::rewrite::{keys_below, rewrite},
        commit::transaction::Transaction,
    },
};

/// Counts again what the quotas of a namespace limit.
pub(crate) fn refresh(transaction: &Transaction<'_>, namespace: &str) -> Outcome<()> {
    for key in keys_below(transaction, &format!("/resourcequotas/{namespace}/")) {
        refresh_one(transaction, &key, namespace)?;
    }
    Ok(())
}

fn refresh_one(transaction: &Transaction<'_>, key: &str, namespace: &str) -> Outcome<()> {
    let Some(stored) = transaction.cluster.store.get(key) else { return Ok(()) };
    let quota = tree(stored.record.node());
    let limits = quota_limits(&quota);
    let used = usage(transaction, &quota, &limits, namespace);
    let used: Map<String, Value> = limits
        .keys()
        .map(|name| (name.clone(), used.get(name).copied().unwrap_or_default().text().into()))
        .collect();
    let mut status = json!({});
    if !limits.is_empty() {
        status = json!({"hard": quota["spec"]["hard"], "used": used});
    }
    let index = transaction.index();
    let Some(resource) = index.find("", "v1", "resourcequotas").filter(|_| quota["status"] != status) else {
        return Ok(());
    };
    rewrite(transaction, key, resource, |quota| edit::set_json(quota, "status", &status))
}

fn usage(
    transaction: &Transaction<'_>,
    quota: &Value,
    limits: &ResourceAmounts,
    namespace: &str,
) -> ResourceAmounts {
    let mut total = ResourceAmounts::new();
    let index = transaction.index();
    let versions = index.groups().flat_map(|group| group.versions.first());
    for resource in versions.flat_map(|(_, resources)| resources.values()) {
        if resource.is_namespaced() && is_limited(resource, limits) {
            let prefix = resource.prefix(namespace);
            let stored: Vec<Stored> =
                transaction.cluster.store.newest(&prefix).into_iter().map(|(_, stored)| stored).collect();
            add_usage(&mut total, &total_usage(quota, quota_resource(resource), &stored));
        }
    }
    total
}

/// Whether a quota limits something about a resource.
fn is_limited(resource: &Resource, limits: &ResourceAmounts) -> bool {
    let is_core = resource.group.is_empty();
    let count = match is_core {
        true => format!("count/{}", resource.plural),
        false => format!("count/{}.{}", resource.plural, resource.group),
    };
    let is_measured = matches!(resource.plural.as_str(), "pods" | "services" | "persistentvolumeclaims");
    limits.contains_key(&count) || is_core && (is_measured || limits.contains_key(&resource.plural))
}
