//! Defaults of volumes.

use super::image;
use crate::groups::core_v1::claim_spec;
use crate::registry::Context;
use crate::tree::Map;

/// The mode of files in volumes: 0644.
const FILE_MODE: i64 = 0o644;

pub(super) fn volume(volume: &mut Map<'_>, context: Context) {
    // A volume without any source is a directory that lives as long as the pod.
    let has_source = volume.iter().any(|(name, _)| name != "name");
    if !has_source {
        volume.ensure_map("emptyDir");
    }
    for name in ["secret", "configMap", "downwardAPI", "projected"] {
        if let Some(source) = volume.map_mut(name) {
            source.set_if_absent("defaultMode", FILE_MODE);
        }
    }
    volume.map_mut("downwardAPI").into_iter().for_each(field_references);
    if let Some(projected) = volume.map_mut("projected") {
        projected.maps_mut("sources").for_each(projected_source);
    }
    if let Some(path) = volume.map_mut("hostPath") {
        // An empty type checks nothing before mounting.
        path.set_if_absent("type", "");
    }
    if let Some(image) = volume.map_mut("image") {
        let policy = if image::tag(image.str("reference")) == "latest" { "Always" } else { "IfNotPresent" };
        image.set_default("pullPolicy", policy);
    }
    let template = volume.map_mut("ephemeral").and_then(|ephemeral| ephemeral.map_mut("volumeClaimTemplate"));
    if let Some(spec) = template.and_then(|template| template.map_mut("spec")) {
        claim_spec::defaults(spec, context);
    }
    storage_systems(volume);
}

fn field_references(source: &mut Map<'_>) {
    for item in source.maps_mut("items") {
        if let Some(field) = item.map_mut("fieldRef") {
            field.set_default("apiVersion", "v1");
        }
    }
}

fn projected_source(source: &mut Map<'_>) {
    const HOUR: i64 = 3600;
    source.map_mut("downwardAPI").into_iter().for_each(field_references);
    if let Some(token) = source.map_mut("serviceAccountToken") {
        token.set_if_absent("expirationSeconds", HOUR);
    }
}

/// Sources of particular storage systems; persistent volumes have the same defaults.
pub(crate) fn storage_systems(source: &mut Map<'_>) {
    if let Some(iscsi) = source.map_mut("iscsi") {
        iscsi.set_default("iscsiInterface", "default");
    }
    if let Some(rbd) = source.map_mut("rbd") {
        rbd.set_default("pool", "rbd");
        rbd.set_default("user", "admin");
        rbd.set_default("keyring", "/etc/ceph/keyring");
    }
    if let Some(disk) = source.map_mut("azureDisk") {
        disk.set_if_absent("cachingMode", "ReadWrite");
        disk.set_if_absent("fsType", "ext4");
        disk.set_if_absent("readOnly", false);
        disk.set_if_absent("kind", "Shared");
    }
    if let Some(scale) = source.map_mut("scaleIO") {
        scale.set_default("storageMode", "ThinProvisioned");
        scale.set_default("fsType", "xfs");
    }
}
