//! JSON patches and JSON merge patches: against the crate `json-patch` and against Kubernetes.

use kubemerge::{Patch, PatchType, RuleSource, apply};
use kubemerge_value::Canonical;
use serde_json::{Value, json};

use super::{
    documents::{config_map, pod},
    kubernetes::Kubernetes,
    stopwatch::nanoseconds,
    table::Table,
};

/// A document and a patch for it.
struct Race {
    name: &'static str,
    patch_type: PatchType,
    live: Value,
    patch: Value,
}

/// The table of patches that need no schema.
pub(super) fn table(kubernetes: &mut Kubernetes) -> Table {
    let rows = races().iter().map(|race| (race.name.to_string(), row(race, kubernetes))).collect();
    let columns = ["ours, trusted", "ours, checked", "json-patch", "Kubernetes"];
    Table::times("Applying a JSON patch or a merge patch, bytes to bytes", columns, rows)
}

fn races() -> Vec<Race> {
    let operations = json!([
        { "op": "test", "path": "/spec/containers/0/name", "value": "app" },
        { "op": "replace", "path": "/spec/containers/0/image", "value": "registry.example/app:v2" },
        { "op": "add", "path": "/metadata/labels/tier", "value": "web" },
    ]);
    vec![
        Race {
            name: "pod, JSON patch of three operations",
            patch_type: PatchType::Json,
            live: pod(),
            patch: operations,
        },
        Race {
            name: "pod, merge patch",
            patch_type: PatchType::Merge,
            live: pod(),
            patch: json!({ "metadata": { "labels": { "tier": "web" } }, "spec": { "priority": 7 } }),
        },
        Race {
            name: "config map of 1 MB, JSON patch of one key",
            patch_type: PatchType::Json,
            live: config_map(23_000),
            patch: json!([{ "op": "replace", "path": "/data/key-11500", "value": "new" }]),
        },
        Race {
            name: "config map of 1 MB, merge patch of one key",
            patch_type: PatchType::Merge,
            live: config_map(23_000),
            patch: json!({ "data": { "key-11500": "new" } }),
        },
    ]
}

fn row(race: &Race, kubernetes: &mut Kubernetes) -> Vec<Option<f64>> {
    let (live, patch) = (race.live.to_string(), race.patch.to_string());
    let stored = Canonical::from_bytes(live.as_bytes()).expect("the race is on JSON");
    let read = || Patch::new(race.patch_type, patch.as_bytes()).expect("it is a patch");
    let op = if race.patch_type == PatchType::Json { "json-patch" } else { "merge-patch" };
    vec![
        Some(nanoseconds(|| apply(RuleSource::None, &stored, &read()).expect("the patch applies"))),
        Some(nanoseconds(|| apply(RuleSource::None, live.as_bytes(), &read()).expect("the patch applies"))),
        Some(nanoseconds(|| with_json_patch(race.patch_type, &live, &patch))),
        kubernetes.nanoseconds(op, "v1/Pod", &json!({ "original": race.live, "patch": race.patch })),
    ]
}

/// `serde_json::Value` in between.
fn with_json_patch(patch_type: PatchType, live: &str, patch: &str) -> Vec<u8> {
    let mut live: Value = serde_json::from_str(live).expect("the race is on JSON");
    match patch_type {
        PatchType::Json => {
            let patch: json_patch::Patch = serde_json::from_str(patch).expect("it is a patch");
            json_patch::patch(&mut live, &patch).expect("the patch applies");
        }
        _ => json_patch::merge(&mut live, &serde_json::from_str(patch).expect("the race is on JSON")),
    }
    serde_json::to_vec(&live).expect("values can be written")
}
