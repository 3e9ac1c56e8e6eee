//! The status of ResourceQuotas: what a controller of Kubernetes counts, where the plugin is on.

use kubemerge_kinds::{
    admission::{ResourceAmounts, add_usage, quota_limits},
    tree::{Arena, Map, Value},
};

use crate::{
    object::edit,
    protocol::status::Outcome,
    store::Stored,
    write::{
        admission::plugins::{quota_resource, total_usage},
        commit::transaction::Transaction,
        rewrite::{keys_below, rewrite},
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
    let arena = Arena::new();
    let quota = edit::tree(&stored.record, &arena);
    let limits = quota_limits(&quota);
    let status = Value::Map(if limits.is_empty() {
        Map::new_in(&arena)
    } else {
        status(&quota, &limits, &usage(transaction, &quota, &limits, namespace))
    });
    let is_same = quota.get("status").is_some_and(|before| before.same_json(&status));
    let index = transaction.index();
    let Some(resource) = index.find("", "v1", "resourcequotas").filter(|_| !is_same) else { return Ok(()) };
    rewrite(transaction, key, resource, |quota| quota.set("status", status.copy_in(quota.arena())))
}

/// What a quota limits, and how much of it is used.
fn status<'a>(quota: &Map<'a>, limits: &ResourceAmounts, usage: &ResourceAmounts) -> Map<'a> {
    let arena = quota.arena();
    let mut used = Map::new_in(arena);
    for name in limits.keys() {
        used.set_text(arena.alloc_str(name), &usage.get(name).copied().unwrap_or_default().text());
    }
    let mut status = Map::new_in(arena);
    if let Some(hard) = quota.map("spec").and_then(|spec| spec.get("hard")) {
        status.set("hard", hard.copy_in(arena));
    }
    status.set("used", used);
    status
}

fn usage(
    transaction: &Transaction<'_>,
    quota: &Map<'_>,
    limits: &ResourceAmounts,
    namespace: &str,
) -> ResourceAmounts {
    let mut total = ResourceAmounts::new();
    let index = transaction.index();
    let versions = index.groups().filter_map(|group| group.versions.first());
    for resource in versions.flat_map(|(_, resources)| resources.values()) {
        let counted = quota_resource(resource);
        if resource.is_namespaced() && counted.is_limited(limits) {
            let prefix = resource.prefix(namespace);
            let stored: Vec<Stored> =
                transaction.cluster.store.newest(&prefix).into_iter().map(|(_, stored)| stored).collect();
            add_usage(&mut total, &total_usage(quota, counted, &stored));
        }
    }
    total
}
