//! New pods: priority by class, overhead by runtime class.

use kubemerge_kinds::{
    BuiltinKind,
    admission::{self, PriorityOfClass},
    tree::{Arena, Map},
};

use super::{
    classes::{default_priority_class, priority_class},
    refusal::refuse,
};
use crate::{
    protocol::status::Outcome,
    store::{Record, Stored},
    write::request::Write,
};

/// Sets what the classes of a new pod give it.
pub(super) fn admit(write: Write<'_>, pod: &mut Map<'_>) -> Outcome<()> {
    let class = priority(write, pod)?;
    admission::set_priority(pod, &class).map_err(|why| refuse(write, pod, &why.to_string()))?;
    let Some(stored) = runtime_class(write, pod)? else { return Ok(()) };
    let arena = Arena::new();
    let text = stored.record.canonical().as_str();
    let class = BuiltinKind::find(&write.call.cluster.schema, "node.k8s.io/v1", "RuntimeClass")
        .and_then(|kind| kind.decode(&arena, text).ok());
    let overhead = class.as_ref().and_then(|class| class.object.map("overhead"));
    match overhead.and_then(|overhead| overhead.map("podFixed")) {
        Some(fixed) => {
            admission::set_overhead(pod, fixed).map_err(|why| refuse(write, pod, &why.to_string()))
        }
        None => Ok(()),
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
    // An empty name is one that is not found, unlike no name.
    let name = pod.map("spec").filter(|spec| spec.has("runtimeClassName"));
    let Some(name) = name.map(|spec| spec.str("runtimeClassName")) else { return Ok(None) };
    let stored = write.call.cluster.store.get(&["node.k8s.io/runtimeclasses/", name].concat());
    let missing = || refuse(write, pod, &format!("pod rejected: RuntimeClass \"{name}\" not found"));
    stored.map(Some).ok_or_else(missing)
}

/// Only a runtime class may define an overhead.
pub(super) fn check_overhead(write: Write<'_>, pod: &Map<'_>) -> Outcome<()> {
    let has_overhead = pod.map("spec").is_some_and(|spec| spec.has("overhead"));
    if !has_overhead {
        return Ok(());
    }
    let class = runtime_class(write, pod)?;
    if class.is_some_and(|class| class.record.at(&["overhead"]).is_some()) {
        return Ok(());
    }
    let why = "pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead";
    Err(refuse(write, pod, why))
}
