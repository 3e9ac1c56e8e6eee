//! Affinity to nodes and to other pods.

use super::topology::label_keys;
use crate::field::Field;
use crate::format::{dns1123_label, dns1123_subdomain, label_value, qualified_name};
use crate::meta::{Selector, label_selector};

pub(super) fn affinity(affinity: Field<'_>) {
    let node = affinity.field("nodeAffinity");
    let required = node.field("requiredDuringSchedulingIgnoredDuringExecution");
    if required.is_set() {
        node_selector(required);
    }
    for term in node.field("preferredDuringSchedulingIgnoredDuringExecution").items() {
        weight(term.field("weight"));
        // Upstream: values that no label can have are refused in required terms only; here they match nothing.
        node_selector_term(term.field("preference"), Values::Any);
    }
    for name in ["podAffinity", "podAntiAffinity"] {
        let pods = affinity.field(name);
        pods.field("requiredDuringSchedulingIgnoredDuringExecution").items().for_each(pod_affinity_term);
        for term in pods.field("preferredDuringSchedulingIgnoredDuringExecution").items() {
            weight(term.field("weight"));
            pod_affinity_term(term.field("podAffinityTerm"));
        }
    }
}

fn weight(weight: Field<'_>) {
    if !(1..=100).contains(&weight.int()) {
        weight.invalid_as(weight.int(), "must be in the range 1-100");
    }
}

/// Whether the values of a requirement must be label values.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Values {
    LabelValues,
    Any,
}

/// A selector of nodes, with at least one term.
pub(crate) fn node_selector(selector: Field<'_>) {
    let terms = selector.field("nodeSelectorTerms");
    if terms.is_empty() {
        return terms.required("must have at least one node selector term");
    }
    terms.items().for_each(|term| node_selector_term(term, Values::LabelValues));
}

fn node_selector_term(term: Field<'_>, values: Values) {
    for requirement in term.field("matchExpressions").items() {
        node_requirement(requirement, values);
    }
    term.field("matchFields").items().for_each(node_field_requirement);
}

fn node_requirement(requirement: Field<'_>, rule: Values) {
    let (operator, values) = (requirement.field("operator"), requirement.field("values"));
    match operator.str() {
        "In" | "NotIn" if values.is_empty() => {
            values.required("must be specified when `operator` is 'In' or 'NotIn'");
        }
        "Exists" | "DoesNotExist" if !values.is_empty() => {
            values.forbidden("may not be specified when `operator` is 'Exists' or 'DoesNotExist'");
        }
        "Gt" | "Lt" if values.len() != 1 => {
            values.required("must be specified single value when `operator` is 'Lt' or 'Gt'");
        }
        "In" | "NotIn" | "Exists" | "DoesNotExist" | "Gt" | "Lt" => {}
        _ => operator.invalid("not a valid selector operator"),
    }
    requirement.field("key").check(qualified_name);
    if rule == Values::LabelValues {
        values.items().for_each(|value| {
            value.check(label_value);
        });
    }
}

fn node_field_requirement(requirement: Field<'_>) {
    let (operator, values, key) =
        (requirement.field("operator"), requirement.field("values"), requirement.field("key"));
    match operator.str() {
        // Upstream: exactly one value, unlike for labels.
        "In" | "NotIn" if values.len() != 1 => {
            values.required(
                "must be only one value when `operator` is 'In' or 'NotIn' for node field selector",
            );
        }
        "In" | "NotIn" => {}
        _ => operator.invalid("not a valid selector operator"),
    }
    // The only field by which the scheduler selects nodes.
    if key.str() == "metadata.name" {
        values.items().for_each(|value| {
            value.check(dns1123_subdomain);
        });
    } else {
        key.invalid("not a valid field selector key");
    }
}

fn pod_affinity_term(term: Field<'_>) {
    label_selector(term.field("labelSelector"), Selector::Strict);
    label_selector(term.field("namespaceSelector"), Selector::Strict);
    for namespace in term.field("namespaces").items() {
        // Upstream spells the field in the singular.
        namespace.reported_at(term.field("namespace")).check(dns1123_label);
    }
    label_keys(term, term.field("labelSelector"));
    let key = term.field("topologyKey");
    if key.is_empty() {
        key.required("can not be empty");
    }
    // Upstream: an empty key is reported as missing and as malformed.
    key.check(qualified_name);
}
