//! Answers of both sides, in a form that can be compared.

use std::collections::BTreeSet;

use kubemerge_kinds::tree::{Arena, Map};
use kubemerge_kinds::{BuiltinKind, Refusal, admit, admit_update};
use kubemerge_schema::Schema;
use serde_json::Value;

use super::objects::text;
use super::operation::Operation;
use super::trial::Trial;
use kubemerge_test_support::recording::normal::without_type_number;

/// What one side says.
pub(super) enum Answer {
    /// The object is accepted and stored like this.
    Accepted(Value),
    /// Fields are invalid: causes.
    Invalid(BTreeSet<Cause>),
    /// Anything else: code and message.
    Refused(u64, String),
}

/// A cause of a Status.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Cause {
    pub(super) reason: String,
    pub(super) field: String,
    pub(super) message: String,
}

impl Answer {
    pub(super) fn code(&self) -> u64 {
        match self {
            Answer::Accepted(_) => 200,
            Answer::Invalid(_) => 422,
            Answer::Refused(code, _) => *code,
        }
    }

    pub(super) fn ours(schema: &Schema, trial: &Trial<'_>) -> Answer {
        let object = trial.object.to_string();
        let old = trial.base.stored.as_ref().map(stored_text).unwrap_or_default();
        let result = match trial.operation {
            Operation::Create => admit(schema, &object),
            Operation::Update => admit_update(schema, &old, &object),
            other => update_subresource(schema, other.word(), &old, &object),
        };
        match result {
            Ok(text) => Answer::Accepted(normal(serde_json::from_str(&text).unwrap_or_default())),
            Err(Refusal::Invalid(errors)) => Answer::Invalid(
                errors
                    .into_iter()
                    .map(|error| Cause {
                        reason: error.kind.reason().to_owned(),
                        message: without_type_number(&error.message()),
                        field: error.field,
                    })
                    .collect(),
            ),
            // What is left are texts that cannot be decoded and unknown kinds.
            Err(other) => Answer::Refused(400, other.to_string()),
        }
    }

    pub(super) fn of_oracle(answer: &Value) -> Answer {
        let code = answer["code"].as_u64().unwrap_or_default();
        let status = &answer["status"];
        let causes = status["details"]["causes"].as_array();
        match code {
            200..300 => Answer::Accepted(normal(answer["object"].clone())),
            422 => Answer::Invalid(causes.into_iter().flatten().map(cause).collect()),
            // The oracle answers a panic of Kubernetes without a code.
            0 => Answer::Refused(0, answer["panic"].as_str().unwrap_or_default().to_owned()),
            _ => Answer::Refused(code, text(status, "message").to_owned()),
        }
    }
}

fn cause(cause: &Value) -> Cause {
    Cause {
        reason: text(cause, "reason").to_owned(),
        field: text(cause, "field").to_owned(),
        message: without_type_number(text(cause, "message")),
    }
}

/// The oracle gives stored objects a uid and a resource version.
fn stored_text(stored: &Value) -> String {
    let mut stored = stored.clone();
    stored["metadata"]["resourceVersion"] = "1".into();
    stored.to_string()
}

fn update_subresource(schema: &Schema, name: &str, old: &str, new: &str) -> Result<String, Refusal> {
    let arena = Arena::new();
    let value: Value = serde_json::from_str(new).unwrap_or_default();
    let Some(kind) = BuiltinKind::find(schema, text(&value, "apiVersion"), text(&value, "kind")) else {
        return Err(Refusal::UnknownKind { api_version: String::new(), kind: String::new() });
    };
    let mut new: Map<'_> = kind.decode(&arena, new).map_err(Refusal::Decode)?.object;
    let mut old: Map<'_> = kind.decode(&arena, old).map_err(Refusal::Decode)?.object;
    kind.default(&mut new);
    kind.default(&mut old);
    kind.prepare_subresource(name, &mut new, &old);
    let errors = kind.validate_subresource(name, &new, &old);
    if errors.is_empty() { Ok(new.to_text()) } else { Err(Refusal::Invalid(errors)) }
}

