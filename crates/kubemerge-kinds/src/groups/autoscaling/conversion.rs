//! HorizontalPodAutoscalers between versions v1 and v2.
//!
//! Version v1 has one metric, the utilization of CPUs. What only v2 can say is in annotations there, in forms of their
//! own: texts whose members are in the order of Go's structs.

use kubemerge_value::Document;

use super::conversion_metrics::{
    at, cpu_current, cpu_target, list_text, metric_spec_v1, metric_spec_v2, metric_status_v1,
    metric_status_v2,
};
use crate::registry::{RulesRead, VersionConversion};
use crate::tree::{Arena, List, Map, Value};
use crate::typed::read_typed_form;

pub(super) const METRICS: &str = "autoscaling.alpha.kubernetes.io/metrics";
pub(super) const CURRENT_METRICS: &str = "autoscaling.alpha.kubernetes.io/current-metrics";
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

pub(super) const DEFAULT_CPU_UTILIZATION: i64 = 80;
/// Far more than anything in such an annotation has.
const MAX_ANNOTATION_DEPTH: usize = 128;

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

/// Version v1, which is stored as v2.
pub(super) const V1: VersionConversion = VersionConversion {
    stored_in: "autoscaling/v2",
    from_stored: v2_to_v1,
    to_stored: v1_to_v2,
    rules: RulesRead::StoredVersion,
};

fn v2_to_v1(autoscaler: &mut Map<'_>) {
    let arena = autoscaler.arena();
    let spec = autoscaler.ensure_map("spec");
    let metrics = spec.remove("metrics");
    let behavior = spec.remove("behavior").filter(|behavior| !matches!(behavior, Value::Null));
    if let Some(utilization) = items(metrics.as_ref()).iter().find_map(cpu_utilization) {
        spec.set("targetCPUUtilizationPercentage", utilization.copy_in(arena));
    }
    let status = autoscaler.ensure_map("status");
    let (current, conditions) = (status.remove("currentMetrics"), status.remove("conditions"));
    if let Some(utilization) = items(current.as_ref()).iter().rev().find_map(current_cpu_utilization) {
        status.set("currentCPUUtilizationPercentage", utilization.copy_in(arena));
    }
    if !status.has("currentReplicas") {
        status.set("currentReplicas", 0);
    }
    let others = items(metrics.as_ref()).iter().filter(|metric| cpu_utilization(metric).is_none());
    let texts = [
        (METRICS, others.map(metric_spec_v1).collect()),
        (CURRENT_METRICS, items(current.as_ref()).iter().map(metric_status_v1).collect()),
        (CONDITIONS, items(conditions.as_ref()).iter().map(condition_text).collect::<Vec<_>>()),
    ];
    change_annotations(autoscaler, |annotations| {
        for (name, items) in texts.iter().filter(|(_, items)| !items.is_empty()) {
            annotations.set_text(name, &list_text(items));
        }
        if let Some(behavior) = &behavior {
            annotations.set_text(BEHAVIOR, &behavior_text(behavior));
        }
    });
}

fn v1_to_v2(autoscaler: &mut Map<'_>) {
    let arena = autoscaler.arena();
    let annotations = autoscaler.map("metadata").and_then(|metadata| metadata.map("annotations"));
    let read = |name: &str| annotations.and_then(|all| read_annotation(arena, all.str(name)));
    let [metrics, behavior, current, conditions] = [METRICS, BEHAVIOR, CURRENT_METRICS, CONDITIONS].map(read);
    let spec = autoscaler.ensure_map("spec");
    let mut all = converted(arena, items(metrics.as_ref()), metric_spec_v2);
    if let Some(percent) = spec.remove("targetCPUUtilizationPercentage") {
        all.push(cpu_target(arena, percent));
    }
    if all.is_empty() {
        all.push(cpu_target(arena, DEFAULT_CPU_UTILIZATION.into()));
    }
    spec.set("metrics", all);
    if let Some(behavior) = behavior.as_ref().and_then(|behavior| behavior_v2(arena, behavior)) {
        spec.set("behavior", behavior);
    }
    let status = autoscaler.ensure_map("status");
    if status.int("currentReplicas") == Some(0) {
        status.remove("currentReplicas");
    }
    let own = status.remove("currentCPUUtilizationPercentage");
    // The annotation says more than the status.
    let current = match (current, own) {
        (Some(current), _) => converted(arena, list(&current), metric_status_v2).into(),
        (None, Some(percent)) => {
            let mut list = List::new_in(arena);
            list.push(cpu_current(arena, percent));
            list.into()
        }
        (None, None) => Value::Null,
    };
    status.set("currentMetrics", current);
    if let Some(conditions) = conditions.filter(|conditions| !list(conditions).is_empty()) {
        status.set("conditions", conditions);
    }
    change_annotations(autoscaler, |_| {});
}

