//! Stored CustomResourceDefinitions: what they serve, and the state that the server writes into their status.

use serde_json::{Value, json};

use super::{
    approval::{ANNOTATION, Approval, is_protected},
    names::NamesVerdict,
};
use crate::{timestamp::Timestamp, x509::bundle_problem};

/// The text at a JSON pointer; empty if there is none.
pub fn text<'v>(value: &'v Value, pointer: &str) -> &'v str {
    value.pointer(pointer).and_then(Value::as_str).unwrap_or_default()
}

/// The versions of a spec.
pub fn versions(spec: &Value) -> impl Iterator<Item = &Value> {
    spec.get("versions").and_then(Value::as_array).into_iter().flatten()
}

/// The condition of definitions whose resources are served.
const ESTABLISHED: &str = "Established";

/// Whether a definition with this status is served.
pub fn is_established(status: Option<&Value>) -> bool {
    is_true(status, ESTABLISHED)
}

/// Whether a definition with this status has all the names that it asks for.
pub fn has_names(status: Option<&Value>) -> bool {
    is_true(status, "NamesAccepted")
}

fn is_true(status: Option<&Value>, kind: &str) -> bool {
    status.is_some_and(|status| conditions(status).any(|one| one["type"] == kind && one["status"] == "True"))
}

fn has_condition(status: &Value, kind: &str) -> bool {
    conditions(status).any(|one| one["type"] == kind)
}

fn conditions(status: &Value) -> impl Iterator<Item = &Value> {
    status.get("conditions").and_then(Value::as_array).into_iter().flatten()
}

/// Writes the result of a name check into the status of a definition; `now` is the time of new conditions.
pub fn set_names(status: &mut Value, now: Timestamp, verdict: &NamesVerdict) {
    let names = match &verdict.conflict {
        None => Condition::new("NamesAccepted", "True", "NoConflicts", "no conflicts found"),
        Some((reason, message)) => Condition::new("NamesAccepted", "False", reason, message),
    };
    status["acceptedNames"] = verdict.accepted.clone();
    set_condition(status, now, names);
    if !has_condition(status, ESTABLISHED) {
        set_condition(
            status,
            now,
            Condition::new(ESTABLISHED, "False", "NotAccepted", "not all names are accepted"),
        );
    }
}

/// Lets the resources of a definition be served once it has its names. A definition that is served stays so.
pub fn establish(definition: &mut Value, now: Timestamp) {
    let status = definition.get("status");
    if !has_names(status) || is_established(status) {
        return;
    }
    let bundle = text(definition, "/spec/conversion/webhook/clientConfig/caBundle");
    let condition = if bundle_problem(bundle).is_none() {
        Condition::new(ESTABLISHED, "True", "InitialNamesAccepted", "the initial names have been accepted")
    } else {
        let message = "The conversion webhook CABundle is invalid";
        Condition::new(ESTABLISHED, "False", "InvalidCABundle", message)
    };
    set_condition(&mut definition["status"], now, condition);
}

/// Notes in the status what the approval of a definition is worth, where its group needs one.
pub fn set_approval(definition: &mut Value, now: Timestamp) {
    if !is_protected(text(definition, "/spec/group")) {
        return;
    }
    let annotations = definition.pointer("/metadata/annotations");
    let annotation =
        annotations.and_then(|all| all.get(ANNOTATION)).and_then(Value::as_str).unwrap_or_default();
    let approval = Approval::of(annotation);
    let (value, reason) = match approval {
        Approval::Invalid => ("False", "InvalidAnnotation"),
        Approval::Missing => ("False", "MissingAnnotation"),
        Approval::Approved => ("True", "ApprovedAnnotation"),
        Approval::Bypassed => ("False", "UnapprovedAnnotation"),
    };
    let message = approval.message(annotation);
    let condition = Condition::new("KubernetesAPIApprovalPolicyConformant", value, reason, &message);
    set_condition(&mut definition["status"], now, condition);
}

/// Notes in the status that the definition is being deleted.
pub fn set_terminating(status: &mut Value, now: Timestamp) {
    let message = "CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon";
    set_condition(status, now, Condition::new("Terminating", "True", "InstanceDeletionPending", message));
}

/// A condition without its time.
struct Condition<'c> {
    kind: &'c str,
    status: &'c str,
    reason: &'c str,
    message: &'c str,
}

impl<'c> Condition<'c> {
    fn new(kind: &'c str, status: &'c str, reason: &'c str, message: &'c str) -> Self {
        Condition { kind, status, reason, message }
    }
}

/// Sets a condition; its time changes with its status only.
fn set_condition(status: &mut Value, now: Timestamp, condition: Condition<'_>) {
    let Condition { kind, status: value, reason, message } = condition;
    let mut conditions = status.get("conditions").and_then(Value::as_array).cloned().unwrap_or_default();
    let known = conditions.iter_mut().find(|one| one["type"] == kind);
    let since = known.as_deref().filter(|one| one["status"] == value);
    let since = since.map_or_else(|| json!(now.to_string()), |one| one["lastTransitionTime"].clone());
    let new = json!({"type": kind, "status": value, "reason": reason, "message": message, "lastTransitionTime": since});
    match known {
        Some(known) => *known = new,
        None => conditions.push(new),
    }
    status["conditions"] = conditions.into();
}
