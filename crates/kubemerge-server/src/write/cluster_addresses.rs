//! IPAddress objects: every address of a Service has one, which shows that it is taken.

use serde_json::{Value, json};

use crate::{
    catalog::{Resource, cluster::Cluster},
    object::Object,
    store::Stored,
};

/// What the keys of all IPAddress objects begin with.
pub(crate) const IP_ADDRESSES: &str = "networking.k8s.io/ipaddresses/";

/// What a write to a Service changes.
#[derive(Debug, Default)]
pub(super) struct AddressChange {
    pub(super) claimed: Vec<String>,
    pub(super) released: Vec<String>,
}

/// The addresses that a Service has got and lost.
pub(super) fn changed(before: Option<&Stored>, after: Option<&Stored>) -> AddressChange {
    let (before, after) = (addresses(before), addresses(after));
    let only = |these: &[String], not: &[String]| -> Vec<String> {
        these.iter().filter(|one| !not.contains(one)).cloned().collect()
    };
    AddressChange { claimed: only(&after, &before), released: only(&before, &after) }
}

fn addresses(service: Option<&Stored>) -> Vec<String> {
    let Some(service) = service.map(|stored| Object::of_record(&stored.record)) else { return Vec::new() };
    if service.at(&["spec", "type"]).is_some_and(|kind| kind == "ExternalName") {
        return Vec::new();
    }
    let held = service.at(&["spec", "clusterIPs"]).unwrap_or_default();
    let held = held.as_array().into_iter().flatten().filter_map(Value::as_str);
    held.filter(|address| address.parse::<std::net::IpAddr>().is_ok()).map(str::to_string).collect()
}

/// The object of an address that a Service holds.
pub(super) fn object(
    cluster: &Cluster,
    resource: &Resource,
    address: &str,
    service: &Stored,
) -> Option<Object> {
    let family = if address.contains(':') { "IPv6" } else { "IPv4" };
    let owner = Object::of_record(&service.record).metadata;
    let value = json!({"apiVersion": resource.api_version, "kind": resource.kind, "metadata": {
            "name": address, "labels": {"ipaddress.kubernetes.io/ip-family": family,
                "ipaddress.kubernetes.io/managed-by": "ipallocator.k8s.io"}},
        "spec": {"parentRef":
            {"name": owner.name(), "namespace": owner.namespace(), "resource": "services"}}});
    let mut object = Object::from_value(&value).ok()?;
    let (now, uid) = (cluster.clock.now().text(), cluster.entropy.uid());
    object.metadata.set_identity(&now, resource.strategy.generation.first(), &uid);
    Some(object)
}