/// What an annotation says; what cannot be read is dropped, as Kubernetes does.
pub(super) fn read_annotation<'a>(arena: &'a Arena, text: &'a str) -> Option<Value<'a>> {
    let document = Document::check(text.as_bytes()).ok()?;
    (document.depth() < MAX_ANNOTATION_DEPTH).then(|| read_typed_form(arena, text))
}

fn list<'v, 'a>(value: &'v Value<'a>) -> &'v [Value<'a>] {
    value.as_list().map_or(&[], |list| list)
}

fn items<'v, 'a>(value: Option<&'v Value<'a>>) -> &'v [Value<'a>] {
    value.map_or(&[], list)
}

fn converted<'a>(
    arena: &'a Arena,
    items: &[Value<'a>],
    convert: fn(&'a Arena, &Value<'a>) -> Value<'a>,
) -> List<'a> {
    let mut converted = List::new_in(arena);
    items.iter().for_each(|item| converted.push(convert(arena, item)));
    converted
}

/// Replaces the annotations that are part of the conversion.
fn change_annotations<'a>(autoscaler: &mut Map<'a>, change: impl FnOnce(&mut Map<'a>)) {
    let metadata = autoscaler.ensure_map("metadata");
    let annotations = metadata.ensure_map("annotations");
    for name in ROUND_TRIP {
        annotations.remove(name);
    }
    change(annotations);
    if annotations.is_empty() {
        metadata.remove("annotations");
    }
}

fn cpu_utilization<'v, 'a>(metric: &'v Value<'a>) -> Option<&'v Value<'a>> {
    let is_resource = at(metric, &["type"]).as_str() == Some("Resource");
    cpu(metric, "target").filter(|_| is_resource)
}

fn current_cpu_utilization<'v, 'a>(metric: &'v Value<'a>) -> Option<&'v Value<'a>> {
    cpu(metric, "current")
}

fn cpu<'v, 'a>(metric: &'v Value<'a>, values: &str) -> Option<&'v Value<'a>> {
    let is_cpu = at(metric, &["resource", "name"]).as_str() == Some("cpu");
    Some(at(metric, &["resource", values, "averageUtilization"]))
        .filter(|value| is_cpu && !matches!(value, Value::Null))
}

/// Members in the order of a Go struct; those without a value are written as null.
fn go_struct(fields: &[(&str, &str)], value: &Value<'_>, text: impl Fn(&Value<'_>) -> String) -> String {
    let members: Vec<String> =
        fields.iter().map(|(go, json)| format!("\"{go}\":{}", text(at(value, &[json])))).collect();
    format!("{{{}}}", members.join(","))
}

fn behavior_text(behavior: &Value<'_>) -> String {
    go_struct(&RULES, behavior, |rules| match rules {
        Value::Null => "null".to_owned(),
        rules => go_struct(&RULE_FIELDS, rules, |value| match value {
            Value::List(policies) => {
                let policy = |one| go_struct(&POLICY_FIELDS, one, |value| value.to_text());
                list_text(&policies.iter().map(policy).collect::<Vec<_>>())
            }
            value => value.to_text(),
        }),
    })
}

fn behavior_v2<'a>(arena: &'a Arena, text: &Value<'a>) -> Option<Map<'a>> {
    let mut behavior = renamed(arena, &RULES, text);
    for (_, rules) in behavior.iter_mut() {
        let mut fields = renamed(arena, &RULE_FIELDS, rules);
        for policy in fields.list_mut("policies").into_iter().flat_map(|policies| policies.iter_mut()) {
            *policy = renamed(arena, &POLICY_FIELDS, policy).into();
        }
        *rules = fields.into();
    }
    (!behavior.is_empty()).then_some(behavior)
}

