//! The cells of kinds that run pods, and of those that look after them.

use serde_json::Value;

use super::cell::Cell;
use super::column::{AGE, CONTAINERS, IMAGES, KindColumn, NAME, POD_SELECTOR, age};
use super::read::{labels_text, list, moment, number, or_none, part, selector_text, word};
use crate::timestamp::Timestamp;

/// The columns of kinds that keep a number of pods running.
pub(crate) const REPLICA_COLUMNS: &[KindColumn] = &[
    NAME,
    KindColumn::integer("Desired", Cell::Number("/spec/replicas")),
    KindColumn::integer("Current", Cell::Number("/status/replicas")),
    KindColumn::integer("Ready", Cell::Number("/status/readyReplicas")),
    AGE,
    CONTAINERS,
    IMAGES,
    POD_SELECTOR,
];

/// The names of the containers.
pub(crate) fn containers(workload: &Value) -> String {
    of_containers(workload, "name")
}

/// The images of the containers.
pub(crate) fn images(workload: &Value) -> String {
    of_containers(workload, "image")
}

/// A member of every container of the pods that a workload makes.
fn of_containers(workload: &Value, member: &str) -> String {
    let places = [
        "/spec/template/spec/containers",
        "/spec/jobTemplate/spec/template/spec/containers",
        // A PodTemplate has no spec of its own.
        "/template/spec/containers",
    ];
    let containers = places.iter().flat_map(|place| list(workload, place));
    containers.map(|container| word(&container[member])).collect::<Vec<_>>().join(",")
}

pub(crate) fn selector(workload: &Value) -> String {
    or_none(selector_text(part(workload, "/spec/selector")))
}

/// Upstream: a Deployment without a selector has an empty cell.
pub(crate) fn selector_or_nothing(deployment: &Value) -> String {
    selector_text(part(deployment, "/spec/selector"))
}

/// The selector of the jobs that a CronJob creates.
pub(crate) fn job_template_selector(cron_job: &Value) -> String {
    let selector = cron_job.pointer("/spec/jobTemplate/spec/selector");
    or_none(selector.map(selector_text).unwrap_or_default())
}

pub(crate) fn template_labels(template: &Value) -> String {
    or_none(labels_text(template.pointer("/template/metadata/labels")))
}

pub(crate) fn node_selector(set: &Value) -> String {
    or_none(labels_text(set.pointer("/spec/template/spec/nodeSelector")))
}

pub(crate) fn ready_replicas(workload: &Value) -> String {
    format!("{}/{}", number(workload, "/status/readyReplicas"), number(workload, "/spec/replicas"))
}

pub(crate) fn suspend(cron_job: &Value) -> String {
    let text = match part(cron_job, "/spec/suspend").as_bool() {
        Some(true) => "True",
        Some(false) => "False",
        None => "<unset>",
    };
    text.into()
}

pub(crate) fn job_status(job: &Value) -> String {
    let has = |kind: &str| {
        list(job, "/status/conditions").any(|one| one["type"] == kind && one["status"] == "True")
    };
    let is_deleted = job.pointer("/metadata/deletionTimestamp").is_some();
    // The first of these that holds counts.
    let states = [
        // Upstream looks for the final conditions before those that announce them.
        ("Complete", has("Complete")),
        ("Failed", has("Failed")),
        ("Terminating", is_deleted),
        ("Suspended", has("Suspended")),
        ("FailureTarget", has("FailureTarget")),
        ("SuccessCriteriaMet", has("SuccessCriteriaMet")),
    ];
    states.iter().find(|(_, holds)| *holds).map_or("Running", |(state, _)| state).to_string()
}

pub(crate) fn completions(job: &Value) -> String {
    let succeeded = number(job, "/status/succeeded");
    let parallelism = number(job, "/spec/parallelism");
    match job.pointer("/spec/completions").and_then(Value::as_i64) {
        Some(wanted) => format!("{succeeded}/{wanted}"),
        // A job without completions is done when any of its pods succeeds.
        None if parallelism > 1 => format!("{succeeded}/1 of {parallelism}"),
        None => format!("{succeeded}/1"),
    }
}

pub(crate) fn job_duration(job: &Value, now: Timestamp) -> String {
    match (moment(job, "/status/startTime"), moment(job, "/status/completionTime")) {
        (None, _) => String::new(),
        (Some(start), end) => age(end.unwrap_or(now).since(start)),
    }
}

pub(crate) fn min_available(budget: &Value) -> String {
    or_not_applicable(part(budget, "/spec/minAvailable"))
}

pub(crate) fn max_unavailable(budget: &Value) -> String {
    or_not_applicable(part(budget, "/spec/maxUnavailable"))
}

fn or_not_applicable(value: &Value) -> String {
    match value {
        Value::Null => "N/A".into(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}
