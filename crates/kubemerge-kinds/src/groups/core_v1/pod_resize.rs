//! The subresources `resize` and `ephemeralcontainers` of a Pod.

use super::pod::metadata_and_spec;
use super::pod_spec::{complete_pod_level, drop_disabled_fields};
use super::pod_status::qos_class;
use super::pod_update::annotation_updates;
use crate::field::{Field, internal_pretty, unified_diff};
use crate::go_text::quoted;
use crate::registry::Context;
use crate::tree::{Arena, List, Map, Value};

const MIRROR: &str = "kubernetes.io/config.mirror";
const COMPUTE: [&str; 2] = ["cpu", "memory"];
const ONLY_COMPUTE: &str = "only cpu and memory resources are mutable";

/// The minor version that resizes init containers which are no sidecars.
const INIT_CONTAINERS_SINCE: u32 = 36;

/// Metadata that a write to a subresource does not change.
const KEPT_METADATA: [&str; 7] = [
    "deletionTimestamp",
    "generateName",
    "selfLink",
    "labels",
    "annotations",
    "finalizers",
    "ownerReferences",
];

/// Everything of the stored Pod but some parts of its spec.
fn keep_all_but<'a>(pod: &mut Map<'a>, old: &Map<'_>, change: impl FnOnce(&mut Map<'a>, Map<'a>)) {
    let arena = pod.arena();
    let Some(Value::Map(wanted)) = pod.take("spec") else { return };
    let mut spec = old.map("spec").map_or_else(|| Map::new_in(arena), |spec| spec.copy_in(arena));
    change(&mut spec, wanted);
    pod.set("spec", spec);
    if let Some(status) = old.get("status") {
        pod.set("status", status.copy_in(arena));
    }
    let before = old.map("metadata");
    let metadata = pod.ensure_map("metadata");
    for name in KEPT_METADATA {
        match before.and_then(|before| before.get(name)) {
            Some(value) => metadata.set(name, value.copy_in(arena)),
            None => {
                metadata.remove(name);
            }
        }
    }
}

/// `ephemeralcontainers`: only these change.
pub(super) fn prepare_ephemeral(pod: &mut Map<'_>, old: &Map<'_>, context: Context) {
    keep_all_but(pod, old, |spec, mut wanted| match wanted.remove("ephemeralContainers") {
        Some(containers) => spec.set("ephemeralContainers", containers),
        None => {
            spec.remove("ephemeralContainers");
        }
    });
    drop_disabled_fields(pod, context);
}

/// Ephemeral containers may be added, never changed or removed.
pub(super) fn validate_ephemeral(pod: Field<'_>, old: Field<'_>) {
    metadata_and_spec(pod);
    let annotations = ["metadata", "annotations"];
    annotation_updates(pod.fields(annotations), old.fields(annotations));
    if old.fields(annotations).key(MIRROR).is_set() {
        // The kubelet of the node owns a static pod; the API server only shows it.
        return pod.reported_at_nothing().forbidden("static pods do not support ephemeral containers");
    }
    let containers = pod.fields(["spec", "ephemeralContainers"]);
    for before in old.fields(["spec", "ephemeralContainers"]).items() {
        let name = before.field("name").str();
        let now = containers.items().filter(|container| container.field("name").str() == name).last();
        let Some(now) = now else {
            containers
                .forbidden(format!("existing ephemeral containers {} may not be removed\n", quoted(name)));
            continue;
        };
        if !now.same_as(before) {
            let pretty = |container: Field<'_>| internal_pretty("core.EphemeralContainer", container);
            let difference = unified_diff(&pretty(before), &pretty(now));
            let name = quoted(name);
            containers
                .forbidden(format!("existing ephemeral containers {name} may not be changed\n{difference}"));
        }
    }
}

/// `resize`: resources and resize policies of containers, and resources of the pod.
pub(super) fn prepare_resize(pod: &mut Map<'_>, old: &Map<'_>, context: Context) {
    let (new, before) = (pod.map("spec"), old.map("spec"));
    let count = |spec: Option<&Map<'_>>, list: &str| spec.map_or(0, |spec| spec.list(list).len());
    let is_same =
        ["containers", "initContainers"].into_iter().all(|list| count(new, list) == count(before, list));
    // Otherwise the spec stays as it was sent, and validation says that containers were added or removed.
    if is_same {
        keep_all_but(pod, old, |spec, mut wanted| {
            for list in ["containers", "initContainers"] {
                resize_containers(spec, &mut wanted, list);
            }
            if let Some(resources) = wanted.remove("resources") {
                spec.set("resources", resources);
            }
        });
    }
    if let Some(spec) = pod.map_mut("spec") {
        complete_pod_level(spec, context);
    }
    drop_disabled_fields(pod, context);
}

fn resize_containers<'a>(spec: &mut Map<'a>, wanted: &mut Map<'a>, list: &'static str) {
    let names = |spec: &Map<'_>| -> Vec<String> {
        spec.maps(list).map(|container| container.str("name").to_owned()).collect()
    };
    // Containers in another order are left for validation to refuse.
    if names(spec) != names(wanted) {
        if let Some(containers) = wanted.remove(list) {
            spec.set(list, containers);
        }
        return;
    }
    let new = wanted.list_mut(list).into_iter().flat_map(List::maps_mut);
    for (container, new) in spec.maps_mut(list).zip(new) {
        for name in ["resources", "resizePolicy"] {
            match new.remove(name) {
                Some(value) => container.set(name, value),
                None => {
                    container.remove(name);
                }
            }
        }
    }
}

