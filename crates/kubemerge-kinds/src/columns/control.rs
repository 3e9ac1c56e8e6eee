//! The cells of kinds that control the cluster: admission, access, certificates, quotas, API definitions.

use serde_json::{Value, json};

use super::column::age;
use super::read::{labels_text, list, or_none, part, text, word};

pub(crate) fn established(definition: &Value) -> Value {
    json!(has_condition(definition, "Established"))
}

fn has_condition(object: &Value, kind: &str) -> bool {
    list(object, "/status/conditions").any(|one| one["type"] == kind && one["status"] == "True")
}

pub(crate) fn param_kind(policy: &Value) -> String {
    match policy.pointer("/spec/paramKind") {
        Some(kind) => format!("{}/{}", word(&kind["apiVersion"]), word(&kind["kind"])),
        None => "<unset>".into(),
    }
}

pub(crate) fn param_ref(binding: &Value) -> String {
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

pub(crate) fn definition_versions(definition: &Value) -> String {
    let served = list(definition, "/spec/versions").filter(|version| version["served"] == json!(true));
    let label = |version: &Value| {
        let mark = if version["storage"] == json!(true) { "(storage)" } else { "" };
        format!("{}{mark}", word(&version["name"]))
    };
    let mut labels: Vec<String> = served.map(label).collect();
    labels.sort();
    labels.join(",")
}

pub(crate) fn api_service(service: &Value) -> String {
    match service.pointer("/spec/service") {
        Some(service) => format!("{}/{}", word(&service["namespace"]), word(&service["name"])),
        None => "Local".into(),
    }
}

pub(crate) fn api_available(service: &Value) -> String {
    let available = list(service, "/status/conditions").find(|one| one["type"] == "Available");
    match available.map(|one| (word(&one["status"]), word(&one["reason"]))) {
        None => "Unknown".into(),
        Some(("True", _)) => "True".into(),
        Some((status, reason)) => format!("{status} ({reason})"),
    }
}

/// The controller among the owners, as `statefulset.apps/web`.
pub(crate) fn controller(object: &Value) -> String {
    let owner = list(object, "/metadata/ownerReferences").find(|one| one["controller"] == json!(true));
    let Some(owner) = owner else { return "<none>".into() };
    let group = word(&owner["apiVersion"]).split_once('/').map_or("", |(group, _)| group);
    let dot = if group.is_empty() { "" } else { "." };
    let kind = format!("{}{dot}{group}", word(&owner["kind"])).to_lowercase();
    format!("{kind}/{}", word(&owner["name"]))
}

pub(crate) fn requested_duration(request: &Value) -> String {
    let seconds = request.pointer("/spec/expirationSeconds").and_then(Value::as_i64);
    seconds.map_or("<none>".into(), age)
}

pub(crate) fn user_annotations(request: &Value) -> String {
    or_none(labels_text(request.pointer("/spec/unverifiedUserAnnotations")))
}

pub(crate) fn missing_level(schema: &Value) -> String {
    let dangling = list(schema, "/status/conditions").find(|one| one["type"] == "Dangling");
    dangling.map_or("?", |one| word(&one["status"])).into()
}

/// The entries of a ConfigMap.
pub(crate) fn data_count(map: &Value) -> Value {
    json!(count(&map["data"]) + count(&map["binaryData"]))
}

/// The entries of a Secret.
pub(crate) fn secret_count(secret: &Value) -> Value {
    json!(count(&secret["data"]))
}

fn count(value: &Value) -> usize {
    value.as_object().map_or(0, serde_json::Map::len)
}

pub(crate) fn request_condition(request: &Value) -> String {
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

pub(crate) fn pod_certificate_state(request: &Value) -> String {
    let known = list(request, "/status/conditions").map(|one| word(&one["type"]));
    known.filter(|kind| matches!(*kind, "Issued" | "Denied" | "Failed")).last().unwrap_or("Pending").into()
}

pub(crate) fn role(binding: &Value) -> String {
    let role = &binding["roleRef"];
    format!("{}/{}", word(&role["kind"]), word(&role["name"]))
}

pub(crate) fn users(binding: &Value) -> String {
    subjects(binding, "User")
}

pub(crate) fn groups(binding: &Value) -> String {
    subjects(binding, "Group")
}

pub(crate) fn service_accounts(binding: &Value) -> String {
    subjects(binding, "ServiceAccount")
}

fn subjects(binding: &Value, kind: &str) -> String {
    let name = |subject: &Value| match kind {
        "ServiceAccount" => format!("{}/{}", word(&subject["namespace"]), word(&subject["name"])),
        _ => word(&subject["name"]).to_string(),
    };
    let own = list(binding, "/subjects").filter(|subject| subject["kind"] == kind);
    own.map(name).collect::<Vec<_>>().join(", ")
}

/// Upstream counts everything that is no limit as a request.
pub(crate) fn quota_requests(quota: &Value) -> String {
    hard_and_used(quota, |name| !name.starts_with("limits."))
}

pub(crate) fn quota_limits(quota: &Value) -> String {
    hard_and_used(quota, |name| name.starts_with("limits."))
}

fn hard_and_used(quota: &Value, is_shown: impl Fn(&str) -> bool) -> String {
    let hard = quota.pointer("/status/hard").and_then(Value::as_object).into_iter().flatten();
    let own = hard.filter(|(name, _)| is_shown(name));
    let used = part(quota, "/status/used");
    let used = |name: &str| used[name].as_str().unwrap_or("0").to_string();
    own.map(|(name, hard)| format!("{name}: {}/{}", used(name), word(hard))).collect::<Vec<_>>().join(", ")
}

pub(crate) fn migrated_resource(migration: &Value) -> String {
    let resource = part(migration, "/spec/resource");
    match (word(&resource["resource"]), word(&resource["group"])) {
        (resource, "") => resource.to_string(),
        (resource, group) => format!("{resource}.{group}"),
    }
}

pub(crate) fn migration_status(migration: &Value) -> String {
    let held = list(migration, "/status/conditions").filter(|one| one["status"] == "True");
    let known =
        held.map(|one| word(&one["type"])).filter(|kind| matches!(*kind, "Running" | "Failed" | "Succeeded"));
    known.last().unwrap_or("Unknown").into()
}

pub(crate) fn claim_state(claim: &Value) -> String {
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

pub(crate) fn component_status(status: &Value) -> String {
    let health = component(status).map(|one| one["status"] == "True");
    health.map_or("Unknown", |is_healthy| if is_healthy { "Healthy" } else { "Unhealthy" }).into()
}

pub(crate) fn component_message(status: &Value) -> String {
    component(status).map_or("", |one| word(&one["message"])).into()
}

pub(crate) fn component_error(status: &Value) -> String {
    component(status).map_or("", |one| word(&one["error"])).into()
}

fn component(status: &Value) -> Option<&Value> {
    list(status, "/conditions").find(|one| one["type"] == "Healthy")
}
