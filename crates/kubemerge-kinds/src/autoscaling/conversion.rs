//! HorizontalPodAutoscalers between versions v1 and v2.
//!
//! Version v1 has one metric, the utilization of CPUs. What only v2 can say is in annotations there, in forms of their
//! own: texts whose members are in the order of Go's structs.

use serde_json::{Map, Value, json};

use super::conversion_metrics::{metric_spec_v1, metric_spec_v2, metric_status_v1, metric_status_v2};

const METRICS: &str = "autoscaling.alpha.kubernetes.io/metrics";
const CURRENT_METRICS: &str = "autoscaling.alpha.kubernetes.io/current-metrics";
const CONDITIONS: &str = "autoscaling.alpha.kubernetes.io/conditions";
const BEHAVIOR: &str = "autoscaling.alpha.kubernetes.io/behavior";
const ROUND_TRIP: [&str; 6] = [
    METRICS,
    CURRENT_METRICS,
    CONDITIONS,
    BEHAVIOR,
    "autoscaling.alpha.kubernetes.io/scale-down-tolerance",
    "autoscaling.alpha.kubernetes.io/scale-up-tolerance",
];

const DEFAULT_CPU_UTILIZATION: i64 = 80;

/// Behavior as the annotation names it, and as v2 does: the annotation is an internal type of Kubernetes.
const RULES: [(&str, &str); 2] = [("ScaleUp", "scaleUp"), ("ScaleDown", "scaleDown")];
const RULE_FIELDS: [(&str, &str); 4] = [
    ("StabilizationWindowSeconds", "stabilizationWindowSeconds"),
    ("SelectPolicy", "selectPolicy"),
    ("Policies", "policies"),
    ("Tolerance", "tolerance"),
];
const POLICY_FIELDS: [(&str, &str); 3] =
    [("Type", "type"), ("Value", "value"), ("PeriodSeconds", "periodSeconds")];

/// An autoscaler of version v2 in version v1.
pub fn autoscaler_to_v1(v2: &Value) -> Value {
    let mut v1 = v2.clone();
    v1["apiVersion"] = json!("autoscaling/v1");
    let mut annotations = other_annotations(v2);
    let mut spec = taken(&mut v1, "spec");
    let metrics = list(spec.remove("metrics"));
    if let Some(utilization) = metrics.iter().find_map(cpu_utilization) {
        spec.insert("targetCPUUtilizationPercentage".into(), utilization.clone());
    }
    let others: Vec<String> =
        metrics.iter().filter(|metric| cpu_utilization(metric).is_none()).map(metric_spec_v1).collect();
    annotate(&mut annotations, METRICS, &others);
    if let Some(behavior) = spec.remove("behavior").filter(|behavior| !behavior.is_null()) {
        annotations.insert(BEHAVIOR.into(), behavior_text(&behavior).into());
    }
    v1["spec"] = spec.into();
    let mut status = taken(&mut v1, "status");
    let current = list(status.remove("currentMetrics"));
    let conditions = list(status.remove("conditions"));
    let utilization = current.iter().filter(|metric| metric["resource"]["name"] == "cpu");
    let mut utilization = utilization.map(|metric| &metric["resource"]["current"]["averageUtilization"]);
    if let Some(utilization) = utilization.rfind(|value| !value.is_null()) {
        status.insert("currentCPUUtilizationPercentage".into(), utilization.clone());
    }
    status.entry("currentReplicas").or_insert(json!(0));
    v1["status"] = status.into();
    annotate(&mut annotations, CURRENT_METRICS, &current.iter().map(metric_status_v1).collect::<Vec<_>>());
    annotate(&mut annotations, CONDITIONS, &conditions.iter().map(condition_text).collect::<Vec<_>>());
    set_annotations(&mut v1, annotations);
    v1
}

