//! The same merge on two JSON libraries: parse both texts, merge, write.
//!
//! Maps merge, lists of named maps merge by `name`, other lists are replaced. That is less than a
//! strategic merge, and enough for these patches.

use sonic_rs::{JsonContainerTrait as _, JsonValueMutTrait as _, JsonValueTrait as _};

/// `serde_json::Value` in between.
pub(super) fn with_serde_json(live: &[u8], patch: &[u8]) -> Vec<u8> {
    let mut live: serde_json::Value = serde_json::from_slice(live).expect("the race is on JSON");
    let patch = serde_json::from_slice(patch).expect("the race is on JSON");
    merge(&mut live, patch);
    serde_json::to_vec(&live).expect("values can be written")
}

fn merge(live: &mut serde_json::Value, patch: serde_json::Value) {
    use serde_json::Value;
    match (live, patch) {
        (Value::Object(live), Value::Object(patch)) => {
            for (key, value) in patch {
                match live.get_mut(&key) {
                    Some(below) => merge(below, value),
                    None => drop(live.insert(key, value)),
                }
            }
        }
        // As little as possible that gives the right result here: keys are always `name`.
        (Value::Array(live), Value::Array(patch)) if patch.iter().all(|item| item.get("name").is_some()) => {
            for item in patch {
                match live.iter_mut().find(|known| known.get("name") == item.get("name")) {
                    Some(known) => merge(known, item),
                    None => live.push(item),
                }
            }
        }
        (live, patch) => *live = patch,
    }
}

/// `sonic_rs::Value` in between.
pub(super) fn with_sonic_rs(live: &[u8], patch: &[u8]) -> Vec<u8> {
    let mut live: sonic_rs::Value = sonic_rs::from_slice(live).expect("the race is on JSON");
    let patch: sonic_rs::Value = sonic_rs::from_slice(patch).expect("the race is on JSON");
    merge_sonic(&mut live, &patch);
    sonic_rs::to_vec(&live).expect("values can be written")
}

fn merge_sonic(live: &mut sonic_rs::Value, patch: &sonic_rs::Value) {
    if let (true, Some(members)) = (live.is_object(), patch.as_object()) {
        for (key, value) in members {
            match live.get_mut(key) {
                Some(below) => merge_sonic(below, value),
                None => drop(live.as_object_mut().map(|live| live.insert(key, value.clone()))),
            }
        }
        return;
    }
    match (live.as_array_mut(), patch.as_array()) {
        (Some(live), Some(items)) if items.iter().all(|item| item.get("name").is_some()) => {
            for item in items {
                match live.iter_mut().find(|known| known.get("name") == item.get("name")) {
                    Some(known) => merge_sonic(known, item),
                    None => live.push(item.clone()),
                }
            }
        }
        _ => *live = patch.clone(),
    }
}
