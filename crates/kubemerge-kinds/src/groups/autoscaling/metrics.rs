//! Metrics of an autoscaler: where they come from and what they should be.

use super::reference::{ApiVersion, object_reference};
use crate::field::Field;
use crate::format::{dns1123_label, path_segment_name, qualified_name};
use crate::groups::core_v1::pod_spec::{is_extended, is_native, is_standard};

/// Types, and the field that holds the source of each.
const TYPES: [(&str, &str); 5] = [
    ("ContainerResource", "containerResource"),
    ("External", "external"),
    ("Object", "object"),
    ("Pods", "pods"),
    ("Resource", "resource"),
];
/// The first source that is given is the one that is validated.
const SOURCES: [&str; 5] = ["object", "external", "pods", "resource", "containerResource"];

/// Validates a metric.
pub(super) fn metric(metric: Field<'_>, rule: ApiVersion) {
    let kind = metric.field("type");
    if kind.is_empty() {
        kind.required("must specify a metric source type");
    }
    let expected = TYPES.iter().find(|(name, _)| *name == kind.str()).map(|(_, source)| *source);
    if expected.is_none() {
        kind.not_supported(&TYPES.map(|(name, _)| name));
    }
    let given: Vec<&str> = SOURCES.into_iter().filter(|name| metric.field(name).is_set()).collect();
    if let Some(first) = given.first() {
        source(metric.field(first), first, rule);
    }
    // Upstream reports the missing source of the type, then the others that are given.
    if let Some(expected) = expected.filter(|expected| !given.contains(expected)) {
        metric.field(expected).required("must populate information for the given metric source");
    }
    if given.len() > 1 {
        for name in given.into_iter().filter(|name| Some(*name) != expected) {
            metric.field(name).forbidden("must populate the given metric source only");
        }
    }
}

fn source(source: Field<'_>, name: &str, rule: ApiVersion) {
    let target = source.field("target");
    match name {
        "object" => {
            object_reference(source.field("describedObject"), rule);
            identifier(source.field("metric"));
        }
        "external" | "pods" => identifier(source.field("metric")),
        "resource" => {
            source.field("name").require("must specify a resource name");
        }
        _ => container_resource(source),
    }
    self::target(target);
    let (value, average) = (target.field("value"), target.field("averageValue"));
    match name {
        "object" if !value.is_set() && !average.is_set() => {
            average.required("must set either a target value or averageValue");
        }
        "external" => one_of_two(
            [average, value],
            value,
            [
                "must set either a target value for metric or a per-pod target",
                "may not set both a target value for metric and a per-pod target",
            ],
        ),
        "pods" if !average.is_set() => average.required("must specify a positive target averageValue"),
        "object" | "pods" => {}
        _ => one_of_two(
            [target.field("averageUtilization"), average],
            average,
            [
                "must set either a target raw value or a target utilization",
                "may not set both a target raw value and a target utilization",
            ],
        ),
    }
}

/// One of two fields is given: the first is required if none is, and another forbidden if both are.
fn one_of_two<'t>(fields: [Field<'t>; 2], forbidden: Field<'t>, [none, both]: [&str; 2]) {
    match fields.map(Field::is_set) {
        [false, false] => fields[0].required(none),
        [true, true] => forbidden.forbidden(both),
        _ => {}
    }
}

fn identifier(metric: Field<'_>) {
    let name = metric.field("name");
    if !name.require("must specify a metric name") {
        name.check(path_segment_name);
    }
}

fn container_resource(source: Field<'_>) {
    let (name, container) = (source.field("name"), source.field("container"));
    if !name.require("must specify a resource name") {
        resource_name(name);
    }
    if !container.require("must specify a container") {
        container.check(dns1123_label);
    }
}

fn resource_name(name: Field<'_>) {
    let text = name.str();
    let is_valid = name.check(qualified_name);
    if !text.contains('/') {
        if is_valid && !is_standard(text) {
            name.invalid("must be a standard resource type or fully qualified");
        }
        let is_of_containers =
            matches!(text, "cpu" | "memory" | "ephemeral-storage") || text.starts_with("hugepages-");
        if !is_of_containers {
            name.invalid("must be a standard resource for containers");
        }
    } else if !is_native(text) && !is_extended(text) {
        name.invalid("doesn't follow extended resource name standard");
    }
}

fn target(target: Field<'_>) {
    let kind = target.field("type");
    kind.require("must specify a metric target type");
    if !["Utilization", "Value", "AverageValue"].contains(&kind.str()) {
        kind.invalid("must be either Utilization, Value, or AverageValue");
    }
    for quantity in [target.field("value"), target.field("averageValue")] {
        if quantity.is_set() && quantity.quantity().sign() <= 0 {
            quantity.invalid("must be positive");
        }
    }
    let utilization = target.field("averageUtilization");
    if utilization.is_set() && utilization.int() < 1 {
        utilization.invalid("must be greater than 0");
    }
}
