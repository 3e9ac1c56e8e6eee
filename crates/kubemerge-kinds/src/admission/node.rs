//! New nodes: not ready until a controller says otherwise.

use crate::tree::{List, Map};

/// Adds the taint that keeps pods off a node which has not reported yet.
pub fn add_not_ready_taint(node: &mut Map<'_>) {
    const NOT_READY: &str = "node.kubernetes.io/not-ready";
    let spec = node.ensure_map("spec");
    let arena = spec.arena();
    let is_there =
        spec.maps("taints").any(|taint| taint.str("key") == NOT_READY && taint.str("effect") == "NoSchedule");
    if is_there {
        return;
    }
    let mut taint = Map::new_in(arena);
    taint.set("effect", "NoSchedule");
    taint.set("key", NOT_READY);
    if spec.list_mut("taints").is_none() {
        spec.set("taints", List::new_in(arena));
    }
    if let Some(taints) = spec.list_mut("taints") {
        taints.push(taint);
    }
}
