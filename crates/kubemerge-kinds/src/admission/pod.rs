//! New and changed pods: priority, tolerations of nodes that fail, overhead of the runtime.

use crate::{
    text::message_error::message_error,
    tree::{List, Map, Value},
};

message_error! {
    /// Why a pod may not have what it asks for, in the words of the plugin that refuses it.
    pub struct PodRefusal
}

/// What a PriorityClass gives to a pod.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PriorityOfClass {
    /// The class; empty if none was named and none is the default.
    pub name: String,
    /// Its value.
    pub value: i64,
    /// Whether pods preempt others.
    pub preemption_policy: String,
}

impl Default for PriorityOfClass {
    fn default() -> Self {
        PriorityOfClass { name: String::new(), value: 0, preemption_policy: "PreemptLowerPriority".into() }
    }
}

/// Sets the priority of a new pod; an error says why the pod may not have the one it asks for.
pub fn set_priority(pod: &mut Map<'_>, class: &PriorityOfClass) -> Result<(), PodRefusal> {
    let spec = pod.ensure_map("spec");
    if !class.name.is_empty() {
        spec.set_text("priorityClassName", &class.name);
    }
    let (own, wanted) = (spec.int("priority"), class.value);
    // Clients may send the number back that they have read, but no other.
    if let Some(own) = own.filter(|own| *own != wanted) {
        return Err(format!(
            "the integer value of priority ({own}) must not be provided in pod spec; priority admission controller \
             computed {wanted} from the given PriorityClass name"
        )
        .into());
    }
    spec.set("priority", wanted);
    let (own, wanted) = (spec.str("preemptionPolicy"), &class.preemption_policy);
    if spec.has("preemptionPolicy") && own != wanted {
        return Err(format!(
            "the string value of PreemptionPolicy ({own}) must not be provided in pod spec; priority admission \
             controller computed {wanted} from the given PriorityClass name"
        )
        .into());
    }
    spec.set_text("preemptionPolicy", wanted);
    Ok(())
}

/// Keeps the priority of a pod that is written without it.
pub fn keep_priority(pod: &mut Map<'_>, old: &Map<'_>) {
    let (Some(old), spec) = (old.map("spec"), pod.ensure_map("spec")) else { return };
    let arena = spec.arena();
    for name in ["priority", "preemptionPolicy"] {
        if let Some(value) = old.get(name) {
            spec.set_if_absent(name, value.copy_in(arena));
        }
    }
}

/// Lets a pod stay for five minutes on a node that is not ready or cannot be reached.
pub fn add_default_tolerations(pod: &mut Map<'_>) {
    const TAINTS: [&str; 2] = ["node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"];
    const SECONDS: i64 = 300;
    let spec = pod.ensure_map("spec");
    let arena = spec.arena();
    let is_tolerated = |spec: &Map<'_>, taint: &str| {
        spec.maps("tolerations").any(|toleration| {
            // A toleration without a key or an effect tolerates all of them.
            matches!(toleration.str("key"), key if key.is_empty() || key == taint)
                && matches!(toleration.str("effect"), "" | "NoExecute")
        })
    };
    // Found out for both before one is added: neither tolerates the other.
    let missing = TAINTS.into_iter().filter(|taint| !is_tolerated(spec, taint)).collect::<Vec<_>>();
    for taint in missing {
        let mut toleration = Map::new_in(arena);
        toleration.set("effect", "NoExecute");
        toleration.set("key", taint);
        toleration.set("operator", "Exists");
        toleration.set("tolerationSeconds", SECONDS);
        if spec.list_mut("tolerations").is_none() {
            spec.set("tolerations", List::new_in(arena));
        }
        if let Some(list) = spec.list_mut("tolerations") {
            list.push(toleration);
        }
    }
}

/// What kube-apiserver says of an overhead that is not that of the runtime class.
const OTHER_OVERHEAD: &str = "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead";

/// Sets the overhead that the pod's runtime class defines; an error says why the pod may not have its own.
pub fn set_overhead(pod: &mut Map<'_>, class: &Map<'_>) -> Result<(), PodRefusal> {
    let Some(overhead) = class.map("overhead") else { return Ok(()) };
    let spec = pod.ensure_map("spec");
    // A pod that is created from a dump has the overhead already.
    match (spec.map("overhead").filter(|own| !own.is_empty()), overhead.map("podFixed")) {
        (Some(own), Some(of_class)) if own.same_in_go(of_class) => {}
        (Some(_), _) => return Err(OTHER_OVERHEAD.into()),
        (None, Some(of_class)) => spec.set("overhead", of_class.copy_in(spec.arena())),
        (None, None) => {}
    }
    Ok(())
}

