//! The cells of kinds that control the cluster: admission, access, certificates, quotas, API definitions.

use serde_json::{Value, json};

use super::read::{labels_text, list, or_none, selector_text, text, word};
use crate::{columns::column::age, timestamp::Timestamp};

/// A cell; none if the column is another kind's.
pub(super) fn cell(name: &str, object: &Value, now: Timestamp) -> Option<Value> {
    Some(match name {
        "established" => json!(has_condition(object, "Established")),
        "param-kind" => json!(param_kind(object)),
        "param-ref" => json!(param_ref(object)),
        "definition-versions" => json!(definition_versions(object)),
        "api-service" => json!(api_service(object)),
        "api-available" => json!(api_available(object)),
        "controller" => json!(controller(object)),
        "requested-duration" => {
            let seconds = object.pointer("/spec/expirationSeconds").and_then(Value::as_i64);
            json!(seconds.map_or("<none>".into(), age))
        }
        "request-condition" => json!(request_condition(object)),
        "pod-certificate-state" => json!(pod_certificate_state(object)),
        "user-annotations" => {
            json!(or_none(labels_text(object.pointer("/spec/unverifiedUserAnnotations"))))
        }
        "users" => json!(subjects(object, "User")),
        "groups" => json!(subjects(object, "Group")),
        "service-accounts" => json!(subjects(object, "ServiceAccount")),
        "quota-requests" => json!(quota(object, false)),
        "quota-limits" => json!(quota(object, true)),
        "missing-level" => {
            let dangling = list(object, "/status/conditions").find(|one| one["type"] == "Dangling");
            json!(dangling.map_or("?", |one| word(&one["status"])))
        }
        "migrated-resource" => json!(migrated_resource(object)),
        "migration-status" => json!(migration_status(object)),
        "claim-state" => json!(claim_state(object)),
        "taint-added" => {
            let added = text(object, "/spec/taint/timeAdded").and_then(Timestamp::parse);
            json!(added.map_or(String::new(), |then| age(now.since(then))))
        }
        "component-status" => json!(
            component(object)
                .map_or("Unknown", |one| { if one["status"] == "True" { "Healthy" } else { "Unhealthy" } })
        ),
        "component-message" => json!(component(object).map_or("", |one| word(&one["message"]))),
        "component-error" => json!(component(object).map_or("", |one| word(&one["error"]))),
        _ => return None,
    })
}

fn has_condition(object: &Value, kind: &str) -> bool {
    list(object, "/status/conditions").any(|one| one["type"] == kind && one["status"] == "True")
}

fn param_kind(policy: &Value) -> String {
    match policy.pointer("/spec/paramKind") {
        Some(kind) => format!("{}/{}", word(&kind["apiVersion"]), word(&kind["kind"])),
        None => "<unset>".into(),
    }
}

fn param_ref(binding: &Value) -> String {
    let Some(reference) = binding.pointer("/spec/paramRef") else { return "<unset>".into() };
    match (word(&reference["namespace"]), word(&reference["name"])) {
        (_, "") if reference["selector"].is_object() => go_selector(&reference["selector"]),
        (_, "") => "<unset>".into(),
        // Parameters of every namespace that has one of this name.
        ("", name) => format!("*/{name}"),
        (namespace, name) => format!("{namespace}/{name}"),
    }
}

/// A label selector as Go's generated code prints it.
fn go_selector(selector: &Value) -> String {
    let labels = selector["matchLabels"].as_object().into_iter().flatten();
    let labels: String = labels.map(|(key, value)| format!("{key}: {},", word(value))).collect();
    let expressions: String = list(selector, "/matchExpressions")
        .map(|one| {
            let values: Vec<&str> = list(one, "/values").map(word).collect();
            let (key, operator) = (word(&one["key"]), word(&one["operator"]));
            let values = values.join(" ");
            format!("LabelSelectorRequirement{{Key:{key},Operator:{operator},Values:[{values}],}},")
        })
        .collect();
    format!(
        "&LabelSelector{{MatchLabels:map[string]string{{{labels}}},\
         MatchExpressions:[]LabelSelectorRequirement{{{expressions}}},}}"
    )
}

fn definition_versions(definition: &Value) -> String {
    let served = list(definition, "/spec/versions").filter(|version| version["served"] == json!(true));
    let label = |version: &Value| {
        let mark = if version["storage"] == json!(true) { "(storage)" } else { "" };
        format!("{}{mark}", word(&version["name"]))
    };
    let mut labels: Vec<String> = served.map(label).collect();
    labels.sort();
    labels.join(",")
}

