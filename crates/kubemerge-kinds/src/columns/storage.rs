//! The cells of volumes, claims and the kinds of the storage group.

use serde_json::{Value, json};

use super::read::{list, or_none, text, word};

/// A cell; none if the column is another kind's.
pub(super) fn cell(name: &str, object: &Value) -> Option<Value> {
    Some(match name {
        "volume-phase" => json!(phase(object)),
        "volume-capacity" => json!(text(object, "/spec/capacity/storage").unwrap_or("0")),
        "claim-capacity" if is_bound(object) => {
            json!(text(object, "/status/capacity/storage").unwrap_or("0"))
        }
        "claim-capacity" => json!(""),
        "access-modes" if is_bound(object) => json!(short_modes(object, "/status/accessModes")),
        "access-modes" => json!(""),
        "volume-modes" => json!(short_modes(object, "/spec/accessModes")),
        "storage-class" => json!(class(object)),
        "claim" => json!(claim(object)),
        "reclaim-policy" => json!(text(object, "/reclaimPolicy").unwrap_or("Delete")),
        "binding-mode" => json!(text(object, "/volumeBindingMode").unwrap_or("Immediate")),
        "attach-required" => json!(object["spec"]["attachRequired"] != json!(false)),
        "token-requests" => json!(token_requests(object)),
        "lifecycle-modes" => {
            let modes = list(object, "/spec/volumeLifecycleModes").map(word);
            json!(or_none(modes.collect::<Vec<_>>().join(",")))
        }
        _ => return None,
    })
}

fn phase(object: &Value) -> &str {
    if object.pointer("/metadata/deletionTimestamp").is_some() {
        return "Terminating";
    }
    text(object, "/status/phase").unwrap_or_default()
}

fn is_bound(claim: &Value) -> bool {
    text(claim, "/spec/volumeName").is_some()
}

/// The class by its annotation, which older clients write, or by its field.
fn class(object: &Value) -> &str {
    const OLD_CLASS: &str = "volume.beta.kubernetes.io/storage-class";
    let annotation = object["metadata"]["annotations"][OLD_CLASS].as_str();
    annotation.or(text(object, "/spec/storageClassName")).unwrap_or_default()
}

fn claim(volume: &Value) -> String {
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

fn token_requests(driver: &Value) -> String {
    if driver["spec"]["tokenRequests"].is_null() {
        return "<unset>".into();
    }
    list(driver, "/spec/tokenRequests").map(|one| word(&one["audience"])).collect::<Vec<_>>().join(",")
}
