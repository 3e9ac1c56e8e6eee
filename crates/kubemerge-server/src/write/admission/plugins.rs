//! Plugins that a server may turn on: LimitRanger, ServiceAccount and ResourceQuota.

use kubemerge_kinds::{
    admission::{
        QuotaResource, ResourceAmounts, add_usage, check_claim_limits, check_pod_limits, exceeded,
        is_in_scope, is_mirror_pod, missing_requests, quota_limits, quota_status, quota_usage,
        set_account_parts, set_container_limits, set_default_account,
    },
    tree::{Arena, Map},
};

use super::{facts::all, refusal::refuse};
use crate::{
    catalog::Resource,
    object::edit,
    protocol::{query::DryRun, status::Outcome},
    store::Stored,
    write::{
        request::Write,
        rewrite::rewrite_status,
        settings::{AdmissionPlugin, Controller},
    },
};

fn is_on(write: Write<'_>, plugin: AdmissionPlugin) -> bool {
    write.transaction.settings.plugins.has(plugin)
}

/// Objects of the request's namespace.
fn facts(write: Write<'_>, plural: &str) -> Vec<Stored> {
    all(write, &format!("/{plural}/{}/", write.call.namespace()))
}

/// Changes a new pod: its resources, its service account.
pub(super) fn admit_pod(write: Write<'_>, pod: &mut Map<'_>) -> Outcome<()> {
    if is_on(write, AdmissionPlugin::LimitRanger) {
        for range in facts(write, "limitranges") {
            set_container_limits(pod, &edit::tree(&range.record, &Arena::new()));
        }
    }
    if is_on(write, AdmissionPlugin::ServiceAccount) && !is_mirror_pod(pod) {
        let name = set_default_account(pod);
        let (namespace, store) = (write.call.namespace(), &write.call.cluster.store);
        let account = store.get(&format!("/serviceaccounts/{namespace}/{name}")).ok_or_else(|| {
            let why = format!(
                "error looking up service account {namespace}/{name}: serviceaccount \"{name}\" not found"
            );
            refuse(write, pod, &why)
        })?;
        let arena = Arena::new();
        let account = edit::tree(&account.record, &arena);
        set_account_parts(pod, &account, &write.call.cluster.entropy.suffix());
    }
    Ok(())
}

/// Refuses an object that a LimitRange or a ResourceQuota of its namespace does not allow.
pub(super) fn validate(write: Write<'_>, object: &Map<'_>, old: Option<&Map<'_>>) -> Outcome<()> {
    if is_on(write, AdmissionPlugin::LimitRanger) {
        check_limits(write, object, old)?;
    }
    if is_on(write, AdmissionPlugin::ResourceQuota) && write.call.resource.is_namespaced() {
        check_quotas(write, object, old)?;
    }
    Ok(())
}

fn check_limits(write: Write<'_>, object: &Map<'_>, old: Option<&Map<'_>>) -> Outcome<()> {
    let check = match (write.call.resource.group.as_str(), write.call.resource.kind.as_str()) {
        // Containers of a pod do not change, but claims grow.
        ("", "Pod") if old.is_none() => check_pod_limits,
        ("", "PersistentVolumeClaim") => check_claim_limits,
        _ => return Ok(()),
    };
    for range in facts(write, "limitranges") {
        match check(object, &edit::tree(&range.record, &Arena::new())).as_slice() {
            [] => {}
            [one] => return Err(refuse(write, object, one)),
            several => return Err(refuse(write, object, &format!("[{}]", several.join(", ")))),
        }
    }
    Ok(())
}

/// The name of a resource in quotas.
pub(crate) fn quota_resource(resource: &Resource) -> QuotaResource<'_> {
    QuotaResource { group: &resource.group, plural: &resource.plural }
}