/// An autoscaler of version v1 in version v2.
pub fn autoscaler_to_v2(v1: &Value) -> Value {
    let mut v2 = v1.clone();
    v2["apiVersion"] = json!("autoscaling/v2");
    let given = |name: &str| v1.pointer("/metadata/annotations").and_then(|all| all[name].as_str());
    // What cannot be read is dropped, as Kubernetes does.
    let parsed = |name: &str| given(name).and_then(|text| serde_json::from_str::<Value>(text).ok());
    let mut spec = taken(&mut v2, "spec");
    let mut metrics: Vec<Value> = list(parsed(METRICS)).iter().map(metric_spec_v2).collect();
    metrics.extend(spec.remove("targetCPUUtilizationPercentage").map(|percent| cpu_metric(&percent)));
    if metrics.is_empty() {
        metrics.push(cpu_metric(&json!(DEFAULT_CPU_UTILIZATION)));
    }
    spec.insert("metrics".into(), metrics.into());
    if let Some(behavior) = parsed(BEHAVIOR).as_ref().and_then(behavior_v2) {
        spec.insert("behavior".into(), behavior);
    }
    v2["spec"] = spec.into();
    let mut status = taken(&mut v2, "status");
    if status.get("currentReplicas") == Some(&json!(0)) {
        status.remove("currentReplicas");
    }
    let own = status.remove("currentCPUUtilizationPercentage").map(|percent| {
        json!([{"type": "Resource", "resource": {"name": "cpu", "current": {"averageUtilization": percent}}}])
    });
    // The annotation says more than the status.
    let current = parsed(CURRENT_METRICS).map(|all| list(Some(all)).iter().map(metric_status_v2).collect());
    status.insert("currentMetrics".into(), current.or(own).unwrap_or_default());
    if let Some(conditions) =
        parsed(CONDITIONS).filter(|all| all.as_array().is_some_and(|all| !all.is_empty()))
    {
        status.insert("conditions".into(), conditions);
    }
    v2["status"] = status.into();
    set_annotations(&mut v2, other_annotations(v1));
    v2
}

/// The members of an object's field, taken out of it.
fn taken(object: &mut Value, name: &str) -> Map<String, Value> {
    match object.get_mut(name).map(Value::take) {
        Some(Value::Object(members)) => members,
        _ => Map::new(),
    }
}

fn list(value: Option<Value>) -> Vec<Value> {
    match value {
        Some(Value::Array(items)) => items,
        _ => Vec::new(),
    }
}

/// The annotations that are not part of the conversion.
fn other_annotations(object: &Value) -> Map<String, Value> {
    let mut annotations =
        object.pointer("/metadata/annotations").and_then(Value::as_object).cloned().unwrap_or_default();
    ROUND_TRIP.iter().for_each(|name| drop(annotations.remove(*name)));
    annotations
}

fn set_annotations(object: &mut Value, annotations: Map<String, Value>) {
    let mut metadata = taken(object, "metadata");
    metadata.remove("annotations");
    if !annotations.is_empty() {
        metadata.insert("annotations".into(), annotations.into());
    }
    object["metadata"] = metadata.into();
}

fn annotate(annotations: &mut Map<String, Value>, name: &str, items: &[String]) {
    if !items.is_empty() {
        annotations.insert(name.to_string(), format!("[{}]", items.join(",")).into());
    }
}

fn cpu_utilization(metric: &Value) -> Option<&Value> {
    let resource = metric.get("resource").filter(|resource| resource["name"] == "cpu")?;
    Some(&resource["target"]["averageUtilization"])
        .filter(|value| metric["type"] == "Resource" && !value.is_null())
}

