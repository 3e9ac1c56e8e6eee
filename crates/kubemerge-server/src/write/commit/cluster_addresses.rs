//! IPAddress objects: every address of a Service has one, which shows that it is taken.

use serde_json::json;

use crate::{
    catalog::{Resource, cluster::Cluster},
    store::{Ownership, Record, Stored},
    write::identity::new_record,
};

/// What the keys of all IPAddress objects begin with.
pub(crate) const IP_ADDRESSES: &str = "networking.k8s.io/ipaddresses/";

/// Whether objects have addresses: only Services do.
pub(crate) fn has_addresses(resource: &Resource) -> bool {
    resource.group.is_empty() && resource.kind == "Service"
}

/// What a write to a Service changes.
#[derive(Debug, Default)]
pub(crate) struct AddressChange {
    pub(crate) claimed: Vec<String>,
    pub(crate) released: Vec<String>,
}

/// The addresses that a Service has got and lost.
pub(crate) fn changed(before: Option<&Stored>, after: Option<&Stored>) -> AddressChange {
    let (before, after) = (addresses(before), addresses(after));
    let only = |these: &[String], not: &[String]| -> Vec<String> {
        these.iter().filter(|one| !not.contains(one)).cloned().collect()
    };
    AddressChange { claimed: only(&after, &before), released: only(&before, &after) }
}

fn addresses(service: Option<&Stored>) -> Vec<String> {
    let Some(Stored { record, .. }) = service else { return Vec::new() };
    if record.text_at(&["spec", "type"]) == "ExternalName" {
        return Vec::new();
    }
    let held = record.texts_at(&["spec", "clusterIPs"]).into_iter();
    held.filter(|address| address.parse::<std::net::IpAddr>().is_ok()).collect()
}

/// The object of an address that a Service holds.
pub(crate) fn object(cluster: &Cluster, resource: &Resource, address: &str, service: &Record) -> Record {
    let family = if address.contains(':') { "IPv6" } else { "IPv4" };
    let value = json!({"apiVersion": resource.api_version, "kind": resource.kind, "metadata": {
            "name": address, "labels": {"ipaddress.kubernetes.io/ip-family": family,
                "ipaddress.kubernetes.io/managed-by": "ipallocator.k8s.io"}},
        "spec": {"parentRef":
            {"name": service.name(), "namespace": service.namespace(), "resource": "services"}}});
    new_record(cluster, resource, &value, Ownership::default())
}
