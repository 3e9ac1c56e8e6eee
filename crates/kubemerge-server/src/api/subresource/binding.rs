//! `pods/binding`: assigns a pod to a node, as a scheduler does.

use std::cell::RefCell;

use kubemerge_kinds::{
    BuiltinKind,
    field_error::FieldError,
    format::dns1123_subdomain,
    tree::{self, Arena, List, Map},
};
use serde_json::{Value, json};

use super::{
    parent,
    typed_body::{self, KindName},
};
use crate::protocol::json::Members;
use crate::{
    catalog::{cluster::Cluster, request_context::RequestContext},
    kind::Kind,
    object::edit,
    protocol::{
        json,
        reason::Reason,
        reply::Reply,
        status::{Failure, Outcome, Qualified, bad_request, conflict, done, no_such_path},
        target::Named,
    },
    store::{Stored, metadata_field::Field},
    write::{
        admission::add_topology_labels,
        commit::{self, transaction::Transaction},
        decode::{GivenType, body, check_type_names, other_kind, precondition::check_namespace},
    },
};

/// Binds the pod that the body of a POST to `bindings` names.
pub(crate) fn handle_in_collection(
    transaction: &Transaction<'_>,
    call: &RequestContext<'_>,
) -> Outcome<Reply> {
    let binding = binding_body(call)?;
    let given = |name: &str| binding.member(name).as_str().unwrap_or_default();
    check_type_names(call, Kind::of(call.cluster, call.resource), given("apiVersion"), given("kind"))?;
    let namespace = binding.pointer("/metadata/namespace").and_then(Value::as_str).unwrap_or_default();
    if !namespace.is_empty() {
        check_namespace(call, namespace)?;
    }
    let name = binding.pointer("/metadata/name").and_then(Value::as_str).unwrap_or_default();
    // Upstream: a wrong target is told before a missing name.
    check_target(&binding)?;
    if name.is_empty() {
        return Err(bad_request("Name parameter required."));
    }
    let index = transaction.index();
    let pods = index.find("", &call.address.version, "pods").ok_or_else(no_such_path)?;
    // A pod is bound at its own address, whichever path the scheduler used.
    let address = Named { name: Some(name.into()), ..call.address.clone() };
    let call = RequestContext { resource: pods, address: &address, warnings: RefCell::default(), ..*call };
    bind(transaction, &call, &binding)
}

/// Binds a pod.
pub(crate) fn handle(transaction: &Transaction<'_>, call: &RequestContext<'_>) -> Outcome<Reply> {
    let binding = binding_body(call)?;
    if binding.pointer("/metadata/name").and_then(Value::as_str) != Some(call.name()) {
        return Err(bad_request("name in URL does not match name in Binding object"));
    }
    bind(transaction, call, &binding)
}

/// The body in its typed form.
fn binding_body(call: &RequestContext<'_>) -> Outcome<Value> {
    let body = body::canonical_body(call)?;
    // A schema of the user's own may have no such kind.
    let Some(kind) = BuiltinKind::find(&call.cluster.schema, "v1", "Binding") else {
        return Ok(json::tree(&body));
    };
    let given = json::tree(&body);
    let text = |name: &str| given.member(name).as_str().unwrap_or_default();
    let given = GivenType { api_version: text("apiVersion"), kind: text("kind") };
    let wanted = Qualified { group: "", name: "Binding" };
    if let Some(failure) = other_kind(&call.cluster.schema, wanted, given, body.as_str()) {
        return Err(failure);
    }
    let (arena, name) = (Arena::new(), KindName { kind: "Binding", version: "v1" });
    typed_body::decode(call, name, kind, &arena, body.as_str()).map(|typed| typed_body::to_value(&typed))
}

fn bind(transaction: &Transaction<'_>, call: &RequestContext<'_>, binding: &Value) -> Outcome<Reply> {
    let options = parent::write_options(call.query)?;
    check_target(binding)?;
    // Upstream: a binding is stored without the steps of an update.
    commit::change(transaction, call, options.dry_run, |current| {
        check(call, current, binding)?;
        Ok(edit::changed(&current.record, |pod| bind_to(pod, binding, call.cluster)))
    })?;
    Ok(Reply::status(201, &done()))
}

fn target_field<'b>(binding: &'b Value, name: &str) -> &'b str {
    binding.member("target").member(name).as_str().unwrap_or_default()
}

/// Upstream: a wrong target is an error without a reason, told before the pod is looked up.
fn check_target(binding: &Value) -> Outcome<()> {
    let mut errors = Vec::new();
    let kind = target_field(binding, "kind");
    if !matches!(kind, "" | "Node") {
        let supported = ["Node", "<empty>"].map(str::to_owned);
        errors.push(FieldError::not_supported("target.kind", &kind.into(), &supported).to_string());
    }
    let name = target_field(binding, "name");
    if name.is_empty() {
        errors.push(FieldError::required("target.name", "").to_string());
    } else if errors.is_empty() {
        // Only the name of a node has to be one.
        let invalid =
            |problem: &String| FieldError::invalid("target.name", &name.into(), problem).to_string();
        errors.extend(dns1123_subdomain(name).iter().map(invalid));
    }
    match errors.as_slice() {
        [] => Ok(()),
        [one] => Err(Failure::new(500, Reason::None, one)),
        several => Err(Failure::new(500, Reason::None, format!("[{}]", several.join(", ")))),
    }
}