pub(super) fn validate_resize(pod: Field<'_>, old: Field<'_>) {
    let (spec, before) = (pod.field("spec"), old.field("spec"));
    if old.fields(["metadata", "annotations"]).key(MIRROR).is_set() {
        return pod.reported_at_nothing().forbidden("static pods cannot be resized");
    }
    if before.fields(["os", "name"]).str() == "windows" {
        return pod.reported_at_nothing().forbidden("windows pods cannot be resized");
    }
    metadata_and_spec(pod);
    if spec.map().map(qos_class) != before.map().map(qos_class) {
        // Upstream prints the class that the status has, not the new one.
        let class = pod.fields(["status", "qosClass"]);
        spec.invalid_as(class.str(), "Pod QOS Class may not change as a result of resizing");
    }
    if !is_supported(old.fields(["status", "containerStatuses"])) {
        spec.forbidden("Pod running on node without support for resize");
    }
    pod_level(spec, before);
    // Containers are compared by position from here on.
    if !same_containers(spec, before) {
        return;
    }
    for list in ["containers", "initContainers"] {
        for (container, before) in spec.field(list).items().zip(before.field(list).items()) {
            container_resize(list, container, before, spec);
        }
    }
}

fn is_supported(statuses: Field<'_>) -> bool {
    // Kubelets that can resize report resources of running containers; one of them is enough to tell.
    let running = statuses.items().find(|status| status.fields(["state", "running"]).is_set());
    running.is_none_or(|status| status.field("resources").is_set())
}

fn removed(now: Field<'_>, before: Field<'_>) -> bool {
    before.entries().any(|(name, _)| !now.has(name))
}

fn pod_level(spec: Field<'_>, old: Field<'_>) {
    let (now, before) = (spec.field("resources"), old.field("resources"));
    for list in ["requests", "limits"] {
        if removed(now.field(list), before.field(list)) {
            now.field(list).forbidden(format!("pod-level resource {list} cannot be removed"));
        }
    }
    if (now.is_set() || before.is_set()) && !same_but_compute(now, before) {
        spec.forbidden("only cpu and memory resources are mutable at pod-level");
    }
}

/// Whether two sets of resources differ in cpu and memory at most.
fn same_but_compute(now: Field<'_>, before: Field<'_>) -> bool {
    let covers = |one: Field<'_>, other: Field<'_>| {
        ["requests", "limits"].into_iter().all(|list| {
            let mut others = one.field(list).entries().filter(|(name, _)| !COMPUTE.contains(name));
            others.all(|(name, value)| value.same_as(other.field(list).key_owned(name)))
        })
    };
    covers(now, before) && covers(before, now) && now.field("claims").same_as(before.field("claims"))
}

fn same_containers(spec: Field<'_>, old: Field<'_>) -> bool {
    let before = spec.errors_so_far();
    for list in ["containers", "initContainers"] {
        let (now, old) = (spec.field(list), old.field(list));
        if now.len() != old.len() {
            now.forbidden(format!("{list} may not be added or removed on resize"));
            continue;
        }
        for (container, old) in now.items().zip(old.items()) {
            if container.field("name").str() != old.field("name").str() {
                container
                    .field("name")
                    .forbidden(format!("{list} may not be renamed or reordered on resize"));
            }
        }
    }
    spec.errors_so_far() == before
}

fn container_resize<'t>(list: &str, container: Field<'t>, old: Field<'t>, spec: Field<'t>) {
    let is_init = list == "initContainers";
    let is_sidecar = container.field("restartPolicy").str() == "Always";
    // Such a container has run by the time that a resize could reach it.
    if is_init && !is_sidecar && !container.same_as(old) {
        if !spec.since(INIT_CONTAINERS_SINCE) {
            return spec.forbidden("resources for non-sidecar init containers are immutable");
        }
        let policies = container.field("resizePolicy").items();
        for _ in policies.filter(|policy| policy.field("restartPolicy").str() == "RestartContainer") {
            container.forbidden(
                "non-sidecar init containers with a resize policy of RestartContainer cannot be resized",
            );
        }
    }
    let (now, before) = (container.field("resources"), old.field("resources"));
    for name in ["requests", "limits"] {
        if removed(now.field(name), before.field(name)) {
            now.field(name).forbidden(format!("resource {name} cannot be removed"));
        }
    }
    if same_but_compute(now, before) && same_but_resources(container, old) {
        return;
    }
    if is_init {
        // Upstream reports init containers one by one, regular ones at the spec.
        container.forbidden("only cpu and memory resources for init or sidecar containers are mutable");
    } else {
        spec.forbidden(ONLY_COMPUTE);
    }
}

fn same_but_resources(container: Field<'_>, old: Field<'_>) -> bool {
    let (Some(now), Some(before)) = (container.map(), old.map()) else { return true };
    let arena = Arena::new();
    let (mut now, mut before) = (now.copy_in(&arena), before.copy_in(&arena));
    now.remove("resources");
    before.remove("resources");
    now.same_in_go(&before)
}
