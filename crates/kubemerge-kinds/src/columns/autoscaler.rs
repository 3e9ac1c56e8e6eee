//! The cells of a HorizontalPodAutoscaler, in either version.

use serde_json::Value;

use super::read::{list, part, word};

pub(crate) fn target(scaler: &Value) -> String {
    let target = part(scaler, "/spec/scaleTargetRef");
    format!("{}/{}", word(&target["kind"]), word(&target["name"]))
}

pub(crate) fn min_pods(scaler: &Value) -> String {
    scaler.pointer("/spec/minReplicas").map_or("<unset>".into(), Value::to_string)
}

/// What is measured and what is aimed at, metric by metric.
pub(crate) fn metrics(scaler: &Value) -> String {
    const MAX_SHOWN: usize = 2;
    let mut all: Vec<String> = list(scaler, "/spec/metrics")
        .enumerate()
        // Specs and statuses belong together by position.
        .map(|(place, metric)| one(metric, list(scaler, "/status/currentMetrics").nth(place)))
        .collect();
    // Version 1 has one metric, in fields of its own.
    if let Some(wanted) = scaler.pointer("/spec/targetCPUUtilizationPercentage") {
        let current = scaler.pointer("/status/currentCPUUtilizationPercentage");
        all.push(format!("cpu: {}/{wanted}%", current.map_or("<unknown>".into(), |now| format!("{now}%"))));
    }
    let more = all.len().saturating_sub(MAX_SHOWN);
    let shown = all.into_iter().take(MAX_SHOWN).collect::<Vec<_>>().join(", ");
    match (shown.is_empty(), more) {
        (true, _) => "<none>".into(),
        (false, 0) => shown,
        (false, more) => format!("{shown} + {more} more..."),
    }
}

fn one(metric: &Value, status: Option<&Value>) -> String {
    let (field, is_resource) = match word(&metric["type"]) {
        "External" => ("external", false),
        "Pods" => ("pods", false),
        "Object" => ("object", false),
        "Resource" => ("resource", true),
        "ContainerResource" => ("containerResource", true),
        _ => return "<unknown type>".into(),
    };
    let source = &metric[field];
    let current = status.map_or(&Value::Null, |status| part(&status[field], "/current"));
    let target = &source["target"];
    let measured = |name: &str| current[name].as_str().unwrap_or("<unknown>").to_string();
    if is_resource {
        let name = word(&source["name"]);
        return match &target["averageValue"] {
            Value::String(wanted) => format!("{name}: {}/{wanted}", measured("averageValue")),
            _ => format!("{name}: {}/{}", percent(current, "<unknown>"), percent(target, "<auto>")),
        };
    }
    match (&target["averageValue"], field) {
        (Value::String(wanted), "pods") => format!("{}/{wanted}", measured("averageValue")),
        (Value::String(wanted), _) => format!("{}/{wanted} (avg)", measured("averageValue")),
        _ => format!("{}/{}", measured("value"), word(&target["value"])),
    }
}

fn percent(of: &Value, absent: &str) -> String {
    of["averageUtilization"].as_i64().map_or(absent.into(), |percent| format!("{percent}%"))
}
