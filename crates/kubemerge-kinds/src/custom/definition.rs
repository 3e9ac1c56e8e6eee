//! The rules of CustomResourceDefinitions themselves.

use serde_json::{Value, json};

use super::{names::NamesVerdict, scale, structure};
use crate::{field_error::FieldError, timestamp::Timestamp};

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

/// What is wrong with the spec of a definition.
pub fn validate(name: &str, spec: &Value) -> Vec<FieldError> {
    let mut errors = Vec::new();
    for (pointer, field) in
        [("/group", "spec.group"), ("/names/plural", "spec.names.plural"), ("/names/kind", "spec.names.kind")]
    {
        if text(spec, pointer).is_empty() {
            errors.push(FieldError::required(field, ""));
        }
    }
    let wanted = format!("{}.{}", text(spec, "/names/plural"), text(spec, "/group"));
    if errors.is_empty() && name != wanted {
        let why = "must be spec.names.plural+\".\"+spec.group";
        errors.push(FieldError::invalid("metadata.name", &json!(name), why));
    }
    if !matches!(text(spec, "/scope"), "Namespaced" | "Cluster") {
        let supported = ["Cluster".to_string(), "Namespaced".to_string()];
        errors.push(FieldError::not_supported("spec.scope", &json!(text(spec, "/scope")), &supported));
    }
    check_versions(spec, &mut errors);
    errors
}

fn check_versions(spec: &Value, errors: &mut Vec<FieldError>) {
    let flag = |version: &Value, key: &str| version.get(key).and_then(Value::as_bool).unwrap_or(false);
    if versions(spec).filter(|version| flag(version, "storage")).count() != 1 {
        let why = "must have exactly one version marked as storage version";
        let all = spec.get("versions").cloned().unwrap_or_default();
        errors.push(FieldError::invalid("spec.versions", &all, why));
    }
    for (at, version) in versions(spec).enumerate() {
        let field = format!("spec.versions[{at}]");
        if text(version, "/name").is_empty() {
            errors.push(FieldError::required(format!("{field}.name"), ""));
        }
        match version.pointer("/schema/openAPIV3Schema") {
            None => {
                errors.push(FieldError::required(
                    format!("{field}.schema.openAPIV3Schema"),
                    "schemas are required",
                ));
            }
            Some(schema) => structure::check(schema, &format!("{field}.schema.openAPIV3Schema"), errors),
        }
        if let Some(scale) = scale::of_version(version) {
            scale::check(scale, &format!("{field}.subresources.scale"), errors);
        }
    }
}

/// Fills in the names and the conversion that a spec may leave out; the spec must be valid.
pub fn default_spec(spec: &mut Value) {
    let kind = text(spec, "/names/kind").to_string();
    let names = &mut spec["names"];
    if text(names, "/singular").is_empty() {
        names["singular"] = kind.to_lowercase().into();
    }
    if text(names, "/listKind").is_empty() {
        names["listKind"] = format!("{kind}List").into();
    }
    if spec.get("conversion").is_none() {
        spec["conversion"] = json!({"strategy": "None"});
    }
}

/// Checks what must not change while a definition is served, and the versions that objects may be stored in.
pub fn validate_update(old: &Value, spec: &Value, status: &Value) -> Vec<FieldError> {
    let mut errors = Vec::new();
    let before = old.get("spec").unwrap_or(&Value::Null);
    if is_established(old.get("status")) {
        for (pointer, field) in [
            ("/group", "spec.group"),
            ("/names/plural", "spec.names.plural"),
            ("/names/kind", "spec.names.kind"),
            ("/scope", "spec.scope"),
        ] {
            let (before, after) = (before.pointer(pointer), spec.pointer(pointer));
            if before != after {
                let after = after.cloned().unwrap_or_default();
                errors.push(FieldError::invalid(field, &after, "field is immutable"));
            }
        }
    }
    let held = status["storedVersions"].as_array().into_iter().flatten();
    for (at, held) in held.enumerate() {
        if !versions(spec).any(|version| version["name"] == *held) {
            let field = format!("status.storedVersions[{at}]");
            let name = held.as_str().unwrap_or_default();
            let why = format!(
                "missing from spec.versions; {name} was previously a storage version, and must remain in \
                 spec.versions until a storage migration ensures no data remains persisted in {name} and removes \
                 {name} from status.storedVersions"
            );
            errors.push(FieldError::invalid(field, held, &why));
        }
    }
    errors
}

/// The status of a definition whose names were judged; `now` is the time of new conditions.
pub fn status(now: Timestamp, spec: &Value, verdict: &NamesVerdict, old: Option<&Value>) -> Value {
    let now = now.to_string();
    let conditions =
        |old: &Value| old.get("conditions").and_then(Value::as_array).cloned().unwrap_or_default();
    let before = old.map(conditions).unwrap_or_default();
    let held =
        |kind: &str, status: &str| before.iter().find(|one| one["type"] == kind && one["status"] == status);
    let condition = |kind: &str, holds: bool, reason: &str, message: &str| {
        let status = if holds { "True" } else { "False" };
        let since = held(kind, status).map_or(json!(now), |one| one["lastTransitionTime"].clone());
        json!({"type": kind, "status": status, "reason": reason, "message": message, "lastTransitionTime": since})
    };
    let names = match &verdict.conflict {
        None => condition("NamesAccepted", true, "NoConflicts", "no conflicts found"),
        Some((reason, message)) => condition("NamesAccepted", false, reason, message),
    };
    // A definition that is served stays so.
    let established = if verdict.conflict.is_none() || held("Established", "True").is_some() {
        condition("Established", true, "InitialNamesAccepted", "the initial names have been accepted")
    } else {
        condition("Established", false, "NotAccepted", "not all names are accepted")
    };
    json!({"conditions": [names, established], "acceptedNames": verdict.accepted,
        "storedVersions": stored_versions(spec, old)})
}

fn stored_versions(spec: &Value, old: Option<&Value>) -> Vec<Value> {
    let mut stored =
        old.and_then(|old| old.get("storedVersions").and_then(Value::as_array).cloned()).unwrap_or_default();
    let storage = versions(spec).find(|version| version["storage"] == json!(true));
    if let Some(name) = storage.map(|version| version["name"].clone()).filter(|name| !stored.contains(name)) {
        stored.push(name);
    }
    stored
}
