//! `pods/binding`: assigns a pod to a node, as a scheduler does.

use std::cell::RefCell;

use kubemerge_kinds::{BuiltinKind, field_error::FieldError, format::dns1123_subdomain, tree::Arena};
use serde_json::{Map, Value, json};

use super::{
    parent,
    typed_body::{self, KindName},
};
use crate::{
    catalog::call::Call,
    kind::Kind,
    object::Object,
    protocol::{
        json::tree,
        reason::Reason,
        reply::Reply,
        status::{Failure, Outcome, bad_request, conflict, done, no_such_path},
        target::Named,
    },
    store::{Stored, metadata_field::Field},
    write::{
        body, commit, decode::check_type_names, precondition::check_namespace, transaction::Transaction,
    },
};

/// Binds the pod that the body of a POST to `bindings` names.
pub(crate) fn handle_in_collection(transaction: &Transaction<'_>, call: &Call<'_>) -> Outcome<Reply> {
    let binding = binding_body(call)?;
    let given = |name: &str| binding[name].as_str().unwrap_or_default();
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
    let call = Call { resource: pods, address: &address, warnings: RefCell::default(), ..*call };
    bind(transaction, &call, &binding)
}

/// Binds a pod.
pub(crate) fn handle(transaction: &Transaction<'_>, call: &Call<'_>) -> Outcome<Reply> {
    bind(transaction, call, &binding_body(call)?)
}

/// The body in its typed form.
fn binding_body(call: &Call<'_>) -> Outcome<Value> {
    let body = body::canonical_body(call)?;
    // A schema of the user's own may have no such kind.
    let Some(kind) = BuiltinKind::find(&call.cluster.schema, "v1", "Binding") else { return Ok(tree(&body)) };
    let (arena, name) = (Arena::new(), KindName { kind: "Binding", version: "v1" });
    typed_body::decode(call, name, kind, &arena, body.as_str()).map(|typed| typed_body::to_value(&typed))
}

fn bind(transaction: &Transaction<'_>, call: &Call<'_>, binding: &Value) -> Outcome<Reply> {
    let options = parent::write_options(call.query)?;
    check_target(binding)?;
    let node = target_field(binding, "name");
    // Upstream: a binding is stored without the steps of an update.
    commit::change(transaction, call, options.dry_run, |current| {
        bound(call, current, binding, node).map(|pod| pod.record())
    })?;
    Ok(Reply::status(201, &done()))
}

fn target_field<'b>(binding: &'b Value, name: &str) -> &'b str {
    binding["target"][name].as_str().unwrap_or_default()
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

fn bound(call: &Call<'_>, current: &Stored, binding: &Value, node: &str) -> Outcome<Object> {
    let mut pod = Object::of(current);
    check(call, &pod, binding)?;
    pod.set_at(&["spec", "nodeName"], json!(node))?;
    for field in [Field::Annotations, Field::Labels] {
        let given = binding.pointer(&format!("/metadata/{}", field.name())).and_then(Value::as_object);
        pod.metadata.merge_strings(field, given.unwrap_or(&Map::new()));
    }
    let mut conditions =
        pod.at(&["status", "conditions"]).and_then(|list| list.as_array().cloned()).unwrap_or_default();
    // A pod that could not be scheduled before has the condition with status False.
    conditions.retain(|one| one["type"] != "PodScheduled");
    let now = call.cluster.clock.now().to_string();
    conditions.push(
        json!({"type": "PodScheduled", "status": "True", "lastProbeTime": null, "lastTransitionTime": now}),
    );
    pod.set_at(&["status", "conditions"], Value::Array(conditions))?;
    Ok(pod)
}

fn check(call: &Call<'_>, pod: &Object, binding: &Value) -> Outcome<()> {
    let refuse = |text: String| Err(conflict(call.resource.qualified(), call.name(), &text));
    let given = |member: &str| {
        let text = binding.pointer(&format!("/metadata/{member}")).and_then(Value::as_str);
        text.filter(|text| !text.is_empty())
    };
    // Schedulers send the uid, so that a pod of the same name is not bound in place of a deleted one.
    if let Some(uid) = given("uid").filter(|uid| *uid != pod.metadata.uid()) {
        let own = pod.metadata.uid();
        return refuse(format!("Precondition failed: UID in precondition: {uid}, UID in object meta: {own}"));
    }
    if let Some(version) = given("resourceVersion").filter(|one| *one != pod.metadata.resource_version()) {
        let own = pod.metadata.resource_version();
        return refuse(format!(
            "Precondition failed: ResourceVersion in precondition: {version}, ResourceVersion in object meta: {own}"
        ));
    }
    let name = call.name();
    if pod.metadata.is_terminating() {
        return refuse(format!("pod {name} is being deleted, cannot be assigned to a host"));
    }
    if let Some(node) =
        pod.at(&["spec", "nodeName"]).as_ref().and_then(Value::as_str).filter(|one| !one.is_empty())
    {
        return refuse(format!("pod {name} is already assigned to node {node:?}"));
    }
    let gates = pod.at(&["spec", "schedulingGates"]);
    if gates.as_ref().and_then(Value::as_array).is_some_and(|gates| !gates.is_empty()) {
        return refuse(format!("pod {name} has non-empty .spec.schedulingGates"));
    }
    Ok(())
}
