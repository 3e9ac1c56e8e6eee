//! Defaults of StatefulSets and their claim templates.

use super::workload::template_defaults;
use crate::groups::core_v1::{claim_spec, pod_spec};
use crate::registry::Context;
use crate::tree::Map;

/// From this minor version on, `maxUnavailable` is used by default.
const MAX_UNAVAILABLE_SINCE: u32 = 37;

pub(super) fn defaults(set: &mut Map<'_>, context: Context) {
    template_defaults(set, context);
    let spec = set.ensure_map("spec");
    spec.set_default("podManagementPolicy", "OrderedReady");
    spec.set_if_absent("replicas", 1);
    spec.set_if_absent("revisionHistoryLimit", 10);
    update_strategy(spec.ensure_map("updateStrategy"), context);
    // The gate StatefulSetAutoDeletePVC is on by default since 1.27.
    if context.since(27) {
        let policy = spec.ensure_map("persistentVolumeClaimRetentionPolicy");
        policy.set_default("whenDeleted", "Retain");
        policy.set_default("whenScaled", "Retain");
    }
    spec.maps_mut("volumeClaimTemplates").for_each(|claim| claim_defaults(claim, context));
}

fn update_strategy(strategy: &mut Map<'_>, context: Context) {
    // The rolling update is filled in only together with the type.
    if strategy.str("type").is_empty() {
        strategy.set("type", "RollingUpdate");
        strategy.ensure_map("rollingUpdate");
    }
    let is_rolling = strategy.str("type") == "RollingUpdate";
    let Some(update) = strategy.map_mut("rollingUpdate") else { return };
    // Internal types hold the partition by value.
    update.set_if_absent("partition", 0);
    if is_rolling && context.since(MAX_UNAVAILABLE_SINCE) {
        update.set_if_absent("maxUnavailable", 1);
    }
}

/// Claims inside of a StatefulSet are whole objects with a version and a kind.
fn claim_defaults(claim: &mut Map<'_>, context: Context) {
    claim.set("apiVersion", "v1");
    claim.set("kind", "PersistentVolumeClaim");
    if let Some(spec) = claim.map_mut("spec") {
        claim_spec::defaults(spec, context);
    }
    let status = claim.ensure_map("status");
    status.set_default("phase", "Pending");
    pod_spec::resource_list(status, "capacity");
    pod_spec::resource_list(status, "allocatedResources");
}
