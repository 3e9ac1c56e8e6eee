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

/// Sets the overhead that the pod's runtime class defines; an error says why the pod may not have its own.
pub fn set_overhead(pod: &mut Map<'_>, of_class: &Map<'_>) -> Result<(), PodRefusal> {
    let spec = pod.ensure_map("spec");
    let arena = spec.arena();
    // A pod that is created from a dump has the overhead already.
    match spec.map("overhead").filter(|own| !own.is_empty()) {
        Some(own) if !own.same_in_go(of_class) => {
            Err("pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead".into())
        }
        Some(_) => Ok(()),
        None => {
            spec.set("overhead", Value::Map(of_class.copy_in(arena)));
            Ok(())
        }
    }
}
