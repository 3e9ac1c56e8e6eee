//! Storage that is in use: claims of running pods, bound volumes and classes of volumes stay until they are not.
//!
//! In a cluster, controllers remove the finalizers that admission has added. Here that is a follow-up of the deletion,
//! as garbage collection is.

use serde_json::Value;

use crate::{
    catalog::{Resource, cluster::Cluster},
    object::Object,
    store::Stored,
};

/// The finalizer that protects objects of a kind, if it is such a kind.
pub(super) fn finalizer(resource: &Resource) -> Option<&'static str> {
    match (resource.group.as_str(), resource.kind.as_str()) {
        ("", "PersistentVolumeClaim") => Some("kubernetes.io/pvc-protection"),
        ("", "PersistentVolume") => Some("kubernetes.io/pv-protection"),
        ("storage.k8s.io", "VolumeAttributesClass") => Some("kubernetes.io/vac-protection"),
        _ => None,
    }
}

/// The keys of the claims of a pod which is gone: they may have waited for it.
pub(super) fn claim_keys(pod: &Object) -> Vec<String> {
    let namespace = pod.metadata.namespace();
    claims(pod).into_iter().map(|claim| format!("/persistentvolumeclaims/{namespace}/{claim}")).collect()
}

/// Whether something needs an object that is being deleted.
pub(super) fn is_in_use(cluster: &Cluster, resource: &Resource, object: &Object) -> bool {
    let name = object.metadata.name();
    match resource.kind.as_str() {
        "PersistentVolumeClaim" => {
            let prefix = format!("/pods/{}/", object.metadata.namespace());
            any(cluster, &prefix, |pod| is_running(pod) && claims(pod).iter().any(|claim| claim == name))
        }
        // A volume is in use by its claim, whether a pod mounts it or not.
        "PersistentVolume" => text(object, &["status", "phase"]) == "Bound",
        _ => ["/persistentvolumeclaims/", "/persistentvolumes/"].iter().any(|prefix| {
            any(cluster, prefix, |volume| text(volume, &["spec", "volumeAttributesClassName"]) == name)
        }),
    }
}

fn any(cluster: &Cluster, prefix: &str, uses: impl Fn(&Object) -> bool) -> bool {
    let uses = |stored: &Stored| uses(&Object::of_record(&stored.record));
    cluster.store.newest(prefix).iter().any(|(_, stored)| uses(stored))
}

fn text(object: &Object, path: &[&str]) -> String {
    object.at(path).and_then(|value| value.as_str().map(str::to_string)).unwrap_or_default()
}

/// Only pods on a node that have not ended use their claims.
fn is_running(pod: &Object) -> bool {
    let phase = text(pod, &["status", "phase"]);
    !text(pod, &["spec", "nodeName"]).is_empty() && phase != "Succeeded" && phase != "Failed"
}

/// The claims of a pod, those of its ephemeral volumes too.
fn claims(pod: &Object) -> Vec<String> {
    let volumes = pod.at(&["spec", "volumes"]).unwrap_or_default();
    let of_volume = |volume: &Value| match volume.pointer("/persistentVolumeClaim/claimName") {
        Some(name) => name.as_str().map(str::to_string),
        None if volume.get("ephemeral").is_some() => {
            Some(format!("{}-{}", pod.metadata.name(), volume["name"].as_str()?))
        }
        None => None,
    };
    volumes.as_array().into_iter().flatten().filter_map(of_volume).collect()
}
