//! The first status of a Pod: phase, quality of service, scheduling gates.

use crate::registry::Written;
use crate::tree::{List, Map, Value};
use crate::typed::Quantity;

/// The status of a new Pod.
pub(super) fn initial_status<'a>(spec: Option<&Map<'a>>, mut status: Map<'a>) -> Map<'a> {
    status.set("phase", "Pending");
    let Some(spec) = spec else { return status };
    status.set("qosClass", qos_class(spec));
    if !spec.list("schedulingGates").is_empty() {
        let arena = status.arena();
        let mut condition = Map::new_in(arena);
        condition.set("type", "PodScheduled");
        condition.set("status", "False");
        condition.set("reason", "SchedulingGated");
        condition.set("message", "Scheduling is blocked due to non-empty scheduling gates");
        // Go writes null for no time; that of the transition is set when the pod is written.
        condition.set("lastProbeTime", Value::Null);
        condition.set("lastTransitionTime", Value::Null);
        let mut conditions = List::new_in(arena);
        conditions.push(condition);
        status.set("conditions", Value::List(conditions));
    }
    status
}

/// Dates the condition of a new Pod that waits for its scheduling gates.
pub(super) fn set_gated_time(pod: &mut Map<'_>, written: &Written<'_>) {
    let status = pod.map_mut("status").filter(|_| written.old.is_none());
    let conditions = status.into_iter().flat_map(|status| status.maps_mut("conditions"));
    for condition in conditions.filter(|condition| condition.str("reason") == "SchedulingGated") {
        condition.set_text("lastTransitionTime", written.now);
    }
}

/// Sums of cpu and memory in thousandths; nothing where no quantity is above zero.
type Sums = [Option<i64>; 2];

const COMPUTE: [&str; 2] = ["cpu", "memory"];

/// Adds quantities above zero; answers which there were.
fn add(sums: &mut Sums, list: Option<&Map<'_>>) -> [bool; 2] {
    let mut counted = [false; 2];
    for ((name, counted), sum) in COMPUTE.iter().zip(&mut counted).zip(sums) {
        let quantity = Quantity::of(list.map_or("", |list| list.str(name)));
        if quantity.sign() > 0 {
            *counted = true;
            *sum = Some(sum.unwrap_or_default().saturating_add(quantity.milli_value()));
        }
    }
    counted
}

/// `Guaranteed`, `Burstable` or `BestEffort`.
pub(super) fn qos_class(spec: &Map<'_>) -> &'static str {
    let of_containers = || {
        let containers = spec.maps("containers").chain(spec.maps("initContainers"));
        containers.map(|container| container.map("resources")).collect()
    };
    let resources: Vec<Option<&Map<'_>>> = match spec.map("resources").filter(|own| sets_compute(own)) {
        // Resources of the whole pod replace those of its containers.
        Some(pod) => vec![Some(pod)],
        None => of_containers(),
    };
    let (mut requests, mut limits) = (Sums::default(), Sums::default());
    let mut is_guaranteed = true;
    for resources in resources {
        add(&mut requests, resources.and_then(|resources| resources.map("requests")));
        let limited = add(&mut limits, resources.and_then(|resources| resources.map("limits")));
        // Every container needs both limits; requests default to them.
        is_guaranteed &= limited == [true, true];
    }
    match (requests, limits) {
        ([None, None], [None, None]) => "BestEffort",
        (requests, limits) if is_guaranteed && requests == limits => "Guaranteed",
        _ => "Burstable",
    }
}

/// Whether resources of the whole pod decide.
fn sets_compute(resources: &Map<'_>) -> bool {
    let has = |list: &str| {
        resources.map(list).is_some_and(|list| {
            list.iter().any(|(name, _)| matches!(name, "cpu" | "memory") || name.starts_with("hugepages-"))
        })
    };
    has("requests") || has("limits")
}
