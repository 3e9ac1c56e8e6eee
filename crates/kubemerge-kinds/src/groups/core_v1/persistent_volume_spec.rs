//! The spec of a PersistentVolume: of volumes and of attachments that hold one.

use super::claim_spec::access_modes;
use super::pod_spec::{is_iscsi_name, no_backsteps, node_selector, volume_source};
use crate::field::{BadValue, Field};
use crate::format::{dns1123_label, dns1123_subdomain};
use crate::groups::core_v1::pod_spec::csi_driver_name;

/// The sources in the order in which Kubernetes looks for them: the first that is given counts.
pub(super) const SOURCES: [&str; 22] = [
    "hostPath",
    "gcePersistentDisk",
    "awsElasticBlockStore",
    "glusterfs",
    "flocker",
    "nfs",
    "rbd",
    "quobyte",
    "cephfs",
    "iscsi",
    "cinder",
    "fc",
    "flexVolume",
    "azureFile",
    "vsphereVolume",
    "photonPersistentDisk",
    "portworxVolume",
    "azureDisk",
    "scaleIO",
    "local",
    "storageos",
    "csi",
];

/// Whose spec is validated.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum VolumeOf<'t> {
    /// That of a PersistentVolume with this name.
    Object {
        /// Its name.
        name: &'t str,
    },
    /// One inside another object, which must be a CSI volume.
    Inline,
}

/// Validates a spec.
pub(crate) fn validate(spec: Field<'_>, of: VolumeOf<'_>) {
    if of == VolumeOf::Inline {
        inline_fields(spec);
    }
    access_modes(spec.field("accessModes"), "");
    if of != VolumeOf::Inline {
        object_fields(spec);
    }
    sources(spec, of);
    if of != VolumeOf::Inline {
        class_and_mode(spec);
    }
    let (path, policy) = (spec.fields(["hostPath", "path"]), spec.field("persistentVolumeReclaimPolicy"));
    // Recycling deletes all files of the volume, here those of the node.
    if spec.has("hostPath") && is_root(path.str()) && policy.str() == "Recycle" {
        policy.forbidden("may not be 'recycle' for a hostPath mount of '/'");
    }
}

fn object_fields(spec: Field<'_>) {
    capacity(spec.field("capacity"));
    let policy = spec.field("persistentVolumeReclaimPolicy");
    if !policy.is_empty() {
        policy.one_of(&["Delete", "Recycle", "Retain"]);
    }
    let affinity = spec.field("nodeAffinity");
    if affinity.has("required") {
        node_selector(affinity.field("required"));
    } else if affinity.is_set() {
        affinity.field("required").required("must specify required node constraints");
    }
}

fn class_and_mode(spec: Field<'_>) {
    let (class, mode) = (spec.field("storageClassName"), spec.field("volumeMode"));
    if !class.is_empty() {
        class.check(dns1123_subdomain);
    }
    if mode.is_set() {
        mode.one_of(&["Block", "Filesystem"]);
    }
    attributes_class(spec);
}

fn capacity(capacity: Field<'_>) {
    capacity.require("");
    // Upstream reports a missing capacity here again.
    if !capacity.key("storage").is_set() || capacity.len() > 1 {
        capacity.not_supported_as(capacity.bad_value(), &["storage"]);
    }
    for (_, quantity) in capacity.entries() {
        if quantity.quantity().value() < 0 {
            quantity.invalid_as(quantity.quantity().value(), "must be a valid resource quantity");
        }
        // A negative quantity has both errors.
        if quantity.quantity().sign() <= 0 {
            quantity.invalid("must be greater than zero");
        }
    }
}

fn attributes_class(spec: Field<'_>) {
    let class = spec.field("volumeAttributesClassName");
    if !class.is_set() {
        return;
    }
    if class.is_empty() {
        class.required("an empty string is disallowed");
    } else {
        class.check(dns1123_subdomain);
    }
    if !spec.has("csi") {
        spec.field("csi").required("has to be specified when using volumeAttributesClassName");
    }
}

fn inline_fields(spec: Field<'_>) {
    const MESSAGE: &str = "may not be specified in the context of inline volumes";
    for name in ["claimRef", "nodeAffinity"] {
        if spec.has(name) {
            spec.field(name).forbidden(MESSAGE);
        }
    }
    for name in ["capacity", "storageClassName"] {
        if !spec.field(name).is_empty() {
            spec.field(name).forbidden(MESSAGE);
        }
    }
    if !spec.has("csi") {
        spec.field("csi").required("has to be specified in the context of inline volumes");
    }
    let (policy, mode) = (spec.field("persistentVolumeReclaimPolicy"), spec.field("volumeMode"));
    // No controller would delete or recycle a volume without an object.
    if !matches!(policy.str(), "" | "Retain") {
        policy.forbidden("may only be Retain in the context of inline volumes");
    }
    if mode.is_set() && mode.str() != "Filesystem" {
        mode.forbidden("may not specify volumeMode other than Filesystem in the context of inline volumes");
    }
}