/// Only a runtime class may define an overhead, and the pod has that of its class.
pub fn check_overhead(pod: &Map<'_>, class: Option<&Map<'_>>) -> Result<(), PodRefusal> {
    let spec = pod.map("spec");
    // An empty map is one, too.
    let has_own =
        spec.and_then(|spec| spec.get_raw("overhead")).is_some_and(|own| !matches!(own, Value::Null));
    let own = spec.and_then(|spec| spec.map("overhead"));
    match class.and_then(|class| class.map("overhead")) {
        None if has_own => {
            Err("pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead".into())
        }
        None => Ok(()),
        Some(of_class) => {
            let (own, of_class) = (own.filter(|own| !own.is_empty()), of_class.map("podFixed"));
            let is_same = match (own, of_class.filter(|of_class| !of_class.is_empty())) {
                (Some(own), Some(of_class)) => own.same_in_go(of_class),
                (own, of_class) => own.is_none() && of_class.is_none(),
            };
            if is_same { Ok(()) } else { Err(OTHER_OVERHEAD.into()) }
        }
    }
}

/// Adds the node selector and the tolerations of the pod's runtime class; an error names a label for which the two want
/// different nodes.
pub fn set_scheduling(pod: &mut Map<'_>, class: &Map<'_>) -> Result<(), PodRefusal> {
    let Some(scheduling) = class.map("scheduling") else { return Ok(()) };
    let spec = pod.ensure_map("spec");
    let arena = spec.arena();
    for (label, value) in scheduling.map("nodeSelector").into_iter().flat_map(Map::iter) {
        let (selector, value) = (spec.ensure_map("nodeSelector"), value.as_str().unwrap_or_default());
        let own = selector.str(label);
        if selector.has(label) && own != value {
            return Err(format!(
                "conflict: runtimeClass.scheduling.nodeSelector[{label}] = {value}; pod.spec.nodeSelector[{label}] = {own}"
            )
            .into());
        }
        selector.set_text(arena.alloc_str(label), value);
    }
    let all = spec.maps("tolerations").chain(scheduling.maps("tolerations"));
    let all: Vec<Map<'_>> = all.map(|toleration| toleration.copy_in(arena)).collect();
    let mut merged = List::new_in(arena);
    let is_needed = |(at, one): &(usize, &Map<'_>)| {
        let (before, after) = (all.iter().take(*at), all.iter().skip(at + 1));
        // Of equal ones the first stays.
        !before.clone().any(|other| other.same_in_go(one))
            && !before.chain(after).any(|other| !other.same_in_go(one) && tolerates_more(other, one))
    };
    all.iter().enumerate().filter(is_needed).for_each(|(_, one)| merged.push(one.copy_in(arena)));
    if !all.is_empty() {
        spec.set("tolerations", merged);
    }
    Ok(())
}

/// Whether a toleration covers another one.
fn tolerates_more(wider: &Map<'_>, one: &Map<'_>) -> bool {
    let exists = wider.str("operator") == "Exists";
    let has_key = one.str("key") == wider.str("key") || wider.str("key").is_empty() && exists;
    let has_effect = one.str("effect") == wider.str("effect") || wider.str("effect").is_empty();
    if !has_key || !has_effect {
        return false;
    }
    if wider.str("effect") == "NoExecute"
        && let Some(most) = wider.int("tolerationSeconds")
        && one.int("tolerationSeconds").is_none_or(|seconds| seconds > most)
    {
        return false;
    }
    match wider.str("operator") {
        "Exists" => true,
        "" | "Equal" => one.str("operator") == "Equal" && one.str("value") == wider.str("value"),
        _ => false,
    }
}

/// Gives a pod that has a node the labels that say where the node is.
pub fn set_topology_labels(metadata: &mut Map<'_>, labels_of_node: &Map<'_>) {
    for label in ["topology.kubernetes.io/region", "topology.kubernetes.io/zone"] {
        if let Some(value) = labels_of_node.get(label).and_then(Value::as_str) {
            metadata.ensure_map("labels").set_text(label, value);
        }
    }
}