fn check_quotas(write: Write<'_>, object: &Map<'_>, old: Option<&Map<'_>>) -> Outcome<()> {
    let resource = quota_resource(write.call.resource);
    if old.is_some() && !resource.may_grow() {
        return Ok(());
    }
    let usage = quota_usage(resource, object);
    let before = old.map(|old| quota_usage(resource, old)).unwrap_or_default();
    let requested = usage
        .iter()
        .map(|(name, amount)| (name.clone(), amount.minus(before.get(name).copied().unwrap_or_default())));
    let requested = requested.collect();
    let mut charged = Vec::new();
    for stored in facts(write, "resourcequotas") {
        let arena = Arena::new();
        let quota = edit::tree(&stored.record, &arena);
        if !is_in_scope(&quota, resource, object) {
            continue;
        }
        let (mut limits, known) = limits_and_usage(write, &quota);
        let name = stored.record.name();
        if let Some(why) = missing_requests(&limits, resource, object) {
            return Err(refuse(write, object, &format!("failed quota: {name}: {why}")));
        }
        limits.retain(|name, _| usage.contains_key(name));
        if limits.is_empty() {
            continue;
        }
        let used = match known {
            Some(known) => {
                check_usage_is_known(write, object, &name, &limits, &known)?;
                charged.push((name.clone().into_owned(), limits.clone()));
                known
            }
            None => total_usage(
                &quota,
                resource,
                &all(write, &write.call.resource.prefix(write.call.namespace())),
            ),
        };
        if let Some(why) = exceeded(&limits, &used, &requested) {
            return Err(refuse(write, object, &format!("exceeded quota: {name}, {why}")));
        }
    }
    charged.iter().try_for_each(|(name, limits)| charge(write, name, limits, &requested))
}

/// What a quota limits, and how much of it is used if that is not to be counted: without the controller that counts,
/// what the status says holds.
fn limits_and_usage(write: Write<'_>, quota: &Map<'_>) -> (ResourceAmounts, Option<ResourceAmounts>) {
    if write.transaction.settings.controllers.has(Controller::ResourceQuota) {
        return (quota_limits(quota), None);
    }
    let (limits, used) = quota_status(quota);
    (limits, Some(used))
}

fn check_usage_is_known(
    write: Write<'_>,
    object: &Map<'_>,
    quota: &str,
    limits: &ResourceAmounts,
    used: &ResourceAmounts,
) -> Outcome<()> {
    let unknown: Vec<&str> = limits.keys().map(String::as_str).collect();
    if limits.keys().all(|name| used.contains_key(name)) {
        Ok(())
    } else {
        let why = format!("status unknown for quota: {quota}, resources: {}", unknown.join(","));
        Err(refuse(write, object, &why))
    }
}

/// Adds to the status of a quota what a request will use.
fn charge(
    write: Write<'_>,
    quota: &str,
    limits: &ResourceAmounts,
    requested: &ResourceAmounts,
) -> Outcome<()> {
    let grows = limits.keys().any(|name| requested.get(name).is_some_and(|amount| amount.milli() > 0));
    let index = write.transaction.index();
    let Some(resource) = index.find("", "v1", "resourcequotas").filter(|_| grows) else { return Ok(()) };
    if write.options.dry_run == DryRun::All {
        return Ok(());
    }
    let key = resource.key(write.call.namespace(), quota);
    rewrite_status(write.transaction, &key, resource, |quota| {
        let (_, used) = quota_status(quota);
        let used_list = quota.ensure_map("status").ensure_map("used");
        for name in limits.keys() {
            let of = |amounts: &ResourceAmounts| amounts.get(name).copied().unwrap_or_default();
            let text = of(&used).plus(of(requested)).text();
            used_list.set_text(used_list.arena().alloc_str(name), &text);
        }
    })
}

/// What stored objects of a resource use of a quota.
pub(crate) fn total_usage(
    quota: &Map<'_>,
    resource: QuotaResource<'_>,
    stored: &[Stored],
) -> ResourceAmounts {
    let mut total = ResourceAmounts::new();
    for one in stored {
        let arena = Arena::new();
        let object = edit::tree(&one.record, &arena);
        if is_in_scope(quota, resource, &object) {
            add_usage(&mut total, &quota_usage(resource, &object));
        }
    }
    total
}