fn sources(spec: Field<'_>, of: VolumeOf<'_>) {
    let mut given = SOURCES.into_iter().filter(|name| spec.has(name));
    match given.next() {
        Some(name) => source(name, spec, of),
        None => spec.required("must specify a volume type"),
    }
    for name in given {
        match name {
            // Upstream never minds a second source of this type.
            "flexVolume" => source(name, spec, of),
            "cephfs" => spec.field("cephFS").forbidden("may not specify more than 1 volume type"),
            name => spec.field(name).forbidden("may not specify more than 1 volume type"),
        }
    }
}

fn source<'t>(name: &'t str, spec: Field<'t>, of: VolumeOf<'_>) {
    let source = spec.field(name);
    match name {
        "csi" => csi(source),
        "iscsi" => iscsi(source, of),
        "local" => {
            if !source.field("path").require("") {
                no_backsteps(source.field("path"));
            }
            // Upstream looks at affinity only where it is allowed.
            if of == VolumeOf::Inline || !spec.has("nodeAffinity") {
                spec.field("nodeAffinity").required("Local volume requires node affinity");
            }
        }
        _ => {
            volume_source(name, source);
            namespaces(name, source);
        }
    }
}

/// References of volumes have namespaces, unlike those of pods.
fn namespaces(name: &str, source: Field<'_>) {
    let secret = source.field("secretRef");
    match name {
        "cinder" | "storageos" if secret.is_set() => {
            secret.field("namespace").require("");
        }
        "azureFile" if source.has("secretNamespace") => {
            source.field("secretNamespace").require("");
        }
        "glusterfs" if source.has("endpointsNamespace") => {
            let namespace = source.field("endpointsNamespace");
            if namespace.is_empty() {
                namespace.invalid("if the endpointnamespace is set, it must be a valid namespace name");
            } else {
                namespace.check(dns1123_label);
            }
        }
        _ => {}
    }
}

fn csi(source: Field<'_>) {
    csi_driver_name(source.field("driver"));
    source.field("volumeHandle").require("");
    // Upstream leaves nodeStageSecretRef unchecked.
    let secrets = [
        "controllerPublishSecretRef",
        "controllerExpandSecretRef",
        "nodePublishSecretRef",
        "nodeExpandSecretRef",
    ];
    for secret in secrets.map(|name| source.field(name)).into_iter().filter(|secret| secret.is_set()) {
        let (name, namespace) = (secret.field("name"), secret.field("namespace"));
        if !name.require("") {
            name.check(dns1123_subdomain);
        }
        if !namespace.require("") {
            namespace.check(dns1123_label);
        }
    }
}

fn iscsi(source: Field<'_>, of: VolumeOf<'_>) {
    const MAX_NAMES: usize = 64;
    let (portal, iqn) = (source.field("targetPortal"), source.field("iqn"));
    let (initiator, secret) = (source.field("initiatorName"), source.field("secretRef"));
    let volume = if let VolumeOf::Object { name } = of { name } else { "" };
    portal.require("");
    if initiator.is_set() && volume.len() + 1 + portal.str().len() > MAX_NAMES {
        // Upstream writes these two fields in lower case.
        portal.reported_at(source.field("targetportal")).invalid(
            "Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters if iscsi.initiatorName \
             is specified.",
        );
    }
    // Upstream: the prefix is not reported on its own, unlike in pods.
    if !iqn.require("") && !is_iscsi_name(iqn.str()) {
        iqn.invalid("must be valid format");
    }
    source.field("lun").check_range(0, 255);
    let authenticates = source.field("chapAuthDiscovery").bool() || source.field("chapAuthSession").bool();
    if secret.is_set() {
        secret.field("name").require("");
    } else if authenticates {
        secret.required("");
    }
    if initiator.is_set() && !is_iscsi_name(initiator.str()) {
        let bad_value = BadValue::from(initiator.str());
        source.field("initiatorname").invalid_as(bad_value, "must be valid format");
    }
}

/// Whether a path leads to the root after `.`, `..` and repeated slashes are resolved.
fn is_root(path: &str) -> bool {
    let mut depth = 0usize;
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => depth = depth.saturating_sub(1),
            _ => depth += 1,
        }
    }
    path.starts_with('/') && depth == 0
}