/// Annotations that moved init containers into pods before there was a field for them.
const FORGOTTEN_ANNOTATIONS: [&str; 4] = [
    "pod.alpha.kubernetes.io/init-container-statuses",
    "pod.alpha.kubernetes.io/init-containers",
    "pod.beta.kubernetes.io/init-container-statuses",
    "pod.beta.kubernetes.io/init-containers",
];

/// Binds a pod that may be bound.
fn bind_to(pod: &mut Map<'_>, binding: &Value, cluster: &Cluster) {
    let node = target_field(binding, "name");
    pod.ensure_map("spec").set_text("nodeName", node);
    let metadata = pod.ensure_map("metadata");
    for field in [Field::Annotations, Field::Labels] {
        let given = binding.pointer(&format!("/metadata/{}", field.name())).and_then(Value::as_object);
        if let Some(given) = given.filter(|given| !given.is_empty()) {
            merge(metadata.ensure_map(field.name()), given);
        }
    }
    if let Some(annotations) = metadata.map_mut(Field::Annotations.name()) {
        for name in FORGOTTEN_ANNOTATIONS {
            annotations.remove(name);
        }
        if annotations.is_empty() {
            metadata.remove(Field::Annotations.name());
        }
    }
    if target_field(binding, "kind") == "Node" {
        add_topology_labels(cluster, node, metadata);
    }
    let status = pod.ensure_map("status");
    // The hint of the scheduler has come true or not.
    status.remove("nominatedNodeName");
    set_scheduled(status, &cluster.clock.now().text());
}

fn set_scheduled(status: &mut Map<'_>, now: &str) {
    let scheduled =
        json!({"type": "PodScheduled", "status": "True", "lastProbeTime": null, "lastTransitionTime": now});
    let arena = status.arena();
    let scheduled = tree::Value::of_json(&scheduled, arena);
    if status.list_mut("conditions").is_none() {
        status.set("conditions", List::new_in(arena));
    }
    let Some(conditions) = status.list_mut("conditions") else { return };
    // A pod that could not be scheduled before has the condition with status False.
    match conditions.iter().position(|one| one.as_map().is_some_and(|one| one.str("type") == "PodScheduled"))
    {
        Some(at) => {
            conditions.iter_mut().skip(at).take(1).for_each(|known| *known = scheduled.copy_in(arena));
        }
        None => conditions.push(scheduled),
    }
}

/// Adds members to a map, in place of those that have the same names.
fn merge(map: &mut Map<'_>, members: &serde_json::Map<String, Value>) {
    let arena = map.arena();
    for (name, value) in members {
        map.set(arena.alloc_str(name), tree::Value::of_json(value, arena));
    }
}

fn check(call: &RequestContext<'_>, current: &Stored, binding: &Value) -> Outcome<()> {
    let pod = &current.record;
    let refuse = |text: String| {
        let binding = Qualified { group: "", name: "pods/binding" };
        Err(conflict(binding, call.name(), &text))
    };
    // Upstream: what storage refuses is told with its own words, and as a conflict of the pod.
    let outdated = |text: String| {
        let text = format!(
            "StorageError: invalid object, Code: 4, Key: /registry/pods/{}/{}, ResourceVersion: 0, \
             AdditionalErrorMsg: Precondition failed: {text}",
            call.namespace(),
            call.name()
        );
        Err(conflict(call.resource.qualified(), call.name(), &text))
    };
    let given = |member: &str| {
        let text = binding.pointer(&format!("/metadata/{member}")).and_then(Value::as_str);
        text.filter(|text| !text.is_empty())
    };
    // Schedulers send the uid, so that a pod of the same name is not bound in place of a deleted one.
    let own = pod.uid();
    if let Some(uid) = given("uid").filter(|uid| *uid != own) {
        return outdated(format!("UID in precondition: {uid}, UID in object meta: {own}"));
    }
    let own = current.revision.to_string();
    if let Some(version) = given("resourceVersion").filter(|one| *one != own) {
        return outdated(format!(
            "ResourceVersion in precondition: {version}, ResourceVersion in object meta: {own}"
        ));
    }
    let name = call.name();
    if pod.is_terminating() {
        return refuse(format!("pod {name} is being deleted, cannot be assigned to a host"));
    }
    let node = pod.text_at(&["spec", "nodeName"]);
    if !node.is_empty() {
        return refuse(format!("pod {name} is already assigned to node {node:?}"));
    }
    if pod.has_items_at(&["spec", "schedulingGates"]) {
        return refuse(format!("pod {name} has non-empty .spec.schedulingGates"));
    }
    Ok(())
}
