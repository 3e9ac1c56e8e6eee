//! Times that the rules of kinds leave to the server: they have no clock.

use kubemerge_kinds::tree::Map;

use super::contract::Storing;
use crate::catalog::{Resource, cluster::Cluster};

/// Defaults that are the present time, set when an object is decoded.
pub(super) fn set_defaults(cluster: &Cluster, resource: &Resource, object: &mut Map<'_>) {
    let Some(spec) = object.map_mut("spec").filter(|_| resource.group == "resource.k8s.io") else { return };
    let now = cluster.clock.now().to_string();
    match resource.kind.as_str() {
        "DeviceTaintRule" => spec.map_mut("taint").into_iter().for_each(|taint| added_at(taint, &now)),
        "ResourceSlice" => {
            let taints = spec.maps_mut("devices").flat_map(|device| device.maps_mut("taints"));
            taints.for_each(|taint| added_at(taint, &now));
        }
        _ => {}
    }
}

fn added_at(taint: &mut Map<'_>, now: &str) {
    if !taint.has("timeAdded") {
        taint.set_text("timeAdded", now);
    }
}

/// Times of changes, set when the rules of the kind have prepared the object.
pub(super) fn set_transitions(
    cluster: &Cluster,
    resource: &Resource,
    object: &mut Map<'_>,
    Storing { old, subresource, .. }: Storing<'_, '_>,
) {
    let now = || cluster.clock.now().to_string();
    match (resource.group.as_str(), resource.kind.as_str()) {
        ("", "PersistentVolume") => set_phase_time(object, old, now),
        ("resource.k8s.io", "DeviceTaintRule") => set_effect_time(object, old, now),
        ("certificates.k8s.io", "CertificateSigningRequest") if subresource.is_some() => {
            set_condition_times(object, old, now);
        }
        // Later only clients write its conditions.
        ("apiregistration.k8s.io", "APIService") if old.is_none() => {
            let conditions =
                object.map_mut("status").into_iter().flat_map(|status| status.maps_mut("conditions"));
            // The rules leave a null where the time belongs.
            for condition in conditions.filter(|condition| condition.str("lastTransitionTime").is_empty()) {
                condition.set_text("lastTransitionTime", &now());
            }
        }
        _ => {}
    }
}

/// A volume that enters another phase, unless the client says when.
fn set_phase_time(volume: &mut Map<'_>, old: Option<&Map<'_>>, now: impl Fn() -> String) {
    const TIME: &str = "lastPhaseTransitionTime";
    let before = old.and_then(|old| old.map("status"));
    let (Some(before), Some(status)) = (before, volume.map_mut("status")) else { return };
    let is_told = status.has(TIME) && status.str(TIME) != before.str(TIME);
    if status.str("phase") != before.str("phase") && !is_told {
        status.set_text(TIME, &now());
    }
}

/// Conditions of a request for a certificate, unless the client says when. One that was there keeps its time.
fn set_condition_times(request: &mut Map<'_>, old: Option<&Map<'_>>, now: impl Fn() -> String) {
    let before = old.and_then(|old| old.map("status"));
    let since = |condition: &Map<'_>| {
        let is_same =
            |known: &&Map<'_>| ["type", "status"].iter().all(|name| known.str(name) == condition.str(name));
        let known = before.into_iter().flat_map(|status| status.maps("conditions")).find(is_same);
        known.map(|known| known.str("lastTransitionTime").to_owned()).filter(|time| !time.is_empty())
    };
    for condition in request.map_mut("status").into_iter().flat_map(|status| status.maps_mut("conditions")) {
        if condition.str("lastUpdateTime").is_empty() {
            condition.set_text("lastUpdateTime", &now());
        }
        if condition.str("lastTransitionTime").is_empty() {
            let time = since(condition).unwrap_or_else(&now);
            condition.set_text("lastTransitionTime", &time);
        }
    }
}

/// A taint with another effect is a new one, unless the client says when it was added.
fn set_effect_time(rule: &mut Map<'_>, old: Option<&Map<'_>>, now: impl Fn() -> String) {
    let before = old.and_then(|old| old.map("spec")).and_then(|spec| spec.map("taint"));
    let taint = rule.map_mut("spec").and_then(|spec| spec.map_mut("taint"));
    let (Some(before), Some(taint)) = (before, taint) else { return };
    let is_told = taint.str("timeAdded") != before.str("timeAdded");
    if taint.str("effect") != before.str("effect") && !is_told {
        taint.set_text("timeAdded", &now());
    }
}
