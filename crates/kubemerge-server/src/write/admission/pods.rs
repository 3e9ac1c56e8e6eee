//! New pods: priority by class, overhead and scheduling by runtime class, labels of the node.

use kubemerge_kinds::{
    admission::{self, PriorityOfClass},
    tree::{Arena, Map},
};

use super::{
    classes::{default_priority_class, priority_class},
    refusal::refuse,
};
use crate::{
    catalog::cluster::Cluster,
    object::edit,
    protocol::{
        reason::Reason,
        status::{Failure, Outcome},
    },
    store::{Record, Stored},
    write::request::Write,
};

/// Sets the priority of a new pod.
pub(super) fn set_priority(write: Write<'_>, pod: &mut Map<'_>) -> Outcome<()> {
    let class = priority(write, pod)?;
    admission::set_priority(pod, &class).map_err(|why| refuse(write, pod, &why.to_string()))
}

/// Sets what the runtime class and the node of a new pod give it.
pub(super) fn place(write: Write<'_>, pod: &mut Map<'_>) -> Outcome<()> {
    if let Some(stored) = runtime_class(write, pod)? {
        let arena = Arena::new();
        let class = edit::tree(&stored.record, &arena);
        let set = admission::set_overhead(pod, &class).and_then(|()| admission::set_scheduling(pod, &class));
        set.map_err(|why| refuse(write, pod, &why.to_string()))?;
    }
    let node = pod.map("spec").map_or("", |spec| spec.str("nodeName"));
    add_topology_labels(write.call.cluster, node, pod.ensure_map("metadata"));
    Ok(())
}

/// Gives a pod that has a node the labels that say where the node is. A node that does not exist has none.
pub(crate) fn add_topology_labels(cluster: &Cluster, node: &str, metadata: &mut Map<'_>) {
    if node.is_empty() {
        return;
    }
    let Some(stored) = cluster.store.get(&["/nodes/", node].concat()) else { return };
    let arena = Arena::new();
    let node = edit::tree(&stored.record, &arena);
    if let Some(labels) = node.map("metadata").and_then(|metadata| metadata.map("labels")) {
        admission::set_topology_labels(metadata, labels);
    }
}

fn priority(write: Write<'_>, pod: &Map<'_>) -> Outcome<PriorityOfClass> {
    let name = pod.map("spec").map_or("", |spec| spec.str("priorityClassName"));
    if name.is_empty() {
        return Ok(default_priority_class(write).map(|class| of_class(&class)).unwrap_or_default());
    }
    let class = priority_class(write, name)
        .ok_or_else(|| refuse(write, pod, &format!("no PriorityClass with name {name} was found")))?;
    Ok(of_class(&class))
}

fn of_class(class: &Record) -> PriorityOfClass {
    let policy = class.at(&["preemptionPolicy"]).and_then(|value| value.as_str());
    PriorityOfClass {
        name: class.name().into_owned(),
        value: class.integer_at(&["value"]).unwrap_or_default(),
        // Classes stored without validation may lack it.
        preemption_policy: policy.map_or_else(
            || PriorityOfClass::default().preemption_policy,
            |policy| policy.text().into_owned(),
        ),
    }
}

fn runtime_class(write: Write<'_>, pod: &Map<'_>) -> Outcome<Option<Stored>> {
    let name = pod.map("spec").filter(|spec| spec.has("runtimeClassName"));
    let Some(name) = name.map(|spec| spec.str("runtimeClassName")) else { return Ok(None) };
    // Upstream: the client that looks for the class refuses to ask for it.
    if name.is_empty() {
        return Err(Failure::new(500, Reason::None, "resource name may not be empty"));
    }
    let stored = write.call.cluster.store.get(&["node.k8s.io/runtimeclasses/", name].concat());
    let missing = || refuse(write, pod, &format!("pod rejected: RuntimeClass \"{name}\" not found"));
    stored.map(Some).ok_or_else(missing)
}

/// The overhead of a pod is that of its runtime class.
pub(super) fn check_overhead(write: Write<'_>, pod: &Map<'_>) -> Outcome<()> {
    let (arena, stored) = (Arena::new(), runtime_class(write, pod)?);
    let class = stored.as_ref().map(|stored| edit::tree(&stored.record, &arena));
    admission::check_overhead(pod, class.as_ref()).map_err(|why| refuse(write, pod, &why.to_string()))
}