fn cpu_metric(percent: &Value) -> Value {
    json!({"type": "Resource",
        "resource": {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": percent}}})
}

/// Members in the order of a Go struct; those without a value are written as null.
fn go_struct(fields: &[(&str, &str)], value: &Value, text: impl Fn(&str, &Value) -> String) -> String {
    let members: Vec<String> =
        fields.iter().map(|(go, json)| format!("\"{go}\":{}", text(json, &value[*json]))).collect();
    format!("{{{}}}", members.join(","))
}

fn behavior_text(behavior: &Value) -> String {
    go_struct(&RULES, behavior, |_, rules| match rules {
        Value::Null => "null".into(),
        rules => go_struct(&RULE_FIELDS, rules, |_, value| match value {
            Value::Array(policies) => {
                let policy = |one: &Value| go_struct(&POLICY_FIELDS, one, |_, value| value.to_string());
                format!("[{}]", policies.iter().map(policy).collect::<Vec<_>>().join(","))
            }
            value => value.to_string(),
        }),
    })
}

fn behavior_v2(text: &Value) -> Option<Value> {
    let renamed = |fields: &[(&str, &str)], value: &Value| -> Map<String, Value> {
        let found = fields.iter().map(|(go, json)| ((*json).to_string(), value[*go].clone()));
        found.filter(|(_, value)| !value.is_null()).collect()
    };
    let mut behavior = renamed(&RULES, text);
    for rules in behavior.values_mut() {
        let mut fields = renamed(&RULE_FIELDS, rules);
        if let Some(Value::Array(policies)) = fields.get_mut("policies") {
            policies.iter_mut().for_each(|policy| *policy = renamed(&POLICY_FIELDS, policy).into());
        }
        *rules = fields.into();
    }
    (!behavior.is_empty()).then(|| behavior.into())
}

fn condition_text(condition: &Value) -> String {
    let fields = ["type", "status", "lastTransitionTime", "reason", "message", "observedGeneration"];
    let always = ["type", "status", "lastTransitionTime"];
    let written = fields.iter().filter(|name| always.contains(name) || condition.get(**name).is_some());
    let members: Vec<String> = written.map(|name| format!("\"{name}\":{}", condition[*name])).collect();
    format!("{{{}}}", members.join(","))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As kube-apiserver 1.37 shows it in version v1.
    #[test]
    fn metrics_of_version_2_are_annotations_of_version_1() {
        let v2 = json!({"apiVersion": "autoscaling/v2", "metadata": {"name": "a"},
            "spec": {"maxReplicas": 10, "metrics": [
                {"type": "Resource", "resource": {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": 60}}},
                {"type": "Pods", "pods": {"metric": {"name": "rps"}, "target": {"type": "AverageValue", "averageValue": "100"}}},
                {"type": "Object", "object": {"describedObject": {"apiVersion": "networking.k8s.io/v1", "kind": "Ingress", "name": "web"},
                    "metric": {"name": "hits", "selector": {"matchLabels": {"a": "b"}}}, "target": {"type": "Value", "value": "2k"}}}],
                "behavior": {"scaleDown": {"selectPolicy": "Disabled", "policies": [{"type": "Pods", "value": 1, "periodSeconds": 60}]}}},
            "status": {"desiredReplicas": 0, "currentMetrics": null}});
        let v1 = autoscaler_to_v1(&v2);
        assert_eq!(v1["spec"], json!({"maxReplicas": 10, "targetCPUUtilizationPercentage": 60}));
        assert_eq!(v1["status"], json!({"currentReplicas": 0, "desiredReplicas": 0}));
        assert_eq!(
            v1["metadata"]["annotations"][METRICS],
            concat!(
                r#"[{"type":"Pods","pods":{"metricName":"rps","targetAverageValue":"100"}},"#,
                r#"{"type":"Object","object":{"target":{"kind":"Ingress","name":"web","apiVersion":"networking.k8s.io/v1"},"#,
                r#""metricName":"hits","targetValue":"2k","selector":{"matchLabels":{"a":"b"}}}}]"#
            )
        );
        assert_eq!(
            v1["metadata"]["annotations"][BEHAVIOR],
            concat!(
                r#"{"ScaleUp":null,"ScaleDown":{"StabilizationWindowSeconds":null,"SelectPolicy":"Disabled","#,
                r#""Policies":[{"Type":"Pods","Value":1,"PeriodSeconds":60}],"Tolerance":null}}"#
            )
        );
        // The CPU metric comes last after the way back.
        let mut expected = v2;
        let metrics = expected["spec"]["metrics"].as_array_mut().map(|metrics| metrics.rotate_left(1));
        assert_eq!((autoscaler_to_v2(&v1), metrics), (expected, Some(())));
    }
}
