//! Metrics of HorizontalPodAutoscalers: as v2 has them, and as the annotations of v1 do.

use crate::tree::{Arena, Map, Value};

/// The value at a place; null if there is none.
pub(super) fn at<'v, 'a>(value: &'v Value<'a>, names: &[&str]) -> &'v Value<'a> {
    let below = |value: &'v Value<'a>, name: &&str| value.as_map().and_then(|map| map.get(name));
    names.iter().try_fold(value, below).unwrap_or(&Value::Null)
}

/// The text of a list of which the items are texts already.
pub(super) fn list_text(items: &[String]) -> String {
    format!("[{}]", items.join(","))
}

/// A text of members, in their order; those without a value are left out.
#[derive(Default)]
struct Members(Vec<String>);

impl Members {
    fn add(mut self, name: &str, value: &Value<'_>) -> Self {
        if !matches!(value, Value::Null) {
            self.0.push(format!("\"{name}\":{}", text(value)));
        }
        self
    }

    /// A member that Go always writes.
    fn always(self, name: &str, value: &Value<'_>, zero: &'static str) -> Self {
        match value {
            Value::Null => self.add(name, &Value::Str(zero)),
            value => self.add(name, value),
        }
    }

    fn finish(self) -> String {
        format!("{{{}}}", self.0.join(","))
    }
}

/// The text of a value. Of all that metrics hold, Go declares only two types in an order that is not alphabetical.
fn text(value: &Value<'_>) -> String {
    let has = |name: &str| value.as_map().is_some_and(|map| map.has(name));
    let of = |name: &str| at(value, &[name]);
    if has("matchLabels") || has("matchExpressions") {
        let members = Members::default().add("matchLabels", of("matchLabels"));
        let expressions = of("matchExpressions");
        return match expressions.as_list() {
            Some(_) => members.add("matchExpressions", expressions).finish(),
            None => members.finish(),
        };
    }
    if has("kind") && has("name") {
        let members = Members::default().add("kind", of("kind")).add("name", of("name"));
        return members.add("apiVersion", of("apiVersion")).finish();
    }
    value.to_text()
}

/// The fields of a metric that say what is measured, in the order of Go's struct.
const SOURCES: [&str; 5] = ["object", "pods", "resource", "containerResource", "external"];

/// What a metric says is measured, by the name of its source.
fn sources<'v, 'a>(metric: &'v Value<'a>) -> impl Iterator<Item = (&'static str, &'v Value<'a>)> {
    let sources = SOURCES.iter().map(move |name| (*name, at(metric, &[name])));
    sources.filter(|(_, source)| source.as_map().is_some())
}

fn metric_v1(metric: &Value<'_>, source: impl Fn(&str, &Value<'_>) -> String) -> String {
    let mut members = Members::default().always("type", at(metric, &["type"]), "");
    for (name, given) in sources(metric) {
        members.0.push(format!("\"{name}\":{}", source(name, given)));
    }
    members.finish()
}

/// A metric to reach, for the annotation.
pub(super) fn metric_spec_v1(metric: &Value<'_>) -> String {
    metric_v1(metric, |name, source| {
        let (target, measured) = (at(source, &["target"]), at(source, &["metric"]));
        let members = Members::default();
        match name {
            "object" => members
                .add("target", at(source, &["describedObject"]))
                .always("metricName", at(measured, &["name"]), "")
                .always("targetValue", at(target, &["value"]), "0")
                .add("selector", at(measured, &["selector"]))
                .add("averageValue", at(target, &["averageValue"])),
            "pods" => members
                .always("metricName", at(measured, &["name"]), "")
                .always("targetAverageValue", at(target, &["averageValue"]), "0")
                .add("selector", at(measured, &["selector"])),
            "external" => members
                .always("metricName", at(measured, &["name"]), "")
                .add("metricSelector", at(measured, &["selector"]))
                .add("targetValue", at(target, &["value"]))
                .add("targetAverageValue", at(target, &["averageValue"])),
            _ => members
                .always("name", at(source, &["name"]), "")
                .add("targetAverageUtilization", at(target, &["averageUtilization"]))
                .add("targetAverageValue", at(target, &["averageValue"]))
                .add("container", at(source, &["container"])),
        }
        .finish()
    })
}

/// A metric that was measured, for the annotation.
pub(super) fn metric_status_v1(metric: &Value<'_>) -> String {
    metric_v1(metric, |name, source| {
        let (current, measured) = (at(source, &["current"]), at(source, &["metric"]));
        let members = Members::default();
        match name {
            "object" => members
                .add("target", at(source, &["describedObject"]))
                .always("metricName", at(measured, &["name"]), "")
                .always("currentValue", at(current, &["value"]), "0")
                .add("selector", at(measured, &["selector"]))
                .add("averageValue", at(current, &["averageValue"])),
            "pods" => members
                .always("metricName", at(measured, &["name"]), "")
                .always("currentAverageValue", at(current, &["averageValue"]), "0")
                .add("selector", at(measured, &["selector"])),
            "external" => members
                .always("metricName", at(measured, &["name"]), "")
                .add("metricSelector", at(measured, &["selector"]))
                .always("currentValue", at(current, &["value"]), "0")
                .add("currentAverageValue", at(current, &["averageValue"])),
            _ => members
                .always("name", at(source, &["name"]), "")
                .add("currentAverageUtilization", at(current, &["averageUtilization"]))
                .always("currentAverageValue", at(current, &["averageValue"]), "0")
                .add("container", at(source, &["container"])),
        }
        .finish()
    })
}