fn renamed<'a>(arena: &'a Arena, fields: &[(&'static str, &'static str)], value: &Value<'a>) -> Map<'a> {
    let mut renamed = Map::new_in(arena);
    for (go, json) in fields {
        match at(value, &[go]) {
            Value::Null => {}
            value => renamed.set(json, value.copy_in(arena)),
        }
    }
    renamed
}

fn condition_text(condition: &Value<'_>) -> String {
    let fields = ["type", "status", "lastTransitionTime", "reason", "message", "observedGeneration"];
    let always = ["type", "status", "lastTransitionTime"];
    let is_given = |name: &str| condition.as_map().is_some_and(|condition| condition.has(name));
    let written = fields.iter().filter(|name| always.contains(name) || is_given(name));
    let members: Vec<String> =
        written.map(|name| format!("\"{name}\":{}", at(condition, &[name]).to_text())).collect();
    format!("{{{}}}", members.join(","))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value as Json, json};

    use super::*;

    fn convert(convert: fn(&mut Map<'_>), json: &Json) -> Json {
        let arena = Arena::new();
        let Value::Map(mut autoscaler) = Value::of_json(json, &arena) else { return Json::Null };
        convert(&mut autoscaler);
        serde_json::from_str(&autoscaler.to_text()).unwrap()
    }

    /// As kube-apiserver 1.37 shows it in version v1.
    #[test]
    fn metrics_of_version_2_are_annotations_of_version_1() {
        let v2 = json!({"metadata": {"name": "a"},
            "spec": {"maxReplicas": 10, "metrics": [
                {"type": "Resource", "resource": {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": 60}}},
                {"type": "Pods", "pods": {"metric": {"name": "rps"}, "target": {"type": "AverageValue", "averageValue": "100"}}},
                {"type": "Object", "object": {"describedObject": {"apiVersion": "networking.k8s.io/v1", "kind": "Ingress", "name": "web"},
                    "metric": {"name": "hits", "selector": {"matchLabels": {"a": "b"}}}, "target": {"type": "Value", "value": "2k"}}}],
                "behavior": {"scaleDown": {"selectPolicy": "Disabled", "policies": [{"type": "Pods", "value": 1, "periodSeconds": 60}]}}},
            "status": {"desiredReplicas": 0, "currentMetrics": null}});
        let v1 = convert(v2_to_v1, &v2);
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
        assert_eq!((convert(v1_to_v2, &v1), metrics), (expected, Some(())));
    }

    /// Kubernetes writes annotations with encoding/json, which escapes what HTML would read.
    #[test]
    fn texts_in_annotations_are_escaped_as_go_escapes_them() {
        let condition = json!({"type": "AbleToScale", "status": "True", "lastTransitionTime": null, "message": "1 < 2 & 3"});
        let v1 = convert(v2_to_v1, &json!({"spec": {}, "status": {"conditions": [condition]}}));
        let text = r#"[{"type":"AbleToScale","status":"True","lastTransitionTime":null,"message":"1 \u003c 2 \u0026 3"}]"#;
        assert_eq!(v1["metadata"]["annotations"][CONDITIONS], text);
        let conditions = &convert(v1_to_v2, &v1)["status"]["conditions"];
        assert_eq!(conditions, &json!([condition]));
    }

    #[test]
    fn annotations_that_cannot_be_read_are_dropped() {
        let deep = format!("{}{}", "[".repeat(5000), "]".repeat(5000));
        for text in ["", "[{]", "7", &deep] {
            let v1 = json!({"metadata": {"annotations": {METRICS: text, "a": "b"}}, "spec": {}});
            let v2 = convert(v1_to_v2, &v1);
            assert_eq!(v2["metadata"], json!({"annotations": {"a": "b"}}), "{text:.9}");
            let utilization = &v2["spec"]["metrics"][0]["resource"]["target"]["averageUtilization"];
            assert_eq!(utilization, &json!(DEFAULT_CPU_UTILIZATION), "{text:.9}");
        }
    }
}
