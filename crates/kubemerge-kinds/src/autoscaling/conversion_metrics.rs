//! Metrics of HorizontalPodAutoscalers: as v2 has them, and as the annotations of v1 do.

use serde_json::{Map, Value, json};

/// A text of members, in their order; those without a value are left out.
#[derive(Default)]
struct Members(Vec<String>);

impl Members {
    fn add(mut self, name: &str, value: &Value) -> Self {
        if !value.is_null() {
            self.0.push(format!("\"{name}\":{}", text(value)));
        }
        self
    }

    /// A member that Go always writes.
    fn always(self, name: &str, value: &Value, zero: &str) -> Self {
        let zero = json!(zero);
        self.add(name, if value.is_null() { &zero } else { value })
    }

    fn finish(self) -> String {
        format!("{{{}}}", self.0.join(","))
    }
}

/// The text of a value. Of all that metrics hold, Go declares only two types in an order that is not alphabetical.
fn text(value: &Value) -> String {
    if value.get("matchLabels").is_some() || value.get("matchExpressions").is_some() {
        let members = Members::default().add("matchLabels", &value["matchLabels"]);
        let Value::Array(_) = value["matchExpressions"] else { return members.finish() };
        return members.add("matchExpressions", &value["matchExpressions"]).finish();
    }
    if value.get("kind").is_some() && value.get("name").is_some() {
        let members = Members::default().add("kind", &value["kind"]).add("name", &value["name"]);
        return members.add("apiVersion", &value["apiVersion"]).finish();
    }
    value.to_string()
}

/// The fields of a metric that say what is measured, in the order of Go's struct.
const SOURCES: [&str; 5] = ["object", "pods", "resource", "containerResource", "external"];

fn metric_v1(metric: &Value, source: impl Fn(&str, &Value) -> String) -> String {
    let mut members = Members::default().always("type", &metric["type"], "");
    for name in SOURCES.iter().filter(|name| metric[**name].is_object()) {
        members.0.push(format!("\"{name}\":{}", source(name, &metric[*name])));
    }
    members.finish()
}

/// A metric to reach, for the annotation.
pub(super) fn metric_spec_v1(metric: &Value) -> String {
    metric_v1(metric, |name, source| {
        let (target, measured) = (&source["target"], &source["metric"]);
        let members = Members::default();
        match name {
            "object" => members
                .add("target", &source["describedObject"])
                .always("metricName", &measured["name"], "")
                .always("targetValue", &target["value"], "0")
                .add("selector", &measured["selector"])
                .add("averageValue", &target["averageValue"]),
            "pods" => members
                .always("metricName", &measured["name"], "")
                .always("targetAverageValue", &target["averageValue"], "0")
                .add("selector", &measured["selector"]),
            "external" => members
                .always("metricName", &measured["name"], "")
                .add("metricSelector", &measured["selector"])
                .add("targetValue", &target["value"])
                .add("targetAverageValue", &target["averageValue"]),
            _ => members
                .always("name", &source["name"], "")
                .add("targetAverageUtilization", &target["averageUtilization"])
                .add("targetAverageValue", &target["averageValue"])
                .add("container", &source["container"]),
        }
        .finish()
    })
}

/// A metric that was measured, for the annotation.
pub(super) fn metric_status_v1(metric: &Value) -> String {
    metric_v1(metric, |name, source| {
        let (current, measured) = (&source["current"], &source["metric"]);
        let members = Members::default();
        match name {
            "object" => members
                .add("target", &source["describedObject"])
                .always("metricName", &measured["name"], "")
                .always("currentValue", &current["value"], "0")
                .add("selector", &measured["selector"])
                .add("averageValue", &current["averageValue"]),
            "pods" => members
                .always("metricName", &measured["name"], "")
                .always("currentAverageValue", &current["averageValue"], "0")
                .add("selector", &measured["selector"]),
            "external" => members
                .always("metricName", &measured["name"], "")
                .add("metricSelector", &measured["selector"])
                .always("currentValue", &current["value"], "0")
                .add("currentAverageValue", &current["averageValue"]),
            _ => members
                .always("name", &source["name"], "")
                .add("currentAverageUtilization", &current["averageUtilization"])
                .always("currentAverageValue", &current["averageValue"], "0")
                .add("container", &source["container"]),
        }
        .finish()
    })
}

/// An object of the members that have a value.
fn given<const N: usize>(members: [(&str, &Value); N]) -> Value {
    let given = members.into_iter().filter(|(_, value)| !value.is_null());
    given.map(|(name, value)| (name.to_string(), value.clone())).collect::<Map<_, _>>().into()
}

fn metric_v2(metric: &Value, source: impl Fn(&str, &Value) -> Value) -> Value {
    let mut converted = json!({"type": metric["type"]});
    for name in SOURCES.iter().filter(|name| metric[**name].is_object()) {
        converted[*name] = source(name, &metric[*name]);
    }
    converted
}

/// A metric to reach, from the annotation.
pub(super) fn metric_spec_v2(metric: &Value) -> Value {
    metric_v2(metric, |name, source| {
        let measured =
            |selector: &str| given([("name", &source["metricName"]), ("selector", &source[selector])]);
        let (value, average) = (&source["targetValue"], &source["targetAverageValue"]);
        let target = |ty: &str, value: &Value, average: &Value| {
            given([("type", &json!(ty)), ("value", value), ("averageValue", average)])
        };
        let by = |has_average: bool| if has_average { "AverageValue" } else { "Value" };
        match name {
            "object" => {
                let average = &source["averageValue"];
                json!({"describedObject": source["target"], "metric": measured("selector"),
                    "target": target(by(!average.is_null()), value, average)})
            }
            "pods" => {
                json!({"metric": measured("selector"), "target": target(by(true), &Value::Null, average)})
            }
            "external" => json!({"metric": measured("metricSelector"),
                "target": target(by(value.is_null()), value, average)}),
            _ => {
                let utilization = &source["targetAverageUtilization"];
                let ty = json!(if utilization.is_null() { "AverageValue" } else { "Utilization" });
                let target =
                    given([("type", &ty), ("averageUtilization", utilization), ("averageValue", average)]);
                given([("name", &source["name"]), ("container", &source["container"]), ("target", &target)])
            }
        }
    })
}

/// A metric that was measured, from the annotation.
pub(super) fn metric_status_v2(metric: &Value) -> Value {
    metric_v2(metric, |name, source| {
        let measured =
            |selector: &str| given([("name", &source["metricName"]), ("selector", &source[selector])]);
        let (value, average) = (&source["currentValue"], &source["currentAverageValue"]);
        match name {
            "object" => json!({"describedObject": source["target"], "metric": measured("selector"),
                "current": given([("value", value), ("averageValue", &source["averageValue"])])}),
            "pods" => json!({"metric": measured("selector"), "current": given([("averageValue", average)])}),
            "external" => json!({"metric": measured("metricSelector"),
                "current": given([("value", value), ("averageValue", average)])}),
            _ => {
                let utilization = &source["currentAverageUtilization"];
                let current = given([("averageUtilization", utilization), ("averageValue", average)]);
                given([("name", &source["name"]), ("container", &source["container"]), ("current", &current)])
            }
        }
    })
}
