//! The cells of volumes, claims and the kinds of the storage group.

use serde_json::{Value, json};

use super::read::{list, or_none, part, text, word};

pub(crate) fn volume_capacity(volume: &Value) -> String {
    text(volume, "/spec/capacity/storage").unwrap_or("0").into()
}

pub(crate) fn claim_capacity(claim: &Value) -> String {
    if is_bound(claim) {
        text(claim, "/status/capacity/storage").unwrap_or("0").into()
    } else {
        String::new()
    }
}

pub(crate) fn volume_modes(volume: &Value) -> String {
    short_modes(volume, "/spec/accessModes")
}

pub(crate) fn claim_modes(claim: &Value) -> String {
    if is_bound(claim) { short_modes(claim, "/status/accessModes") } else { String::new() }
}

pub(crate) fn attach_required(driver: &Value) -> Value {
    json!(*part(driver, "/spec/attachRequired") != json!(false))
}

pub(crate) fn lifecycle_modes(driver: &Value) -> String {
    let modes = list(driver, "/spec/volumeLifecycleModes").map(word);
    or_none(modes.collect::<Vec<_>>().join(","))
}

pub(crate) fn phase(object: &Value) -> String {
    if object.pointer("/metadata/deletionTimestamp").is_some() {
        return "Terminating".into();
    }
    text(object, "/status/phase").unwrap_or_default().into()
}

fn is_bound(claim: &Value) -> bool {
    text(claim, "/spec/volumeName").is_some()
}

/// The class by its annotation, which older clients write, or by its field.
pub(crate) fn class(object: &Value) -> String {
    const OLD_CLASS: &str = "volume.beta.kubernetes.io/storage-class";
    let annotation = part(object, "/metadata/annotations")[OLD_CLASS].as_str();
    annotation.or(text(object, "/spec/storageClassName")).unwrap_or_default().into()
}

pub(crate) fn claim(volume: &Value) -> String {
    match volume.pointer("/spec/claimRef") {
        Some(claim) => format!("{}/{}", word(&claim["namespace"]), word(&claim["name"])),
        None => String::new(),
    }
}

fn short_modes(volume: &Value, pointer: &str) -> String {
    const SHORT: [(&str, &str); 4] = [
        ("ReadWriteOnce", "RWO"),
        ("ReadOnlyMany", "ROX"),
        ("ReadWriteMany", "RWX"),
        ("ReadWriteOncePod", "RWOP"),
    ];
    // Each mode once, in this order.
    let has = |mode: &str| list(volume, pointer).any(|one| one == mode);
    let modes = SHORT.iter().filter(|(mode, _)| has(mode)).map(|(_, short)| *short);
    modes.collect::<Vec<_>>().join(",")
}

pub(crate) fn token_requests(driver: &Value) -> String {
    if part(driver, "/spec/tokenRequests").is_null() {
        return "<unset>".into();
    }
    list(driver, "/spec/tokenRequests").map(|one| word(&one["audience"])).collect::<Vec<_>>().join(",")
}
