//! What an update may change in the template of a Job: little, and only while it is suspended.

use super::job_status::has_condition;
use crate::field::Field;
use crate::registry::keep_field;
use crate::tree::{Arena, Map, Value};

/// From this minor version on, Jobs that were started and suspended again may change, and resources too.
const MUTABLE_SINCE: u32 = 36;

/// Validates the template of an updated spec against the stored Job.
pub(super) fn template_unchanged(spec: Field<'_>, old: Field<'_>) {
    let is_suspended = old.fields(["spec", "suspend"]).bool();
    let status = old.field("status");
    let is_new = !status.field("startTime").is_set();
    let is_mutable = if old.since(MUTABLE_SINCE) {
        let is_stopped = is_new || has_condition(status, "Suspended", "True");
        is_suspended && is_stopped && status.field("active").int() == 0
    } else {
        is_suspended && is_new
    };
    let template = spec.field("template");
    let stored = old.fields(["spec", "template"]);
    let arena = Arena::new();
    let (Some(new), Some(map)) = (template.map(), stored.map()) else { return };
    let mut allowed = map.copy_in(&arena);
    if is_mutable {
        // Queues such as Kueue hold jobs suspended and decide where they run.
        allow_scheduling(&mut allowed, new);
    }
    let is_resourceful = is_mutable && old.since(MUTABLE_SINCE);
    if is_resourceful {
        allow_resources(&mut allowed, new);
    }
    // What still differs now may not change.
    let allowed = stored.with_copy_of(&Value::Map(allowed));
    if is_resourceful {
        // Upstream compares the spec alone in this case, and reports it there.
        template.field("spec").check_immutable_struct(allowed.field("spec"), "core.PodSpec");
    } else {
        template.check_immutable_struct(allowed, "*core.PodTemplateSpec");
    }
}

/// Takes over from the new template what decides where pods run.
fn allow_scheduling(allowed: &mut Map<'_>, new: &Map<'_>) {
    if let Some(metadata) = new.map("metadata") {
        for name in ["labels", "annotations"] {
            keep_field(allowed.ensure_map("metadata"), metadata, name);
        }
    }
    let Some(spec) = new.map("spec") else { return };
    let pod = allowed.ensure_map("spec");
    for name in ["nodeSelector", "tolerations", "schedulingGates"] {
        keep_field(pod, spec, name);
    }
    if let Some(affinity) = spec.map("affinity") {
        keep_field(pod.ensure_map("affinity"), affinity, "nodeAffinity");
    } else {
        let Some(affinity) = pod.map_mut("affinity") else { return };
        affinity.remove("nodeAffinity");
        if affinity.is_empty() {
            pod.remove("affinity");
        }
    }
}

/// Takes over the resources of containers, unless containers were added, removed or renamed.
fn allow_resources(allowed: &mut Map<'_>, new: &Map<'_>) {
    let Some(spec) = new.map("spec") else { return };
    for list in ["containers", "initContainers"] {
        let pod = allowed.ensure_map("spec");
        if pod.list(list).len() != spec.list(list).len() {
            continue;
        }
        for (container, new) in pod.maps_mut(list).zip(spec.maps(list)) {
            if container.str("name") == new.str("name") {
                keep_field(container, new, "resources");
            }
        }
    }
}
