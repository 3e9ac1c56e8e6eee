//! Volumes of a pod.

use std::collections::{BTreeMap, BTreeSet};

use super::pod_of::PodOf;
use super::volume_sources;
use crate::field::Field;
use crate::format::{dns1123_label, dns1123_subdomain};
use crate::go_text::quoted;

/// The valid volumes of a pod by name.
pub(super) type Volumes<'t> = BTreeMap<&'t str, Field<'t>>;

/// The sources in the order in which Kubernetes looks for them: the first that is given counts.
const SOURCES: [&str; 30] = [
    "emptyDir",
    "hostPath",
    "gitRepo",
    "gcePersistentDisk",
    "awsElasticBlockStore",
    "secret",
    "nfs",
    "iscsi",
    "glusterfs",
    "flocker",
    "persistentVolumeClaim",
    "rbd",
    "cinder",
    "cephfs",
    "quobyte",
    "downwardAPI",
    "fc",
    "flexVolume",
    "configMap",
    "azureFile",
    "vsphereVolume",
    "photonPersistentDisk",
    "portworxVolume",
    "azureDisk",
    "storageos",
    "projected",
    "scaleIO",
    "csi",
    "ephemeral",
    "image",
];

/// Validates the volumes; answers those that mounts may use.
pub(super) fn volumes<'t>(volumes: Field<'t>, of: PodOf<'t>) -> Volumes<'t> {
    let created: BTreeSet<String> = claims_of_ephemeral_volumes(volumes, of);
    let mut valid = Volumes::new();
    for volume in volumes.items() {
        let before = volume.errors_so_far();
        let name = volume.field("name");
        source(volume, of);
        if !name.require("") {
            name.check(dns1123_label);
        }
        if valid.contains_key(name.str()) {
            name.duplicate();
        }
        // Mounts may use valid volumes only; others are reported as not found.
        if volume.errors_so_far() == before {
            valid.insert(name.str(), volume);
        }
        let claim = volume.fields(["persistentVolumeClaim", "claimName"]);
        // Such a claim is deleted with the pod, so no other volume may rely on it.
        if volume.field("persistentVolumeClaim").is_set() && created.contains(claim.str()) {
            claim.invalid("must not reference a PVC that gets created for an ephemeral volume");
        }
    }
    valid
}

fn claims_of_ephemeral_volumes(volumes: Field<'_>, of: PodOf<'_>) -> BTreeSet<String> {
    // The claim is named after the pod, which has no name yet.
    if of.name().is_empty() {
        return BTreeSet::new();
    }
    let ephemeral = volumes.items().filter(|volume| volume.field("ephemeral").is_set());
    ephemeral.map(|volume| format!("{}-{}", of.name(), volume.field("name").str())).collect()
}

fn source(volume: Field<'_>, of: PodOf<'_>) {
    let mut given = SOURCES.into_iter().filter(|name| volume.has(name));
    let first = given.next();
    match first {
        Some(name) => volume_sources::source(name, volume.field(name)),
        None => volume.required("must specify a volume type"),
    }
    for name in given {
        // Upstream spells two of them in its own way.
        let reported = match name {
            "cephfs" => "cephFS",
            "downwardAPI" => "downwarAPI",
            name => name,
        };
        volume.field(reported).forbidden("may not specify more than 1 volume type");
    }
    names_with_others(volume, first, of);
}

/// Names that together with that of the volume must not be too long.
fn names_with_others(volume: Field<'_>, first: Option<&str>, of: PodOf<'_>) {
    const MAX_ISCSI_NAME: usize = 64;
    let name = volume.field("name");
    let iscsi = volume.field("iscsi");
    let portal = iscsi.field("targetPortal").str();
    // The pair becomes the name of an interface for which open-iscsi has this much room.
    if iscsi.field("initiatorName").is_set() && name.str().len() + 1 + portal.len() > MAX_ISCSI_NAME {
        name.invalid(
            "Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters if iscsi.initiatorName \
             is specified.",
        );
    }
    if first == Some("ephemeral") && !of.name().is_empty() && !name.is_empty() {
        let claim = format!("{}-{}", of.name(), name.str());
        for problem in dns1123_subdomain(&claim) {
            name.invalid(format!("PVC name {}: {problem}", quoted(&claim)));
        }
    }
}