fn api_service(service: &Value) -> String {
    match service.pointer("/spec/service") {
        Some(service) => format!("{}/{}", word(&service["namespace"]), word(&service["name"])),
        None => "Local".into(),
    }
}

fn api_available(service: &Value) -> String {
    let available = list(service, "/status/conditions").find(|one| one["type"] == "Available");
    match available.map(|one| (word(&one["status"]), word(&one["reason"]))) {
        None => "Unknown".into(),
        Some(("True", _)) => "True".into(),
        Some((status, reason)) => format!("{status} ({reason})"),
    }
}

/// The controller among the owners, as `statefulset.apps/web`.
fn controller(object: &Value) -> String {
    let owner = list(object, "/metadata/ownerReferences").find(|one| one["controller"] == json!(true));
    let Some(owner) = owner else { return "<none>".into() };
    let group = word(&owner["apiVersion"]).split_once('/').map_or("", |(group, _)| group);
    let dot = if group.is_empty() { "" } else { "." };
    let kind = format!("{}{dot}{group}", word(&owner["kind"])).to_lowercase();
    format!("{kind}/{}", word(&owner["name"]))
}

fn request_condition(request: &Value) -> String {
    let has = |kind: &str| list(request, "/status/conditions").any(|one| one["type"] == kind);
    let mut status = match (has("Denied"), has("Approved")) {
        (true, _) => "Denied".to_string(),
        (_, true) => "Approved".to_string(),
        _ => "Pending".to_string(),
    };
    if has("Failed") {
        status += ",Failed";
    }
    if text(request, "/status/certificate").is_some() {
        status += ",Issued";
    }
    status
}

fn pod_certificate_state(request: &Value) -> &str {
    let known = list(request, "/status/conditions").map(|one| word(&one["type"]));
    known.filter(|kind| matches!(*kind, "Issued" | "Denied" | "Failed")).last().unwrap_or("Pending")
}

fn subjects(binding: &Value, kind: &str) -> String {
    let name = |subject: &Value| match kind {
        "ServiceAccount" => format!("{}/{}", word(&subject["namespace"]), word(&subject["name"])),
        _ => word(&subject["name"]).to_string(),
    };
    let own = list(binding, "/subjects").filter(|subject| subject["kind"] == kind);
    own.map(name).collect::<Vec<_>>().join(", ")
}

fn quota(quota: &Value, limits: bool) -> String {
    let hard = quota.pointer("/status/hard").and_then(Value::as_object).into_iter().flatten();
    // Upstream counts everything that is no limit as a request.
    let own = hard.filter(|(name, _)| name.starts_with("limits.") == limits);
    let used = |name: &str| quota["status"]["used"][name].as_str().unwrap_or("0").to_string();
    own.map(|(name, hard)| format!("{name}: {}/{}", used(name), word(hard))).collect::<Vec<_>>().join(", ")
}

fn migrated_resource(migration: &Value) -> String {
    let resource = &migration["spec"]["resource"];
    match (word(&resource["resource"]), word(&resource["group"])) {
        (resource, "") => resource.to_string(),
        (resource, group) => format!("{resource}.{group}"),
    }
}

fn migration_status(migration: &Value) -> &str {
    let held = list(migration, "/status/conditions").filter(|one| one["status"] == "True");
    let known =
        held.map(|one| word(&one["type"])).filter(|kind| matches!(*kind, "Running" | "Failed" | "Succeeded"));
    known.last().unwrap_or("Unknown")
}

fn claim_state(claim: &Value) -> String {
    let is_deleted = claim.pointer("/metadata/deletionTimestamp").is_some();
    let is_allocated = claim.pointer("/status/allocation").is_some();
    let is_reserved = is_allocated && list(claim, "/status/reservedFor").next().is_some();
    let states = [
        ("deleted", is_deleted),
        ("pending", !is_deleted && !is_allocated),
        ("allocated", is_allocated),
        ("reserved", is_reserved),
    ];
    states.iter().filter(|(_, holds)| *holds).map(|(state, _)| *state).collect::<Vec<_>>().join(",")
}

fn component(status: &Value) -> Option<&Value> {
    list(status, "/conditions").find(|one| one["type"] == "Healthy")
}

/// The selector of the jobs that a CronJob creates.
pub(super) fn job_template_selector(object: &Value) -> String {
    let selector = object.pointer("/spec/jobTemplate/spec/selector");
    or_none(selector.map(selector_text).unwrap_or_default())
}
