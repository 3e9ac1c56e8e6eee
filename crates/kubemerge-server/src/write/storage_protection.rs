//! Storage that is in use: claims of running pods, bound volumes and classes of volumes stay until they are not.
//!
//! In a cluster, controllers remove the finalizers that admission has added. Here that is a follow-up of the deletion,
//! as garbage collection is.

use kubemerge_value::{Arena, Node};

use crate::{
    catalog::{Resource, cluster::Cluster},
    store::Record,
};

/// The finalizer that protects objects of a kind, if it is such a kind.
pub(crate) fn finalizer(resource: &Resource) -> Option<&'static str> {
    match (resource.group.as_str(), resource.kind.as_str()) {
        ("", "PersistentVolumeClaim") => Some("kubernetes.io/pvc-protection"),
        ("", "PersistentVolume") => Some("kubernetes.io/pv-protection"),
        ("storage.k8s.io", "VolumeAttributesClass") => Some("kubernetes.io/vac-protection"),
        _ => None,
    }
}

/// The keys of what may have waited for an object that is gone: the claims of a pod.
pub(crate) fn released_by(resource: &Resource, object: &Record) -> Vec<String> {
    if !(resource.group.is_empty() && resource.kind == "Pod") {
        return Vec::new();
    }
    let namespace = object.namespace();
    claims(object).into_iter().map(|claim| format!("/persistentvolumeclaims/{namespace}/{claim}")).collect()
}

/// Whether something needs an object that is being deleted.
pub(crate) fn is_in_use(cluster: &Cluster, resource: &Resource, object: &Record) -> bool {
    let name = object.name();
    match resource.kind.as_str() {
        "PersistentVolumeClaim" => {
            let prefix = format!("/pods/{}/", object.namespace());
            any(cluster, &prefix, |pod| is_running(pod) && claims(pod).iter().any(|claim| *claim == name))
        }
        // A volume is in use by its claim, whether a pod mounts it or not.
        "PersistentVolume" => object.text_at(&["status", "phase"]) == "Bound",
        _ => ["/persistentvolumeclaims/", "/persistentvolumes/"].iter().any(|prefix| {
            any(cluster, prefix, |volume| volume.text_at(&["spec", "volumeAttributesClassName"]) == name)
        }),
    }
}

fn any(cluster: &Cluster, prefix: &str, uses: impl Fn(&Record) -> bool) -> bool {
    cluster.store.newest(prefix).iter().any(|(_, stored)| uses(&stored.record))
}

/// Only pods on a node that have not ended use their claims.
fn is_running(pod: &Record) -> bool {
    let phase = pod.text_at(&["status", "phase"]);
    !pod.text_at(&["spec", "nodeName"]).is_empty() && phase != "Succeeded" && phase != "Failed"
}

/// The claims of a pod, those of its ephemeral volumes too.
fn claims(pod: &Record) -> Vec<String> {
    let Some(volumes) = pod.at(&["spec", "volumes"]) else { return Vec::new() };
    let of_volume = |volume: &Node<'_>| {
        let claim = volume.get("persistentVolumeClaim").and_then(|claim| claim.get("claimName"));
        match claim {
            Some(name) => Some(name.as_str()?.text().into_owned()),
            None if volume.get("ephemeral").is_some() => {
                Some(format!("{}-{}", pod.name(), volume.get("name")?.as_str()?.text()))
            }
            None => None,
        }
    };
    volumes.elements(&Arena::new()).iter().filter_map(of_volume).collect()
}
