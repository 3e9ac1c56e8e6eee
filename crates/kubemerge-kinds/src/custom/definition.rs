//! Stored CustomResourceDefinitions: what they serve, and the state that the server writes into their status.

use serde_json::{Value, json};

use super::names::NamesVerdict;
use crate::timestamp::Timestamp;

/// The text at a JSON pointer; empty if there is none.
pub fn text<'v>(value: &'v Value, pointer: &str) -> &'v str {
    value.pointer(pointer).and_then(Value::as_str).unwrap_or_default()
}

/// The versions of a spec.
pub fn versions(spec: &Value) -> impl Iterator<Item = &Value> {
    spec.get("versions").and_then(Value::as_array).into_iter().flatten()
}

/// Whether a definition with this status is served.
pub fn is_established(status: Option<&Value>) -> bool {
    let conditions =
        status.and_then(|status| status.get("conditions")).and_then(Value::as_array).into_iter().flatten();
    conditions.into_iter().any(|one| one["type"] == "Established" && one["status"] == "True")
}

/// Writes the result of a name check into the status of a definition; `now` is the time of new conditions.
pub fn set_names(status: &mut Value, now: Timestamp, verdict: &NamesVerdict) {
    let names = match &verdict.conflict {
        None => Condition::new("NamesAccepted", "True", "NoConflicts", "no conflicts found"),
        Some((reason, message)) => Condition::new("NamesAccepted", "False", reason, message),
    };
    // A definition that is served stays so.
    let established = if verdict.conflict.is_none() || is_established(Some(status)) {
        Condition::new("Established", "True", "InitialNamesAccepted", "the initial names have been accepted")
    } else {
        Condition::new("Established", "False", "NotAccepted", "not all names are accepted")
    };
    status["acceptedNames"] = verdict.accepted.clone();
    set_condition(status, now, names);
    set_condition(status, now, established);
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