/// A map of the members that have a value.
fn given<'a, const N: usize>(arena: &'a Arena, members: [(&'static str, &Value<'a>); N]) -> Value<'a> {
    let mut map = Map::new_in(arena);
    for (name, value) in members {
        if !matches!(value, Value::Null) {
            map.set(name, value.copy_in(arena));
        }
    }
    map.into()
}

/// A map of all members.
fn map_of<'a, const N: usize>(arena: &'a Arena, members: [(&'static str, Value<'a>); N]) -> Value<'a> {
    let mut map = Map::new_in(arena);
    members.into_iter().for_each(|(name, value)| map.set(name, value));
    map.into()
}

/// The utilization of CPUs to reach.
pub(super) fn cpu_target<'a>(arena: &'a Arena, percent: Value<'a>) -> Value<'a> {
    let target = [("type", "Utilization".into()), ("averageUtilization", percent)];
    cpu_metric(arena, "target", map_of(arena, target))
}

/// The utilization of CPUs that was measured.
pub(super) fn cpu_current<'a>(arena: &'a Arena, percent: Value<'a>) -> Value<'a> {
    cpu_metric(arena, "current", map_of(arena, [("averageUtilization", percent)]))
}

fn cpu_metric<'a>(arena: &'a Arena, name: &'static str, values: Value<'a>) -> Value<'a> {
    let resource = map_of(arena, [("name", "cpu".into()), (name, values)]);
    map_of(arena, [("type", "Resource".into()), ("resource", resource)])
}

fn metric_v2<'a>(
    arena: &'a Arena,
    metric: &Value<'a>,
    source: impl Fn(&str, &Value<'a>) -> Value<'a>,
) -> Value<'a> {
    let mut converted = Map::new_in(arena);
    converted.set("type", at(metric, &["type"]).copy_in(arena));
    for (name, given) in sources(metric) {
        converted.set(name, source(name, given));
    }
    converted.into()
}

/// What is measured: the name of a metric and the field with its selector.
fn measured<'a>(arena: &'a Arena, source: &Value<'a>, selector: &str) -> Value<'a> {
    given(arena, [("name", at(source, &["metricName"])), ("selector", at(source, &[selector]))])
}

/// A metric to reach, from the annotation.
pub(super) fn metric_spec_v2<'a>(arena: &'a Arena, metric: &Value<'a>) -> Value<'a> {
    metric_v2(arena, metric, |name, source| {
        let of = |name: &str| at(source, &[name]);
        let target = |has_average: bool, value: &Value<'a>, average: &Value<'a>| {
            let ty = if has_average { "AverageValue" } else { "Value" };
            given(arena, [("type", &ty.into()), ("value", value), ("averageValue", average)])
        };
        let is_null = |value: &Value<'_>| matches!(value, Value::Null);
        let (value, average) = (of("targetValue"), of("targetAverageValue"));
        match name {
            "object" => {
                let average = of("averageValue");
                map_of(
                    arena,
                    [
                        ("describedObject", of("target").copy_in(arena)),
                        ("metric", measured(arena, source, "selector")),
                        ("target", target(!is_null(average), value, average)),
                    ],
                )
            }
            "pods" => {
                let target = target(true, &Value::Null, average);
                map_of(arena, [("metric", measured(arena, source, "selector")), ("target", target)])
            }
            "external" => {
                let target = target(is_null(value), value, average);
                map_of(arena, [("metric", measured(arena, source, "metricSelector")), ("target", target)])
            }
            _ => {
                let utilization = of("targetAverageUtilization");
                let ty = if is_null(utilization) { "AverageValue" } else { "Utilization" };
                let members =
                    [("type", &ty.into()), ("averageUtilization", utilization), ("averageValue", average)];
                let target = given(arena, members);
                given(arena, [("name", of("name")), ("container", of("container")), ("target", &target)])
            }
        }
    })
}

/// A metric that was measured, from the annotation.
pub(super) fn metric_status_v2<'a>(arena: &'a Arena, metric: &Value<'a>) -> Value<'a> {
    metric_v2(arena, metric, |name, source| {
        let of = |name: &str| at(source, &[name]);
        let (value, average) = (of("currentValue"), of("currentAverageValue"));
        match name {
            "object" => {
                let current = given(arena, [("value", value), ("averageValue", of("averageValue"))]);
                map_of(
                    arena,
                    [
                        ("describedObject", of("target").copy_in(arena)),
                        ("metric", measured(arena, source, "selector")),
                        ("current", current),
                    ],
                )
            }
            "pods" => {
                let current = given(arena, [("averageValue", average)]);
                map_of(arena, [("metric", measured(arena, source, "selector")), ("current", current)])
            }
            "external" => {
                let current = given(arena, [("value", value), ("averageValue", average)]);
                map_of(arena, [("metric", measured(arena, source, "metricSelector")), ("current", current)])
            }
            _ => {
                let utilization = of("currentAverageUtilization");
                let current = given(arena, [("averageUtilization", utilization), ("averageValue", average)]);
                given(arena, [("name", of("name")), ("container", of("container")), ("current", &current)])
            }
        }
    })
}