/// Without what only a server gives to an object.
fn normal(mut object: Value) -> Value {
    if let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut) {
        for name in ["uid", "creationTimestamp", "resourceVersion", "managedFields"] {
            metadata.remove(name);
        }
    }
    // Allocated addresses, times of now and random names differ from run to run.
    match object["kind"].as_str() {
        Some("Service") => drop_allocations(&mut object),
        Some("PersistentVolume") => drop_field(&mut object, "status", "lastPhaseTransitionTime"),
        // The name of one without a name is a random uid.
        Some("LimitRange") if text(&object["metadata"], "name").len() == 36 => {
            drop_field(&mut object, "metadata", "name");
        }
        // The oracle has a user of its own.
        Some("CertificateSigningRequest") => object["spec"]["username"] = Value::Null,
        Some("DeviceTaintRule") => drop_time_added(&mut object["spec"]["taint"]),
        Some("ResourceSlice") => {
            let devices = object["spec"]["devices"].as_array_mut().into_iter().flatten();
            let taints = devices.filter_map(|device| device.get_mut("taints")?.as_array_mut());
            taints.flatten().for_each(drop_time_added);
        }
        _ => {}
    }
    let conditions = object.get_mut("status").and_then(|status| status.get_mut("conditions"));
    for condition in conditions.and_then(Value::as_array_mut).into_iter().flatten() {
        if let Some(condition) = condition.as_object_mut() {
            // Set on both sides: a missing time and a time of now count as the same.
            condition.insert("lastTransitionTime".to_owned(), Value::Null);
            condition.insert("lastUpdateTime".to_owned(), Value::Null);
        }
    }
    object
}

fn drop_field(object: &mut Value, part: &str, name: &str) {
    if let Some(part) = object.get_mut(part).and_then(Value::as_object_mut) {
        part.remove(name);
    }
}

/// The time at which a server first sees a taint.
fn drop_time_added(taint: &mut Value) {
    if let Some(taint) = taint.as_object_mut() {
        taint.remove("timeAdded");
    }
}

/// Addresses and ports that a server gives to a Service.
fn drop_allocations(service: &mut Value) {
    let Some(spec) = service.get_mut("spec").and_then(Value::as_object_mut) else { return };
    // `None` is no allocation but the user's word for a headless Service.
    if spec.get("clusterIP").is_some_and(|address| address != "None") {
        spec.remove("clusterIP");
        spec.remove("clusterIPs");
    }
    spec.remove("healthCheckNodePort");
    for port in spec.get_mut("ports").and_then(Value::as_array_mut).into_iter().flatten() {
        if let Some(port) = port.as_object_mut() {
            port.remove("nodePort");
        }
    }
}

/// The places where two objects differ, without the numbers of list items.
pub(super) fn differences(ours: &Value, theirs: &Value) -> Vec<String> {
    let mut found = Vec::new();
    differ("", ours, theirs, &mut found);
    found.sort();
    found.dedup();
    found
}

fn differ(path: &str, ours: &Value, theirs: &Value, found: &mut Vec<String>) {
    match (ours, theirs) {
        (Value::Object(one), Value::Object(other)) => {
            for (name, value) in one {
                let path = format!("{path}.{name}");
                match other.get(name) {
                    Some(other) => differ(&path, value, other, found),
                    None => found.push(format!("{path}: extra {}", short(value))),
                }
            }
            let missing = other.iter().filter(|(name, _)| !one.contains_key(*name));
            found.extend(missing.map(|(name, value)| format!("{path}.{name}: missing {}", short(value))));
        }
        (Value::Array(one), Value::Array(other)) if one.len() == other.len() => {
            let path = format!("{path}[]");
            one.iter().zip(other).for_each(|(one, other)| differ(&path, one, other, found));
        }
        _ if ours == theirs => {}
        _ => found.push(format!("{path}: {} should be {}", short(ours), short(theirs))),
    }
}

fn short(value: &Value) -> String {
    let text = value.to_string();
    if text.len() <= 60 { text } else { text.chars().take(57).chain("...".chars()).collect() }
}
